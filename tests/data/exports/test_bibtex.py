"""BibTeX that other programs read back as the papers that went in: keys, signs, addresses."""

from __future__ import annotations

from datetime import date

import pytest

from data.exports import ExportItem, export
from data.records import Identifiers
from tests.data.exports.files import bib, paper


def test_a_preprint_of_arxiv_reads_back_from_bibtex():
    (entry,) = bib(ExportItem(paper()))
    assert entry.entry_type == "misc"
    assert entry.key == "riemer2025collusion"
    fields = {field.key: field.value for field in entry.fields}
    assert fields["title"] == "Collusion among language models"
    assert fields["author"] == "Riemer, Matthew and van der Schaar, Mihaela"
    assert (fields["eprint"], fields["archivePrefix"], fields["primaryClass"]) == (
        "2501.00001",
        "arXiv",
        "cs.LG",
    )
    assert fields["year"] == "2025"
    assert fields["url"] == "https://arxiv.org/abs/2501.00001"
    assert fields["abstract"] == "We study 50% of $n$ agents & their prices."
    assert "note" not in fields


def test_keys_are_told_apart_by_letters_and_the_oldest_paper_keeps_its_own():
    items = [ExportItem(paper(id=number)) for number in (30, 10, 20)]
    assert [entry.key for entry in bib(*items)] == [
        "riemer2025collusionb",
        "riemer2025collusion",
        "riemer2025collusiona",
    ]


def test_thirty_equal_papers_have_thirty_keys():
    keys = [entry.key for entry in bib(*(ExportItem(paper(id=n)) for n in range(30)))]
    assert keys[1] == "riemer2025collusiona"
    assert keys[26:29] == [f"riemer2025collusion{tail}" for tail in ("z", "aa", "ab")]
    assert len(set(keys)) == 30


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"authors": ("Maxime Lévy",), "title": "On the $\\ell_1$ norm"}, "levy2025ell1"),
        ({"authors": ("Jan Ørsted Łukasz",)}, "lukasz2025collusion"),
        ({"authors": ("Mihaela van der Schaar",)}, "vanderschaar2025collusion"),
        ({"authors": ()}, "anon2025collusion"),
        ({"authors": ("王小明",)}, "anon2025collusion"),
        ({"authors": ("王小明",), "title": "大模型"}, "paper7"),
        ({"title": "The Self-Play of Everything"}, "riemer2025self"),
        ({"published": None}, "riemer2025collusion"),
        ({"published": None, "identifiers": Identifiers()}, "riemercollusion"),
        ({"published": None, "identifiers": Identifiers("hep-th/9901001")}, "riemer1999collusion"),
        ({"published": None, "announced": date(2024, 5, 1)}, "riemer2024collusion"),
    ],
)
def test_a_key_can_be_read_and_typed(fields, key):
    assert bib(ExportItem(paper(**fields)))[0].key == key


def test_a_small_word_inside_a_family_name_is_no_particle_to_bibtex():
    text = export([ExportItem(paper(authors=("Santiago Ramón y Cajal",)))], "bibtex").content
    assert rb"author = {{Ram{\'o}n y Cajal}, Santiago}," in text


def test_latex_has_its_signs_escaped_and_capitals_kept():
    title = r"GPT-4 & LoRA: 100% of x_1^2 ~ {a} \foo #1 $5 <b> Müller ℓ₁ ℝ xᵀ 模型"
    raw = bib(ExportItem(paper(title=title)), decode=False)[0]["title"]
    assert raw == (
        r"{GPT-4} \& {LoRA:} 100\% of x\_1{\textasciicircum}2 {\textasciitilde} "
        r"{\ensuremath{\lbrace}}a{\ensuremath{\rbrace}} {\textbackslash}foo \#1 \$5 "
        r"{\ensuremath{<}}b{\ensuremath{>}} M{\"u}ller {\ensuremath{\ell}}{\textsubscript{1}} "
        r"{\ensuremath{\mathbb{R}}} x{\textsuperscript{T}} 模型"
    )


def test_addresses_and_identifiers_stand_in_bibtex_as_they_are():
    ids = Identifiers(doi="10.1000/a_b%2{c}", url="https://x.example/a_b?c=%20&d=ü {e}")
    (entry,) = bib(ExportItem(paper(identifiers=ids)), decode=False)
    assert entry["doi"] == "10.1000/a_b%2%7Bc%7D"
    only_url = Identifiers(url="https://x.example/a_b?c=%20&d=ü {e}")
    (entry,) = bib(ExportItem(paper(identifiers=only_url)), decode=False)
    assert entry["url"] == "https://x.example/a_b?c=%20&d=%C3%BC%20%7Be%7D"
