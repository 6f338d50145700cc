"""Names of authors, taken apart and put together as each bibliography does."""

from __future__ import annotations

import pytest

from data.exports import ExportItem
from data.exports.names import split_name
from tests.data.exports.files import bib_names, csl, paper, ris


@pytest.mark.parametrize(
    ("name", "family", "given", "suffix"),
    [
        ("Matthew Riemer", "Riemer", "Matthew", ""),
        ("Mihaela van der Schaar", "van der Schaar", "Mihaela", ""),
        ("Ludwig von Beethoven", "von Beethoven", "Ludwig", ""),
        ("Guy Van den Broeck", "Van den Broeck", "Guy", ""),
        ("Luc De Raedt", "De Raedt", "Luc", ""),
        ("Nguyen Van Anh", "Anh", "Nguyen Van", ""),
        ("Santiago Ramón y Cajal", "Ramón y Cajal", "Santiago", ""),
        ("Qiang (Shaun) Cheng", "Cheng", "Qiang (Shaun)", ""),
        ("Wei Wang (王伟)", "Wang", "Wei (王伟)", ""),
        ("Simon S. Du", "Du", "Simon S.", ""),
        ("J. P. Morgan Jr.", "Morgan", "J. P.", "Jr."),
        ("Robert Downey, Jr.", "Downey", "Robert", "Jr."),
        ("Downey, Robert", "Downey", "Robert", ""),
        ("Downey, Jr., Robert", "Downey", "Robert", "Jr."),
        ("Jean-Luc  Picard-Smith", "Picard-Smith", "Jean-Luc", ""),
        ("Plato", "Plato", "", ""),
        ("王小明", "王小明", "", ""),
        ("山田 太郎", "山田", "太郎", ""),
        ("김 민수", "김", "민수", ""),
        ("The Anh Han", "Han", "The Anh", ""),
        ("Gemini Team", "Gemini Team", "", ""),
        ("The ATLAS Collaboration", "The ATLAS Collaboration", "", ""),
        ("Research and Development Unit", "Research and Development Unit", "", ""),
        ("van Gogh", "Gogh", "van", ""),
        ("", "", "", ""),
    ],
)
def test_names_are_split_where_a_bibliography_would(name, family, given, suffix):
    split = split_name(name)
    assert (split.family, split.given, split.suffix) == (family, given, suffix)


def test_names_read_back_from_every_bibliography():
    authors = (
        "Mihaela van der Schaar",
        "Qiang (Shaun) Cheng",
        "Santiago Ramón y Cajal",
        "Robert Downey, Jr.",
        "Plato",
        "王小明",
        "Research and Development Unit",
    )
    assert bib_names(*authors) == [
        ("van der Schaar", "", "Mihaela"),
        ("Cheng", "", "Qiang (Shaun)"),
        ("Ramón y Cajal", "", "Santiago"),
        ("Downey", "Jr.", "Robert"),
        ("Plato", "", ""),
        ("王小明", "", ""),
        ("Research and Development Unit", "", ""),
    ]
    item = ExportItem(paper(authors=authors))
    assert ris(item)[0]["authors"] == [
        "van der Schaar, Mihaela",
        "Cheng, Qiang (Shaun)",
        "Ramón y Cajal, Santiago",
        "Downey, Robert, Jr.",
        "Plato",
        "王小明",
        "Research and Development Unit",
    ]
    assert csl(item)[0]["author"][0] == {"family": "van der Schaar", "given": "Mihaela"}
    assert csl(item)[0]["author"][3] == {"family": "Downey", "given": "Robert", "suffix": "Jr."}
    assert csl(item)[0]["author"][5] == {"literal": "王小明"}
