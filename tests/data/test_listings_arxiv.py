"""arXiv in all its forms: feeds, the API, mailings, .abs files, OAI-PMH, JSON dumps."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from data.listings import ListingError
from data.records import AnnounceType, Identifiers, PaperRecord
from tests.data.listing_help import fixture, read


def test_an_rss_feed_gives_the_abstract_alone_and_the_announce_type():
    records, refusals, listing = read(fixture("arxiv_rss.xml"))
    assert listing.format == "arxiv-feed"
    assert not refusals
    assert records[0] == PaperRecord(
        position="entry 1 (line 14)",
        title="Tides of ℓ₁: A Lévy View & More",
        abstract="We show that tides move in ℓ₁ and that nothing else does.",
        authors=("Ada Holmqvist", "Jürgen Brandt"),
        identifiers=Identifiers(arxiv="3102.00011"),
        categories=("cs.LG", "stat.ML"),
        announced=date(2031, 2, 6),
        version=1,
        title_source="Tides of $\\ell_1$: A L\\'evy View & More",
        abstract_source="We show that tides move in $\\ell_1$ and that <em>nothing</em> else does.",
    )
    assert [r.announce_type for r in records] == [
        AnnounceType.NEW,
        AnnounceType.REPLACEMENT_CROSS_LIST,
        AnnounceType.CROSS_LIST,
    ]
    assert records[1].identifiers == Identifiers(arxiv="3101.00500", doi="10.1234/buoy.7")
    assert records[1].venue == "Harbour Letters 7 (2031)"
    assert records[1].version == 3


def test_a_feed_of_a_day_without_papers_is_valid_and_empty():
    records, refusals, listing = read(fixture("arxiv_rss_weekend.xml"))
    assert (records, refusals, listing.format) == ([], [], "arxiv-feed")


def test_an_atom_feed_keeps_the_day_of_the_announcement_and_knows_withdrawals():
    records, _, listing = read(fixture("arxiv_atom.xml"))
    assert listing.format == "arxiv-feed"
    assert [r.announced for r in records] == [date(2031, 2, 6)] * 2
    assert records[0].announce_type is AnnounceType.WITHDRAWN
    assert records[0].version == 2
    assert records[1].abstract == "We prove that harbour chains mix in O(n log n) steps."
    assert all(r.published is None for r in records)


def test_a_cut_feed_keeps_the_whole_entries_and_refuses_the_cut_one():
    content = fixture("arxiv_rss.xml").decode()
    records, refusals, _ = read(content[: content.index("Foam rests.")])
    assert [r.title for r in records] == ["Tides of ℓ₁: A Lévy View & More", "Buoys on Graphs"]
    assert [(r.position, r.reason) for r in refusals] == [
        ("entry 3 (line 40)", "its end is missing; the feed was cut")
    ]


def test_an_older_feed_has_its_id_and_announce_type_behind_the_title():
    feed = """<rss version="2.0"><channel><title>cs.LG updates on arXiv.org</title>
    <item><title>Old Tides. (arXiv:2401.00001v2 [cs.LG] UPDATED)</title>
    <description>&lt;p&gt;Tides are old.&lt;/p&gt;</description>
    <link>http://arxiv.org/abs/2401.00001</link></item></channel></rss>"""
    (record,), _, listing = read(feed)
    assert listing.format == "arxiv-feed"
    assert record.title == "Old Tides"
    assert record.abstract == "Tides are old."
    assert record.categories == ("cs.LG",)
    assert (record.version, record.announce_type) == (2, AnnounceType.REPLACEMENT)


def test_the_api_gives_dates_doi_journal_and_old_style_ids():
    records, refusals, listing = read(fixture("arxiv_api.xml"))
    assert listing.format == "arxiv-api"
    assert not refusals
    assert records[0] == PaperRecord(
        position="entry 1 (line 7)",
        title="Strings on a Quay",
        abstract="Strings lie on a quay, and we count them.",
        authors=("Ada Holmqvist", "Jürgen Brandt"),
        identifiers=Identifiers(arxiv="hep-th/9901001", doi="10.1234/quay.3"),
        categories=("hep-th",),
        venue="Quay Rev. 3 (1999) 1",
        comment="9 pages, position paper",
        published=datetime(1999, 1, 2, 3, 4, 5, tzinfo=UTC),
        updated=datetime(1999, 3, 4, 5, 6, 7, tzinfo=UTC),
        version=3,
    )


