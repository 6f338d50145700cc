"""Ingesting, finding, searching and tagging over one library."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING

import pytest

from bot.bootstrap import build
from bot.triage.errors import Refused
from bot.triage.ingest import ListingInput
from bot.triage.search import SearchRequest, parse_day
from data.index import SearchIndex
from tests.bot.triage.conftest import PAPERS, SERVER

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from bot.triage.services import Services
    from data.index import IndexDocument
    from data.store.connection import Store
    from tests.conftest import HandClock

TODAY = date(2026, 6, 1)


def lines(*records: dict[str, object]) -> ListingInput:
    return ListingInput("papers.jsonl", "\n".join(map(json.dumps, records)).encode())


async def first(services: Services, query: str, **parts: str) -> int | None:
    page = await services.search.run(SERVER, SearchRequest(query=query, **parts))  # type: ignore[arg-type]
    return page.hits[0].view.paper.id if page.hits else None


async def test_new_papers_can_be_found_when_ingest_returns(three_papers: Services) -> None:
    assert await first(three_papers, "pruning graphs") == 1
    assert await first(three_papers, "regret of bandits") == 2
    assert await first(three_papers, "archive of reviews") == 3


async def test_reading_the_same_listing_again_adds_nothing(three_papers: Services) -> None:
    text = "Saved page\n\n" + "\n\n".join(PAPERS)
    report = await three_papers.ingest.run([ListingInput("three.txt", text.encode())])
    assert [report.total(name) for name in ("read", "new", "unchanged")] == [3, 0, 3]


async def test_a_page_with_one_more_paper_adds_one(three_papers: Services) -> None:
    extra = (
        "We introduce Ferry, a benchmark of river crossings for planning agents. It holds nine "
        "hundred puzzles of growing size, and eleven agents that we evaluate solve half of them."
    )
    text = "Saved page\n\n" + "\n\n".join((*PAPERS, extra))
    report = await three_papers.ingest.run([ListingInput("four.txt", text.encode())])
    assert report.total("new") == 1
    assert await first(three_papers, "river crossings") == 4


async def test_a_bad_listing_never_stops_the_next(services: Services) -> None:
    report = await services.ingest.run(
        [
            ListingInput("empty.txt", b""),
            ListingInput("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(500)),
            lines({"title": "A Good One", "abstract": PAPERS[0]}),
        ]
    )
    assert report.total("new") == 1
    assert [refusal.file for refusal in report.refused] == ["empty.txt", "picture.png"]
    assert not report.unreadable


async def test_every_paper_is_tagged_on_arrival(three_papers: Services) -> None:
    papers = await three_papers.library.papers([1, 2, 3])
    likeliest = [
        max(paper.judgement.probabilities, key=paper.judgement.probabilities.__getitem__)
        for paper in papers.values()
        if paper.judgement
    ]
    assert likeliest == ["methods", "theory", "position"]


async def test_papers_are_named_by_number_id_address_or_title(services: Services) -> None:
    await services.ingest.run(
        [
            lines(
                {
                    "title": "Ferries and Foxes",
                    "abstract": PAPERS[0],
                    "arxiv": "2606.00017",
                    "doi": "10.1000/Ferry.17",
                }
            )
        ]
    )
    names = (
        "1",
        "#1",
        "2606.00017",
        "arXiv:2606.00017v3",
        "https://arxiv.org/pdf/2606.00017",
        "10.1000/ferry.17",
        "https://doi.org/10.1000/FERRY.17",
        "ferries and foxes",
        "foxes",
    )
    for name in names:
        assert (await services.library.find(name)).id == 1, name
    for wrong in ("2", "2606.00018", "zebras"):
        with pytest.raises(Refused):
            await services.library.find(wrong)


async def test_a_long_search_is_turned_page_by_page(services: Services) -> None:
    records = [
        {"title": f"Otters of river {number}", "abstract": f"{PAPERS[0]} Otter number {number}."}
        for number in range(12)
    ]
    await services.ingest.run([lines(*records)])
    page = await services.search.run(SERVER, SearchRequest("otters"))
    assert (page.total, page.pages, len(page.hits)) == (12, 3, 5)
    last = await services.search.again(SERVER, page.key, 2)
    assert (last.page, len(last.hits)) == (2, 2)
    beyond = await services.search.again(SERVER, page.key, 9)
    assert beyond.page == 2
    with pytest.raises(Refused, match="search again"):
        await services.search.again(SERVER + 1, page.key, 0)


async def test_the_index_follows_what_another_process_wrote(
    three_papers: Services, store: Store, clock: HandClock
) -> None:
    other = build(store, SearchIndex(None), three_papers.fetcher, clock)
    assert await first(other, "pruning graphs") == 1
    await three_papers.ingest.run([lines({"title": "On Herons", "abstract": "Herons wade. " * 9})])
    assert await first(other, "herons") == 4


async def test_a_saved_index_is_level_again_after_a_restart(
    three_papers: Services, store: Store, clock: HandClock, tmp_path: Path
) -> None:
    kept = build(store, SearchIndex(tmp_path / "index"), three_papers.fetcher, clock)
    await kept.library.refresh()
    again = SearchIndex(tmp_path / "index")
    assert len(again) == 3
    reopened = build(store, again, three_papers.fetcher, clock)
    assert await first(reopened, "pruning graphs") == 1


async def test_an_index_of_another_library_is_made_anew(
    three_papers: Services, clock: HandClock, tmp_path: Path
) -> None:
    from data.store.connection import Store

    foreign = SearchIndex(tmp_path / "index")
    await build(three_papers.library.store, foreign, three_papers.fetcher, clock).library.refresh()
    empty = Store(tmp_path / "other.db")
    await empty.open()
    other = build(empty, SearchIndex(tmp_path / "index"), three_papers.fetcher, clock)
    assert await first(other, "pruning graphs") is None
    await empty.close()


async def test_an_index_that_is_dropped_while_it_catches_up_is_built_anew(
    three_papers: Services,
    store: Store,
    clock: HandClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first_one = build(store, SearchIndex(tmp_path), three_papers.fetcher, clock)
    await first_one.library.refresh()
    segment = tmp_path / "segment-000001.pti"
    content = bytearray(segment.read_bytes())
    content[-1] ^= 0x40
    segment.write_bytes(content)
    verify = SearchIndex._verify
    monkeypatch.setattr("data.index.directory._VERIFIED_AT_ONCE", 10)
    monkeypatch.setattr(SearchIndex, "_verify", lambda index: None)
    index = SearchIndex(tmp_path)
    assert index.damage is None
    await three_papers.ingest.run([lines({"title": "On Herons", "abstract": "Herons wade. " * 9})])
    add = index.add

    def checked_meanwhile(documents: Iterable[IndexDocument]) -> int:
        if index.damage is None:
            verify(index)
        return add(documents)

    monkeypatch.setattr(index, "add", checked_meanwhile)
    await build(store, index, three_papers.fetcher, clock).library.refresh()

    assert index.damage
    assert sorted(index.ids()) == [1, 2, 3, 4]
    assert sorted(SearchIndex(tmp_path).ids()) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("text", "meant"),
    [("2026-05-01", date(2026, 5, 1)), ("2026-05", date(2026, 5, 1)), ("2025", date(2025, 1, 1)),
     ("7d", date(2026, 5, 25)), ("last 2 weeks", date(2026, 5, 18)), ("today", TODAY)],
)  # fmt: skip
def test_a_day_as_people_write_it(text: str, meant: date) -> None:
    assert parse_day(text, TODAY) == meant


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01", "2026-02-30", "9999y", "1-2-3-4", "٣d"])
def test_a_day_that_is_none_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(Refused, match="2026-05-01"):
        parse_day(text, TODAY)


@pytest.mark.parametrize(
    ("text", "meant"),
    [("2025", date(2025, 12, 31)), ("2026-02", date(2026, 2, 28)), ("2026-12", date(2026, 12, 31)),
     ("2026-05-01", date(2026, 5, 1)), ("7d", date(2026, 5, 25))],
)  # fmt: skip
def test_a_year_or_a_month_ends_with_its_last_day(text: str, meant: date) -> None:
    assert parse_day(text, TODAY, last=True) == meant


async def test_a_number_copied_with_invisible_characters_names_its_paper(
    three_papers: Services,
) -> None:
    assert (await three_papers.library.find("\u2060#\u200b2\u2060")).id == 2


async def test_a_text_too_long_for_an_abstract_is_refused_alone(services: Services) -> None:
    endless = {"title": "Endless", "abstract": "word " * 10_000}
    report = await services.ingest.run([lines(endless, {"title": "Short", "abstract": PAPERS[0]})])
    assert report.total("new") == 1
    assert [refusal.position for refusal in report.refused] == ["line 1"]


async def test_a_withdrawal_of_a_paper_that_is_not_there_is_refused_with_its_id(
    services: Services,
) -> None:
    deleted = (
        '<OAI-PMH><ListRecords><record><header status="deleted"><identifier>oai:arXiv.org:{}'
        "</identifier></header></record></ListRecords></OAI-PMH>"
    )
    known = {"title": "On Herons", "arxiv": "2606.00001", "abstract": "Herons wade. " * 9}
    report = await services.ingest.run(
        [
            lines(known),
            ListingInput("known.xml", deleted.format("2606.00001").encode()),
            ListingInput("unknown.xml", deleted.format("2606.00002").encode()),
        ]
    )
    assert [(file.read, file.merged) for file in report.files] == [(1, 0), (1, 1), (0, 0)]
    (refusal,) = report.refused
    assert refusal.reason == "its source withdrew 2606.00002, and the library has no such paper"
    assert (await services.library.find("2606.00001")).withdrawn
