"""Members correct tags: what shows, who is named, and where it is seen."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time

import pytest

from bot.triage.errors import Refused
from bot.triage.search import SearchRequest
from data.store.digests import DigestFilter, SubscriptionOrder
from data.store.servers import Member
from tests.bot.triage.conftest import ADA, BEN, OTHER_SERVER, SERVER

CY = Member(3, "cy")
GRAPHS = SearchRequest("pruning graphs")


async def test_a_correction_is_searched_counted_and_exported_in_its_server(three_papers) -> None:
    services = three_papers
    corrected = await services.tagging.correct(SERVER, ADA, 1, "theory")
    assert (corrected.before, corrected.after) == ("methods", "theory")
    view = await services.library.view(SERVER, 1)
    assert (view.tag, view.corrected, view.confidence) == ("theory", True, None)
    for request in (replace(GRAPHS, tag="theory"), SearchRequest("tag:theory pruning")):
        found = await services.search.run(SERVER, request)
        assert [hit.view.paper.id for hit in found.hits] == [1]
        assert (await services.search.run(OTHER_SERVER, request)).hits == ()
    index, filters = services.library.index, await services.search.filters(SERVER, SearchRequest())
    facets = index.search("pruning OR regret", filters, limit=5, offset=0, facets=True).facets
    assert facets is not None
    assert dict(facets.tags) == {"theory": 2}
    await services.voting.toggle(SERVER, ADA, 1)
    assert b"theory" in (await services.shelf.export_queue(SERVER, "csv")).content
    assert (await services.voting.queue(SERVER)).items[0].view.tag == "theory"
    assert (await services.shelf.stats(SERVER)).numbers.tags == {"theory": 2, "position": 1}
    assert (await services.shelf.stats(OTHER_SERVER)).numbers.tags["methods"] == 1


async def test_an_export_keeps_the_second_tag_where_nobody_corrected(three_papers) -> None:
    services = three_papers
    paper = (await services.library.papers([1]))[1]
    assert paper.judgement is not None
    await services.library.store.write(
        lambda db: db.execute("UPDATE tags SET secondary = 'position' WHERE paper_id = 1")
    )
    await services.voting.toggle(SERVER, ADA, 1)
    assert b"methods,position" in (await services.shelf.export_queue(SERVER, "csv")).content
    await services.tagging.correct(SERVER, ADA, 1, "theory")
    assert b"position" not in (await services.shelf.export_queue(SERVER, "csv")).content


async def test_a_digest_follows_corrections_in_its_filter_and_in_its_query(three_papers) -> None:
    services = three_papers
    await services.tagging.correct(SERVER, ADA, 1, "theory")
    for wanted in (DigestFilter(tags=("theory",)), DigestFilter(query="tag:theory")):
        order = SubscriptionOrder(5, time(9), "UTC", frozenset(range(7)), wanted, 10)
        made = await services.digests.subscribe(SERVER, ADA.id, order)
        digest = await services.digests.compose(
            replace(made, after=0), datetime(2026, 6, 1, tzinfo=UTC).date(), services.clock.now()
        )
        assert sorted(item.view.paper.id for item in digest.items) == [1, 2], wanted


async def test_the_majority_shows_and_all_who_spoke_are_named(three_papers) -> None:
    tagging = three_papers.tagging
    await tagging.correct(SERVER, ADA, 1, "theory")
    tied = await tagging.correct(SERVER, BEN, 1, "position")
    assert tied.after == "theory", "what showed before stays on a tie"
    settled = await tagging.correct(SERVER, CY, 1, "position")
    assert settled.after == "position"
    assert [(word.member.name, word.tag) for word in settled.standing] == [
        ("ada", "theory"),
        ("ben", "position"),
        ("cy", "position"),
    ]


async def test_on_a_tie_with_the_tagger_the_taggers_own_tag_shows(three_papers) -> None:
    tagging = three_papers.tagging
    await tagging.correct(SERVER, ADA, 1, "theory")
    assert (await tagging.correct(SERVER, BEN, 1, "methods")).after == "methods"


async def test_a_word_can_be_changed_and_taken_back(three_papers) -> None:
    services, tagging = three_papers, three_papers.tagging
    await tagging.correct(SERVER, ADA, 1, "theory")
    await tagging.correct(SERVER, ADA, 1, "position")
    taken = await tagging.correct(SERVER, ADA, 1, "withdraw")
    assert (taken.before, taken.after, taken.taken_back) == ("position", "methods", "position")
    assert (await services.library.view(SERVER, 1)).corrected is False
    card = await services.cards.card(SERVER, 1)
    assert [(word.tag, word.was, word.withdrawn) for word in card.corrections] == [
        ("theory", "methods", False),
        ("position", "theory", False),
        ("position", "position", True),
    ]
    assert card.standing == ()
    with pytest.raises(Refused, match="nothing to withdraw"):
        await tagging.correct(SERVER, ADA, 1, "withdraw")


async def test_the_same_word_said_twice_is_one_entry(three_papers) -> None:
    for _ in range(3):
        await three_papers.tagging.correct(SERVER, ADA, 1, "theory")
    assert len((await three_papers.cards.card(SERVER, 1)).corrections) == 1


async def test_a_tag_that_is_none_is_refused_with_the_choice(three_papers) -> None:
    with pytest.raises(Refused, match="position, theory, methods"):
        await three_papers.tagging.correct(SERVER, ADA, 1, "brilliant")


async def test_a_server_consents_only_where_it_says_so(three_papers) -> None:
    tagging = three_papers.tagging
    assert (await tagging.consent_of(SERVER)).training is False
    said = await tagging.consent(SERVER, ADA, training=True)
    assert (said.training, said.member) == (True, ADA)
    assert (await tagging.consent_of(OTHER_SERVER)).training is False
    assert (await tagging.consent(SERVER, BEN, training=False)).training is False
