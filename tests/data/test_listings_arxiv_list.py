"""List pages of arXiv, saved from a browser or copied out of one."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from data.listings import ListingError
from data.records import AnnounceType, Identifiers
from tests.data.listing_help import fixture, read

KINDS = [
    AnnounceType.NEW,
    AnnounceType.NEW,
    AnnounceType.CROSS_LIST,
    AnnounceType.REPLACEMENT,
]
IDS = ["3102.00001", "3102.00002", "3101.99999", "2912.11111"]
FRAME = "<!DOCTYPE html><html><body><dl id='articles'>{}</dl></body></html>"


def entry(number: int, title: str, how: str = "") -> str:
    return (
        f"<dt><a href='/abs/3102.0000{number}'>arXiv:3102.0000{number}</a> {how} "
        f"[<a>pdf</a>]</dt><dd><div class='meta'><div class='list-title mathjax'>"
        f"<span class='descriptor'>Title:</span> {title}</div></div></dd>"
    )


@pytest.mark.parametrize("name", ["arxiv_new.html", "arxiv_new_copied.txt"])
def test_a_new_page_gives_every_section_whether_saved_or_copied(name: str):
    records, refusals, listing = read(fixture(name))
    assert listing.format == "arxiv-list"
    assert not refusals
    assert [r.identifiers.arxiv for r in records] == IDS
    assert [r.announce_type for r in records] == KINDS
    assert records[0].authors == ("Ada Holmqvist", "Li Wei")
    assert records[0].categories == ("cs.LG", "cs.AI")
    assert records[0].abstract.startswith("We study otters in rivers")
    assert [r.title for r in records][1:] == ["Gulls", "Ducks", "Seals"]
    assert records[1].authors == ("Tomás Ruiz",)
    assert records[2].categories == ("math.OC", "cs.LG")


def test_the_day_stands_in_the_heading_and_tex_in_the_titles():
    first, *_, last = read(fixture("arxiv_new.html"))[0]
    assert first.title == "Otters: A Study of x<y"
    assert (first.comment, first.venue) == ("10 pages, accepted at ICML", "J. Otters 1 (2031)")
    assert first.announced == last.announced == date(2031, 2, 4)
    assert first.published is None


def test_a_page_of_recent_days_gives_each_paper_its_own_day_and_no_abstract():
    page = FRAME.format(
        "<h3>Tue, 4 Feb 2031 (showing 1 of 9 entries )</h3>"
        + entry(1, "Otters")
        + "<h3>Mon, 3 Feb 2031 (showing first 1 of 9 entries )</h3>"
        + entry(2, "Gulls", "(cross-list from math.OC)")
    )
    records, _, _ = read(page)
    assert [r.announced for r in records] == [date(2031, 2, 4), date(2031, 2, 3)]
    assert [r.announce_type for r in records] == [AnnounceType.NEW, AnnounceType.CROSS_LIST]
    assert records[0].abstract == ""


def test_an_older_page_has_short_years_and_replaced_cross_lists():
    page = FRAME.format(
        "<h3>Replacements for Fri,  3 Feb 23</h3>"
        + entry(1, "Otters", "(cross-list from math.OC) (replaced)")
    )
    (record,), _, _ = read(page)
    assert record.announced == date(2023, 2, 3)
    assert record.announce_type is AnnounceType.REPLACEMENT_CROSS_LIST


def test_mathematics_that_the_browser_had_drawn_is_read_once():
    drawn = (
        'Otters <span class="MathJax_Preview"></span><span class="MathJax">ℓ1</span>'
        '<script type="math/tex" id="M1">\\ell_1</script> swim'
    )
    (record,), _, _ = read(FRAME.format(entry(1, drawn)))
    assert record.title == "Otters ℓ₁ swim"


def test_an_entry_without_its_details_is_refused_alone():
    cut = FRAME.format("<dt>arXiv:3102.00009 [<a>pdf</a>]</dt>" + entry(1, "Otters"))
    (record,), (refusal,), _ = read(cut)
    assert record.title == "Otters"
    assert "arXiv:3102.00009 has no title" in refusal.reason
    with pytest.raises(ListingError, match="without papers"):
        read(FRAME.format("<h3>No updates for today.</h3>"))


def test_search_results_are_read_with_their_whole_abstracts():
    page = """<!DOCTYPE html><html><body><ol><li class="arxiv-result">
<p class="list-title is-inline-block"><a href="https://arxiv.org/abs/3102.00001">arXiv:3102.00001</a>
<span>[<a>pdf</a>]</span></p><div class="tags"><span class="tag">cs.LG</span></div>
<p class="title is-5 mathjax">Otters <span class="search-hit">Swim</span></p>
<p class="authors"><span>Authors:</span> <a>Ada Holmqvist</a>, <a>Li Wei</a></p>
<p class="abstract"><span class="abstract-short">Otters…<a class="is-size-7">More</a></span>
<span class="abstract-full">Otters swim in rivers. <a class="is-size-7">Less</a></span></p>
<p class="is-size-7">Submitted 3 February, 2031; v1 submitted 1 January, 2031;</p>
<p class="comments is-size-7"><span>Comments:</span> <span>10 pages</span></p>
</li></ol></body></html>"""
    (record,), _, _ = read(page)
    assert record.identifiers == Identifiers(arxiv="3102.00001")
    assert (record.title, record.abstract) == ("Otters Swim", "Otters swim in rivers.")
    assert record.authors == ("Ada Holmqvist", "Li Wei")
    assert (record.categories, record.comment) == (("cs.LG",), "10 pages")
    assert record.published == datetime(2031, 1, 1, tzinfo=UTC)


def test_a_copied_page_keeps_titles_and_authors_of_several_lines_apart():
    text = (
        "Showing new listings for Tuesday, 4 February 2031\n"
        "[1] arXiv:3102.00001 [pdf, html, other]\nTitle:\nOtters\n"
        "Ada Holmqvist, Li Wei\nComments: 9 pages,\n2 figures\n"
        "Subjects: Machine Learning (cs.LG)\nOtters swim.\nThey dive.\n"
        "[2] arXiv:math/0309136v2 (replaced) [pdf]\nTitle: Gulls\nAuthors: Tomás Ruiz\n"
    )
    otters, gulls = read(text)[0]
    assert (otters.title, otters.authors) == ("Otters", ("Ada Holmqvist", "Li Wei"))
    assert (otters.comment, otters.abstract) == ("9 pages, 2 figures", "Otters swim. They dive.")
    assert otters.announced == date(2031, 2, 4)
    assert (gulls.identifiers.arxiv, gulls.version) == ("math/0309136", 2)
    assert gulls.authors == ("Tomás Ruiz",)
