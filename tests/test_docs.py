"""What the documents say is what the code does: commands, settings, formats, numbers, links."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import discord
import pytest
import typer
from discord import app_commands
from markdown_it import MarkdownIt

from bot.bootstrap import shipped
from bot.chat.channels import NEEDED, NEEDED_FOR_THREADS, NEEDED_IN_THREADS
from bot.chat.commands import COMMANDS
from bot.chat.layouts.pages import HELP
from bot.cli import app
from bot.settings import Settings
from data.listings import format_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it.token import Token

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
RECIPES = [
    ROOT / "Containerfile",
    ROOT / "compose.yaml",
    ROOT / ".env.example",
    ROOT / "docs" / "papertriage.service",
]


@dataclass
class Document:
    """A Markdown file, read as a reader's program reads it."""

    tokens: list[Token]
    headings: list[str] = field(default_factory=list)

    def rows(self, heading: str) -> list[list[Token]]:
        """The cells of each table row under a heading, without the tables' own headings."""
        here, found = "", []
        for number, token in enumerate(self.tokens):
            if token.type == "heading_open":
                here = self.tokens[number + 1].content
            elif here == heading and token.type == "tr_open":
                found.append([])
            elif here == heading and token.type == "td_open":
                found[-1].append(self.tokens[number + 1])
        return [row for row in found if row]

    def first_cells(self, heading: str) -> list[str]:
        """The code spans of each table row's first cell under a heading."""
        spans = [list(codes(row[0])) for row in self.rows(heading)]
        assert spans, f"there is no table under {heading}"
        assert all(spans), f"a row under {heading} names nothing"
        return [span for row in spans for span in row]

    def blocks(self) -> list[str]:
        """The lines of all code blocks."""
        fences = [token.content for token in self.tokens if token.type == "fence"]
        return [line.strip() for fence in fences for line in fence.splitlines()]

    def links(self) -> list[str]:
        """Where its links and pictures lead."""
        inside = [inner for token in self.tokens for inner in token.children or ()]
        named = [token.attrGet("href") or token.attrGet("src") for token in inside]
        return [str(target) for target in named if target]


def codes(token: Token) -> Iterator[str]:
    """The code spans of a piece of text."""
    return (inner.content for inner in token.children or () if inner.type == "code_inline")


@cache
def document(path: Path) -> Document:
    """A Markdown file of the checkout."""
    tokens = MarkdownIt("gfm-like").parse(path.read_text("utf-8"))
    titles = [
        tokens[number + 1].content
        for number, token in enumerate(tokens)
        if token.type == "heading_open"
    ]
    return Document(tokens, titles)


def readme() -> Document:
    """The README."""
    return document(ROOT / "README.md")


def named(path: Path) -> str:
    """A file's name in a test's name."""
    return str(path.relative_to(ROOT))


def chat_commands() -> dict[str, str]:
    """Every chat command's options as the README writes them: in brackets what may be left out."""
    found = {}
    for registered in COMMANDS:
        if isinstance(registered, app_commands.ContextMenu):
            found[registered.name] = ""
            continue
        group = isinstance(registered, app_commands.Group)
        for command in registered.walk_commands() if group else [registered]:
            if isinstance(command, app_commands.Group):
                continue
            found[f"/{command.qualified_name}"] = "".join(
                f" {option.display_name}" if option.required else f" [{option.display_name}]"
                for option in command.parameters
            )
    return found


def shell_commands() -> dict[str, set[str]]:
    """Every shell command's options."""
    return {
        name: {
            option
            for parameter in command.params
            for option in parameter.opts
            if option.startswith("--") and option != "--help"
        }
        for name, command in typer.main.get_command(app).commands.items()
    }


def test_the_readme_names_every_chat_command_with_its_options_and_no_other() -> None:
    assert sorted(readme().first_cells("In the chat")) == sorted(
        name + options for name, options in chat_commands().items()
    )


def test_the_help_in_the_chat_names_every_command_but_those_about_the_bot() -> None:
    told = " ".join(name for _, commands in HELP for name, _ in commands)
    words = set(re.findall(r"\w+", told))
    for name in chat_commands().keys() - {"/help", "/about", "/stats"}:
        assert words.issuperset(re.findall(r"\w+", name)), f"/help does not name {name}"


def test_the_readme_names_every_shell_command_with_its_options_and_no_other() -> None:
    documented = {}
    for span in readme().first_cells("In the shell"):
        match = re.fullmatch(r"papertriage (\w+)(.*)", span)
        assert match, span
        documented[match[1]] = set(re.findall(r"--[\w-]+", match[2]))
    assert documented == shell_commands()


def test_the_readme_shows_the_two_commands_that_one_needs() -> None:
    assert "uv run papertriage demo" in readme().blocks()
    assert "uv run pytest" in readme().blocks()


@pytest.mark.parametrize("path", [*DOCUMENTS, *RECIPES], ids=named)
def test_every_papertriage_command_in_a_document_exists(path: Path) -> None:
    text = path.read_text("utf-8")
    ran = re.findall(
        r"(?:uv run|exec|/bin/|`)\s?(?:papertriage )?papertriage (?!papertriage)([a-z]+)", text
    )
    assert set(ran) <= shell_commands().keys()


