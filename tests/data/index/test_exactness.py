"""Short cuts of the search give what the long way gives."""

from __future__ import annotations

import random
import string
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.index import IndexDocument, SearchIndex, terms
from data.index import query as query_language
from data.index.codec import pack_stream, pack_word, places_in, unpack_stream
from data.index.keys import title_key
from data.index.pruning import least_score
from data.index.query import parse
from data.index.stopwords import STOP_WORDS
from data.index.strings import StringTable, pack_strings
from tests.data.index.helpers import found, index_of, paper


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch) -> None:
    """Both ways are gone, though the same is asked."""
    monkeypatch.setattr("data.index.answers.Answers.get", lambda *_: None)


def zipfian(count: int, chance: random.Random, first: int = 1) -> list[IndexDocument]:
    """Papers of words whose frequencies fall as in real text, so that some are in most papers."""
    words = [a + b + c for a in "bdfgk" for b in "aeo" for c in "lmnrst"]
    worth = [1 / rank for rank in range(1, len(words) + 1)]
    return [
        paper(
            number,
            " ".join(chance.choices(words, worth, k=chance.randrange(1, 6))),
            " ".join(chance.choices(words, worth, k=chance.randrange(5, 60))),
        )
        for number in range(first, first + count)
    ]


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("share", [2, 24, 10_000])
def test_words_left_out_of_the_sum_change_neither_order_nor_scores_nor_total(
    seed, share, monkeypatch
):
    chance = random.Random(seed)  # noqa: S311 - test data, no secret
    index = SearchIndex(background=False)
    for batch in range(3):
        index.add(zipfian(400, chance, 1 + 400 * batch))
    index.remove(range(5, 1200, 97))
    known = sorted({word for each in zipfian(60, chance) for word in each.title.split()})
    queries = [" ".join(chance.sample(known, chance.randrange(1, 9))) for _ in range(60)]

    monkeypatch.setattr("data.index.evaluation.COMMON_SHARE", share)
    monkeypatch.setattr("data.index.pruning._MANY", 2)
    short = [index.search(query, limit=10) for query in queries]
    monkeypatch.setattr("data.index.search._only_words", lambda query: False)
    long = [index.search(query, limit=10) for query in queries]

    for quick, exhaustive in zip(short, long, strict=True):
        assert quick.total == exhaustive.total
        assert [hit.id for hit in quick.hits] == [hit.id for hit in exhaustive.hits]
        scores = [[hit.score for hit in each.hits] for each in (quick, exhaustive)]
        assert scores[0] == pytest.approx(scores[1], rel=1e-5)


def test_a_name_that_many_authors_have_counts_the_same_wherever_it_is_added(monkeypatch):
    index = index_of(
        *(
            paper(
                number,
                "",
                f"rare{number % 40} words",
                authors=("Ada Wang",) if number % 3 else ("Bo Li",),
            )
            for number in range(1, 400)
        )
    )
    queries = [f"rare{number} wang" for number in range(40)]

    monkeypatch.setattr("data.index.evaluation.DEPTH", 3)
    short = [index.search(query) for query in queries]
    monkeypatch.setattr("data.index.search._only_words", lambda query: False)

    assert [index.search(query) for query in queries] == short


def test_what_is_kept_of_papers_and_words_is_bounded_and_changes_no_answer(monkeypatch):
    chance = random.Random(9)  # noqa: S311 - test data, no secret
    papers = zipfian(300, chance)
    known = sorted({word for each in papers[:60] for word in each.title.split()})
    queries = [" ".join(chance.sample(known, chance.randrange(2, 9))) for _ in range(40)]
    free = index_of(*papers)
    expected = [free.search(query) for query in queries]

    monkeypatch.setattr("data.index.readback._MOST_KEPT", 500)
    monkeypatch.setattr("data.index.snapshot._COMMON", 400)
    monkeypatch.setattr("data.index.snapshot._COMMON_A_PAPER", 1)
    tight = index_of(*papers)

    assert [tight.search(query) for query in queries] == expected
    snapshot = tight._snapshot
    readback = snapshot.parts[0].segment.readback
    assert sum(map(len, readback._texts.values())) <= 20 * 70
    assert len(snapshot._common) <= 2


@pytest.mark.parametrize(
    "query",
    ["title:bam", "title:bam title:bal", "abstract:bam title:bal", "title:bam abstract:bam"],
)
def test_queries_of_fields_alone_find_and_score_as_the_long_way(query, monkeypatch):
    index = index_of(*zipfian(500, random.Random(4)))  # noqa: S311 - test data, no secret
    short = index.search(query, limit=200)

    monkeypatch.setattr("data.index.evaluation.Evaluator._all_in_fields", lambda *_: False)

    assert short.total
    assert index.search(query, limit=200) == short


