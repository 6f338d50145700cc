"""Says in words how a query was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.index.query import AllOf, AnyOf, Clause, Condition, Node, Query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data.index.documents import SearchFilters


def in_words(query: Query, dropped: Sequence[str], filters: SearchFilters) -> str:
    """One line that tells a researcher what was searched for."""
    out = set(dropped)
    loose = [_named(c.node) for c in query.clauses if c.occur == "should" and _said(c, out)]
    parts: list[str] = []
    if loose:
        shown = loose[:12]
        more = len(loose) - len(shown)
        tail = f" and {more} more words" if more else ""
        lead = "the word " if len(loose) == 1 else "any of the words "
        parts.append(lead + ", ".join(shown) + tail)
    parts += [_named(c.node) for c in query.clauses if c.occur == "must" and _said(c, out)]
    parts += [f"without {_named(c.node)}" for c in query.clauses if c.occur == "not"]
    parts += [_condition(condition) for condition in query.conditions]
    if filters.tag:
        parts.append(f"tagged {filters.tag}")
    if filters.author:
        parts.append(f"by {filters.author}")
    if filters.topic:
        parts.append(f"on the topic {filters.topic}")
    if filters.source:
        parts.append(f"from {filters.source}")
    if filters.since:
        parts.append(f"since {filters.since.isoformat()}")
    if filters.until:
        parts.append(f"until {filters.until.isoformat()}")
    if query.sort and query.sort != "relevance":
        parts.append({"newest": "newest first", "votes": "most votes first"}[query.sort])
    return "; ".join(parts) if parts else "all papers"


def _said(clause: Clause, dropped: set[str]) -> bool:
    text = getattr(clause.node, "text", None)
    return text is None or (text.strip() != "" and text not in dropped)


def _named(node: Node) -> str:
    if isinstance(node, AnyOf):
        return "(" + " or ".join(_named(part) for part in node.parts) + ")"
    if isinstance(node, AllOf):
        signs = {"must": "with ", "not": "without ", "should": ""}
        return "(" + ", ".join(signs[c.occur] + _named(c.node) for c in node.clauses) + ")"
    text = node.text if len(node.text) <= 80 else node.text[:79] + "…"
    if node.exact:
        said = f"exactly “{text}”"
    elif node.prefix:
        said = f"words beginning with {text}"
    else:
        said = text
    if node.field == "author":
        return f"by {text}"
    return f"{said} in the {node.field}" if node.field else said


def _condition(condition: Condition) -> str:
    said = {
        "tag": f"tagged {condition.value}",
        "source": f"from {condition.value}",
        "year": _years(condition.value),
        "since": f"since {condition.value}",
        "until": f"until {condition.value}",
    }[condition.field]
    return f"not {said}" if condition.negated else said


def _years(typed: str) -> str:
    """A year or a range of years as typed, which may be open at one end."""
    first, dots, last = typed.replace("…", "..").partition("..")
    if not dots:
        return f"of {typed}"
    if not first or not last:
        return f"since {first}" if first else f"until {last}"
    return f"of {first} to {last}"
