"""What to try when words are unknown or nothing is found."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from data.index.analyzer import fold
from data.index.documents import Suggestion
from data.index.filters import FILTER_NAMES
from data.index.query import AllOf, Clause, Query, Words, parse
from data.index.stopwords import STOP_WORDS
from data.index.terms import word_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from data.index.documents import SearchFilters
    from data.index.snapshot import Snapshot

_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_MOST_WORDS: Final = 3
_SHORTEST: Final = 4
_LONGEST: Final = 24


def spellings(
    snapshot: Snapshot, query: Query, filters: SearchFilters, unknown: Sequence[str]
) -> tuple[Suggestion, ...]:
    """ "Did you mean": the query with words that no paper has set right, where that is one edit."""
    corrected = query.text
    for word in list(dict.fromkeys(unknown))[:_MOST_WORDS]:
        bare = fold(word)
        if not (_SHORTEST <= len(bare) <= _LONGEST and bare.isascii() and bare.isalnum()):
            continue
        nearest = _nearest(snapshot, bare)
        if nearest is not None:
            corrected = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", nearest, corrected)
    if corrected == query.text:
        return ()
    return (Suggestion("spelling", corrected, _total(snapshot, parse(corrected), filters)),)


def _nearest(snapshot: Snapshot, word: str) -> str | None:
    """The word of most papers that is one letter away; a stop word is in nearly all of them."""
    found: dict[str, int] = {}
    for other in _one_edit_away(word, snapshot.letters_after):
        papers = snapshot.count if other in STOP_WORDS else snapshot.papers_with_surface(other)
        if papers:
            found[other] = papers
    return min(found, key=lambda other: (-found[other], other), default=None)


def _one_edit_away(word: str, following: Callable[[str], set[str]]) -> set[str]:
    """Words with one letter left out, put in, replaced or swapped with the next (Damerau 1964).

    `following` says which letters come next after a beginning; what no word begins with is not
    tried.
    """
    found: set[str] = set()
    for at in range(len(word) + 1):
        left, right = word[:at], word[at:]
        letters = following(left)
        if right:
            found.add(left + right[1:])
        if len(right) > 1 and right[1] in letters:
            found.add(left + right[1] + right[0] + right[2:])
        for letter in letters & _LETTERS:
            found.add(left + letter + right)
            found.add(left + letter + right[1:])
        if right[:1] not in letters:
            break
    return found - {word}


def relaxations(snapshot: Snapshot, query: Query, filters: SearchFilters) -> tuple[Suggestion, ...]:
    """What would find something: one filter or condition less, or the words without their signs."""
    found: list[Suggestion] = []
    for name in FILTER_NAMES:
        if getattr(filters, name):
            total = _total(snapshot, query, replace(filters, **{name: None}))
            found.append(Suggestion("filter", query.text, total, name))
    for condition in query.conditions:
        others = tuple(each for each in query.conditions if each is not condition)
        text = re.sub(rf"-?{re.escape(condition.text)}", " ", query.text)
        fewer = replace(query, conditions=others, text=" ".join(text.split()))
        found.append(Suggestion("words", fewer.text, _total(snapshot, fewer, filters)))
    texts = [word for clause in query.clauses if clause.occur != "not" for word in _texts(clause)]
    known = [word for word in texts if word_terms(word).weights]
    if known and (len(known) > 1 or known[0] != query.text):
        loose = Query(" ".join(known), tuple(Clause("should", Words(word)) for word in known))
        found.append(Suggestion("words", loose.text, _total(snapshot, loose, filters)))
    useful = {each.query + str(each.drop_filter): each for each in found if each.total}
    return tuple(sorted(useful.values(), key=lambda each: -each.total))[:5]


def _texts(clause: Clause) -> list[str]:
    node = clause.node
    if isinstance(node, Words):
        return node.text.split()
    if isinstance(node, AllOf):
        return [word for each in node.clauses for word in _texts(each)]
    return [word for part in node.parts for word in _texts(Clause("should", part))]


def _total(snapshot: Snapshot, query: Query, filters: SearchFilters) -> int:
    from data.index.search import total_of

    return total_of(snapshot, query, filters)
