"""A large listing is tagged and indexed beside its reading, in a second process where it can be."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from bot.triage import following, workshop
from bot.triage.ingest import ListingInput
from bot.triage.workshop import Workshop
from data.index import SearchIndex
from tests.data.index.helpers import invented, paper

if TYPE_CHECKING:
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
    monkeypatch.setattr(following, "_TAGGED_AT_ONCE", 20)
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


async def test_work_is_done_here_when_the_other_process_is_killed(tagger: Tagger, monkeypatch):
    monkeypatch.setattr(workshop, "_cpus", lambda: 2)
    texts = [("On otters", "We prove a bound on the number of otters in a river of any length.")]
    shop = Workshop(tagger)
    expected = await shop.judge(texts)
    shop.open()
    try:
        assert await shop.judge(texts) == expected
        assert shop.is_elsewhere
        assert shop._pool is not None
        (worker,) = shop._pool._processes
        os.kill(worker, signal.SIGTERM)

        assert await shop.judge(texts) == expected
        assert not shop.is_elsewhere
        segment = await shop.segment(invented(20))
        assert segment.ids.tolist() == list(range(1, 21))
    finally:
        await shop.close()


async def test_work_is_done_here_when_no_process_can_start(tagger: Tagger, monkeypatch):
    class Unsendable(type(tagger)):
        """A tagger that cannot be sent to another process."""

        def __reduce__(self):
            raise TypeError("it stays here")

    monkeypatch.setattr(workshop, "_cpus", lambda: 2)
    shop = Workshop(Unsendable(tagger._model, tagger._card))
    shop.open()
    try:
        assert len(await shop.judge([("", "We prove a bound.")])) == 1
        assert not shop.is_elsewhere
    finally:
        await shop.close()


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="this system has no masks")
async def test_the_other_process_is_deaf_to_ctrl_c_from_its_beginning(tagger: Tagger, monkeypatch):
    monkeypatch.setattr(workshop, "_cpus", lambda: 2)
    shop = Workshop(tagger)
    shop.open()
    try:
        blocked = await shop._elsewhere(signal.pthread_sigmask, signal.SIG_BLOCK, ())
    finally:
        await shop.close()
    assert blocked == {signal.SIGINT}
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


async def test_the_other_process_ends_with_close(tagger: Tagger, monkeypatch):
    monkeypatch.setattr(workshop, "_cpus", lambda: 2)
    shop = Workshop(tagger)
    shop.open()
    segment = await shop.segment([paper(3, "Otters in rivers")])
    assert segment.title(0) == "Otters in rivers"
    assert shop._pool is not None
    (process,) = shop._pool._processes.values()

    await shop.close()

    assert not process.is_alive()


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
    services: Services, tagger: Tagger
):
    await services.ingest.run([many(10)])
    library = services.library
    await library.rebuild()
    store = library.store
    await store.write(lambda db: db.execute("UPDATE papers SET changed = changed + 100"))
    seen: list[int] = []
    await library.run_ahead(Workshop(tagger), seen.append)
    assert seen == [10]
    await store.write(
        lambda db: db.execute("UPDATE papers SET changed = changed + 200 WHERE id = 3")
    )

    await library.refresh(progress=seen.append)

    assert seen == [10, 1]
    assert len(library.index) == 10
