"""Searching beside other work, sorted, counted, and by a text."""

from __future__ import annotations

import asyncio
import threading

import pytest

from bot.triage.errors import Refused
from bot.triage.ingest import ListingInput
from bot.triage.search import SearchRequest
from tests.bot.triage.conftest import ADA, BEN, SERVER


async def test_a_long_search_keeps_neither_the_bot_nor_other_searches_waiting(
    three_papers, monkeypatch
):
    index = three_papers.library.index
    begun, go_on = threading.Event(), threading.Event()
    search = index.search

    def slow_or_quick(query, *args, **options):
        if query == "bandits":
            begun.set()
            assert go_on.wait(30)
        return search(query, *args, **options)

    monkeypatch.setattr(index, "search", slow_or_quick)
    slow = asyncio.create_task(three_papers.search.run(SERVER, SearchRequest("bandits")))
    assert await asyncio.to_thread(begun.wait, 30)

    quick = await asyncio.gather(
        *(three_papers.search.run(SERVER, SearchRequest(word)) for word in ("graphs", "reviews"))
    )
    assert not slow.done()
    go_on.set()

    assert [page.hits[0].view.paper.id for page in (*quick, await slow)] == [1, 3, 2]


async def test_searches_find_what_was_there_while_papers_are_read_in(three_papers):
    more = "\n\n".join(
        f"We study walk number {number} on lattices and how long it takes to come back again. "
        "The answer depends on the dimension, as was long believed and is now shown for all."
        for number in range(60)
    )
    reading = asyncio.create_task(
        three_papers.ingest.run([ListingInput("more.txt", f"Page\n\n{more}".encode())])
    )
    found = []
    while not reading.done():
        page = await three_papers.search.run(SERVER, SearchRequest("adversarial bandits"))
        found.append([hit.view.paper.id for hit in page.hits])
    await reading

    assert found
    assert all(ids == [2] for ids in found)
    assert (await three_papers.search.run(SERVER, SearchRequest("lattices"))).total > 0


async def test_votes_sort_a_search_by_what_this_server_wants(three_papers):
    await three_papers.voting.toggle(SERVER, ADA, 3)
    await three_papers.voting.toggle(SERVER, ADA, 1)
    await three_papers.voting.toggle(SERVER, BEN, 1)

    both = SearchRequest("papers OR graphs OR bandits", sort="votes")
    here = await three_papers.search.run(SERVER, both)
    written = await three_papers.search.run(SERVER, SearchRequest(f"{both.query} sort:votes"))

    assert [hit.view.paper.id for hit in here.hits] == [1, 3, 2]
    assert [hit.view.paper.id for hit in written.hits] == [1, 3, 2]
    assert "most votes first" in here.read_as


async def test_counts_are_of_the_whole_result_and_not_of_a_page(three_papers):
    request = SearchRequest("papers OR graphs OR bandits")

    page = await three_papers.search.run(SERVER, request, page_size=1, facets=True)
    counts = await three_papers.search.counts(SERVER, page.key)

    assert len(page.hits) == 1
    assert page.facets == counts.facets
    assert counts.total == sum(number for _, number in counts.facets.tags) == 3


async def test_counts_of_a_search_that_is_not_kept_are_refused(three_papers):
    with pytest.raises(Refused, match="search again"):
        await three_papers.search.counts(SERVER, "0123456789ab")


async def test_a_pasted_text_leads_to_its_nearest_papers(three_papers):
    near = await three_papers.search.similar_to_text(SERVER, "Regret bounds for delayed bandits.")

    assert near[0].view.paper.id == 2
    with pytest.raises(Refused, match="paste an abstract"):
        await three_papers.search.similar_to_text(SERVER, "  ")
