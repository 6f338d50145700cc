"""Evaluates a parsed query on a snapshot: which papers match, and how well."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from data.index import analyzer
from data.index.analyzer import joined, name_words, read_word, stem, words
from data.index.query import AllOf, AnyOf, Clause, Node, TextField, Words
from data.index.ranking import contributions
from data.index.segment import AUTHOR, TOPIC, VENUE
from data.index.stopwords import STOP_WORDS
from data.index.texts import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data.index.arrays import Floats, Int64s, Mask
    from data.index.snapshot import Postings, Snapshot

_NO_DOCS: Final[Int64s] = np.zeros(0, np.int64)
_MOST_WORDS: Final = 64
"""Longer queries keep their rarest words: a pasted page is a query too."""

AUTHOR_WEIGHT: Final = 1.0
TOPIC_WEIGHT: Final = 0.6


@dataclass(slots=True)
class Evaluation:
    """The papers that match, ascending, and their scores."""

    docs: Int64s
    scores: Floats
    terms: set[str] = field(default_factory=set)
    dropped: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


class Evaluator:
    """Evaluates the clauses of one query; adds up posting lists and touches no other papers."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.terms: set[str] = set()
        self.dropped: list[str] = []
        self.unknown: list[str] = []

    def evaluate(self, clauses: Iterable[Clause]) -> Evaluation:
        """Ranked OR over the words; required and excluded clauses narrow it."""
        scores = np.zeros(self._snapshot.size, np.float32)
        met: list[Int64s] = []
        required: list[Int64s] = []
        excluded: list[Int64s] = []
        for clause in self._strongest(clauses):
            if clause.occur == "not":
                excluded.append(Evaluator(self._snapshot).matching(clause.node))
                continue
            docs = self._score(clause.node, scores)
            if docs is None:
                continue
            (required if clause.occur == "must" else met).append(docs)
        if required:
            docs = _in_all(required)
        elif met:
            docs = np.unique(np.concatenate(met))
        else:
            docs = _NO_DOCS
        for unwanted in excluded:
            docs = docs[~np.isin(docs, unwanted, assume_unique=True)]
        return Evaluation(docs, scores[docs], self.terms, self.dropped, self.unknown)

    def matching(self, node: Node) -> Int64s:
        """The papers that match a node, whatever their score."""
        found = self._score(node, np.zeros(self._snapshot.size, np.float32))
        return _NO_DOCS if found is None else found

    def _strongest(self, clauses: Iterable[Clause]) -> list[Clause]:
        kept = list(dict.fromkeys(clauses))
        plain_words = [clause for clause in kept if clause.occur == "should"]
        if len(plain_words) <= _MOST_WORDS:
            return kept
        sizes: dict[Clause, int] = {}
        for clause in plain_words:
            if isinstance(clause.node, Words):
                found = [self._snapshot.postings(term) for term, _ in variants(clause.node)]
                sizes[clause] = max((len(each.docs) for each in found), default=0)
        known = sorted(
            (size, at) for at, clause in enumerate(plain_words) if (size := sizes.get(clause, 1))
        )
        best = {plain_words[at] for _, at in known[:_MOST_WORDS]}
        return [clause for clause in kept if clause.occur != "should" or clause in best]

    def _score(self, node: Node, scores: Floats) -> Int64s | None:
        """Adds a node's scores and returns the papers that match it; None where it says nothing."""
        if isinstance(node, AnyOf):
            found = [docs for part in node.parts if (docs := self._score(part, scores)) is not None]
            return np.unique(np.concatenate(found)) if found else None
        if isinstance(node, AllOf):
            inner = Evaluator(self._snapshot)
            result = inner.evaluate(node.clauses)
            self.terms |= inner.terms
            self.dropped += inner.dropped
            self.unknown += inner.unknown
            scores[result.docs] += result.scores
            return result.docs
        if node.exact:
            return self._phrase(node, scores)
        if node.prefix:
            return self._prefix(node, scores)
        return self._word(node, scores)

    def _word(self, node: Words, scores: Floats) -> Int64s | None:
        weighted = variants(node)
        if not weighted:
            if node.text.strip():
                self.dropped.append(node.text)
            return None
        met: list[Int64s] = []
        for term, weight in weighted:
            found = _within(self._snapshot.postings(term), node.field)
            if len(found.docs):
                self.terms.add(term)
                scores[found.docs] += weight * contributions(self._snapshot, found)
                met.append(found.docs)
        if not met:
            self.unknown.append(node.text)
            return _NO_DOCS
        return met[0] if len(met) == 1 else np.unique(np.concatenate(met))

    def _prefix(self, node: Words, scores: Floats) -> Int64s:
        prefix = _PREFIXES.get(node.field or "title", "") + analyzer.fold(node.text)
        terms = self._snapshot.prefixed(prefix)
        met: list[Int64s] = []
        for term in terms:
            found = _within(self._snapshot.postings(term), node.field)
            self.terms.add(term)
            scores[found.docs] += 0.5 * contributions(self._snapshot, found)
            met.append(found.docs)
        if not met:
            self.unknown.append(f"{node.text}*")
            return _NO_DOCS
        return np.unique(np.concatenate(met))

    def _phrase(self, node: Words, scores: Floats) -> Int64s | None:
        if node.field in ("author", "topic", "venue"):
            return self._all_words(node, scores)
        wanted = [
            surface for word in words(plain(node.text)) for surface in read_word(word).surfaces
        ]
        if not wanted:
            if node.text.strip():
                self.dropped.append(node.text)
            return None
        candidates: list[Int64s] = []
        for surface in wanted:
            if surface in STOP_WORDS:
                continue
            found = _within(self._snapshot.postings(stem(surface)), node.field)
            candidates.append(found.docs)
            self.terms.add(stem(surface))
        docs = _in_all(candidates) if candidates else np.arange(self._snapshot.size)
        docs = np.array(
            [doc for doc in docs.tolist() if self._has_phrase(doc, wanted, node.field)], np.int64
        )
        for surface in wanted:
            found = self._snapshot.postings(stem(surface))
            keep = np.isin(found.docs, docs, assume_unique=True)
            scores[found.docs[keep]] += contributions(self._snapshot, found)[keep]
        if not len(docs):
            self.unknown.append(f"“{node.text}”")
        return docs

    def _has_phrase(self, doc: int, wanted: list[str], within: TextField | None) -> bool:
        title, body = self._snapshot.surfaces(doc)
        fields = {"title": (title,), "abstract": (body,)}.get(within or "", (title, body))
        size = len(wanted)
        return any(
            text[at : at + size] == wanted
            for text in fields
            for at in range(len(text) - size + 1)
            if text[at] == wanted[0]
        )

    def _all_words(self, node: Words, scores: Floats) -> Int64s | None:
        found = [
            docs
            for word in words(plain(node.text))
            if (docs := self._word(Words(word, node.field), scores)) is not None
        ]
        return _in_all(found) if found else None


