"""The sample listing that ships with the project: real papers, told in our own words."""

import json
import re
import unicodedata
from datetime import date
from pathlib import Path

import pytest

import data
from data.listings import open_listing
from data.records import PaperRecord

SAMPLE = Path(data.__file__).parent / "shipped" / "sample.jsonl"
FIELDS = {
    "title",
    "authors",
    "abstract",
    "arxiv",
    "doi",
    "openreview",
    "url",
    "published",
    "topics",
    "venue",
    "categories",
}
IDENTIFIERS = ("arxiv", "doi", "openreview", "url")
AN_ARGUMENT = re.compile(
    r"\b(?:I|we|paper|perspective) (?:argues?|contend|advocate|urge|call (?:for|on))\b",
    re.IGNORECASE,
)
A_PROOF = re.compile(r"\b(?:we|and) prove\b", re.IGNORECASE)
A_METHOD = re.compile(
    r"\bwe (?:propose|introduce|present|train|show|find|measure|put|apply|extend|combine)\b",
    re.IGNORECASE,
)


@pytest.fixture(scope="module")
def entries() -> list[dict]:
    return [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def records() -> list[PaperRecord]:
    items = list(open_listing(SAMPLE, name=SAMPLE.name).items)
    refused = [item for item in items if not isinstance(item, PaperRecord)]
    assert refused == []
    return items


def kind(abstract: str) -> str:
    """The kind of contribution that a summary claims by its own verbs."""
    if AN_ARGUMENT.search(abstract):
        return "position"
    return "theory" if A_PROOF.search(abstract) else "methods"


def test_the_sample_reads_as_a_listing_of_about_sixty_papers(records):
    assert 55 <= len(records) <= 70


def test_the_sample_is_small_and_ends_its_last_line():
    content = SAMPLE.read_bytes()
    assert len(content) < 100_000
    assert content.endswith(b"}\n")
    assert b"\r" not in content


def test_reading_the_sample_changes_no_title_abstract_or_author(entries, records):
    for entry, record in zip(entries, records, strict=True):
        assert record.title == entry["title"]
        assert record.abstract == entry["abstract"]
        assert record.authors == tuple(entry["authors"])
        assert record.topics == tuple(entry["topics"])
        assert record.published is not None
        assert record.published.date().isoformat() == entry["published"]


def test_every_entry_has_the_fields_of_a_listing_and_no_label(entries):
    for entry in entries:
        assert set(entry) <= FIELDS, entry["title"]
        assert {"title", "authors", "abstract", "published", "topics"} <= set(entry)
        assert any(entry.get(name) for name in IDENTIFIERS), entry["title"]
        assert all(entry.values()), entry["title"]


def test_every_identifier_is_read_in_the_form_in_which_it_is_written(entries, records):
    for entry, record in zip(entries, records, strict=True):
        for name in ("arxiv", "doi", "openreview"):
            assert getattr(record.identifiers, name) == entry.get(name), entry["title"]
        assert (record.identifiers.url is not None) == ("url" in entry), entry["title"]


def test_identifiers_are_well_formed(entries):
    for entry in entries:
        if "arxiv" in entry:
            assert re.fullmatch(r"\d{4}\.(?:\d{4}|\d{5})", entry["arxiv"])
            # Five digits since January 2015.
            assert len(entry["arxiv"]) == (10 if entry["arxiv"] >= "1501" else 9)
        if "doi" in entry:
            assert re.fullmatch(r"10\.\d{4,9}/[^\sA-Z]+", entry["doi"])
        if "openreview" in entry:
            assert re.fullmatch(r"[\w-]{9,12}", entry["openreview"])
        if "url" in entry:
            assert entry["url"].startswith("https://")


def test_an_arxiv_id_agrees_with_the_day_of_the_first_version(entries):
    for entry in entries:
        if "arxiv" in entry:
            published = date.fromisoformat(entry["published"])
            submitted = published.year * 12 + published.month
            numbered = (2000 + int(entry["arxiv"][:2])) * 12 + int(entry["arxiv"][2:4])
            # arXiv numbers by the month of announcement: the last days of a month fall in the next.
            assert numbered - submitted == 0 or (numbered - submitted == 1 and published.day > 24)


def test_no_paper_is_told_twice(entries, records):
    pairs = [pair for record in records for pair in record.identifiers.pairs()]
    assert len(pairs) == len(set(pairs))
    for field in ("title", "abstract"):
        values = [re.sub(r"\W+", " ", entry[field]).casefold() for entry in entries]
        assert len(values) == len(set(values))


def test_summaries_have_the_length_of_an_abstract(entries):
    for entry in entries:
        assert 50 <= len(entry["abstract"].split()) <= 140, entry["title"]


def test_text_is_plain_and_composed(entries):
    for entry in entries:
        for text in (entry["title"], entry["abstract"], *entry["authors"]):
            assert text == unicodedata.normalize("NFC", text)
            assert text == " ".join(text.split())
            assert not re.search(r"[$\\<>]|&\w+;", text), text


def test_authors_are_single_names_and_at_most_twelve(entries):
    for entry in entries:
        assert 1 <= len(entry["authors"]) <= 12
        assert len(entry["authors"]) == len(set(entry["authors"]))
        for name in entry["authors"]:
            assert re.fullmatch(r"[^\W\d_][\w.'’\- ]+", name), name
            assert " " in name


def test_days_topics_and_categories_are_well_formed(entries):
    for entry in entries:
        assert date(1950, 1, 1) < date.fromisoformat(entry["published"]) < date(2026, 1, 1)
        for topic in entry["topics"]:
            assert re.fullmatch(r"[A-Z][^·]+ · [A-Z][^·]+", topic), topic
        for category in entry.get("categories", ()):
            assert re.fullmatch(r"(?:cs|stat|math)\.[A-Z]{2}", category), category
        assert ("categories" in entry) == ("arxiv" in entry), entry["title"]


def test_the_sample_is_in_the_order_of_publication(entries):
    days = [entry["published"] for entry in entries]
    assert days == sorted(days)


def test_each_kind_of_contribution_is_well_represented(entries):
    kinds = [kind(entry["abstract"]) for entry in entries]
    assert 12 <= kinds.count("position") <= 18
    assert 13 <= kinds.count("theory") <= 19
    assert 26 <= kinds.count("methods") <= 36


def test_a_methods_summary_says_what_was_done(entries):
    silent = [
        entry["title"]
        for entry in entries
        if kind(entry["abstract"]) == "methods" and not A_METHOD.search(entry["abstract"])
    ]
    assert silent == []


def test_the_sample_shows_what_listings_hold_besides_the_usual(entries):
    def only(name: str) -> list[dict]:
        others = set(IDENTIFIERS) - {name}
        return [e for e in entries if name in e and not others & set(e)]

    names = {name for entry in entries for name in entry["authors"]}
    assert {"Bernhard Schölkopf", "Csaba Szepesvári", "Klaus-Robert Müller"} <= names
    assert only("doi")
    assert only("url")
    assert only("openreview")
    assert any("arxiv" in entry and "doi" in entry for entry in entries)
    assert any(entry["title"].startswith("β-VAE") for entry in entries)
    areas = {topic.split(" · ")[0] for entry in entries for topic in entry["topics"]}
    assert {
        "Applications",
        "Deep Learning",
        "General Machine Learning",
        "Optimization",
        "Reinforcement Learning",
        "Social Aspects",
        "Theory",
    } <= areas
