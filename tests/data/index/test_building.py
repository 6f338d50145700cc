"""Segments are built from numbers; what they say is what the analyser reads, word for word."""

from __future__ import annotations

import itertools
import unicodedata
from collections import Counter

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from data.index.analyzer import analyse
from data.index.building import Builder, build_segment
from data.index.codec import frequency_codes
from data.index.lexicon import Lexicon
from data.index.texts import plain
from tests.data.index.helpers import paper

HARD = (
    "the in on off In of graph Graph graphs learning Learning pre-training k-NN t-SNE GPT-4 "
    "Llama 2 2. 3.5 12 1000 C++ C# C++, F1 3D IT AI AIDS LLMs ResNet-50 state-of-the-art "
    "behaviour's it's Müller Mueller naïve α β-VAE M³HF ℓ₁ 论文检索 扩散模型 x论文 강화 "
    r"$\alpha$-divergence $L_2$ \emph{deep} L\'evy x_i f^2 learn- ing inter- national"
)
PIECES = st.sampled_from(HARD.split(" "))
TEXTS = st.one_of(
    st.lists(PIECES, max_size=12).map(" ".join),
    st.text(max_size=60),
    st.text("aA1. -'’+#,;:)(論\n\t\u00a0\u2013é", max_size=60),
)


@given(st.lists(TEXTS, max_size=8))
@example(["WE PROVE THAT ALL CAPITALS ARE READ AS SMALL", "KEPT-AS-IT-IS-THOUGH-THIS-IS-LONG 2"])
@example(["", " ", "in", "context in", "Llama", "2"])
def test_fields_read_at_once_are_those_read_one_by_one(texts):
    lexicon = Lexicon()
    wording = lexicon.read(texts)

    surfaces, terms = list(lexicon.surfaces), list(lexicon.terms)
    read = [[] for _ in texts]
    for owner, term in zip(wording.owners.tolist(), wording.terms.tolist(), strict=True):
        read[owner].append(terms[term])
    careful = [analyse(text) for text in texts]
    assert [Counter(each) for each in read] == [Counter(each.terms) for each in careful]
    stream = ["" if at == 0 else surfaces[at - 1] for at in wording.surfaces.tolist()]
    assert stream == [word for each in careful for word in (*each.surfaces, "")]
    assert wording.surface_counts.tolist() == [len(each.surfaces) + 1 for each in careful]


@given(
    st.lists(
        st.tuples(st.integers(1, 6), TEXTS, TEXTS, st.sampled_from(("", "Müller"))), max_size=8
    ),
    st.sets(st.integers(0, 8)),
)
def test_papers_that_come_in_pieces_are_those_that_come_at_once(rows, cuts):
    documents = [
        paper(number, title, abstract, authors=[author] if author else (), topics=["Graphs"])
        for number, title, abstract, author in rows
    ]
    builder = Builder()
    bounds = [0, *sorted(cuts), len(documents)]
    for start, end in itertools.pairwise(bounds):
        builder.add(documents[start:end])

    segment, whole = builder.build(), build_segment(documents)

    assert len(builder) == len({number for number, *_ in rows})
    assert list(segment.arrays) == list(whole.arrays)
    for name, array in whole.arrays.items():
        assert np.array_equal(segment.arrays[name], array), name
        assert segment.arrays[name].dtype == array.dtype


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5))
def test_a_segment_counts_the_words_of_title_and_abstract(pairs):
    papers = [paper(number, *texts) for number, texts in enumerate(pairs, start=7)]
    segment = build_segment(papers)

    expected: dict[str, dict[int, tuple[int, int]]] = {}
    for doc, (title, abstract) in enumerate(pairs):
        titles, bodies = Counter(analyse(title).terms), Counter(analyse(abstract).terms)
        assert segment.title_lengths[doc] == titles.total()
        assert segment.body_lengths[doc] == bodies.total()
        for term in titles | bodies:
            expected.setdefault(term, {})[doc] = (titles[term], bodies[term])
    for term, counts in expected.items():
        postings = segment.postings(term)
        assert postings is not None, term
        assert postings.docs.tolist() == list(counts)
        times = list(counts.values())
        assert postings.codes.tolist() == [
            int(frequency_codes(title, body)) for title, body in times
        ]


@given(TEXTS)
def test_plain_text_stands_on_one_line_without_what_cannot_be_seen(text):
    shown = plain(text)

    assert shown == " ".join(shown.split())
    assert not any(unicodedata.category(sign) == "Cc" for sign in shown)


def test_what_papers_have_beside_their_texts_counts_once_a_paper():
    segment = build_segment(
        [
            paper(1, "Otters", authors=["Ada Byron", "Ada Byron"], topics=["Rivers", "Old rivers"]),
            paper(2, "Rivers", venue="River Letters", sources=["feed"]),
        ]
    )

    ada = segment.postings("\x01ada")
    topic = segment.postings("river")
    assert ada is not None
    assert ada.docs.tolist() == [0]
    assert ada.codes.tolist() == [0]
    assert topic is not None
    assert topic.docs.tolist() == [0, 1]
    assert topic.codes.tolist() == [1, 8]  # twice in topics; once in a title
    assert segment.body_lengths.tolist() == [3, 0]
