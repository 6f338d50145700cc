"""RIS, for EndNote, Zotero, Mendeley and the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from data.exports.works import Kind, Work

_TYPE: Final[Mapping[Kind, str]] = {
    "article": "JOUR",
    "inproceedings": "CONF",
    "preprint": "UNPB",
    "other": "GEN",
}


def to_ris(works: Sequence[Work]) -> bytes:
    """One record a paper, from TY to ER, with the line ends that the format's readers expect."""
    records = (
        "".join(f"{tag}  - {value}\r\n" for tag, value in _lines(work)) + "ER  - \r\n"
        for work in works
    )
    return "\r\n".join(records).encode()


def _lines(work: Work) -> Iterator[tuple[str, str]]:
    yield "TY", _TYPE[work.kind]
    yield "ID", work.key
    yield "TI", work.title
    for name in work.names:
        yield "AU", name.sorted_form()
    if work.year:
        yield "PY", str(work.year)
    if work.day:
        yield "DA", f"{work.day:%Y/%m/%d}"
    elif work.month:
        yield "DA", f"{work.year}/{work.month:02}//"
    for tag, value in (
        ("T2", work.container),
        ("AB", work.abstract),
        ("DO", work.doi),
        ("AN", f"arXiv:{work.arxiv}" if work.arxiv else ""),
        # Readers split this field at semicolons.
        ("UR", work.url.replace(";", "%3B")),
    ):
        if value:
            yield tag, value
    for word in work.keywords:
        yield "KW", word
    if work.note:
        yield "N1", work.note
