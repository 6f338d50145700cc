"""Headings for papers whose listing gives no title."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.headings import derive_heading
from tests.data.listing_help import SHARED, needs_shared, read


@pytest.mark.parametrize(
    ("abstract", "heading"),
    [
        (
            "Boats drift. In this paper, we propose Tidal Localization and Drift Editing (TiLDE), "
            "a method that learns which boats to move.",
            "TiLDE: tidal localization and drift editing",
        ),
        (
            "Harbours are noisy. We introduce SafeMoor, a unified framework for mooring boats "
            "safely. SafeMoor beats GPT-4 and LoRA.",
            "SafeMoor: framework for mooring boats safely",
        ),
        (
            "We present KelpMasker, a new method of counting kelp. KelpMasker extends ResNet.",
            "KelpMasker: method of counting kelp",
        ),
        (
            "Counting is hard. We propose a new learning method called DEEP4 that counts fish.",
            "DEEP4: learning method that counts fish",
        ),
        (
            "We propose a hybrid docking framework Ha-DF for small harbours.",
            "Ha-DF: hybrid docking framework for small harbours",
        ),
        (
            "TideRAG is a novel retrieval framework for tides.",
            "TideRAG: retrieval framework for tides",
        ),
        (
            r"Feedback is scarce. We introduce Multi-harbour Mooring from Human Feedback "
            r"($\text{M}^2\text{HF}$), which learns from pilots.",
            "M²HF: multi-harbour mooring from human feedback",
        ),
        (
            "Fleets grow. In this position paper, we argue that fleets must be governed by "
            "harbours, because nobody else can. We also propose HarbourKit (HaK), a tool for it.",
            "Fleets must be governed by harbours, because nobody else can",
        ),
        (
            "Tides are old. We prove that every tide is a sum of nine waves.",
            "Every tide is a sum of nine waves",
        ),
        (
            "This paper presents a very simple theory of foam on beaches.",
            "Very simple theory of foam on beaches",
        ),
        ("Waves", "Waves"),
        ("", "Untitled paper"),
    ],
)
def test_the_heading_is_the_name_introduced_or_the_claim(abstract: str, heading: str):
    assert derive_heading(abstract) == heading


@pytest.mark.parametrize("mentioned", ["LoRA", "GPT-4", "ResNet", "PPO"])
def test_a_name_that_is_only_mentioned_is_no_heading(mentioned: str):
    abstract = (
        f"Methods such as {mentioned} are popular. We study how {mentioned} behaves in harbours."
    )
    assert not derive_heading(abstract).startswith(f"{mentioned}:")


def test_a_long_claim_is_cut_at_a_word_without_a_dangling_one():
    abstract = (
        "We argue that the governance of autonomous harbour cranes under heavy weather needs open "
        "standards that every terminal operator along the coast can implement and verify."
    )
    heading = derive_heading(abstract)
    assert len(heading) <= 81
    assert heading.rstrip("…").split()[-1] not in {"that", "of", "the", "and", "with"}
    assert abstract.lower().count(heading.rstrip("…").lower()) == 1


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=400))
def test_any_text_has_a_heading_that_fits(text: str):
    heading = derive_heading(text)
    assert heading
    assert len(heading) <= 81
    assert "\n" not in heading


@needs_shared
def test_the_real_pages_have_160_different_headings_of_fitting_length():
    records = [r for p in sorted((SHARED / "pages").glob("*.txt")) for r in read(p)[0]]
    headings = [derive_heading(r.abstract) for r in records]
    assert len(set(headings)) == 160
    assert max(map(len, headings)) <= 81
    assert not any(h.lower().startswith(("in this", "we propose", "this paper")) for h in headings)
    names = {h.split(":")[0] for h in headings if ":" in h}
    introduced = {
        "JoLA", "TimeSAE", "SteER", "CPGD", "M³HF", "RB-Modulation", "ReMasker", "DEAR", "TFRBench",
        "HaF-RM", "C3PO", "SafeSeek", "PortLLM", "MoReBench", "ElaLoRA", "BiBERT",
    }  # fmt: skip
    assert introduced <= names
    assert not {"LoRA", "GPT-4", "ResNet", "PPO", "LLM", "RL"} & names
    assert any(h.startswith("AI agents with chain-of-thought") for h in headings)
