"""The command line as scripts rely on it: exit status, one JSON document, one sentence."""

from __future__ import annotations

import asyncio
import io
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from datetime import time
from typing import TYPE_CHECKING

import pytest
import structlog

from bot.bootstrap import opened
from bot.cli import main
from bot.settings import Settings
from bot.triage.schedule import EVERY_DAY
from data.store.digests import DigestFilter, SubscriptionOrder
from tests.bot.triage.conftest import PAPERS
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


class Shell:
    """Runs `papertriage` in this process, over a library of its own."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.folder = folder
        self._patch = monkeypatch
        self._capsys = capsys

    def __call__(self, *words: str | Path, stdin: str = "", **environment: str) -> Done:
        with self._patch.context() as patch:
            patch.chdir(self.folder)
            patch.setattr("sys.argv", ["papertriage", *map(str, words)])
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
            settings = {"PAPERTRIAGE_HOME": str(self.folder / "home")} | environment
            for name, value in settings.items():
                patch.setenv(name, value)
            with pytest.raises(SystemExit) as ended:
                main()
        structlog.reset_defaults()
        said = self._capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Done(ended.value.code, said.out, said.err)


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    monkeypatch.delenv("PAPERTRIAGE_DISCORD_TOKEN", raising=False)
    return Shell(tmp_path, monkeypatch, capsys)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.txt"
    path.write_text("Saved page\n\n" + "\n\n".join(PAPERS), "utf-8")
    return path


def test_a_search_counts_its_result_and_a_text_leads_to_papers_like_it(
    shell: Shell, page: Path
) -> None:
    shell("ingest", page)

    found = json.loads(shell("search", "papers OR graphs", "--sort", "newest", "--json").stdout)
    assert found["total"] == sum(found["facets"]["tags"].values()) == 2
    assert "newest first" in found["read_as"]
    assert "tags:" in shell("search", "papers OR graphs").stdout
    assert shell("search", "graphs", "--sort", "shortest").returncode == 2

    near = json.loads(shell("similar", "-", "--json", stdin="Bandits with delays.").stdout)
    assert near["paper"] is None
    assert "tight lower bound" in near["results"][0]["title"]
    assert json.loads(shell("similar", "1", "--json").stdout)["paper"]["id"] == 1
    assert shell("similar", "-").returncode == 2


def test_ingest_twice_then_search(shell: Shell, page: Path) -> None:
    first = shell("ingest", page, "--json")
    assert first.returncode == 0, first.stderr
    document = json.loads(first.stdout)
    assert {name: document[name] for name in ("read", "new", "updated", "merged", "unchanged")} == {
        "read": 3, "new": 3, "updated": 0, "merged": 0, "unchanged": 0,
    }  # fmt: skip
    assert document["refused"] == []
    assert document["files"][0]["format"] == "pages"
    assert json.loads(shell("ingest", page, "--json").stdout)["new"] == 0

    found = json.loads(shell("search", "delayed bandits", "--json").stdout)
    assert found["query"] == "delayed bandits"
    assert found["total"] >= 1
    best = found["results"][0]
    assert best["title_derived"] is True
    assert set(best) >= {
        "id",
        "title",
        "authors",
        "tag",
        "score",
        "identifiers",
        "topics",
        "snippet",
    }
    assert set(best["identifiers"]) == {"arxiv", "doi", "openreview", "url"}


def test_tag_reads_json_lines_from_a_pipe_and_stores_nothing(shell: Shell) -> None:
    lines = "\n".join(json.dumps({"title": "", "abstract": text}) for text in PAPERS)
    done = shell("tag", "-", "--json", stdin=lines)
    assert done.returncode == 0, done.stderr
    papers = json.loads(done.stdout)["papers"]
    assert [max(paper["probabilities"], key=paper["probabilities"].get) for paper in papers] == [
        "methods", "theory", "position",
    ]  # fmt: skip
    for paper in papers:
        assert sum(paper["probabilities"].values()) == pytest.approx(1)
        assert paper["tag"] in ("position", "theory", "methods", "unsure")
        assert paper["reasons"]
    assert not (shell.folder / "home").exists()


def test_some_records_refused_is_status_one_and_each_is_named(shell: Shell, tmp_path: Path) -> None:
    listing = tmp_path / "papers.jsonl"
    good = json.dumps({"title": "A Good One", "abstract": PAPERS[0]})
    listing.write_text(f"{good}\n{{broken\n", "utf-8")
    done = shell("ingest", listing)
    assert done.returncode == 1
    assert "line 2" in done.stderr


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (["ingest", "nowhere.txt"], ""),
        (["ingest", ""], ""),
        (["restore", "empty.db"], ""),
        (["ingest", "-"], ""),
        (["ingest", "-", "--format", "papyrus"], "text"),
        (["search"], ""),
        (["search", "x", "--since", "soon"], ""),
        (["search", "x", "--limit", "0"], ""),
        (["frobnicate"], ""),
        (["tag", "-"], ""),
        (["restore", "nowhere.db"], ""),
        (["train", "nowhere.jsonl"], ""),
        (["evaluate", "nowhere.jsonl"], ""),
        (["why", "17"], ""),
        (["queue"], ""),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_use_is_status_two_and_one_sentence(
    shell: Shell, words: list[str], stdin: str
) -> None:
    (shell.folder / "empty.db").touch()
    done = shell(*words, stdin=stdin)
    assert done.returncode == 2
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr


def test_run_without_a_token_is_status_69_and_says_what_to_do(shell: Shell) -> None:
    done = shell("run")
    assert done.returncode == 69
    assert "PAPERTRIAGE_DISCORD_TOKEN" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_wrong_setting_is_named(shell: Shell) -> None:
    done = shell("stats", PAPERTRIAGE_LOG_LEVEL="LOUD")
    assert done.returncode == 2
    assert "PAPERTRIAGE_LOG_LEVEL" in done.stderr


def test_a_backup_brings_everything_back(shell: Shell, page: Path, tmp_path: Path) -> None:
    shell("ingest", page)
    assert shell("backup", "copy.db").returncode == 0
    assert shell("backup", "copy.db").returncode == 2
    (tmp_path / "home" / "library.db").write_bytes(b"a cat walked over the keyboard" * 200)
    assert shell("doctor").returncode == 1
    restored = shell("restore", "copy.db")
    assert restored.returncode == 0, restored.stderr
    assert json.loads(shell("search", "bandits", "--json").stdout)["total"] == 1
    healthy = shell("doctor", "--json")
    assert healthy.returncode == 0, healthy.stdout
    assert all(check["good"] for check in json.loads(healthy.stdout)["checks"])


def test_a_home_with_odd_signs_in_its_name_is_backed_up_whole(
    shell: Shell, page: Path, tmp_path: Path
) -> None:
    home = {"PAPERTRIAGE_HOME": str(tmp_path / "h ü #1?x%20")}
    shell("ingest", page, **home)
    assert shell("doctor", **home).returncode == 0
    assert shell("backup", "copy.db", **home).returncode == 0
    assert shell("restore", "copy.db").returncode == 0
    assert json.loads(shell("stats", "--json").stdout)["papers"] == 3


def test_an_index_that_is_damaged_is_made_anew(shell: Shell, page: Path, tmp_path: Path) -> None:
    shell("ingest", page)
    for file in (tmp_path / "home" / "index").rglob("*"):
        if file.is_file():
            file.write_bytes(b"\x00" * 64)
    assert json.loads(shell("search", "bandits", "--json").stdout)["total"] == 1
    assert shell("reindex").stdout.strip() == "The index holds 3 papers."


def test_the_next_digest_can_be_seen_from_a_shell(shell: Shell, page: Path) -> None:
    shell("ingest", page)
    done = shell("digest", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "3 new" in done.stdout
    assert shell("digest").returncode == 69


def test_an_order_can_be_tried_from_a_shell(shell: Shell, page: Path) -> None:
    shell("ingest", page)
    tried = shell("digest", "--dry-run", "--query", "bandits", "--tags", "theory,unsure")
    assert tried.returncode == 0, tried.stderr
    assert "1 new" in tried.stdout
    assert "3 new, 1 matched, 1 posted" in tried.stdout
    quiet = shell("digest", "--dry-run", "--topics", "walruses; seals")
    assert "Nothing new: 3 new papers came and none fits this digest's filter." in quiet.stdout
    short = shell("digest", "--dry-run", "--max", "1")
    assert "and 2 more" in short.stdout
    assert "read as plain words" in shell("digest", "--dry-run", "--query", "(bandits").stdout
    assert shell("digest", "--dry-run", "--tags", "poems").returncode == 2
    assert shell("digest", "--dry-run", "--channel", "5", "--max", "3").returncode == 2
    assert "no digest" in shell("digest", "--dry-run", "--channel", "5").stderr


def test_a_papers_story_can_be_read_from_a_shell(shell: Shell, page: Path) -> None:
    shell("ingest", page)
    story = shell("why", "2")
    assert story.returncode == 0, story.stderr
    assert "seen" in story.stdout
    assert "page.txt" in story.stdout
    assert "tagged" in story.stdout
    assert "no digest is ordered" in story.stdout


def test_a_papers_story_names_its_other_version_and_its_withdrawal(shell: Shell) -> None:
    versions = [
        {"title": "On Otters", "authors": ["Ada Lutra"], "abstract": PAPERS[0]},
        {"title": "On Otters", "authors": ["Ada Lutra"], "abstract": PAPERS[1], "venue": "J. Ott."},
        {"title": "On Gulls", "abstract": "Withdrawn.", "comment": "This paper is withdrawn."},
    ]
    shell("ingest", "-", stdin=json.dumps(versions))
    said = shell("why", "1").stdout
    assert "as new in" in said
    assert "linked with #2 On Otters (J. Ott.), not merged: the same title and first" in said
    gone = shell("why", "3").stdout
    assert "as withdrawn in" in gone
    assert "withdrawn by its source" in gone


def test_a_papers_story_names_its_fate_in_each_digest(
    shell: Shell, page: Path, tmp_path: Path
) -> None:
    shell("ingest", page)

    async def order(channel: int, wanted: DigestFilter) -> None:
        async with opened(Settings(home=tmp_path / "home", _env_file=None)) as services:
            made = SubscriptionOrder(channel, time(9), "UTC", EVERY_DAY, wanted, 10)
            await services.digests.subscribe(1, 2, made)

    asyncio.run(order(500, DigestFilter()))
    asyncio.run(order(501, DigestFilter(query="walrus")))
    told = " ".join(shell("why", "2").stdout.split())
    assert "digest 1 in channel 500: it fits, and is due on" in told
    assert "digest 2 in channel 501: the query “walrus” does not find it" in told
    assert "channel 500" not in shell("why", "2", "--channel", "501").stdout
    assert shell("why", "2", "--channel", "502").returncode == 2


def test_python_dash_m_bot_is_the_same_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bot", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "triage papers" in done.stdout


def test_two_papers_are_made_one_and_taken_apart(shell: Shell, page: Path) -> None:
    shell("ingest", page)
    assert "Both are #1" in shell("merge", "1", "3").stdout
    assert (
        json.loads(shell("search", "archive of reviews", "--json").stdout)["results"][0]["id"] == 1
    )
    assert shell("merge", "1", "3").returncode == 2
    assert "#3" in shell("split", "3").stdout
    assert (
        json.loads(shell("search", "archive of reviews", "--json").stdout)["results"][0]["id"] == 3
    )
    assert shell("split", "3").returncode == 2


def test_sources_are_looked_after_from_a_shell(shell: Shell) -> None:
    assert "There are no sources" in shell("sources", "list").stdout
    assert json.loads(shell("sync", "--json").stdout) == {"new": 0, "sources": []}
    refused = shell("sources", "add", "???")
    assert refused.returncode == 2
    assert "cs.LG" in refused.stderr
    # A private address is never asked, so this source fails, is kept, and says why.
    added = shell("sources", "add", "http://127.0.0.1:9/feed.xml", "--name", "mine")
    assert (added.returncode, added.stdout) == (69, "")
    (said,) = added.stderr.splitlines()
    assert said.startswith("“mine” could not be read yet; it is kept as a source and asked again")
    assert "127.0.0.1" in said
    listed = shell("sources", "list")
    due = re.search(r"due (\S+ \S+) UTC", listed.stdout)
    assert due, listed.stdout
    assert f"from {due[1]} UTC on" in said
    assert not listed.stderr
    polled = json.loads(shell("sources", "poll", "mine", "--json").stdout)
    assert polled["sources"][0]["next_poll"] > "2026"
    assert "no source any more" in shell("sources", "remove", "mine").stdout


def test_a_judged_collection_is_ranked_as_a_trec_run(shell: Shell, tmp_path: Path) -> None:
    corpus = [{"_id": f"d{n}", "title": "", "text": text} for n, text in enumerate(PAPERS)]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, corpus)), "utf-8")
    query = {"_id": "q1", "text": "regret of bandits"}
    (tmp_path / "queries.jsonl").write_text(json.dumps(query), "utf-8")
    done = shell("rank", "corpus.jsonl", "queries.jsonl", "--timing")
    assert done.returncode == 0, done.stderr
    topic, _, document, place, _, _ = done.stdout.splitlines()[0].split()
    assert (topic, document, place) == ("q1", "d1", "1")
    assert "median" in done.stderr
    assert shell("rank", "corpus.jsonl", "nowhere.jsonl").returncode == 2


def test_tags_are_one_json_document_with_a_paper_a_line(shell: Shell) -> None:
    papers = [{"title": f"Paper {n}", "abstract": "We prove a bound. " * 9} for n in range(3)]
    done = shell("tag", "-", "--json", stdin="\n".join(map(json.dumps, papers)))
    assert [paper["title"] for paper in json.loads(done.stdout)["papers"]] == [
        "Paper 0",
        "Paper 1",
        "Paper 2",
    ]
    assert sum('"title"' in line for line in done.stdout.splitlines()) == 3
