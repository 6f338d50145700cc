"""Growing, merging, forgetting, saving, crashing: the index stays right."""

from __future__ import annotations

import json
import os
import random
import shutil
import threading
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from data.index import SearchFilters, SearchIndex
from data.index.building import build_segment
from data.index.merging import merge_segments
from data.index.segment import Segment
from data.index.upkeep import due
from tests.data.index.helpers import QUERIES, found, index_of, invented, paper, renamed

PAPERS = invented(240)


def answers(index: SearchIndex) -> list[object]:
    """Everything a caller can see of some searches."""
    seen: list[object] = []
    for query in QUERIES:
        result = index.search(query, SearchFilters(), limit=30, facets=True)
        seen.append((result.hits, result.total, result.facets, result.read_as, result.notes))
        seen.append(index.search(query, SearchFilters(author="Hill", tag="theory"), limit=9).hits)
    seen += [index.similar(number) for number in (3, 77)]
    seen += [index.complete_authors("a"), index.complete_topics(""), index.complete_titles("sam")]
    return seen


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_results_do_not_depend_on_how_the_papers_arrived(seed):
    rebuilt = SearchIndex(background=False)
    rebuilt.add(PAPERS)
    chance = random.Random(seed)  # noqa: S311 - test data, no secret
    shuffled = PAPERS[:]
    chance.shuffle(shuffled)
    grown = SearchIndex(background=False)
    while shuffled:
        size = chance.randrange(1, 40)
        batch, shuffled = shuffled[:size], shuffled[size:]
        ghosts = [paper(1000 + each.id, "Learning that goes away") for each in batch[::3]]
        grown.add([*renamed(batch, "An older title that goes away"), *ghosts])
        grown.add(batch)
        if len(shuffled) > 80 and chance.random() < 0.3:
            grown.settle()
        grown.remove([ghost.id for ghost in ghosts[1:]])
        if len(shuffled) > 80 and chance.random() < 0.3:
            grown.settle()
    grown.remove([number for number in grown.ids() if number > 1000])

    assert grown.segments > 1
    assert answers(grown) == answers(rebuilt)
    grown.optimise()
    assert grown.segments == 1
    assert answers(grown) == answers(rebuilt)


def test_merged_segments_are_those_that_a_rebuild_makes():
    whole = build_segment(PAPERS)
    parts = [(build_segment(PAPERS[start::5]), None) for start in range(5)]

    merged = merge_segments(parts)

    assert merged.arrays.keys() == whole.arrays.keys()
    for name, array in whole.arrays.items():
        assert array.dtype == merged.arrays[name].dtype, name
        assert np.array_equal(array, merged.arrays[name]), name


def test_a_paper_added_again_is_replaced_at_once():
    index = index_of(paper(1, "Old words"), paper(2, "Other words"))

    index.add([paper(1, "Fresh wording")])

    assert found(index, "old") == []
    assert found(index, "fresh") == [1]
    assert len(index) == 2
    assert index.search("word").total == 2


def test_a_removed_paper_is_gone_at_once():
    index = index_of(paper(1, "Words", authors=["Ada Byron"], identifiers=[("doi", "10.1/x")]))

    assert index.remove([1, 7]) == 1
    assert index.remove([1]) == 0
    assert len(index) == 0
    assert index.ids() == frozenset()
    for query in ("words", "10.1000/x", "author:byron", "-nothing"):
        assert found(index, query) == []
    assert index.complete_authors("ada") == []
    assert index.complete_titles("wor") == []


def test_an_index_kept_on_disk_answers_as_before(tmp_path):
    index = SearchIndex(tmp_path, background=False)
    for start in range(0, 240, 60):
        index.add(PAPERS[start : start + 60])
    index.remove([5, 6])
    index.save("store at 17")

    reopened = SearchIndex(tmp_path, background=False)

    assert reopened.stamp == "store at 17"
    assert reopened.damage is None
    assert reopened.ids() == index.ids()
    assert answers(reopened) == answers(index)


def test_segments_are_merged_beside_and_stay_few(tmp_path):
    index = SearchIndex(tmp_path)
    for start in range(0, 240, 10):
        index.add(PAPERS[start : start + 10])
    index.save("all")
    index.settle()
    index.close()
    index.close()

    assert index.segments < 24 / 2
    assert due(index._snapshot.parts) == []
    reopened = SearchIndex(tmp_path, background=False)
    assert reopened.segments == index.segments
    assert reopened.ids() == frozenset(range(1, 241))
    assert len(list(tmp_path.glob("segment-*"))) == index.segments


