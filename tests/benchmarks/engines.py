"""Other engines behind one interface, for the benchmark of the search.

Each gets title and abstract of the same papers as one text, an English stemmer where it has one,
and answers with the ids of its first papers.
"""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data.index import IndexDocument, SearchFilters, SearchIndex
    from tests.benchmarks.papers import Asked

FIRST: Final = 10
"""How many papers each query asks for."""


class Engine(Protocol):
    """Something that finds papers."""

    name: str
    kinds: frozenset[str]
    """The classes of queries that it has."""

    def build(self, papers: Iterable[IndexDocument]) -> None:
        """Takes the papers in."""
        ...

    def search(self, asked: Asked) -> object:
        """Finds the first papers for a query."""
        ...


WORDS: Final = frozenset({"1-3 words", "4-8 words", "whole title"})
ALL: Final = WORDS | {"phrase", "title: field"}


class Ours:
    """`SearchIndex.search`, which /search calls."""

    name = "papertriage"
    kinds = ALL

    def __init__(self, index: SearchIndex) -> None:
        self.index = index

    def build(self, papers: Iterable[IndexDocument]) -> None:
        self.index.add(papers)
        self.index.settle()

    def search(self, asked: Asked) -> object:
        return self.index.search(asked.text, limit=FIRST)


class OursInFull(Ours):
    """The same with filters, and with the snippets of the page that is shown."""

    name = "papertriage, filters and snippets"

    def __init__(
        self, index: SearchIndex, filters: SearchFilters, abstracts: dict[int, str]
    ) -> None:
        super().__init__(index)
        self._filters = filters
        self._abstracts = abstracts

    def search(self, asked: Asked) -> object:
        result = self.index.search(asked.text, self._filters, limit=5)
        return [
            self.index.snippet(self._abstracts.get(hit.id, ""), result.terms, 150)
            for hit in result.hits
        ]


class Vectors:
    """scikit-learn's TF-IDF, ranked by `linear_kernel`."""

    name = "scikit-learn linear_kernel"
    kinds = WORDS

    def build(self, papers: Iterable[IndexDocument]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._vectorizer = TfidfVectorizer(sublinear_tf=True)
        self._matrix: Any = self._vectorizer.fit_transform(map(text_of, papers))

    def search(self, asked: Asked) -> object:
        from sklearn.metrics.pairwise import linear_kernel

        query = self._vectorizer.transform([" ".join(asked.words)])
        return first(linear_kernel(query, self._matrix).ravel())


class SparseVectors(Vectors):
    """The same vectors, ranked by a product of sparse matrices."""

    name = "scikit-learn sparse product"

    def build(self, papers: Iterable[IndexDocument]) -> None:
        super().build(papers)
        self._matrix = self._matrix.T.tocsr()

    def search(self, asked: Asked) -> object:
        query = self._vectorizer.transform([" ".join(asked.words)])
        return first((query @ self._matrix).toarray().ravel())


class Bm25s:
    """bm25s, with the stemmer that we use too."""

    name = "bm25s"
    kinds = WORDS

    def build(self, papers: Iterable[IndexDocument]) -> None:
        import bm25s
        import Stemmer

        self._stemmer = Stemmer.Stemmer("english")
        self._module: Any = bm25s
        tokens = bm25s.tokenize(
            [text_of(paper) for paper in papers],
            stopwords="en",
            stemmer=self._stemmer,
            show_progress=False,
        )
        self._engine: Any = bm25s.BM25()
        self._engine.index(tokens, show_progress=False)

    def search(self, asked: Asked) -> object:
        tokens = self._module.tokenize(
            " ".join(asked.words), stopwords="en", stemmer=self._stemmer, show_progress=False
        )
        return self._engine.retrieve(tokens, k=FIRST, show_progress=False)


class Tantivy:
    """tantivy: the first papers and how many there are in all, as we count them too."""

    name = "tantivy"
    kinds = ALL
    counts = True

    def build(self, papers: Iterable[IndexDocument]) -> None:
        import tantivy

        schema = tantivy.SchemaBuilder()
        schema.add_integer_field("id", stored=True)
        schema.add_text_field("title", tokenizer_name="en_stem")
        schema.add_text_field("text", tokenizer_name="en_stem")
        self._index = tantivy.Index(schema.build())
        writer = self._index.writer(200_000_000, 1)
        for paper in papers:
            writer.add_document(
                tantivy.Document(id=paper.id, title=[paper.title], text=[text_of(paper)])
            )
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self._searcher = self._index.searcher()

    def search(self, asked: Asked) -> object:
        text = " ".join(asked.words)
        if asked.kind == "phrase":
            text = f'"{text}"'
        if asked.kind == "title: field":
            text = " ".join(f"+title:{word}" for word in asked.words)
        query = self._index.parse_query(text, ["text"])
        return self._searcher.search(query, FIRST, count=self.counts).hits


class TantivyTop(Tantivy):
    """tantivy without the total, which lets it leave out what cannot be among the first."""

    name = "tantivy, no total"
    counts = False

    def __init__(self, other: Tantivy) -> None:
        self._index = other._index
        self._searcher = other._searcher

    def build(self, papers: Iterable[IndexDocument]) -> None:
        """Shares the other's index."""


class Fts5:
    """SQLite's FTS5 with its Porter stemmer, any of the words, ordered by its BM25."""

    name = "SQLite FTS5"
    kinds = ALL

    def build(self, papers: Iterable[IndexDocument]) -> None:
        folder = tempfile.TemporaryDirectory()
        self._folder = folder
        self._db = sqlite3.connect(Path(folder.name) / "fts.db")
        self._db.execute("CREATE VIRTUAL TABLE papers USING fts5(title, text, tokenize = porter)")
        self._db.executemany(
            "INSERT INTO papers (rowid, title, text) VALUES (?, ?, ?)",
            ((paper.id, paper.title, paper.abstract) for paper in papers),
        )
        self._db.commit()

    def search(self, asked: Asked) -> object:
        words = [f'"{word}"' for word in asked.words]
        text = {
            "phrase": f'"{" ".join(asked.words)}"',
            "title: field": "title : (" + " AND ".join(words) + ")",
        }.get(asked.kind, " OR ".join(words))
        sql = "SELECT rowid FROM papers WHERE papers MATCH ? ORDER BY rank LIMIT ?"
        return self._db.execute(sql, [text, FIRST]).fetchall()


def text_of(paper: IndexDocument) -> str:
    """What an engine without fields reads."""
    return f"{paper.title}\n{paper.abstract}"


def first(scores: np.ndarray[Any, Any]) -> object:
    """The places of the highest scores, best first."""
    best = np.argpartition(-scores, FIRST)[:FIRST]
    return best[np.argsort(-scores[best])]
