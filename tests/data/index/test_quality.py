"""How well judged collections are ranked, and that the grading itself is right."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from data.index.trec import mean_ndcg, ndcg, rank

COLLECTIONS = Path(__file__).parents[4] / "shared" / "ir"


@pytest.mark.parametrize(
    ("ranked", "judged", "expected"),
    [
        (["a", "b"], {"a": 1, "b": 1}, 1.0),
        (["b", "a"], {"a": 1}, 1 / math.log2(3)),
        (["a", "b"], {"a": 1, "b": 2}, (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))),
        (["x"], {"a": 2}, 0.0),
        (["x"], {"a": 0, "b": -1}, 0.0),
        ([], {"a": 1}, 0.0),
    ],
)
def test_a_discounted_gain_is_normalised_by_the_ideal_order(ranked, judged, expected):
    assert ndcg(ranked, judged) == pytest.approx(expected)


def test_only_the_first_ten_places_count():
    assert ndcg([*"0123456789", "a"], {"a": 1}) == 0


def _lines(path: Path, entries: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return path


def test_a_run_names_the_documents_of_each_query_best_first(tmp_path):
    corpus = _lines(
        tmp_path / "corpus.jsonl",
        [
            {"_id": "d1", "title": "Kernels", "text": "On graphs."},
            {"_id": "d2", "title": "Graph kernels", "text": "", "authors": "Byron, A.; Hill, G."},
            {"_id": "d3", "title": "Markets", "text": "Prices.", "keywords": "collusion, law"},
        ],
    )
    queries = _lines(
        tmp_path / "queries.jsonl",
        [
            {"_id": "q1", "text": '"graph kernels" (by Hill'},
            {"_id": "q2", "text": "collusion"},
            {"_id": "q3", "text": ""},
        ],
    )
    (tmp_path / "qrels.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\td2\t1\nq2\td3\t1\nq9\td1\t1\n", encoding="utf-8"
    )

    run = rank(corpus, queries, limit=5)

    rows = [line.split() for line in run.lines]
    assert [row[:4] + row[5:] for row in rows] == [
        ["q1", "Q0", "d2", "1", "papertriage"],
        ["q1", "Q0", "d1", "2", "papertriage"],
        ["q2", "Q0", "d3", "1", "papertriage"],
    ]
    assert float(rows[0][4]) > float(rows[1][4])
    assert 0 < run.timing.median <= run.timing.p95 <= run.timing.maximum
    assert mean_ndcg(run.lines, tmp_path / "qrels.tsv") == pytest.approx(2 / 3)


@pytest.mark.parametrize("line", ["{", "[]", '{"text": "no id"}'])
def test_a_bad_line_is_named(tmp_path, line):
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"_id": "1", "text": "x"}\n' + line + "\n", encoding="utf-8")
    queries = _lines(tmp_path / "queries.jsonl", [{"_id": "q", "text": "x"}])

    with pytest.raises(ValueError, match=r"corpus\.jsonl, line 2"):
        rank(corpus, queries)


def test_a_run_has_six_fields_and_each_document_once_whatever_the_ids(tmp_path):
    corpus, queries = tmp_path / "corpus.jsonl", tmp_path / "queries.jsonl"
    entries = [
        {"_id": "a b", "text": "regret of bandits"},
        {"_id": "c\td ", "title": None, "text": "bandits"},
        {"_id": 7, "title": "bandits"},
        {"_id": "a b", "text": "bandits again"},
    ]
    corpus.write_bytes(b"\xef\xbb\xbf" + "\n".join(map(json.dumps, entries)).encode())
    asked = [{"_id": "q 1", "text": "bandits"}, {"_id": "q2"}, {"_id": "q 1", "text": "regret"}]
    queries.write_text("\n".join(map(json.dumps, asked)), "utf-8")

    run = rank(corpus, queries)

    fields = [line.split() for line in run.lines]
    assert {len(line) for line in fields} == {6}
    assert sorted((line[0], line[2]) for line in fields) == [
        ("q_1", "7"),
        ("q_1", "a_b"),
        ("q_1", "c_d"),
    ]
    assert [note.partition(": ")[2] for note in run.notes] == [
        'blanks within ids are written as "_" (2 of them).',
        "of entries with the same id the first counts (1 left out).",
        'blanks within ids are written as "_" (3 of them).',
        "of entries with the same id the first counts (1 left out).",
    ]


@pytest.mark.parametrize("line", [b'{"_id": ""}', b'{"_id": null}', b"\xe9", b"[" * 100_000])
def test_a_line_that_gives_no_id_is_named(tmp_path, line):
    file = tmp_path / "corpus.jsonl"
    file.write_bytes(b'{"_id": "a"}\n' + line)

    with pytest.raises(ValueError, match="line 2"):
        rank(file, file)


@pytest.mark.skipif(not COLLECTIONS.is_dir(), reason="needs ../shared/ir beside the checkout")
@pytest.mark.parametrize(
    ("collection", "at_least"), [("cacm", 0.54), ("cisi", 0.43), ("cranfield", 0.393)]
)
def test_a_judged_collection_is_ranked_better_than_by_the_usual_engines(collection, at_least):
    folder = COLLECTIONS / collection

    run = rank(folder / "corpus.jsonl", folder / "queries.jsonl", limit=10)

    assert mean_ndcg(run.lines, folder / "qrels.tsv") >= at_least