def test_a_paper_removed_or_replaced_during_a_merge_stays_so(monkeypatch):
    index = SearchIndex(background=False)
    for start in range(0, 40, 10):
        index.add(PAPERS[start : start + 10])
    merge = merge_segments

    def meanwhile(parts):
        merged = merge(parts)
        index.remove([1, *range(31, 41)])
        index.add([paper(2, "Replaced while merging")])
        return merged

    monkeypatch.setattr("data.index.index.merge_segments", meanwhile)
    index.optimise()

    assert index.ids() == frozenset(range(2, 31))
    assert found(index, "replaced") == [2]
    assert len(index) == 29


class _CrashError(OSError):
    """The power fails."""


def _crashing_after(writes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the machine stop at the given step to the disk, counted from here."""
    left = [writes]

    def step(real):
        def run(*arguments, **options):
            if left[0] == 0:
                raise _CrashError
            left[0] -= 1
            return real(*arguments, **options)

        return run

    monkeypatch.setattr(os, "fsync", step(os.fsync))
    monkeypatch.setattr(Path, "replace", step(Path.replace))
    monkeypatch.setattr(Path, "unlink", step(Path.unlink))
    monkeypatch.setattr(Path, "open", step(Path.open))


def test_a_crash_between_any_two_writes_leaves_a_usable_index(tmp_path):
    before = tmp_path / "before"
    index = SearchIndex(before, background=False)
    index.add(PAPERS[:100])
    index.save("old")
    old = answers(index)
    index.add(PAPERS[50:200])
    new = answers(index)
    states: list[str | None] = []

    for writes in range(40):
        place = tmp_path / f"crash-{writes}"
        shutil.copytree(before, place)
        crashing = SearchIndex(place, background=False)
        crashing.add(PAPERS[50:120])
        crashing.add(PAPERS[120:200])
        with pytest.MonkeyPatch.context() as patches:
            _crashing_after(writes, patches)
            try:
                crashing.save("new")
                finished = True
            except _CrashError:
                finished = False
        reopened = SearchIndex(place, background=False)
        assert reopened.damage is None
        assert answers(reopened) == (new if reopened.stamp == "new" else old)
        states.append(reopened.stamp)
        reopened.add(PAPERS[200:])
        reopened.save("later")
        assert SearchIndex(place).stamp == "later"
        if finished:
            break

    assert finished
    assert states[0] == "old"
    assert states[-1] == "new"


def _flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 0x40
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("share", [0.0, 0.001, 0.2, 0.5, 0.9])
def test_a_damaged_segment_is_noticed_and_the_index_opens_empty(tmp_path, share):
    index = SearchIndex(tmp_path, background=False)
    index.add(PAPERS[:50])
    index.save("s")
    (segment,) = tmp_path.glob("segment-*")
    _flip(segment, int(share * segment.stat().st_size))

    reopened = SearchIndex(tmp_path, background=False)

    assert reopened.damage is not None
    assert reopened.stamp is None
    assert len(reopened) == 0
    reopened.add(PAPERS[:50])
    reopened.save("rebuilt")
    assert SearchIndex(tmp_path).damage is None
    assert answers(SearchIndex(tmp_path)) == answers(index)


def test_a_page_of_zeros_anywhere_in_a_segment_is_damage_and_never_an_error(tmp_path):
    index = SearchIndex(tmp_path, background=False)
    # Long names have their sizes in a place of their own, which has to fit the rest.
    names = [f"{chr(97 + at % 26) * 20}{at}" for at in range(len(PAPERS))]
    index.add(replace(each, authors=(name,)) for each, name in zip(PAPERS, names, strict=True))
    index.save("s")
    (segment,) = tmp_path.glob("segment-*")
    whole = segment.read_bytes()

    for at in range(0, len(whole), 512):
        page = whole[at : at + 4096]
        segment.write_bytes(whole[:at] + bytes(len(page)) + whole[at + len(page) :])
        reopened = SearchIndex(tmp_path, background=False)
        assert (reopened.damage is None) == (not any(page))
        assert len(reopened) == (0 if any(page) else len(PAPERS))


@pytest.mark.parametrize("harm", ["cut", "gone", "swapped", "manifest", "not json", "version"])
def test_other_damage_is_noticed_too(tmp_path, harm):
    index = SearchIndex(tmp_path, background=False)
    index.add(PAPERS[:50])
    index.add(PAPERS[50:90])
    index.save("s")
    one, two = sorted(tmp_path.glob("segment-*"))
    manifest = tmp_path / "index.json"
    if harm == "cut":
        one.write_bytes(one.read_bytes()[:-100])
    elif harm == "gone":
        one.unlink()
    elif harm == "swapped":
        shutil.copy(two, one)
    elif harm == "manifest":
        manifest.write_text(manifest.read_text().replace("segment-000001", "segment-000002"))
    elif harm == "not json":
        manifest.write_text("{")
    else:
        build_segment(PAPERS[:1])
        manifest.write_text('{"checksum": 223132457, "body": "{}"}')

    reopened = SearchIndex(tmp_path, background=False)

    assert reopened.damage
    assert len(reopened) == 0


def test_segments_that_another_process_cleared_away_are_written_again(tmp_path):
    one = SearchIndex(tmp_path, background=False)
    one.add(PAPERS[:50])
    one.save("s")
    two = SearchIndex(tmp_path, background=False)
    two.remove(range(1000))
    two.add(PAPERS[:60])
    two.save("t")

    one.add(PAPERS[50:90])
    one.save("u")

    reopened = SearchIndex(tmp_path, background=False)
    assert (reopened.damage, reopened.stamp) == (None, "u")
    assert answers(reopened) == answers(one)


def test_an_index_whose_folder_was_removed_is_written_again_whole(tmp_path):
    place = tmp_path / "index"
    index = SearchIndex(place, background=False)
    index.add(PAPERS[:50])
    index.save("s")
    shutil.rmtree(place)

    index.add(PAPERS[50:90])
    index.save("t")

    reopened = SearchIndex(place, background=False)
    assert (reopened.damage, reopened.stamp) == (None, "t")
    assert answers(reopened) == answers(index)


@pytest.mark.parametrize("other", [1, 99])
def test_an_index_of_another_version_of_the_program_is_built_anew(tmp_path, other):
    index = SearchIndex(tmp_path, background=False)
    index.add(PAPERS[:50])
    index.save("s")
    manifest = tmp_path / "index.json"
    sealed = json.loads(manifest.read_text())
    body = json.dumps({**json.loads(sealed["body"]), "format": other})
    manifest.write_text(json.dumps({"checksum": zlib.crc32(body.encode()), "body": body}))

    reopened = SearchIndex(tmp_path, background=False)

    assert "another version" in str(reopened.damage)
    assert (reopened.stamp, len(reopened)) == (None, 0)
    reopened.add(PAPERS[:50])
    reopened.save("rebuilt")
    assert answers(SearchIndex(tmp_path)) == answers(index)
    assert len(list(tmp_path.glob("segment-*"))) == 1


def test_a_large_index_is_checked_beside_and_dropped_when_damaged(tmp_path, monkeypatch):
    index = SearchIndex(tmp_path, background=False)
    index.add(PAPERS[:50])
    index.save("s")
    (segment,) = tmp_path.glob("segment-*")
    _flip(segment, segment.stat().st_size // 2)
    monkeypatch.setattr("data.index.directory._VERIFIED_AT_ONCE", 10)

    reopened = SearchIndex(tmp_path, background=False)
    for thread in threading.enumerate():
        if thread.name == "index-verify":
            thread.join()

    assert reopened.damage
    assert len(reopened) == 0


def test_searches_see_a_whole_state_while_papers_are_added():
    index = SearchIndex()
    faults: list[str] = []
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            result = index.search("marker", limit=500)
            if result.total % 20 or result.total != len(result.hits):
                faults.append(f"{result.total} of a batch of 20, {len(result.hits)} shown")
            index.search("learning bandits with feedback and kernels at scale")

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for start in range(0, 240, 20):
        index.add(renamed(PAPERS[start : start + 20], "marker"))
    index.settle()
    stop.set()
    for thread in threads:
        thread.join()
    index.close()

    assert faults == []
    assert index.search("marker").total == 240


def test_an_empty_index_answers():
    index = SearchIndex()

    assert index.search("graph").total == 0
    assert index.search("-graph", facets=True).total == 0
    assert index.add([]) == 0
    assert index.complete_titles("") == []
    assert index.complete_authors("a") == []


def test_a_segment_of_papers_without_words_can_be_kept(tmp_path):
    build_segment([paper(1), paper(2, "the of")]).write(tmp_path / "one")

    segment = Segment.open(tmp_path / "one")

    assert segment.ids.tolist() == [1, 2]
    assert segment.title(1) == "the of"


def test_a_folder_where_a_segment_should_be_is_damage_and_no_obstacle(tmp_path):
    index = SearchIndex(tmp_path, background=False)
    index.add([paper(1, "Otters", "Otters like rivers that are clear.")])
    index.save("1")
    index.close()
    [segment] = tmp_path.glob("*.pti")
    segment.unlink()
    segment.mkdir()
    again = SearchIndex(tmp_path, background=False)
    assert again.damage
    again.add([paper(1, "Otters", "Otters like rivers that are clear.")])
    again.save("1")
    assert len(SearchIndex(tmp_path, background=False)) == 1
