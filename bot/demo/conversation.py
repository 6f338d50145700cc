"""One scripted conversation with the bot: each step is printed with what was seen.

It is the product's main path in the words of a user; the first step that goes wrong ends it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from bot.demo.stage import set_stage
from bot.triage.voting import DOUBLE_CLICK

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence

    import discord
    import simcord

    from bot.demo.stage import Stage
    from bot.triage.ingest import ListingInput

TEXT_DISPLAY: Final = 10

Shown: TypeAlias = "discord.Message | simcord.ResponseMessage"


class WrongError(Exception):
    """A step showed something else than it should; the text says what."""


async def run_check(listings: Sequence[ListingInput]) -> bool:
    """Holds the conversation; True when every step showed what it should."""
    async with set_stage(listings) as stage:
        number = 0
        try:
            async for what, seen in _steps(stage):
                number += 1
                print(f"{number:2}. {what}: {seen}", flush=True)  # noqa: T201 - the command's output
        except WrongError as wrong:
            print(f"{number + 1:2}. WRONG: {wrong}", flush=True)  # noqa: T201 - as above
            return False
        if stage.env.errors:
            print(f"WRONG: the bot failed inside: {stage.env.errors[0]!r}", flush=True)  # noqa: T201 - as above
            return False
    print(f"All {number} steps went well.", flush=True)  # noqa: T201 - as above
    return True


async def _steps(stage: Stage) -> AsyncGenerator[tuple[str, str]]:
    report, channel, ada, ben = stage.report, stage.channel, stage.ada, stage.ben
    papers = report.total("new")
    _expect(papers > 0, "no paper came in. " + " ".join(r.reason for r in report.refused[:3]))
    refused = f", {len(report.refused)} refused" if report.refused else ""
    yield "listings read", f"{papers} papers{refused}"

    opening = [_texts(message) for message in channel.history()]
    digest = next((text for text in opening if "Papers · " in text), "")
    _expect("new" in digest, "the channel does not open with a digest")
    yield "the channel opens with a digest", _first_line(digest)

    query = await _query(stage)
    found = _message(await ada.slash(channel, "search", query=query))
    count = re.search(r"(\d+) papers?", _texts(found))
    _expect(count is not None, f"/search {query} found nothing")
    votes = list(_custom_ids(found, "pt:vote:"))
    _expect(bool(votes), "no result has a vote button")
    first = int(votes[0].split(":")[2])
    yield f"/search {query}", f"{count[0] if count else ''}, first #{first}"

    menu = next(iter(_custom_ids(found, "pt:open")), "")
    card = _message(await ben.select(found.message, [str(first)], custom_id=menu))
    title = (await stage.services.library.papers([first]))[first].title
    _expect(f"#{first}" in _texts(card), "the menu does not open the paper's card")
    yield "open the first", title

    await ada.click(found.message, custom_id=votes[0])
    await ben.click(found.message, custom_id=votes[0])
    view = await stage.services.library.view(stage.guild_id, first)
    names = ", ".join(member.name for member in view.voters)
    _expect(len(view.voters) == 2, f"two members voted, but the paper has votes of: {names}")
    label = next(_labels(found, votes[0]))
    _expect("2" in label, f"the vote button says “{label}” after two votes")
    yield "ada and ben vote for it", f"the button says “{label}”, voters {names}"

    other = "theory" if view.tag != "theory" else "methods"
    await ben.slash(channel, "tag", paper=str(first), tag=other)
    corrected = await stage.services.library.view(stage.guild_id, first)
    _expect(corrected.tag == other, f"the tag is {corrected.tag} after a correction to {other}")
    yield f"ben corrects its tag to {other}", f"{view.tag} → {corrected.tag}, by members"

    preview = _message(await ada.slash(channel, "digest preview"))
    _expect("Nothing new" in _texts(preview), "the next digest would post papers a second time")
    yield "the next digest holds nothing twice", _first_line(_texts(preview))

    queue = _message(await ada.slash(channel, "queue list"))
    _expect("Reading queue" in _texts(queue), "/queue list shows no queue")
    await ada.slash(channel, "queue claim", paper=str(first))
    await ada.slash(channel, "queue start", paper=str(first))
    reading = (await stage.services.voting.queue(stage.guild_id)).items[0]
    _expect(reading.entry.state.value == "reading", "the paper is not being read after a start")
    yield "the queue has it, ada claims and starts it", f"{reading.entry.votes} votes, reading"

    exported = await ben.slash(channel, "queue export", format="bibtex")
    files = [file.filename for file in _message(exported).attachments]
    _expect(bool(files), "/queue export sent no file")
    yield "the queue as a file", ", ".join(files)

    await stage.env.restart_bot(stage.make_client())
    stage.clock.behind = -2 * DOUBLE_CLICK  # a change of mind, not a double click
    await ben.click(found.message, custom_id=votes[0])
    after = await stage.services.library.view(stage.guild_id, first)
    _expect(len(after.voters) == 1, "the vote button of before the restart does nothing")
    yield "the bot restarts, ben takes his vote back with the old button", "1 vote left"


async def _query(stage: Stage) -> str:
    """Words that a user would search for: the longest of one paper's title."""
    paper = next(iter((await stage.services.library.papers([1])).values()))
    words = {word.lower() for word in re.findall(r"[^\W\d_]{4,}", paper.title)}
    return " ".join(sorted(words, key=lambda word: (-len(word), word))[:3]) or paper.title


def _expect(held: bool, sentence: str) -> None:  # noqa: FBT001 - it reads as an assertion
    if not held:
        raise WrongError(sentence)


def _message(result: simcord.InteractionResult) -> simcord.ResponseMessage:
    if result.response is None:
        raise WrongError("the bot did not answer")
    return result.response


def _walk(component: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield component
    for inner in (*component.get("components", ()), component.get("accessory")):
        if inner:
            yield from _walk(inner)


def _texts(message: Shown) -> str:
    return "\n".join(
        str(part["content"]) for part in _parts(message) if part.get("type") == TEXT_DISPLAY
    )


def _parts(message: Shown) -> Iterator[Mapping[str, Any]]:
    for component in message.components:
        # simcord hands out dictionaries for answers, discord.py's objects for a channel's history.
        yield from _walk(component if isinstance(component, dict) else component.to_dict())


def _custom_ids(message: Shown, begin: str) -> Iterator[str]:
    for part in _parts(message):
        if str(part.get("custom_id", "")).startswith(begin):
            yield str(part["custom_id"])


def _labels(message: Shown, custom_id: str) -> Iterator[str]:
    for part in _parts(message):
        if part.get("custom_id") == custom_id:
            yield str(part.get("label", ""))


def _first_line(text: str) -> str:
    return " ".join(text.split("\n", 1)[0].lstrip("#- ").split())[:100]
