"""Papers as files that other programs read: bibliographies, a table, a list to paste."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from data.exports.bibtex import to_bibtex
from data.exports.csljson import to_csljson
from data.exports.lists import to_csv, to_markdown
from data.exports.ris import to_ris
from data.exports.works import ExportItem, describe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from data.exports.works import Work

__all__ = ["EXPORT_FORMATS", "ExportFile", "ExportFormat", "ExportItem", "export"]

ExportFormat = Literal["bibtex", "ris", "csljson", "csv", "md"]
EXPORT_FORMATS: Final[tuple[ExportFormat, ...]] = ("bibtex", "ris", "csljson", "csv", "md")


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file to hand over: UTF-8 content under a name, with its media type."""

    filename: str
    mime: str
    content: bytes


_WRITERS: Final[Mapping[str, tuple[str, str, Callable[[Sequence[Work]], bytes]]]] = {
    "bibtex": ("papers.bib", "application/x-bibtex", to_bibtex),
    "ris": ("papers.ris", "application/x-research-info-systems", to_ris),
    "csljson": ("papers.json", "application/vnd.citationstyles.csl+json", to_csljson),
    "csv": ("papers.csv", "text/csv; charset=utf-8", to_csv),
    "md": ("papers.md", "text/markdown; charset=utf-8", to_markdown),
}


def export(papers: Sequence[ExportItem], format: ExportFormat) -> ExportFile:  # noqa: A002 - the word that the command line and the chat use
    """The papers as one file, in the order given; citation keys don't depend on that order.

    Raises ValueError for a format that is not one of `EXPORT_FORMATS`.
    """
    try:
        filename, mime, write = _WRITERS[format]
    except KeyError:
        raise ValueError(
            f"There is no export format {format!r}: choose one of {', '.join(EXPORT_FORMATS)}."
        ) from None
    return ExportFile(filename, mime, write(describe(papers)))
