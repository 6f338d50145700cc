"""A paper without a topic gets one suggested, from papers of the library that have one."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

from bot.chat.layouts.paper import paper_card
from bot.triage.ingest import ListingInput
from tests.bot.triage.conftest import SERVER

if TYPE_CHECKING:
    from discord import ui

    from bot.triage.services import Services

_WORDS = {
    "Graphs": ("graph", "node", "edge", "neighbour", "spectral", "message", "community"),
    "Speech": ("speech", "phoneme", "speaker", "acoustic", "utterance", "voice", "dialect"),
}


def _lines(count: int, *, topics: bool = True, seed: int = 1) -> str:
    chance = random.Random(seed)  # noqa: S311 - made-up papers, no secret
    made: list[str] = []
    for number in range(count):
        topic = list(_WORDS)[number % 2]
        words = [
            chance.choice((*_WORDS[topic], "that", "with", "shows", "some")) for _ in range(50)
        ]
        paper = {"title": f"{topic} paper {seed} {number}", "abstract": " ".join(words)}
        made.append(json.dumps(paper | ({"topics": [topic]} if topics else {})))
    return "\n".join(made)


async def _add(services: Services, lines: str, name: str) -> None:
    report = await services.ingest.run([ListingInput(name, lines.encode())])
    assert not report.refused


def _texts(card: ui.LayoutView) -> str:
    return json.dumps(card.to_components())


async def test_a_topic_is_suggested_on_the_card_and_marked_as_such(services: Services) -> None:
    await _add(services, _lines(60), "known.jsonl")
    await _add(services, _lines(1, topics=False, seed=2), "fresh.jsonl")
    card = await services.cards.card(SERVER, 61)
    assert card.view.paper.topics == ()
    assert card.suggested is not None
    assert card.suggested.topic == "Graphs"
    assert "suggested topic: Graphs" in _texts(paper_card(card))


async def test_a_paper_with_a_topic_keeps_it_and_gets_no_other(services: Services) -> None:
    await _add(services, _lines(60), "known.jsonl")
    card = await services.cards.card(SERVER, 1)
    assert card.suggested is None
    assert "suggested topic" not in _texts(paper_card(card))


async def test_a_library_without_topics_suggests_none(three_papers: Services) -> None:
    assert (await three_papers.cards.card(SERVER, 1)).suggested is None


async def test_suggestions_come_once_the_library_has_papers_to_learn_from(
    services: Services,
) -> None:
    await _add(services, _lines(1, topics=False, seed=2), "fresh.jsonl")
    assert (await services.cards.card(SERVER, 1)).suggested is None
    await _add(services, _lines(60), "known.jsonl")
    assert (await services.cards.card(SERVER, 1)).suggested is not None
