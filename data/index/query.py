"""The query language: words, "phrases", -not, OR, parentheses, field:value and prefix*.

`parse` never fails. What cannot be read (an open quote, a lone OR) makes the whole query plain
words, and a note says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Final, Literal, get_args

TextField = Literal["title", "abstract", "author", "topic", "venue"]
Occur = Literal["should", "must", "not"]

_CONDITIONS: Final = frozenset({"tag", "source", "year", "since", "until", "sort"})
_TAGS: Final = ("position", "theory", "methods", "unsure")
_ALIASES: Final = {
    "by": "author", "authors": "author", "in": "venue", "before": "until", "after": "since",
    "topics": "topic", "abs": "abstract", "category": "topic", "cat": "topic",
}  # fmt: skip
_SCHEMES: Final = frozenset({"arxiv", "doi", "openreview"})
"""Written before an identifier, and no fields."""
_LEX: Final = re.compile(
    r"""(?P<not>(?:(?<=\s)|(?<=^)|(?<=\())-(?=[^\s\-)]))"""
    r"""|(?P<field>[A-Za-z]+):(?=[^\s:/)])"""
    r"""|(?P<quote>"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»)"""
    r"""|(?P<open>\()|(?P<close>\))"""
    r"""|(?P<word>[^\s()"“”„«»]+)"""
    r"""|(?P<stray>["“”„«»])"""
)
_PLAIN: Final = re.compile(r"[\w .,;'’]*")
"""What has no sign of the language in it."""
_SIGNS: Final = frozenset({"OR", "AND", "NOT"})
_JOINING: Final = frozenset({*_SIGNS, "|", "&"})
_MOST_SIGNS: Final = 60
"""Quotation marks, fields, parentheses and the like in one query, each of which costs time."""
_DEEPEST: Final = 20
_MOST_CHARACTERS: Final = 20_000


@dataclass(frozen=True, slots=True)
class Words:
    """One plain word as typed (it may be a compound); `exact` is an exact phrase."""

    text: str
    field: TextField | None = None
    exact: bool = False
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of the parts."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """Clauses together, as within parentheses."""

    clauses: tuple[Clause, ...]


Node = Words | AnyOf | AllOf


@dataclass(frozen=True, slots=True)
class Clause:
    """A node and whether it should, must or must not match."""

    occur: Occur
    node: Node


@dataclass(frozen=True, slots=True)
class Condition:
    """A filter written in the query; `text` is how it was typed, `low` and `high` are its days."""

    field: str
    value: str
    text: str
    negated: bool = False
    low: date | None = None
    high: date | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query."""

    text: str
    clauses: tuple[Clause, ...] = ()
    conditions: tuple[Condition, ...] = ()
    sort: str | None = None
    notes: tuple[str, ...] = ()


@lru_cache(maxsize=20_000)
def _word(text: str) -> Clause:
    """A plain word of a query."""
    return Clause("should", Words(text))


def all_required(query: Query) -> Query:
    """The same query, but every word of it must match; a search asks for any of them."""
    clauses = tuple(
        replace(clause, occur="must") if clause.occur == "should" else clause
        for clause in query.clauses
    )
    return replace(query, clauses=clauses)


class _MalformedError(ValueError):
    """The query breaks the language; its message says how."""


