"""Exported files as the programs they are made for read them."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime

import bibtexparser
import rispy
from bibtexparser import middlewares
from pylatexenc.latex2text import LatexNodes2Text

from data.exports import ExportItem, export
from data.records import Identifiers, Paper

SEEN = datetime(2025, 3, 4, tzinfo=UTC)


def paper(**fields) -> Paper:
    known = {
        "id": 7,
        "title": "Collusion among language models",
        "title_derived": False,
        "abstract": "We study 50% of $n$ agents & their prices.",
        "authors": ("Matthew Riemer", "Mihaela van der Schaar"),
        "identifiers": Identifiers(arxiv="2501.00001"),
        "topics": ("Multi-agent",),
        "categories": ("cs.LG", "cs.MA"),
        "sources": ("arxiv",),
        "first_seen": SEEN,
        "published": datetime(2025, 1, 2, tzinfo=UTC),
    }
    return Paper(**(known | fields))


def bib(*items: ExportItem, decode: bool = True):
    """The entries as bibtexparser reads them; no block may fail."""
    text = export(items, "bibtex").content.decode()
    stack = [middlewares.LatexDecodingMiddleware()] if decode else []
    library = bibtexparser.parse_string(text, append_middleware=stack)
    assert library.failed_blocks == []
    assert len(library.blocks) == len(items)
    return library.entries


def bib_names(*authors: str):
    """The authors as BibTeX takes them apart, one (von last, jr, first) each."""
    text = export([ExportItem(paper(authors=authors))], "bibtex").content.decode()
    library = bibtexparser.parse_string(
        text,
        append_middleware=[
            middlewares.SeparateCoAuthors(),
            middlewares.SplitNameParts(),
        ],
    )
    read = LatexNodes2Text().latex_to_text
    return [
        tuple(read(" ".join(words)) for words in (name.von + name.last, name.jr, name.first))
        for name in library.entries[0]["author"]
    ]


def ris(*items: ExportItem):
    return rispy.loads(export(items, "ris").content.decode())


def csl(*items: ExportItem):
    return json.loads(export(items, "csljson").content)


def table(*items: ExportItem):
    text = export(items, "csv").content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))
