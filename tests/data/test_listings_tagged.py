"""Tagged bibliographies as reference managers and publishers really write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from data.records import AnnounceType, Identifiers, Period
from tests.data.listing_help import fixture, read


def ris(*lines: str) -> str:
    """One RIS record with these lines."""
    return "\n".join(["TY  - JOUR", *lines, "ER  - ", ""])


def test_authors_of_both_tags_of_ris_are_taken_once_each_in_order():
    text = ris("TI  - One", "AU  - Lutra, Ada", "A1  - Lutra, A.", "A1  - Wei, Li", "A2  - Ed, It")
    (record,), _, _ = read(text)
    assert record.authors == ("Ada Lutra", "Li Wei")


def test_several_people_on_one_line_of_ris_are_several():
    (record,), _, _ = read(ris("TI  - One", "AU  - Lutra, A.; Wei, L."))
    assert record.authors == ("A. Lutra", "L. Wei")


def test_links_of_any_tag_of_ris_give_every_identifier():
    (record,), _, _ = read(
        ris(
            "TI  - One",
            "UR  - www.index.example/record?id=1",
            "UR  - https://openreview.net/forum?id=AbCdEf1234",
            "L1  - https://arxiv.org/pdf/3102.00003.pdf",
            "L2  - https://doi.org/10.1000/182",
        )
    )
    assert record.identifiers == Identifiers(
        "3102.00003", "10.1000/182", "AbCdEf1234", "https://index.example/record?id=1"
    )


@pytest.mark.parametrize("tag", ["M3  - doi: ", "ID  - ", "DO  - https://doi.org/"])
def test_a_doi_is_found_where_publishers_put_it(tag: str):
    assert read(ris("TI  - One", f"{tag}10.1000/182"))[0][0].identifiers.doi == "10.1000/182"


@pytest.mark.parametrize(
    "text",
    [
        ris("T1  - One", "A1  - Lutra, Ada", "JO  - arXiv preprint arXiv:3102.00003", "Y1  - 2031"),
        "%0 Journal Article\n%T One\n%A Lutra, Ada\n%J arXiv preprint arXiv:3102.00003\n%D 2031\n",
    ],
    ids=["ris", "enw"],
)
def test_the_journal_of_a_citation_names_the_preprint(text: str):
    (record,), _, _ = read(text)
    assert record.identifiers == Identifiers(arxiv="3102.00003")
    assert (record.authors, record.published_in) == (("Ada Lutra",), Period(2031))


def test_paragraphs_of_an_abstract_join_and_a_repeated_one_is_dropped():
    text = ris("TI  - One", "AB  - Otters swim.", "AB  - They float.", "N2  - Otters swim.")
    assert read(text)[0][0].abstract == "Otters swim. They float."


def test_keywords_on_lines_of_their_own_or_with_semicolons_are_apart():
    (record,), _, _ = read(ris("TI  - One", "KW  - otters", "rivers", "KW  - rain; snow"))
    assert record.topics == ("otters", "rivers", "rain", "snow")
    for words in ("otters\nrivers", "otters, rivers"):
        (record,), _, _ = read(f"%0 Journal Article\n%T One\n%K {words}\n\n")
        assert record.topics == ("otters", "rivers")


@pytest.mark.parametrize(
    ("lines", "published", "period"),
    [
        (("PY  - 2031/05//", "DA  - May 12"), datetime(2031, 5, 12, tzinfo=UTC), None),
        (("PY  - 2031", "Y1  - 27-30 June 2031"), None, Period(2031, 6)),
        (("PY  - 2031", "DA  - 2031//"), None, Period(2031)),
        (("DA  - 2030/12//", "PY  - 2031"), None, Period(2030, 12)),
        (("Y1  - 2031/02/03/Print",), datetime(2031, 2, 3, tzinfo=UTC), None),
    ],
)
def test_the_dates_of_ris_say_as_much_together_as_they_do(
    lines: tuple[str, ...], published: datetime | None, period: Period | None
):
    (record,), _, _ = read(ris("TI  - One", *lines))
    assert (record.published, record.published_in) == (published, period)


def test_a_journal_has_its_full_name_and_a_book_is_its_own():
    (record,), _, _ = read(ris("TI  - One", "JO  - J. Ott.", "JF  - Journal of Otters"))
    assert record.venue == "Journal of Otters"
    (book,), _, _ = read("TY  - BOOK\nBT  - Otters\nAU  - Lutra, Ada\nER  - \n")
    assert (book.title, book.venue) == ("Otters", None)


def test_pubmed_gives_names_dates_and_identifiers():
    (waves, ducks), (refusal,), listing = read(fixture("pubmed.nbib"), name="p.nbib")
    assert (listing.format, listing.source) == ("pubmed", "PubMed")
    assert waves.title == "Waves in the bath, and how a title goes on over a second line"
    assert waves.abstract == "BACKGROUND: Waves are in the bath. RESULTS: They go out again."
    assert waves.authors == ("Ada Holmqvist", "Jürgen Brandt")
    assert waves.identifiers == Identifiers(
        doi="10.1234/bath.2031", url="https://pubmed.ncbi.nlm.nih.gov/41000001"
    )
    assert waves.topics == ("waves", "baths")
    assert (waves.venue, waves.published) == ("Bath letters", datetime(2031, 2, 3, tzinfo=UTC))
    assert waves.announce_type is AnnounceType.NEW
    assert ducks.title == "Ducks in translation"
    assert ducks.authors == ("N Aziz", "AB van der Moor", "The Duck Group")
    assert (ducks.identifiers.arxiv, ducks.published) == (
        "3103.00007",
        datetime(2031, 3, 15, tzinfo=UTC),
    )
    assert ducks.topics == ("Ducks", "Birds")
    assert ducks.announce_type is AnnounceType.WITHDRAWN, "it was retracted"
    assert (refusal.file, refusal.position) == ("p.nbib", "entry 3 (line 45)")


def test_the_xml_of_pubmed_says_what_its_text_form_does():
    (waves, ducks), (refusal,), listing = read(fixture("pubmed.xml"), name="p.xml")
    assert listing.format == "catalogue"
    assert waves.title == "Waves of CO2 in the bath"
    assert waves.abstract == "BACKGROUND: Waves are in the bath. RESULTS: They go out again."
    assert waves.authors == ("Ada B Holmqvist", "The Bath Group")
    assert waves.identifiers == Identifiers(
        doi="10.1234/bath.2031", url="https://pubmed.ncbi.nlm.nih.gov/41000001"
    )
    assert (waves.topics, waves.venue) == (("Baths",), "Bath letters")
    assert waves.published == datetime(2031, 2, 3, tzinfo=UTC)
    assert (ducks.title, ducks.identifiers.arxiv) == ("Ducks in translation", "3103.00007")
    assert (ducks.published, ducks.published_in) == (None, Period(2031))
    assert ducks.announce_type is AnnounceType.WITHDRAWN
    assert refusal.position == "entry 3 (line 23)"


def test_the_xml_of_endnote_is_read_through_its_styles():
    (waves, ducks), (refusal,), listing = read(fixture("endnote.xml"), name="e.xml")
    assert listing.format == "catalogue"
    assert (waves.title, waves.abstract) == ("Waves in the bath", "Waves are in the bath.")
    assert waves.authors == ("Ada Holmqvist", "Li Wei")
    assert waves.identifiers == Identifiers(arxiv="3102.00141", doi="10.1234/bath.2031")
    assert waves.topics == ("waves", "baths")
    assert (waves.venue, waves.comment) == ("Bath Letters of the Harbour", "accepted")
    assert waves.published == datetime(2031, 2, 3, tzinfo=UTC)
    assert (ducks.title, ducks.published_in) == ("Ducks", Period(2031))
    assert refusal.position == "entry 3 (line 1)"