def test_an_error_of_the_api_is_refused_in_its_own_words():
    records, refusals, listing = read(fixture("arxiv_api_error.xml"), name="answer.xml")
    assert listing.format == "arxiv-api"
    assert not records
    assert [r.reason for r in refusals] == [
        "arXiv answered with an error: incorrect id format for pier"
    ]


def test_a_mailing_has_new_cross_listed_and_replaced_papers():
    records, refusals, listing = read(fixture("arxiv_mail.txt"))
    assert listing.format == "arxiv-mail"
    assert not refusals
    assert not listing.notes
    assert [r.announce_type for r in records] == [
        AnnounceType.NEW,
        AnnounceType.CROSS_LIST,
        AnnounceType.REPLACEMENT,
        AnnounceType.WITHDRAWN,
    ]
    assert {r.announced for r in records} == {date(2031, 3, 14)}
    first = records[0]
    assert first.title == "A Bayesian Derivation of the Square Root Law of Mooring Lines"
    assert first.authors == ("Ada Holmqvist", "Jürgen Brandt")
    assert first.identifiers == Identifiers(arxiv="3103.00101", doi="10.1234/moor.101")
    assert first.categories == ("cs.LG", "cond-mat.stat-mech")
    assert first.published == datetime(2031, 3, 12, 18, 34, 8, tzinfo=UTC)
    assert first.abstract.endswith("this arXiv:3001.00002 at the start of a line.")
    replaced = records[2]
    assert replaced.abstract == ""
    assert replaced.published is None
    assert replaced.updated == datetime(2031, 3, 12, 18, 5, 58, tzinfo=UTC)
    assert records[3].identifiers.arxiv == "math/0309136"


def test_a_saved_mail_is_decoded_and_dated_by_its_header():
    (record,), _, listing = read(fixture("arxiv_mail.eml"))
    assert listing.format == "arxiv-mail"
    assert record.title == "Grüße from the Quay: a Title That Goes On and On"
    assert record.authors == ("Jürgen Brandt",)
    assert record.abstract == "Greetings are learnt. E = mc^2 is not."
    assert record.announced == date(2031, 3, 14)


def test_a_mailing_without_a_date_leaves_the_announcement_open_and_says_so():
    text = fixture("arxiv_mail.txt").decode().split("\n", 2)[2]
    records, _, listing = read(text)
    assert len(records) == 4
    assert {r.announced for r in records} == {None}
    assert "does not say on which day it was announced" in listing.notes[0]


def test_windows_line_ends_change_nothing_in_a_mailing():
    text = fixture("arxiv_mail.txt").decode()
    assert read(text.replace("\n", "\r\n"))[0] == read(text)[0]


def test_an_abs_file_gives_all_versions_dates():
    (record,), _, listing = read(fixture("arxiv.abs"))
    assert listing.format == "arxiv-mail"
    assert record.title == "Calculation of Prompt Gull Pairs"
    assert record.authors == ("Ada Holmqvist", "Tomás Ruiz")
    assert record.identifiers == Identifiers(arxiv="0704.99991", doi="10.1234/gullrevd.76")
    assert record.venue == "Gull Rev. D76:013009, 2007"
    assert record.version == 2
    assert record.published == datetime(2007, 4, 2, 19, 18, 42, tzinfo=UTC)
    assert record.updated == datetime(2007, 7, 24, 20, 10, 27, tzinfo=UTC)
    assert record.abstract.startswith("Gulls come in pairs. A fully")


def test_oai_raw_records_have_versions_and_deleted_ones_are_notices():
    (record, gone), refusals, listing = read(fixture("oai_raw.xml"))
    assert listing.format == "oai-pmh"
    assert record.title == "Norms of Streams & Rivers"
    assert record.abstract == "Streams are normed if p < 2."
    assert record.authors == ("Ada Holmqvist", "Qiang (Shaun) Cheng", "Li Wei")
    assert record.version == 2
    assert record.updated == datetime(2031, 2, 4, 2, 45, 30, tzinfo=UTC)
    assert gone.is_notice
    assert gone.announce_type is AnnounceType.WITHDRAWN
    assert gone.identifiers == Identifiers(arxiv="3102.00032")
    assert not refusals
    assert "resumption token harbour|1001" in listing.notes[0]


