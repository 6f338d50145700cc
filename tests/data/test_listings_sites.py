"""Sites, APIs and bibliographies: Hugging Face to RIS, tables, and any feed."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from data.listings import ListingError
from data.records import Identifiers, Period
from tests.data.listing_help import fixture, read


def day(year: int, month: int, number: int) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


def test_daily_papers_take_the_abstract_and_the_day_of_the_page():
    records, refusals, listing = read(fixture("hf_daily.json"))
    assert listing.format == "hf-daily"
    assert not refusals
    first = records[0]
    assert first.title == "On the Limits of Lighthouses"
    assert first.abstract == "Lighthouses have limits."
    assert first.authors == ("Ada Holmqvist", "Li Wei")
    assert first.identifiers == Identifiers(arxiv="3102.00081")
    assert (first.announced, first.published) == (date(2031, 2, 6), day(2031, 2, 3))
    assert records[1].announced is None


def test_semantic_scholar_gives_every_identifier():
    records, refusals, listing = read(fixture("semantic_scholar.json"))
    assert listing.format == "semantic-scholar"
    assert not refusals
    assert records[0].identifiers == Identifiers(
        arxiv="3102.00091", doi="10.1234/swim.1", url="https://semanticscholar.org/paper/aa11"
    )
    assert records[0].venue == "Harbour Conference"
    assert records[0].published == day(2031, 2, 3)
    assert (records[1].abstract, records[1].published, records[1].venue) == ("", None, None)


def test_openreview_notes_are_read_in_both_versions():
    (new,), (refusal,), listing = read(fixture("openreview_v2.json"))
    assert listing.format == "openreview"
    assert new.title == "Nets that Learn"
    assert new.authors == ("Ada Holmqvist", "Li Wei")
    assert new.identifiers == Identifiers(openreview="aNoTe12345")
    assert new.topics == ("learning theory",)
    assert new.venue == "Harbour 2031 oral"
    assert new.published == day(2031, 2, 5)
    assert refusal.position == "entry 2"
    (old,), _, listing = read(fixture("openreview_v1.json"))
    assert listing.format == "openreview"
    assert (old.title, old.abstract, old.topics) == ("Older Nets", "Nets were older.", ("nets",))


def test_paperlists_name_the_forum_only_where_it_is_one():
    records, refusals, listing = read(fixture("paperlists.json"))
    assert listing.format == "paperlists"
    assert not refusals
    assert records[0].identifiers == Identifiers(openreview="pLiSt12345")
    assert records[0].authors == ("Ada Holmqvist", "Tomás Ruiz")
    assert records[0].venue == "Harbour Learning 2031"
    assert records[1].identifiers == Identifiers(
        arxiv="3102.00101", url="https://harbour.example.org/paper/77"
    )
    assert records[1].authors == ("Noor Aziz", "Li Wei")


def test_the_json_of_a_virtual_site_leaves_out_what_is_no_paper():
    records, (refusal,), listing = read(fixture("virtual.json"))
    assert listing.format == "virtual-json"
    assert records[0].title == "Sails of Theory"
    assert records[0].abstract == "Sails obey theory."
    assert records[0].topics == ("Theory · Learning Theory",)
    assert records[0].venue == "ICML 2031"
    assert records[0].identifiers == Identifiers(
        openreview="vIrTu12345", url="https://icml.cc/virtual/2031/poster/1"
    )
    assert records[1].identifiers.openreview == "aNcHo12345"
    assert '"Break"' in refusal.reason


def test_a_saved_page_of_a_virtual_site_gives_its_cards():
    records, (refusal,), listing = read(fixture("virtual.html"))
    assert listing.format == "virtual-html"
    assert records[0].title == "Position: Harbours & Havens Differ"
    assert records[0].authors == ("Ada Holmqvist", "Jürgen Brandt", "PAUL MERCIER")
    assert records[0].abstract == "This position paper argues that harbours are not havens."
    assert records[0].venue == "ICML 2031"
    assert records[0].identifiers == Identifiers(url="https://icml.cc/virtual/2031/poster/1")
    assert records[1].identifiers.openreview == "fOgFo12345"
    assert (refusal.position, refusal.reason) == ("entry 2", "its card has no title")
    assert not listing.notes


def test_a_cut_page_of_a_virtual_site_says_so():
    _, _, listing = read(fixture("virtual.html")[:-16])
    assert "may have been cut" in listing.notes[0]


def test_any_other_web_page_is_refused_with_what_to_do():
    page = (
        "<!DOCTYPE html><html><head><title>Bakery</title></head><body><p>Bread.</p></body></html>"
    )
    with pytest.raises(ListingError, match="web page without paper cards; save the page"):
        read(page)


def test_csl_json_needs_a_whole_day_for_a_date():
    records, refusals, listing = read(fixture("csl.json"))
    assert listing.format == "csl-json"
    assert not refusals
    assert records[0].title == "Salt in Water"
    assert records[0].abstract == "Salt is in water."
    assert records[0].authors == ("Ada Holmqvist", "Harbour Team")
    assert records[0].identifiers == Identifiers(doi="10.1234/salt")
    assert records[0].published == day(2031, 2, 3)
    assert records[1].published is None


def test_dblp_is_read_as_json_and_as_xml():
    for name, style, word in (("dblp.json", "dblp-json", "Cranes"), ("dblp.xml", "catalogue", "W")):
        records, refusals, listing = read(fixture(name))
        assert listing.format == style
        assert not refusals
        assert len(records) == 2
        assert records[0].title is not None
        assert records[0].title.startswith(word)
        assert "Li Wei" in records[0].authors
        assert records[0].identifiers.doi is not None
        assert records[1].identifiers.arxiv is not None
    assert read(fixture("dblp.xml"))[0][0].authors == ("Jürgen Brandt", "Li Wei")


def test_the_anthology_is_read_as_its_own_xml_as_mods_and_as_endnote():
    (own,), _, _ = read(fixture("anthology.xml"))
    assert own.title == "Words of the Sea"
    assert own.authors == ("Ada Holmqvist", "Li Wei")
    assert own.identifiers == Identifiers(
        doi="10.1234/sea.1", url="https://aclanthology.org/2031.harbour-main.1"
    )
    (mods,), _, _ = read(fixture("mods.xml"))
    assert (mods.title, mods.authors) == ("Words of the Shore", ("Ada Holmqvist",))
    assert mods.venue == "Proceedings of Harbour"
    tagged, _, listing = read(fixture("anthology.endf"))
    assert listing.format == "endnote"
    assert [r.title for r in tagged] == ["A Tagged Paper of the Shore", "Second Tagged"]
    assert tagged[0].authors == ("Ada Holmqvist", "Li Wei")
    assert tagged[0].abstract == "Tags stand at the start of lines."
    assert tagged[0].venue == "Proceedings of Harbour"


def test_any_feed_gives_title_text_and_link():
    records, refusals, listing = read(fixture("any_feed.xml"))
    assert listing.format == "feed"
    assert not refusals
    assert records[0].title == "On the sound of fog horns"
    assert records[0].abstract == "Fog horns sound low, and we say why."
    assert records[0].identifiers == Identifiers(
        doi="10.1234/horn.17", url="https://harbour.example.org/articles/17"
    )
    assert records[0].published == datetime(2031, 2, 5, 11, tzinfo=UTC)
    assert records[0].updated is None
    assert records[1].title == "Nets & knots"
    assert records[1].authors == ("Noor Aziz",)
    assert records[1].identifiers == Identifiers(openreview="kNoTs12345")


def test_bibtex_resolves_strings_crossrefs_accents_and_repeated_keys():
    records, refusals, listing = read(fixture("library.bib"))
    assert listing.format == "bibtex"
    assert [r.title for r in records] == [
        "GPT-4 and the Sea: A Lévy View of ℓ₁",
        "Crossings",
        "On arXiv Alone",
        "The same key again",
    ]
    first, crossing, alone, again = records
    assert first.authors == (
        "Ada Holmqvist",
        "Jörg Müller",
        "The Harbour and Coast Team",
        "Tomás de la Cruz Jr.",
    )
    assert first.venue == "Harbour Letters B"
    assert first.abstract == "Seas are large. Models are larger."
    assert first.topics == ("seas", "models")
    assert first.comment == "Position paper"
    assert first.identifiers == Identifiers(doi="10.1234/hl.7")
    assert first.published is None
    assert crossing.venue == "Harbour Conference"
    assert crossing.identifiers == Identifiers(openreview="cRoSs12345")
    assert alone.identifiers == Identifiers(arxiv="3102.00131")
    assert (alone.categories, alone.published) == (("cs.LG",), day(2031, 2, 3))
    assert again.identifiers == Identifiers(url="https://harbour.example.org/again")
    assert [(r.position, r.reason) for r in refusals] == [
        ("line 32", "its braces or quotes do not close, so it cannot be read"),
        ("entry untitled2031 (line 47)", "it has neither a title nor an abstract"),
    ]


def test_ris_joins_lines_and_refuses_what_says_nothing():
    records, (refusal,), listing = read(fixture("library.ris"))
    assert listing.format == "ris"
    waves, ducks = records
    assert waves.title == "Waves in the Bath"
    assert waves.abstract == "Waves are in the bath. ER is no end of it."
    assert waves.authors == ("Ada Holmqvist", "Jürgen Brandt")
    assert waves.identifiers == Identifiers(arxiv="3102.00141", doi="10.1234/bath")
    assert waves.topics == ("waves", "baths")
    assert (waves.venue, waves.published) == ("Bath Letters", day(2031, 2, 3))
    assert (ducks.title, ducks.abstract, ducks.published) == ("Ducks", "Ducks float.", None)
    assert refusal.position == "entry 3 (line 24)"


def test_web_of_science_text_is_told_from_ris():
    records, refusals, listing = read(fixture("savedrecs.txt"))
    assert listing.format == "wos"
    assert not refusals
    seals, second = records
    assert seals.title == "Interactions of harbour seals with the core of the pier"
    assert seals.authors == ("Ada Holmqvist", "Jürgen Brandt")
    assert seals.abstract == "Seals interact. Piers do not."
    assert seals.identifiers == Identifiers(doi="10.1234/seal.1")
    assert seals.published == day(2031, 2, 3)
    assert second.published is None


def test_a_table_may_have_a_byte_order_mark_and_cells_of_several_lines():
    records, refusals, listing = read(fixture("table.csv"))
    assert listing.format == "csv"
    assert not refusals
    assert [r.title for r in records] == [
        "Rows and Columns",
        "Second Row",
        "Third Row",
        "Fourth Row",
    ]
    assert records[0].abstract == 'Rows have cells. - one - two, with a comma and a "quote"'
    assert records[0].identifiers == Identifiers(openreview="tAbLe00001")
    assert records[0].topics == ("tables",)
    assert records[1].topics == ("rows", "cells")


def test_a_quote_that_never_closes_costs_its_row_only():
    table = fixture("table.csv").decode().replace("Second Row,Cells.", 'Second Row,"Cells.')
    records, refusals, _ = read(table)
    assert [r.title for r in records] == ["Rows and Columns", "Third Row", "Fourth Row"]
    assert [r.position for r in refusals] == ["row 2 (line 6)"]
    assert "quotation mark" in refusals[0].reason


def test_a_table_may_be_headed_in_chinese_and_parted_by_tabs():
    records, refusals, listing = read(fixture("table_zh.tsv"))
    assert listing.format == "csv"
    assert not refusals
    assert records[0].title == "潮汐的学习"
    assert records[0].authors == ("张三", "李四")
    assert records[0].topics == ("潮汐", "学习")
    assert records[0].published == day(2031, 2, 3)
    assert records[0].identifiers == Identifiers(url="https://harbour.example.org/zh/1")
    assert records[1].identifiers == Identifiers(arxiv="3102.00151")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_every_usual_delimiter_is_found_out(delimiter: str):
    rows = [["Title", "Authors", "Abstract"], ["Fog", "Noor Aziz", "Fog is wet."]]
    records, _, listing = read("\n".join(delimiter.join(r) for r in rows))
    assert listing.format == "csv"
    assert [(r.title, r.authors, r.abstract) for r in records] == [
        ("Fog", ("Noor Aziz",), "Fog is wet.")
    ]


def test_a_table_of_scopus_takes_the_full_names_without_their_numbers():
    table = (
        '"Authors","Author full names","Title","Year","Source title","DOI","Abstract"\n'
        '"Holmqvist A.; Wei L.","Holmqvist, Ada (571); Wei, Li (572)","Fog","2031","Fog Letters",'
        '"10.1234/FOG","Fog is wet."\n'
    )
    (record,), _, _ = read(table)
    assert record.authors == ("Ada Holmqvist", "Li Wei")
    assert (record.venue, record.identifiers.doi) == ("Fog Letters", "10.1234/fog")


def test_a_table_of_cnki_is_headed_in_two_languages_at_once():
    headings = "Title-题名,Author-作者,Summary-摘要,PubTime-发表时间"
    table = f"{headings}\n雾的学习,张三;李四,本文研究雾。,2031-02-03\n"
    (record,), _, _ = read(table)
    assert (record.title, record.authors) == ("雾的学习", ("张三", "李四"))
    assert record.published == day(2031, 2, 3)


def test_a_large_table_with_one_open_quote_is_read_in_good_time():
    rows = [f'paper {n},"An abstract, number {n}, on fog."' for n in range(6000)]
    rows[3000] = 'paper 3000,"An abstract that never closes.'
    records, refusals, _ = read("\n".join(["title,abstract", *rows]))
    assert len(records) == 5999
    assert len(refusals) == 1
    assert "(line 3002)" in refusals[0].position


def test_a_page_that_only_lists_titles_gives_titles():
    page = (
        "<!DOCTYPE html><html><head><title>ICLR 2031 Papers</title></head><body><ul>"
        '<li><a href="/virtual/2031/poster/11">Gulls as a Service</a></li>'
        '<li><a href="/virtual/2031/poster/11">Gulls as a Service</a></li>'
        '<li><a href="/virtual/2031/poster/12">Deep Rock Pools</a></li>'
        '<li><a href="/virtual/2031/calendar">The whole calendar</a></li></ul></body></html>'
    )
    records, _, _ = read(page)
    assert [r.title for r in records] == ["Gulls as a Service", "Deep Rock Pools"]
    assert records[0].identifiers == Identifiers(url="https://iclr.cc/virtual/2031/poster/11")


def test_a_table_without_known_headings_says_what_it_needs():
    with pytest.raises(ListingError, match="no heading row with a title or an abstract"):
        read("a,b\n1,2", format="csv")


def test_a_damaged_json_document_loses_the_damaged_object_only():
    text = fixture("hf_daily.json").decode()
    second = text.index('{"paper": {"id": "3102.00082"')
    broken = text[: second - 40] + "@@@" + text[second - 37 :]
    records, refusals, _ = read(broken, format="hf-daily")
    assert "Unlit" in [r.title for r in records]
    cut, refusals, _ = read(text[: len(text) - 60], format="hf-daily")
    assert cut[0].title == "On the Limits of Lighthouses"
    assert refusals or len(cut) == 2


def test_the_name_of_a_file_decides_nothing():
    for fixture_name, style in (
        ("library.ris", "ris"),
        ("table.csv", "csv"),
        ("dblp.xml", "catalogue"),
    ):
        assert read(fixture(fixture_name), name="papers.json")[2].format == style


def test_what_journals_put_before_or_in_place_of_an_abstract_is_none():
    (nature, neural), _, listing = read(
        """<rss version="2.0"><channel><title>Journals</title>