@given(st.lists(st.integers(0, 50), max_size=900), st.integers(1, 30))
def test_the_least_score_of_the_best_is_found_without_sorting_all(scores, depth):
    found = np.array(scores, np.float32)

    expected = sorted(scores)[-depth] if len(scores) >= depth else -np.inf
    assert least_score(found, depth) == expected


def test_words_beside_a_phrase_find_papers_that_the_phrase_does_not():
    index = index_of(
        paper(1, "", "graph kernels here"),
        paper(2, "", "kernels alone"),
        paper(3, "", "bandits (and kernels) of graphs"),
    )

    assert set(found(index, '("graph kernels" bandits) kernels')) == {1}
    assert set(found(index, "(graph OR nothing) kernels")) == {1, 3}
    assert set(found(index, "kernels (bandits graph)")) == {1, 2, 3}


@given(st.text(alphabet="ab' .,;éOR 1AND", max_size=40))
def test_a_query_without_signs_is_read_at_once_as_the_parser_reads_it(text):
    quick = parse(text)
    slow = query_language._Parser(text).query() if _well_formed(text) else quick

    assert quick.clauses == slow.clauses


def _well_formed(text: str) -> bool:
    try:
        query_language._Parser(text).query()
    except query_language._MalformedError:
        return False
    return True


@given(st.text(string.ascii_letters, min_size=1, max_size=70) | st.sampled_from(sorted(STOP_WORDS)))
def test_a_simple_word_stands_for_the_terms_that_the_long_way_finds(word):
    for written in (word.lower(), word.capitalize()):
        assert terms.word_terms.__wrapped__(written) == terms._read(written)


@given(st.text(alphabet=string.ascii_letters + string.digits + " ", max_size=60))
def test_the_key_of_a_simple_title_is_that_of_the_long_way(title):
    assert title_key(title) == title_key(title + " .")


@given(st.lists(st.text(max_size=6), max_size=80, unique=True), st.text(max_size=3))
def test_a_string_table_knows_its_beginnings(strings, beginning):
    raw = sorted(each.encode("utf-8", "surrogatepass") for each in strings)
    table = StringTable(*pack_strings([each.decode("utf-8", "surrogatepass") for each in raw]))
    wanted = beginning.encode("utf-8", "surrogatepass")

    fitting = [at for at, each in enumerate(raw) if each.startswith(wanted)]
    assert list(table.prefixed(beginning)) == fitting
    after = {raw[at][len(wanted)] for at in fitting if len(raw[at]) > len(wanted)}
    assert list(table.following(beginning)) == sorted(byte for byte in after if byte < 128)


@settings(max_examples=60)
@given(st.lists(st.integers(1, 200_000) | st.integers(1, 5), max_size=60), st.data())
def test_a_phrase_is_found_wherever_its_words_stand(numbers, data):
    begin = data.draw(st.integers(0, max(0, len(numbers) - 1)))
    phrase = numbers[begin : begin + data.draw(st.integers(1, 3))] or [7]
    packed, sizes = pack_stream(np.array(numbers, np.int64))
    wanted = pack_stream(np.array(phrase, np.int64))[0].tobytes()
    starts = (np.cumsum(sizes) - sizes).tolist()

    expected = [
        starts[at]
        for at in range(len(numbers) - len(phrase) + 1)
        if numbers[at : at + len(phrase)] == phrase
    ]
    assert places_in(packed, wanted).tolist() == expected
    assert unpack_stream(packed)[0].tolist() == numbers
    assert b"".join(map(pack_word, phrase)) == wanted


def test_searches_beside_each_other_and_beside_writes_get_their_own_answers():
    chance = random.Random(5)  # noqa: S311 - test data, no secret
    index = SearchIndex()
    index.add([paper(number, f"mark{number % 7} steady") for number in range(1, 701)])
    wrong: list[object] = []
    ready = threading.Barrier(5)
    written = threading.Event()

    def ask(mark: int) -> None:
        ready.wait()
        asked = 0
        while not written.is_set() or asked < 50:
            result = index.search(f"mark{mark} steady", limit=100)
            first = [hit.id for hit in result.hits]
            asked += 1
            if len(first) != 100 or any(number % 7 != mark for number in first):
                wrong.append((mark, result.total, first[:5]))

    threads = [threading.Thread(target=ask, args=(mark,)) for mark in range(4)]
    for thread in threads:
        thread.start()
    ready.wait()
    try:
        for batch in range(6):
            index.add(zipfian(100, chance, 1_001 + 100 * batch))
            index.remove([1_001 + 100 * batch])
    finally:
        written.set()
        for thread in threads:
            thread.join()
    index.close()

    assert wrong == []
    assert index.search("steady").total == 700
