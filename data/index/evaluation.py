"""Evaluates a parsed query on a snapshot: which papers match, and how well.

Only the posting lists of the query's terms are added up, so only papers that match are touched.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from data.index.analyzer import fold, read_word, stem, words
from data.index.filters import about, by_author, in_venue
from data.index.pruning import (
    COMMON_SHARE,
    MARGIN,
    Word,
    add_to_best,
    least_score,
    union_size,
)
from data.index.query import AllOf, AnyOf, Clause, Node, Words
from data.index.ranking import DEPTH, FEEDBACK_DEPTH, FEEDBACK_FROM, query_weight
from data.index.segment import AUTHOR
from data.index.sets import in_all, in_any, rows_of, without
from data.index.snapshot import Postings
from data.index.stopwords import STOP_WORDS
from data.index.terms import joined_neighbours, text_terms, word_terms
from data.index.texts import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from data.index.arrays import Floats, Int64s
    from data.index.query import TextField
    from data.index.snapshot import Snapshot, Weighted

_TEXT: Final = ("title", "abstract")
_NO_DOCS: Final[Int64s] = np.zeros(0, np.int64)
_MOST_WORDS: Final = 100
"""Longer queries keep their most telling words: a pasted page is a query too."""
_MOST_COMPLETIONS: Final = 500


class Evaluator:
    """Evaluates the clauses of one query.

    Afterwards `lists` are the document numbers that match (ascending in each list, none in two of
    them), `scores` this thread's array with their scores, `total` how many papers match. `release`
    must be called when the scores have been read.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.scores: Floats = snapshot.scores()
        self._touched: list[Int64s] = []
        self.lists: list[Int64s] = []
        self.total = 0
        self.terms: set[str] = set()
        self.weights: dict[str, float] = {}
        self.query_words: list[str] = []
        self.dropped: list[str] = []
        self.unknown: list[str] = []
        self.only_best = False
        """Set where no more than the first page is wanted, and no list of all that match."""
        self.left_out: list[str] = []
        self.candidates: Int64s | None = None
        """Among which the best are, where only they were looked for."""
        self.found: Floats = self.scores[:0]
        """The scores of the candidates, which `scores` need not have."""
        self._mixed = False
        """Whether papers were scored before the plain words were: they may be in no list."""

    def release(self) -> None:
        """Sets the scores back to zero for this thread's next query."""
        if 4 * sum(map(len, self._touched)) > len(self.scores):
            self.scores.fill(0.0)
        else:
            for docs in self._touched:
                self.scores[docs] = 0.0
        self._touched.clear()

    @property
    def docs(self) -> Int64s:
        """All papers that match, ascending."""
        common = [self._snapshot.postings(term).docs for term in self.left_out]
        return in_any([*self.lists, *common])

    def evaluate(self, clauses: Iterable[Clause]) -> None:
        """Ranked OR over plain words; required and excluded clauses narrow it."""
        clauses = tuple(clauses)
        if self._all_in_fields(clauses):
            return
        loose: list[str] = []
        required: list[Int64s] = []
        optional: list[Int64s] = []
        excluded: list[Int64s] = []
        for clause in clauses:
            node = clause.node
            if clause.occur == "not":
                excluded.append(self.matching(node))
            elif clause.occur == "should" and isinstance(node, Words) and _is_loose(node):
                loose.append(node.text)
            else:
                docs = self._node(node)
                if docs is not None:
                    (required if clause.occur == "must" else optional).append(docs)
        self._loose(loose)
        if required:
            self.lists = [in_all(required)]
        else:
            self.lists += optional
        if excluded:
            self.lists = [without(self.docs, excluded)]
        if required or optional or excluded:
            docs = self.docs
            self.lists = [docs]
            self.total = len(docs)

    def _all_in_fields(self, clauses: Sequence[Clause]) -> bool:
        """Evaluates a query of nothing but `title:word` and the like, if this is one.

        Papers that have all the words are found first, and only they are scored.
        """
        words: list[tuple[str, TextField, float]] = []
        for clause in clauses:
            node = clause.node
            if not (clause.occur == "must" and isinstance(node, Words)) or node.field not in _TEXT:
                return False
            reading = word_terms(node.text).weights if not node.exact and not node.prefix else ()
            terms = [(term, weight) for term, weight in reading if term[0] > "\x1f"]
            if len(terms) != 1:
                return False
            words.append((terms[0][0], node.field, terms[0][1]))
        found = [self._found(term, field) for term, field, _ in words]
        if not found or not all(len(each.docs) for each in found):
            return False
        docs = in_all([each.docs for each in found])
        scores = np.zeros(len(docs), np.float32)
        for (_, _, weight), each in zip(words, found, strict=True):
            scores += np.float32(weight) * each.weights[each.docs.searchsorted(docs)]
        self.scores[docs] = scores
        self._touched.append(docs)
        self.terms.update(term for term, _, _ in words)
        self.lists, self.total = [docs], len(docs)
        return True

    def matching(self, node: Node) -> Int64s:
        """The papers that match a node; their scores are not kept."""
        inner = Evaluator(self._snapshot)
        inner.scores = np.zeros(self._snapshot.size, np.float32)
        found = inner._node(node)
        return _NO_DOCS if found is None else found

    def _loose(self, texts: list[str]) -> None:
        """Adds up the plain words, rare ones first; counts each paper when it is first met."""
        self._mixed = bool(self._touched)
        counted = Counter(texts)
        weights: dict[str, float] = {}
        together: list[tuple[str, list[str]]] = []
        for text, times in counted.items():
            reading = word_terms(text)
            if not reading.weights:
                if text.strip():
                    self.dropped.append(text)
                continue
            factor = query_weight(times)
            if reading.together:
                together.append((text, [term for term, _ in reading.weights]))
            for term, weight in reading.weights:
                weights[term] = weights.get(term, 0.0) + weight * factor
        if together:
            self.only_best = False
        frequency = self._snapshot.papers_with
        known = [(papers, term) for term in weights if (papers := frequency(term))]
        self._note_unknown(counted, {term for _, term in known})
        if len(counted) > 1:
            for term, weight in joined_neighbours(texts[:_MOST_WORDS]).items():
                if term not in weights:
                    weights[term] = weight
                    if papers := frequency(term):
                        known.append((papers, term))
        known.sort()
        known = known[: 3 * _MOST_WORDS]
        self.terms.update(term for _, term in known)
        depth = FEEDBACK_DEPTH if len(counted) >= FEEDBACK_FROM else DEPTH
        self._add_up([self._word_of(papers, term, weights[term]) for papers, term in known], depth)
        self.weights = {t: weights[t] for t in self.terms if t[0] > "\x1f" and t in weights}
        self.query_words = [
            term if (term := _main_term(text)) in self.terms else "" for text in texts
        ]
        if together:
            self._touched_only_parts(together)

    def _word_of(self, papers: int, term: str, weight: float) -> Word:
        share = 1.0 if term[0] == AUTHOR else self._snapshot.largest_share
        return Word(papers, term, weight, weight * self._snapshot.idf(papers) * share)

    def _add_up(self, words: list[Word], depth: int) -> None:
        """Adds words, rarest first, the last only where they matter."""
        rest = sum(word.most for word in words)
        # The scores of the first word's papers, until a second word is added up as well.
        first: tuple[Int64s, Floats] | None = None
        for at, word in enumerate(words):
            if self.lists and self.only_best and COMMON_SHARE * word.papers > self._snapshot.size:
                docs, found = first or self._listed()
                least = least_score(found, depth)
                if rest < least:
                    keep = (found >= least - rest - MARGIN).nonzero()[0]
                    self._finish_best(docs[keep], found[keep], words[at:], depth)
                    return
            weighted = self._snapshot.weighted(word.term)
            docs, added = weighted.docs, weighted.weights
            if word.weight != 1.0:
                added = np.float32(word.weight) * added
            if self.only_best and not self.lists and len(docs):
                first = docs, added
                self.lists, self.total = [docs], len(docs)
            else:
                if first:
                    self._set(*first)
                    first = None
                self._add(docs, added)
            rest -= word.most
        if first:
            self.candidates, self.found = first

    def _listed(self) -> tuple[Int64s, Floats]:
        docs = np.concatenate(self.lists) if len(self.lists) > 1 else self.lists[0]
        return docs, self.scores.take(docs, mode="wrap")  # checks no bounds, so it is quicker

    def _finish_best(self, docs: Int64s, found: Floats, words: list[Word], depth: int) -> None:
        """Adds the last words to the papers that can still be among the best, and counts all."""
        self.candidates, self.found = add_to_best(self._snapshot, docs, found, words, depth)
        self.left_out = [word.term for word in words]
        self.total = union_size(self._snapshot, self.lists, self.left_out)

    def _touched_only_parts(self, together: list[tuple[str, list[str]]]) -> None:
        """Narrows the result to papers with all pairs of a Chinese word, where there are any."""
        for _, terms in together:
            plain_terms = [term for term in terms if term[0] > "\x1f"]
            docs = in_all([self._snapshot.weighted(term).docs for term in plain_terms])
            if len(docs):
                self.lists = [in_all([self.docs, docs])]
                self.total = len(self.lists[0])

    def _note_unknown(self, texts: Iterable[str], known: set[str]) -> None:
        for text in texts:
            terms = word_terms(text).weights
            if terms and not any(term in known for term, _ in terms):
                self.unknown.append(text)

    def _add(self, docs: Int64s, added: Floats) -> None:
        """Adds one word; only the papers that no word before it had make a list of their own."""
        if self._touched:
            before = self.scores.take(docs, mode="wrap")
            self.scores[docs] = before + added
            if not self._mixed:
                docs = docs[(before == 0.0).nonzero()[0]]
            self._touched.append(docs)
        else:
            self._set(docs, added)
        self.total += len(docs)
        if len(docs):
            self.lists.append(docs)

    def _set(self, docs: Int64s, added: Floats) -> None:
        self.scores[docs] = added
        self._touched.append(docs)

    def _node(self, node: Node) -> Int64s | None:
        """Adds a node's scores and returns the papers that match; None where it says nothing."""
        if isinstance(node, AnyOf):
            found = [docs for part in node.parts if (docs := self._node(part)) is not None]
            return in_any(found) if found else None
        if isinstance(node, AllOf):
            return self._all_of(node)
        if node.field in ("author", "topic", "venue"):
            return self._named(node, node.field)
        if node.exact:
            return self._phrase(node)
        if node.prefix:
            return self._prefix(node)
        return self._word(node)

    def _all_of(self, node: AllOf) -> Int64s | None:
        """A parenthesis: required parts narrow, others widen, as at the top."""
        required: list[Int64s] = []
        optional: list[Int64s] = []
        excluded: list[Int64s] = []
        for clause in node.clauses:
            if clause.occur == "not":
                excluded.append(self.matching(clause.node))
                continue
            docs = self._node(clause.node)
            if docs is not None:
                (required if clause.occur == "must" else optional).append(docs)
        if not required and not optional:
            return None
        return without(in_all(required) if required else in_any(optional), excluded)

    def _keep(self, docs: Int64s, weights: Floats) -> None:
        self.scores[docs] += weights
        self._touched.append(docs)

    def _word(self, node: Words) -> Int64s | None:
        reading = word_terms(node.text)
        terms = [(t, w) for t, w in reading.weights if node.field is None or t[0] > "\x1f"]
        if not terms:
            if node.text.strip():
                self.dropped.append(node.text)
            return None
        met: list[Int64s] = []
        for term, weight in terms:
            found = self._found(term, node.field)
            if len(found.docs):
                self.terms.add(term)
                self._keep(found.docs, np.float32(weight) * found.weights)
                met.append(found.docs)
        if not met:
            self.unknown.append(node.text)
            return _NO_DOCS
        if reading.together:
            both = in_all(met)
            return both if len(both) else in_any(met)
        return in_any(met)

    def _found(self, term: str, field: TextField | None) -> Weighted:
        if field == "title" or field == "abstract":
            return self._snapshot.weighted_in(term, field)
        return self._snapshot.weighted(term)

    def _named(self, node: Words, field: str) -> Int64s | None:
        find = {"author": by_author, "topic": about, "venue": in_venue}[field]
        docs = find(self._snapshot, node.text, prefix=node.prefix)
        if not node.text.strip():
            return None
        if len(docs):
            idf = self._snapshot.idf(len(docs))
            self._keep(docs, np.full(len(docs), idf, np.float32))
        else:
            self.unknown.append(f"{field}:{node.text}")
        return docs

    def _prefix(self, node: Words) -> Int64s:
        met: list[Int64s] = []
        for term in self._snapshot.completions(fold(node.text), _MOST_COMPLETIONS):
            found = self._found(term, node.field)
            if len(found.docs):
                self.terms.add(term)
                self._keep(found.docs, np.float32(0.5) * found.weights)
                met.append(found.docs)
        if not met:
            self.unknown.append(f"{node.text}*")
        return in_any(met)

    def _phrase(self, node: Words) -> Int64s | None:
        """An exact phrase: words as written, case and accents aside, next to one another."""
        readings = _phrase_readings(node.text)
        if not readings:
            if node.text.strip():
                self.dropped.append(f"“{node.text}”")
            return None
        lists: list[Int64s] = []
        for surfaces in readings:
            telling = [stem(surface) for surface in surfaces if surface not in STOP_WORDS]
            terms = list(dict.fromkeys(telling))
            found = [self._snapshot.postings_in(term, node.field) for term in terms]
            docs = in_all([each.docs for each in found]) if found else None
            docs = self._snapshot.with_phrase(docs, surfaces, node.field)
            for each in found:
                codes = each.codes[rows_of(docs, each.docs)]
                idf = self._snapshot.idf(len(each.docs))
                self._keep(docs, self._snapshot.weigh(Postings(docs, codes), idf=idf).weights)
            self.terms.update(terms)
            lists.append(docs)
        docs = in_any(lists)
        if not len(docs):
            self.unknown.append(f"“{node.text}”")
        return docs


def _is_loose(node: Words) -> bool:
    return node.field is None and not node.exact and not node.prefix


@lru_cache(maxsize=50_000)
def _main_term(text: str) -> str:
    """The term of a query word that its neighbours are looked for with; "" if it has none."""
    return next((term for word in words(plain(text)) for term in text_terms(word)[:1]), "")


def _phrase_readings(text: str) -> list[tuple[str, ...]]:
    """The ways a phrase may stand in a text: compounds in parts, or as one word."""
    readings: list[tuple[str, ...]] = [()]
    for word in words(plain(text)):
        surfaces = read_word(word).surfaces
        ways = [surfaces]
        if len(surfaces) > 1 and surfaces[0].isascii():
            ways.append((joined_surface(surfaces),))
        readings = [(*before, *way) for before in readings for way in ways][:8]
    return [reading for reading in readings if reading]


def joined_surface(surfaces: tuple[str, ...]) -> str:
    """A compound as one word, not stemmed."""
    return "".join(surfaces)
