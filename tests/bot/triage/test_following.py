"""A large listing is tagged and indexed beside its reading, in a second process where it can be."""

from __future__ import annotations

import asyncio
import gc
import json
import signal
import sys
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bot.triage import following, workshop
from bot.triage.bench import Bench
from bot.triage.ingest import ListingInput
from bot.triage.library import document
from bot.triage.workshop import Workshop, WorkshopLostError
from data.index import SearchIndex
from data.index.building import build_segment
from data.index.segment import Segment
from data.store import papers as paper_rows
from tests.data.index.helpers import invented, paper

if TYPE_CHECKING:
    import subprocess

    from bot.triage.services import Services
    from classifiers import Tagger

SUBJECTS = ("otters", "kernels", "rivers", "graphs", "bandits")


def many(count: int) -> ListingInput:
    """A listing of papers that differ, as JSON lines."""
    lines = [
        json.dumps(
            {
                "title": f"Paper {number} on {SUBJECTS[number % 5]}",
                "abstract": f"We propose method {number} for {SUBJECTS[number % 5]} number {number}"
                f" and show in {number} experiments that it saves {number} hours of work.",
                "arxiv": f"2601.{number:05d}",
            }
        )
        for number in range(1, count + 1)
    ]
    return ListingInput("many.jsonl", "\n".join(lines).encode())


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done for thousands of papers is done for tens."""
    monkeypatch.setattr("bot.triage.ingest.BATCH", 20)
    monkeypatch.setattr(following, "LARGE", 20)
    monkeypatch.setattr(following, "_MOST_WAITING", 1)
    monkeypatch.setattr(following, "_INDEXED_AT_ONCE", 40)
    monkeypatch.setattr(workshop, "_cpus", lambda: 2)


async def everything(services: Services) -> list[object]:
    """What a member sees of the papers of `many`."""
    views = await services.library.views(None, range(1, 121))
    found = [services.library.index.search(name, limit=120) for name in SUBJECTS]
    return [*views, *((each.hits, each.total) for each in found)]


@pytest.mark.usefixtures("small_steps")
async def test_papers_read_with_a_second_process_are_those_read_without(
    services: Services, tmp_path, monkeypatch: pytest.MonkeyPatch
):
    services.library.index = SearchIndex(tmp_path / "index")
    steps: Counter[str] = Counter()

    def progress(step: following.Step, count: int) -> None:
        steps[step] += count

    report = await services.ingest.run([many(120)], progress=progress)

    assert report.total("new") == 120
    assert steps == {"read": 120, "tagged": 120, "indexed": 120}
    assert len(services.library.index) == 120
    beside = await everything(services)
    monkeypatch.setattr(workshop, "_cpus", lambda: 1)
    assert await services.library.rebuild() == 120
    assert await everything(services) == beside
    services.library.index.close()
    assert SearchIndex(tmp_path / "index").stamp == services.library.index.stamp


@pytest.mark.usefixtures("small_steps")
async def test_a_second_reading_starts_no_process(services: Services, monkeypatch):
    await services.ingest.run([many(60)])
    monkeypatch.setattr(Workshop, "open", lambda self: pytest.fail("nothing is new"))

    report = await services.ingest.run([many(60)])

    assert report.total("unchanged") == 60


def the_process(shop: Workshop) -> subprocess.Popen[bytes]:
    assert shop._process is not None
    return shop._process


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("after", ["read", "tagged", "indexed"])
async def test_papers_are_tagged_and_found_though_the_other_process_is_killed(
    services: Services, monkeypatch, after: following.Step
):
    shops: list[Workshop] = []
    opened = Workshop.open

    def open_(shop: Workshop) -> None:
        opened(shop)
        shops.append(shop)

    monkeypatch.setattr(Workshop, "open", open_)

    def progress(step: following.Step, count: int) -> None:
        if step == after and shops and shops[0].is_elsewhere:
            the_process(shops[0]).kill()

    report = await services.ingest.run([many(120)], progress=progress)

    assert report.total("new") == 120
    assert not shops[0].is_elsewhere
    beside = await everything(services)
    assert await services.library.rebuild() == 120
    assert await everything(services) == beside


async def test_what_the_other_process_says_is_what_is_said_here(tagger: Tagger, monkeypatch):
    monkeypatch.setattr(workshop, "_cpus", lambda: 2)
    shop, own = Workshop(tagger), Bench(tagger)
    shop.open()
    try:
        for documents in (invented(20), [paper(30, "Otters in rivers")]):
            assert await shop.take(documents) == own.take(documents)
        assert same(await shop.segment(), Segment(own.arrays()))
        assert same(await shop.segment(), Segment(own.arrays()))
    finally:
        await shop.close()


def same(one: Segment, other: Segment) -> bool:
    return all(np.array_equal(one.arrays[name], array) for name, array in other.arrays.items())


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="this system has no masks")
async def test_the_other_process_is_deaf_to_ctrl_c_from_its_beginning(tagger: Tagger, monkeypatch):
    monkeypatch.setattr(workshop, "_cpus", lambda: 2)
    shop = Workshop(tagger)
    shop.open()
    try:
        the_process(shop).send_signal(signal.SIGINT)
        assert len(await shop.take(invented(3))) == 3
    finally:
        await shop.close()
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


async def test_a_lost_process_is_told(tagger: Tagger, monkeypatch):
    monkeypatch.setattr(workshop, "_cpus", lambda: 2)
    shop = Workshop(tagger)
    shop.open()
    try:
        with pytest.raises(WorkshopLostError, match="AttributeError"):
            await shop.take(["no paper"])  # type: ignore[list-item]
        assert not shop.is_elsewhere
        with pytest.raises(WorkshopLostError):
            await shop.segment()
    finally:
        await shop.close()


@pytest.mark.usefixtures("small_steps")
async def test_work_is_done_here_when_no_process_can_start(
    services: Services, tmp_path, monkeypatch
):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no python"))

    await services.ingest.run([many(60)])

    assert len(services.library.index) == 60


@pytest.mark.usefixtures("small_steps")
@pytest.mark.skipif(sys.platform == "win32", reason="the programs are shell scripts")
@pytest.mark.parametrize(
    "program",
    [
        "kill -9 $$",
        "exit 1",
        "head -c 10 >/dev/null; kill -9 $$",
        "echo '(cnothing\nat all\n.'; exec cat >/dev/null",
        "exec sleep 600",
    ],
    ids=["killed", "failed", "killed while it reads", "talks nonsense", "is silent"],
)
async def test_work_is_done_here_when_the_process_dies_while_it_starts(
    services: Services, tmp_path, monkeypatch, program: str
):
    script = tmp_path / "python"
    script.write_text(f"#!/bin/sh\n{program}\n", "utf-8")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    if "sleep" in program:
        monkeypatch.setattr(workshop, "_LONGEST_SILENCE", 0.05)

    report = await services.ingest.run([many(60)])

    assert report.total("new") == len(services.library.index) == 60


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("thread", ["_sender", "_receiver"])
async def test_work_is_done_here_when_no_thread_can_start(
    services: Services, monkeypatch, thread: str
):
    def refuses(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    shops: list[Workshop] = []
    opened = Workshop.open

    def open_(shop: Workshop) -> None:
        shops.append(shop)
        monkeypatch.setattr(getattr(shop, thread), "submit", refuses)
        opened(shop)

    monkeypatch.setattr(Workshop, "open", open_)
    await services.ingest.run([many(60)])

    assert len(services.library.index) == 60
    assert not shops[0].is_elsewhere


@pytest.mark.usefixtures("small_steps")
async def test_work_is_done_here_when_the_tagger_cannot_be_sent(services: Services, monkeypatch):
    def stays(self: object) -> object:
        raise TypeError("it stays here")

    monkeypatch.setattr(type(services.tagging.tagger), "__reduce__", stays, raising=False)

    await services.ingest.run([many(60)])

    assert len(services.library.index) == 60


async def test_the_other_process_ends_with_close_and_with_its_input(tagger: Tagger, monkeypatch):
    monkeypatch.setattr(workshop, "_cpus", lambda: 2)
    shop, orphan = Workshop(tagger), Workshop(tagger)
    shop.open()
    await shop.take([paper(3, "Otters in rivers")])
    segment = await shop.segment()
    assert segment.title(0) == "Otters in rivers"
    process = the_process(shop)

    await shop.close()

    assert process.poll() is not None
    orphan.open()
    await orphan.take([paper(3, "Otters in rivers")])
    pipe = the_process(orphan).stdin
    assert pipe is not None
    pipe.close()
    assert the_process(orphan).wait(30) == 0
    await orphan.close()


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("turns", range(8))
async def test_a_reading_that_is_stopped_as_the_process_starts_says_nothing(
    services: Services, monkeypatch, recwarn: pytest.WarningsRecorder, turns: int
):
    complaints: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, said: complaints.append(said))
    started = asyncio.Event()
    opened = Workshop.open

    def open_(shop: Workshop) -> None:
        opened(shop)
        started.set()

    monkeypatch.setattr(Workshop, "open", open_)
    reading = asyncio.create_task(services.ingest.run([many(160)]))
    await started.wait()
    for _ in range(turns):
        await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    await asyncio.sleep(0)
    gc.collect()

    assert not complaints
    assert not [str(one.message) for one in recwarn if "never awaited" in str(one.message)]


@pytest.mark.usefixtures("small_steps")
async def test_a_reading_that_is_stopped_leaves_whole_batches_and_no_task(services: Services):
    reached = asyncio.Event()

    def progress(step: following.Step, count: int) -> None:
        if step == "tagged":
            reached.set()

    reading = asyncio.create_task(services.ingest.run([many(160)], progress=progress))
    await reached.wait()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading

    others = asyncio.all_tasks() - {asyncio.current_task()}
    assert not any("_follow" in repr(task) for task in others)
    assert gc.get_threshold()[0] < 10_000
    report = await services.ingest.run([many(160)])
    assert report.total("new") + report.total("unchanged") == 160
    assert report.total("unchanged") % 20 == 0
    assert len(services.library.index) == 160


async def test_papers_indexed_ahead_are_not_indexed_again_unless_they_changed(
    services: Services,
):
    await services.ingest.run([many(10)])
    library = services.library
    await library.rebuild()
    store = library.store
    await store.write(lambda db: db.execute("UPDATE papers SET changed = changed + 100"))
    changes = await store.read(paper_rows.changes_of, range(1, 11))
    papers = await library.papers(range(1, 11))
    segment = build_segment(map(document, papers.values()))
    await store.write(
        lambda db: db.execute("UPDATE papers SET title = 'Newts', changed = 200 WHERE id = 7")
    )
    await store.write(lambda db: db.execute("UPDATE papers SET merged_into = 1 WHERE id = 9"))

    assert await library.add_ahead(segment, changes) == 9

    assert [hit.id for hit in library.index.search("newts").hits] == [7]
    assert 9 not in library.index.ids()
    await store.write(lambda db: db.execute("UPDATE papers SET changed = 300 WHERE id = 3"))
    seen: list[int] = []
    await library.refresh(seen.append)
    assert seen == [1]
    assert len(library.index) == 9