def parse(text: str) -> Query:
    """Reads a query; a malformed one becomes plain words with a note."""
    if _PLAIN.fullmatch(text) and len(text) <= _MOST_CHARACTERS:
        pieces = text.split()
        if _SIGNS.isdisjoint(pieces):
            return Query(text, tuple(map(_word, pieces)))
    notes: list[str] = []
    if len(text) > _MOST_CHARACTERS:
        text = text[:_MOST_CHARACTERS]
        notes.append(f"Only the first {_MOST_CHARACTERS:,} characters were read.")
    text = re.sub(r"[\x00-\x1f\x7f]", " ", text)
    try:
        query = _Parser(text).query()
    except _MalformedError as problem:
        notes.append(f"{problem} The query was read as plain words.")
        bare = re.sub(r'[()"“”„«»]|\b(?:OR|AND|NOT)\b|\b[A-Za-z]+:(?=\S)|(?<!\S)-|\*', " ", text)
        plain = tuple(Clause("should", Words(word)) for word in bare.split())
        return Query(text, plain, notes=tuple(notes))
    return replace(query, notes=(*notes, *query.notes))


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._lexemes = [(str(m.lastgroup), m[0]) for m in _LEX.finditer(text)]
        self._at = 0
        self._conditions: list[Condition] = []
        self._sort: str | None = None
        self._unknown_fields: list[str] = []
        if any(kind == "stray" for kind, _ in self._lexemes):
            raise _MalformedError("A quotation mark has no partner.")
        signs = sum(
            kind != "word" or lexeme in _JOINING or lexeme.endswith("*")
            for kind, lexeme in self._lexemes
        )
        if signs > _MOST_SIGNS:
            raise _MalformedError(f"There are more than {_MOST_SIGNS} signs in it.")

    def query(self) -> Query:
        clauses = self._clauses(None, depth=0)
        notes = tuple(
            f"There is no field “{field[:40]}”, so it was read as a word."
            for field in dict.fromkeys(self._unknown_fields)
        )
        return Query(self._text, tuple(clauses), tuple(self._conditions), self._sort, notes[:3])

    def _peek(self) -> tuple[str, str]:
        return self._lexemes[self._at] if self._at < len(self._lexemes) else ("end", "")

    def _clauses(self, field: TextField | None, depth: int) -> list[Clause]:
        if depth > _DEEPEST:
            raise _MalformedError("The parentheses are too deep.")
        clauses: list[Clause] = []
        while True:
            kind, lexeme = self._peek()
            if kind == "end":
                if depth:
                    raise _MalformedError("A parenthesis is not closed.")
                return clauses
            if kind == "close":
                if not depth:
                    raise _MalformedError("A parenthesis was never opened.")
                self._at += 1
                return clauses
            if kind == "word" and lexeme in ("OR", "|"):
                self._at += 1
                self._alternative(clauses, field, depth, lexeme)
                continue
            if kind == "word" and lexeme in ("AND", "&"):
                self._at += 1
                following = self._peek()[0]
                if not clauses or following in ("end", "close"):
                    raise _MalformedError("AND needs something on both sides.")
                if clauses[-1].occur == "should":
                    clauses[-1] = Clause("must", clauses[-1].node)
                clause = self._clause(field, depth)
                if clause is not None:
                    occur: Occur = "must" if clause.occur == "should" else clause.occur
                    clauses.append(Clause(occur, clause.node))
                continue
            clause = self._clause(field, depth)
            if clause is not None:
                clauses.append(clause)

    def _alternative(
        self, clauses: list[Clause], field: TextField | None, depth: int, lexeme: str
    ) -> None:
        if not clauses or clauses[-1].occur == "not" or self._peek()[0] in ("end", "close"):
            raise _MalformedError(f"{lexeme} needs something on both sides.")
        right = self._clause(field, depth)
        if right is None or right.occur == "not":
            raise _MalformedError(f"{lexeme} joins words, phrases or parentheses.")
        left = clauses.pop().node
        parts = left.parts if isinstance(left, AnyOf) else (left,)
        clauses.append(Clause("must", AnyOf((*parts, right.node))))

    def _clause(self, field: TextField | None, depth: int) -> Clause | None:
        kind, lexeme = self._peek()
        self._at += 1
        negated = False
        if kind == "not" or (kind == "word" and lexeme == "NOT"):
            negated = True
            kind, lexeme = self._peek()
            if kind in ("end", "close") or (kind == "word" and lexeme in ("OR", "AND", "NOT")):
                raise _MalformedError("NOT needs a word after it.")
            self._at += 1
        required = False
        if kind == "word" and lexeme.startswith("+") and len(lexeme) > 1:
            required, lexeme = True, lexeme[1:]
        if kind == "field":
            name = lexeme[:-1].lower()
            name = _ALIASES.get(name, name)
            if name in _CONDITIONS:
                self._condition(name, lexeme, negated=negated)
                return None
            if name in get_args(TextField):
                field = name  # pyright: ignore[reportAssignmentType] - one of the literals, just checked
                required = True
                kind, lexeme = self._peek()
                self._at += 1
            else:
                if name not in _SCHEMES:
                    self._unknown_fields.append(lexeme)
                kind, lexeme = "word", lexeme[:-1]
        node, is_must = self._node(kind, lexeme, field, depth)
        if negated:
            return Clause("not", node)
        return Clause("must" if required or is_must else "should", node)

    def _node(
        self, kind: str, lexeme: str, field: TextField | None, depth: int
    ) -> tuple[Node, bool]:
        if kind == "quote":
            return Words(lexeme[1:-1], field, exact=True), True
        if kind == "open":
            inner = self._clauses(field, depth + 1)
            if not inner:
                return Words("", field), False
            if len(inner) == 1 and inner[0].occur != "not":
                return inner[0].node, inner[0].occur == "must"
            return AllOf(tuple(inner)), any(clause.occur != "should" for clause in inner)
        if len(lexeme) > 2 and lexeme.endswith("*") and lexeme[-2].isalnum():
            return Words(lexeme[:-1], field, prefix=True), True
        return Words(lexeme, field), False

    def _condition(self, name: str, typed: str, *, negated: bool) -> None:
        kind, lexeme = self._peek()
        if kind not in ("quote", "word"):
            raise _MalformedError(f"{name}: needs a value.")
        self._at += 1
        value = lexeme[1:-1] if kind == "quote" else lexeme
        if name == "sort":
            names = {"relevance": "relevance", "newest": "newest", "new": "newest",
                     "date": "newest", "votes": "votes"}  # fmt: skip
            if value.lower() not in names:
                raise _MalformedError("sort: knows relevance, newest and votes.")
            self._sort = names[value.lower()]
            return
        if name == "tag" and value.lower() not in _TAGS:
            raise _MalformedError(f"tag: knows {', '.join(_TAGS[:-1])} and {_TAGS[-1]}.")
        low = high = None
        if name in ("year", "since", "until"):
            low, high = _dates(name, value)
        self._conditions.append(Condition(name, value, f"{typed}{lexeme}", negated, low, high))


