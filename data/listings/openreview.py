"""OpenReview notes, as API version 1 (plain values) and version 2 (values in boxes) give them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

from data.listings.dates import moment
from data.listings.fields import UnusableRecordError, authors_of, first_text, make_record, text_list
from data.listings.json_reader import JsonReader
from data.records import AnnounceType

if TYPE_CHECKING:
    from data.listings.json_shapes import Entry
    from data.records import PaperRecord


def _content(entry: Entry) -> Entry:
    """The note's fields with the boxes of version 2 taken off."""
    inner = entry.get("content")
    if not isinstance(inner, dict):
        return {}
    unboxed: Entry = {}
    for key, value in cast("Entry", inner).items():
        if isinstance(value, dict) and "value" in value:
            unboxed[key] = cast("Entry", value)["value"]
        else:
            unboxed[key] = value
    return unboxed


def _recognises(entry: Entry) -> bool:
    inner = entry.get("content")
    return isinstance(inner, dict) and (
        "title" in inner or "forum" in entry or "invitation" in entry or "invitations" in entry
    )


_REPLY: Final = re.compile(
    r"(?:review|comment|decision|rebuttal|response|recommendation|metareview|meta_review|withdrawal)"
    r"(?:_\w+)?$",
    re.IGNORECASE,
)


def _is_reply(entry: Entry) -> bool:
    """Whether a note was written about a paper: a review, a comment, a decision."""
    if first_text(entry, "replyto"):
        return True
    names = text_list(entry.get("invitations")) or [first_text(entry, "invitation") or ""]
    own, forum = first_text(entry, "id"), first_text(entry, "forum")
    return bool(forum) and own != forum and any(_REPLY.search(name) for name in names)


def _record(entry: Entry, position: str) -> PaperRecord:
    if _is_reply(entry):
        raise UnusableRecordError("it is a note about a paper, such as a review, and no paper")
    content = _content(entry)
    area = text_list(content.get("primary_area") or content.get("subject_areas"), separators=";")
    return make_record(
        position=position,
        title=first_text(content, "title"),
        abstract=first_text(content, "abstract", "TL;DR", "TLDR"),
        authors=authors_of(content.get("authors")),
        openreview=first_text(entry, "forum", "id"),
        topics=[re.sub(r"\s*->\s*", " · ", a) for a in area]
        or text_list(content.get("keywords"))[:8],
        venue=first_text(content, "venue"),
        announce_type=_announce_type(entry, content),
        comment=first_text(content, "comment"),
        published=moment(entry.get("pdate") or entry.get("odate") or entry.get("cdate")),
        updated=moment(entry.get("mdate") or entry.get("tmdate")),
    )


def _announce_type(entry: Entry, content: Entry) -> AnnounceType:
    """Withdrawn where the note was moved among its venue's withdrawn submissions."""
    names = [first_text(content, "venueid") or "", *text_list(entry.get("invitations"))]
    names.append(first_text(entry, "invitation") or "")
    withdrawn = any("withdrawn" in name.lower() or "Withdrawal" in name for name in names)
    return AnnounceType.WITHDRAWN if withdrawn else AnnounceType.NEW


READER: Final = JsonReader(
    name="openreview",
    title="OpenReview notes",
    recognises=_recognises,
    record_of=_record,
)