_PREFIXES: Final = {"author": AUTHOR, "topic": TOPIC, "venue": VENUE}


def variants(node: Words) -> list[tuple[str, float]]:
    """The index terms that a word of a query stands for, with weights."""
    found: dict[str, float] = {}
    for word in words(plain(node.text)):
        if node.field == "author":
            found.update((AUTHOR + part, AUTHOR_WEIGHT) for part in name_words(word))
            continue
        prefix = _PREFIXES.get(node.field or "", "")
        for term in query_terms(word):
            found[prefix + term] = 1.0
            if node.field is None:
                found[TOPIC + term] = TOPIC_WEIGHT
        if node.field is None:
            for part in name_words(word):
                if part not in STOP_WORDS:
                    found[AUTHOR + part] = AUTHOR_WEIGHT
    return list(found.items())


def query_terms(word: str) -> tuple[str, ...]:
    """The terms of one raw word of a query; capitals that mean something mean only that."""
    if analyzer.is_cased(word):
        return (word,)
    reading = read_word(word)
    if len(reading.surfaces) > 1 and _is_strict(reading.surfaces) and word[0].isascii():
        return (joined(reading.surfaces),)
    if len(reading.surfaces) > 1 and not word[0].isascii():
        return tuple(term for term in reading.terms if len(term) > 1) or reading.terms
    return reading.terms


def _is_strict(surfaces: tuple[str, ...]) -> bool:
    """Whether a compound is a name: GPT-4, k-NN and t-SNE are not their parts."""
    return any(len(part) == 1 or part[0].isdigit() for part in surfaces)


def _within(found: Postings, within: TextField | None) -> Postings:
    if within == "title":
        keep = found.codes >= 64
    elif within == "abstract":
        keep = found.codes % 64 > 0
    else:
        return found
    return type(found)(found.docs[keep], found.codes[keep])


def _in_all(lists: list[Int64s]) -> Int64s:
    lists = sorted(lists, key=len)
    docs = lists[0]
    for other in lists[1:]:
        docs = docs[np.isin(docs, other, assume_unique=True)]
    return docs


def mask_of(docs: Int64s, size: int) -> Mask:
    """A mask that is true at `docs`."""
    mask = np.zeros(size, np.bool_)
    mask[docs] = True
    return mask