def _dates(name: str, value: str) -> tuple[date | None, date | None]:
    """The first and last day meant by a year, a month, a day, or a range of two of them."""
    ends = re.split(r"\.\.+|…", value) if name == "year" else [value]
    days = [_span(end) if end else (None, None) for end in ends]
    if len(ends) > 2 or all(day == (None, None) for day in days):
        raise _MalformedError(f"{name}: takes 2024, 2024-05 or 2024-05-31, year: also 2024..2026.")
    if name == "since":
        return days[0][0], None
    if name == "until":
        return None, days[0][1]
    low, high = days[0][0], days[-1][1]
    if low and high and low > high:
        raise _MalformedError("year: needs the earlier year first.")
    return low, high


def _span(text: str) -> tuple[date | None, date | None]:
    match = re.fullmatch(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?", text)
    if match is None:
        raise _MalformedError(f"“{text}” is no date.")
    try:
        if match[3]:
            day = date(int(match[1]), int(match[2]), int(match[3]))
            return day, day
        first = int(match[2] or 1)
        last = int(match[2] or 12)
        after = date(int(match[1]) + last // 12, last % 12 + 1, 1)
        return date(int(match[1]), first, 1), date.fromordinal(after.toordinal() - 1)
    except ValueError as problem:
        raise _MalformedError(f"“{text}” is no date.") from problem