<item><title>Otters</title><link>https://n.example.org/1</link><description>&lt;p&gt;Nature,
Published online: 05 January 2031; &lt;a href="https://n.example.org/1"&gt;doi:10.1038/s1-2&lt;/a&gt;
&lt;/p&gt;Otters swim.</description></item>
<item><title>Gulls</title><link>https://s.example.org/1</link><description><![CDATA[<p>Publication
date: March 2031</p><p><b>Source:</b> Neural Nets, Volume 171</p><p>Author(s): Ada Moor, Li Wei</p>
]]></description></item></channel></rss>"""
    )
    assert listing.format == "feed"
    assert (nature.abstract, nature.identifiers.doi) == ("Otters swim.", "10.1038/s1-2")
    assert (neural.abstract, neural.venue) == ("", "Neural Nets")
    assert neural.authors == ("Ada Moor", "Li Wei")
    assert neural.published_in == Period(2031, 3)


def test_dblp_answers_in_xml_as_in_json():
    text = """<?xml version="1.0" encoding="UTF-8"?>
<result><query id="1">otters</query><hits total="1"><hit score="2" id="7"><info><authors>
<author pid="1">Li Wei 0001</author></authors><title>On Otters.</title><venue>CoRR</venue>
<volume>abs/3102.00009</volume><year>2031</year><url>https://dblp.org/rec/x</url></info>
<url>URL#7</url></hit></hits></result>"""
    (record,), refusals, listing = read(text)
    assert (listing.format, refusals) == ("catalogue", [])
    assert (record.title, record.authors, record.venue) == ("On Otters", ("Li Wei",), "CoRR")
    assert (record.identifiers.arxiv, record.published_in) == ("3102.00009", Period(2031))