@pytest.mark.parametrize("path", [*DOCUMENTS, *RECIPES], ids=named)
def test_every_setting_in_a_document_exists(path: Path) -> None:
    named_there = set(re.findall(r"PAPERTRIAGE_([A-Z_]*[A-Z])", path.read_text("utf-8")))
    assert named_there <= {name.upper() for name in Settings.model_fields}


def test_the_readme_names_every_listing_format_and_no_other() -> None:
    assert sorted(readme().first_cells("What it can read")) == sorted(format_names())


def test_the_invitation_asks_for_what_the_bot_needs_and_no_more() -> None:
    [address] = [line for line in readme().blocks() if "oauth2/authorize" in line]
    query = parse_qs(urlsplit(address).query)
    assert query["scope"] == ["bot applications.commands"]
    asked = discord.Permissions(int(query["permissions"][0]))
    # An export is a file in an answer; nothing in the publisher sends one.
    # Who wants a digest in a voice channel lets the bot connect there.
    needed = {*NEEDED, *NEEDED_IN_THREADS, *NEEDED_FOR_THREADS, "attach_files"}
    assert {name for name, granted in asked if granted} == {
        canonical for canonical in needed if canonical != "view_channel"
    } | {"read_messages"}
    text = (ROOT / "README.md").read_text("utf-8")
    named = (NEEDED, NEEDED_IN_THREADS, NEEDED_FOR_THREADS)
    for name in {*(name for needs in named for name in needs.values()), "Attach Files"}:
        assert re.search(rf"^\s+- {name}", text, re.MULTILINE), f"the README does not name {name}"


def test_the_readme_gives_the_scores_of_the_tagger_that_ships() -> None:
    manifest = json.loads((shipped("tagger") / "manifest.json").read_text("utf-8"))
    rows = readme().rows("How good the tags are")
    told = [[cell.content for cell in row[1:]] for row in rows]
    kinds = ("position", "theory", "methods", "macro")
    assert told == [
        [f"{manifest['scores'][f'{form} {kind} F1']:.2f}" for kind in kinds]
        for form in ("published", "bare", "untitled")
    ]


def anchor(heading: str) -> str:
    """A heading's name in links, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_every_link_inside_the_checkout_leads_somewhere(path: Path) -> None:
    for target in document(path).links():
        if "://" in target:
            continue
        file, _, place = target.partition("#")
        leads_to = path.parent / file if file else path
        assert leads_to.exists(), f"{target} is not there"
        if place:
            headings = [anchor(heading) for heading in document(leads_to).headings]
            assert place in headings, f"{target} names no heading"


def test_the_readme_has_its_pictures_and_they_load_quickly() -> None:
    pictures = [link for link in readme().links() if link.endswith(".png")]
    assert pictures == ["docs/search.png", "docs/digest.png", "docs/queue.png"]
    for picture in pictures:
        content = (ROOT / picture).read_bytes()
        assert content.startswith(b"\x89PNG")
        assert len(content) < 150_000


def test_the_layout_in_the_readme_names_what_there_is() -> None:
    [layout] = [token.content for token in readme().tokens if token.content.startswith("bot/  ")]
    folder, top = Path(), set()
    for line in layout.splitlines():
        indented, name = line.startswith("  "), line.split()[0]
        if not indented:
            folder = Path(name)
            top.add(name.rstrip("/"))
        place = ROOT / folder / name if indented else ROOT / name
        assert place.is_dir() if name.endswith("/") else place.is_file(), f"{name} is not there"
    assert top == {"bot", "classifiers", "data", "tests", "docs"}


def test_contributing_says_why_each_dependency_is_there_and_names_no_other() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = [
        *project["project"]["dependencies"],
        *(line for group in project["dependency-groups"].values() for line in group),
    ]
    names = {re.split(r"[\[<>=~! ]", line)[0] for line in wanted}
    rows = document(ROOT / "CONTRIBUTING.md").rows("Dependencies")
    assert {next(codes(row[0])) for row in rows} == names
    assert all(len(row[1].content.split()) > 1 for row in rows)


def test_contributing_names_files_that_there_are() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    paths = re.findall(r"`((?:bot|classifiers|data|tests|docs|\.ci)/[\w./-]*)`", text)
    assert paths
    for path in paths:
        assert (ROOT / path).exists(), f"{path} is not there"


def test_the_changelog_opens_with_what_is_not_released_yet() -> None:
    titles = document(ROOT / "CHANGELOG.md").headings
    assert titles[:2] == ["Changelog", "Unreleased"]


def test_the_container_takes_files_that_there_are_and_lets_them_in() -> None:
    recipe = (ROOT / "Containerfile").read_text("utf-8")
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    lines = re.findall(r"^COPY (?!--from)(.+)$", recipe, re.MULTILINE)
    taken = [name for line in lines for name in line.split()[:-1]]
    assert taken
    for name in taken:
        assert (ROOT / name).exists(), f"{name} is not there"
        assert f"!{name}" in ignored, f"{name} does not reach the build"


def test_no_container_runs_as_root_and_all_of_them_keep_the_library_outside() -> None:
    recipe = (ROOT / "Containerfile").read_text("utf-8")
    last_stage = recipe.rsplit("\nFROM ", 1)[-1]
    assert re.search(r"^USER (?!root\b)\w+$", last_stage, re.MULTILINE)
    assert "PAPERTRIAGE_HOME=/data" in last_stage
    assert "\nVOLUME /data\n" in last_stage
