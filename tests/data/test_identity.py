"""The identity of papers: normal forms, references, fingerprints."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.identity import (
    abstract_fingerprint,
    arxiv_id,
    author_key,
    doi,
    first_author_key,
    identifiers_from,
    near_duplicate_bands,
    openreview_id,
    parse_reference,
    similarity,
    title_key,
    web_address,
)
from data.records import Identifiers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2501.00001", ("2501.00001", None)),
        ("2501.00001v2", ("2501.00001", 2)),
        ("arXiv:2501.00001v12 [cs.LG]", ("2501.00001", 12)),
        ("arXiv: 0704.0001", ("0704.0001", None)),
        ("https://arxiv.org/abs/2501.00001v2", ("2501.00001", 2)),
        ("http://arxiv.org/pdf/2501.00001v3.pdf", ("2501.00001", 3)),
        ("https://www.alphaxiv.org/abs/2501.00001", ("2501.00001", None)),
        ("https://huggingface.co/papers/2501.00001", ("2501.00001", None)),
        ("https://arxiv.org/html/2501.00001v1#S2", ("2501.00001", 1)),
        ("10.48550/arXiv.2501.00001", ("2501.00001", None)),
        ("https://doi.org/10.48550/arxiv.2501.00001", ("2501.00001", None)),
        ("oai:arXiv.org:2501.00001", ("2501.00001", None)),
        ("2501.00001v2.pdf", ("2501.00001", 2)),
        ("Holmqvist_2501.00001v2.pdf", ("2501.00001", 2)),
        ("hep-th/9901001", ("hep-th/9901001", None)),
        ("arXiv:math.GT/0309136v2", ("math/0309136", 2)),
        ("http://arxiv.org/abs/astro-ph/0601001", ("astro-ph/0601001", None)),
        ("oai:arXiv.org:cond-mat/0601001", ("cond-mat/0601001", None)),
        ("2513.00001", None),
        ("1234.567", None),
        ("10.1145/2501.00001", None),
        ("version 12.34567 of it", None),
        ("", None),
    ],
)
def test_arxiv_ids_are_found_in_every_form(text: str, expected: tuple[str, int | None] | None):
    assert arxiv_id(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.1234/ABC.Def", "10.1234/abc.def"),
        ("doi:10.1234/abc.", "10.1234/abc"),
        ("https://doi.org/10.1234/abc(2)x", "10.1234/abc(2)x"),
        ("(see https://dx.doi.org/10.1234/abc)", "10.1234/abc"),
        ("https://doi.org/10.1002/%28SICI%291", "10.1002/(sici)1"),
        ("10.12/x", None),
        ("no doi", None),
    ],
)
def test_dois_lose_case_resolver_and_trailing_punctuation(text: str, expected: str | None):
    assert doi(text) == expected


def test_openreview_forums_are_found_in_their_addresses():
    assert openreview_id("https://openreview.net/forum?id=aB_c-12345") == "aB_c-12345"
    assert openreview_id("https://openreview.net/pdf?id=aBc1234567&name=x") == "aBc1234567"
    assert openreview_id("https://openreview.net/forum?noteId=zz99zz&id=aBc1234567") == "aBc1234567"
    assert openreview_id("https://openreview.net/group?id=ICML") is None


def test_two_spellings_of_one_page_are_one_address():
    first = web_address("HTTPS://www.Example.org/Paper/7/#top")
    assert first == web_address("http://example.org/Paper/7") == "https://example.org/Paper/7"
    assert web_address("javascript:alert(1)") is None
    assert web_address("https://[bad") is None


def test_identifiers_are_sorted_out_of_whatever_field_holds_them():
    assert identifiers_from(
        url="https://arxiv.org/abs/2501.00001v2", doi_text="10.48550/arXiv.2501.00001"
    ) == Identifiers(arxiv="2501.00001")
    assert identifiers_from("https://openreview.net/forum?id=aBc1234567", "10.1234/x") == (
        Identifiers(doi="10.1234/x", openreview="aBc1234567")
    )
    assert identifiers_from(url="https://example.org/p/1") == Identifiers(
        url="https://example.org/p/1"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("17", 17),
        (" #17 ", 17),
        ("2501.00001", Identifiers(arxiv="2501.00001")),
        ("arXiv: 2501.00001v2 [cs.LG]", Identifiers(arxiv="2501.00001")),
        ("<https://arxiv.org/abs/2501.00001>", Identifiers(arxiv="2501.00001")),
        ("10.1234/ABC", Identifiers(doi="10.1234/abc")),
        ("https://openreview.net/forum?id=aBc1234567", Identifiers(openreview="aBc1234567")),
        ("aBc1234567", Identifiers(openreview="aBc1234567")),
        ("https://example.org/p/1", Identifiers(url="https://example.org/p/1")),
        ("attention is all you need", None),
        ("Transformers", None),
        ("", None),
    ],
)
def test_a_word_of_a_person_is_a_number_an_identifier_or_a_title(text, expected):
    assert parse_reference(text) == expected


TEXT = (
    r"We study gulls on the $\ell_1$ ball and prove that L\'evy flights of sea- birds need at most "
    r"$O(\sqrt{n})$ rests; experiments on three coasts support the theory and its constants."
)


def test_the_fingerprint_knows_an_abstract_in_any_typography():
    same = (
        "WE STUDY GULLS on the ℓ₁ ball, and prove that Lévy flights  of seabirds need at most "
        "O(√n) rests:\nexperiments on three coasts support the theory and its constants"
    )
    assert abstract_fingerprint(TEXT) == abstract_fingerprint(same)
    assert abstract_fingerprint(TEXT) != abstract_fingerprint(TEXT.replace("three", "four"))
    assert abstract_fingerprint("...") == ""


THINGS = ("tide", "gull", "kelp", "foam", "reef", "crab", "buoy")
WORDS = [f"{thing}{number}" for thing in THINGS for number in range(60)]


def test_nearly_equal_abstracts_share_a_band_and_others_do_not():
    generator = random.Random(5)  # noqa: S311 - words of a test
    shared = different = 0
    for _ in range(200):
        words = generator.choices(WORDS, k=150)
        text = " ".join(words)
        for _ in range(4):
            words[generator.randrange(150)] = "other"
        near, other = " ".join(words), " ".join(generator.choices(WORDS, k=150))
        assert similarity(text, near) > 0.7
        assert similarity(text, other) < 0.05
        bands = set(near_duplicate_bands(text))
        shared += bool(bands & set(near_duplicate_bands(near)))
        different += bool(bands & set(near_duplicate_bands(other)))
    assert shared >= 198
    assert different == 0


def test_bands_fit_a_signed_64_bit_column_and_short_texts_have_none():
    bands = near_duplicate_bands(TEXT)
    assert len(bands) == 16
    assert all(-(2**63) <= b < 2**63 for b in bands)
    assert near_duplicate_bands("Withdrawn.") == ()
    assert near_duplicate_bands("") == ()


def test_similarity_is_one_for_itself_and_none_for_nothing():
    assert similarity(TEXT, TEXT) == 1.0
    assert similarity(TEXT, "") == 0.0


def test_title_keys_ignore_typography_and_keep_parts_apart():
    assert title_key(r"L\'evy {GPT}-4: A Study.") == title_key("levy gpt4 a study")
    assert title_key("Tides, Part I") != title_key("Tides, Part II")


@pytest.mark.parametrize(
    "name", ["Jan Müller", "Müller, Jan", "J. Müller", r"M\"uller, J.", "Jan K. Muller"]
)
def test_one_person_has_one_author_key(name: str):
    assert author_key(name) == "muller-j"


def test_author_keys_survive_suffixes_brackets_and_single_names():
    assert author_key("Shaun Cheng Jr.") == "cheng-s"
    assert author_key("Qiang (Shaun) Cheng") == "cheng-q"
    assert author_key("Plato") == "plato"
    assert author_key("…") == ""
    assert first_author_key(["Ada Holmqvist", "Noor Aziz"]) == "holmqvist-a"
    assert first_author_key([]) == ""


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=120))
def test_no_text_breaks_a_normal_form(text: str):
    arxiv_id(text)
    doi(text)
    openreview_id(text)
    identifiers_from(text, url=text)
    parse_reference(text)
    author_key(text)
    title_key(text)
    assert len(near_duplicate_bands(text)) in {0, 16}
    assert 0 <= similarity(text, text) <= 1