def test_oai_arxiv_and_dublin_core_records_are_read_too():
    (arxiv,), _, _ = read(fixture("oai_arxiv.xml"))
    assert arxiv.authors == ("Maria van der Berg", "Shaun Cheng Jr.")
    assert arxiv.identifiers == Identifiers(arxiv="3102.00041")
    assert arxiv.published == datetime(2031, 2, 3, tzinfo=UTC)
    (core,), _, _ = read(fixture("oai_dc.xml"))
    assert core.title == "Piers and Peers"
    assert core.authors == ("Ada Holmqvist", "Tomás Ruiz")
    assert core.identifiers == Identifiers(arxiv="3102.00051", doi="10.1234/pier.51")
    assert core.abstract == "Peers walk on piers, and we measure how often."
    assert core.comment == "4 pages, accepted at Harbour 2031"


def test_an_oai_error_is_one_sentence():
    answer = (
        '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><error code="badResumptionToken">'
        "token expired</error></OAI-PMH>"
    )
    with pytest.raises(ListingError, match="badResumptionToken: token expired"):
        read(answer)


def test_the_kaggle_snapshot_gives_versions_and_parsed_names():
    records, refusals, listing = read(fixture("kaggle.jsonl"))
    assert listing.format == "arxiv-kaggle"
    assert not refusals
    assert records[0].title == "Diphoton Lamps at Harbour Energies"
    assert records[0].authors == ("C. Balázs", "Li Wei Jr.")
    assert records[0].categories == ("hep-ph", "cs.LG")
    assert records[0].version == 2
    assert records[1].identifiers == Identifiers(arxiv="math/0309001")
    assert records[1].announce_type is AnnounceType.WITHDRAWN


def test_daily_arxiv_dumps_lose_classes_that_are_no_categories():
    records, refusals, listing = read(fixture("daily_arxiv.jsonl"))
    assert listing.format == "daily-arxiv"
    assert not refusals
    assert records[0].categories == ("cs.CL",)
    assert records[0].abstract == "Sonar is for all."
    assert records[0].comment == "3 pages, 1 figure"
    assert records[1].identifiers == Identifiers(arxiv="3102.00072")


def test_entities_that_would_expand_without_end_stay_harmless():
    bomb = (
        '<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;">'
        '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>'
        '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords><record><header>'
        "<identifier>oai:x:1</identifier></header><metadata><arXiv><id>3102.00001</id>"
        "<title>Bomb &c; here</title><abstract>None.</abstract></arXiv></metadata></record>"
        "</ListRecords></OAI-PMH>"
    )
    (record,), _, _ = read(bomb)
    assert record.title == "Bomb &c; here"


def test_a_feed_that_only_tells_an_error_is_refused_with_its_words():
    feed = (
        '<rss version="2.0"><channel><title>Feed error for query "cs.XX"</title>'
        "<description>Invalid archive or category</description></channel></rss>"
    )
    with pytest.raises(ListingError, match=r'“Feed error for query "cs\.XX": Invalid'):
        read(feed)


def test_an_empty_answer_to_a_query_about_errors_is_read():
    answer = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><id>http://arxiv.org/api/x</id>'
        "<title>arXiv Query: search_query=all:error&amp;id_list=</title></feed>"
    )
    records, refusals, listing = read(answer)
    assert (records, refusals, listing.format) == ([], [], "arxiv-api")


@pytest.mark.parametrize("written", ["pubDate>Sun, 02 Jun 2030 20:00:00 -0400</pubDate", None])
def test_entries_without_a_date_are_announced_on_the_feeds_own_day(written: str | None):
    own = written or "dc:date>2030-06-02T20:00:00-04:00</dc:date"
    feed = (
        '<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>'
        f"<title>cs.LG updates on arXiv.org</title><{own}><item><title>On tea</title>"
        "<link>https://arxiv.org/abs/3006.00001</link></item></channel></rss>"
    )
    (record,), _, _ = read(feed)
    assert record.announced == date(2030, 6, 2)


def test_affiliations_in_a_feed_and_classes_in_an_answer_are_left_out():
    feed = fixture("arxiv_rss.xml").decode()
    start = feed.index("<dc:creator>") + len("<dc:creator>")
    named = feed[:start] + "Ada Holmqvist (Harbour, Coast), " + feed[start:]
    assert read(named)[0][0].authors[0] == "Ada Holmqvist"
    answer = fixture("arxiv_api.xml").decode()
    with_class = answer.replace("<category ", '<category term="57M25"/><category ', 1)
    assert read(with_class)[0] == read(answer)[0]
