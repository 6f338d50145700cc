"""OpenAlex: answers about works, whose abstracts come as an index of their words.

https://docs.openalex.org/api-entities/works/work-object
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from data.listings.fields import first_text, make_record
from data.listings.json_reader import JsonReader
from data.records import AnnounceType

if TYPE_CHECKING:
    from data.listings.json_shapes import Entry
    from data.records import PaperRecord

_MOST_WORDS: Final = 20_000
_MOST_TOPICS: Final = 8


def _recognises(entry: Entry) -> bool:
    return "title" in entry and "authorships" in entry


def _record(entry: Entry, position: str) -> PaperRecord:
    places = [_object(entry.get("primary_location")), *_objects(entry.get("locations"))]
    pages = [first_text(place, "landing_page_url") or "" for place in places]
    venues = [first_text(_object(place.get("source")), "display_name") for place in places]
    topics = _objects(entry.get("topics")) or _objects(entry.get("keywords"))
    return make_record(
        position=position,
        title=first_text(entry, "title", "display_name"),
        abstract=_text(entry.get("abstract_inverted_index")),
        authors=[_name(each) for each in _objects(entry.get("authorships"))],
        arxiv=next((page for page in pages if "arxiv.org" in page), None),
        doi=first_text(entry, "doi"),
        url=first_text(entry, "id"),
        topics=[first_text(topic, "display_name") or "" for topic in topics][:_MOST_TOPICS],
        venue=next((v for v in venues if v and not v.lower().startswith("arxiv")), None),
        dated=[entry.get("publication_date"), entry.get("publication_year")],
        announce_type=AnnounceType.WITHDRAWN
        if entry.get("is_retracted") is True
        else AnnounceType.NEW,
    )


def _name(authorship: Entry) -> str:
    name = first_text(_object(authorship.get("author")), "display_name")
    return name or first_text(authorship, "raw_author_name") or ""


def _text(index: object) -> str:
    """The text whose words and their places an index tells."""
    placed = [
        (place, word)
        for word, places in _object(index).items()
        if isinstance(places, list)
        for place in cast("list[object]", places)
        if isinstance(place, int)
    ]
    return " ".join(word for _, word in sorted(placed)[:_MOST_WORDS])


def _object(value: object) -> Entry:
    return cast("Entry", value) if isinstance(value, dict) else {}


def _objects(value: object) -> list[Entry]:
    members = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Entry", member) for member in members if isinstance(member, dict)]


READER: Final = JsonReader(
    name="openalex",
    title="an OpenAlex answer",
    recognises=_recognises,
    record_of=_record,
)
