"""The vectoriser finds exactly the n-grams that are there."""

from hypothesis import given
from hypothesis import strategies as st

from classifiers.features import Paper, Vectoriser, Vocabulary, learn_vocabulary
from classifiers.text import tokens

_PAPERS = [
    ("On bounds", "We prove bounds. We prove a theorem."),
    ("On data", "We release data. We prove nothing."),
    ("", "We prove a theorem about data."),
]


def _names(vocabulary: Vocabulary, paper: Paper) -> set[str]:
    found = Vectoriser(vocabulary).find([paper])
    names = vocabulary.names()
    block = vocabulary.block
    return {f"{'title: ' if c >= block else ''}{names[c % block]}" for c in found.columns.tolist()}


def _expected(vocabulary: Vocabulary, paper: Paper) -> set[str]:
    """The n-grams found by cutting the paper by hand."""
    known = set(vocabulary.names())
    title, body = tokens(paper[0]), tokens(paper[1])
    lines = {"": [".", *title, ".", *body, "."], "title: ": [".", *title, "."]}
    return {
        f"{prefix}{name}"
        for prefix, line in lines.items()
        for size in (1, 2, 3)
        for place in range(len(line) - size + 1)
        if (name := " ".join(line[place : place + size])) in known and name != "."
    }


def test_words_pairs_and_triples_are_found_in_body_and_title() -> None:
    vocabulary = learn_vocabulary(_PAPERS, least=2)
    found = _names(vocabulary, _PAPERS[0])
    assert {"prove", "we prove", ". we prove", "on", "title: on"} <= found
    assert "title: prove" not in found


def test_what_fewer_papers_have_than_asked_for_is_not_learnt() -> None:
    names = learn_vocabulary(_PAPERS, least=2).names()
    assert "prove a theorem" in names
    assert "release" not in names


_WORD = st.sampled_from(["we", "prove", "bounds", "data", "a", "theorem", ".", "!", "12", "new"])
_TEXT = st.lists(_WORD, max_size=12).map(" ".join)


@given(st.lists(st.tuples(_TEXT, _TEXT), min_size=1, max_size=5))
def test_a_batch_finds_what_cutting_each_paper_by_hand_finds(papers: list[Paper]) -> None:
    vocabulary = learn_vocabulary([*_PAPERS, *_PAPERS], least=2)
    found = Vectoriser(vocabulary).find(papers)
    names = vocabulary.names()
    for number, paper in enumerate(papers):
        columns = found.columns[found.starts[number] : found.starts[number + 1]].tolist()
        assert len(set(columns)) == len(columns)
        block = vocabulary.block
        assert {f"{'title: ' * (c >= block)}{names[c % block]}" for c in columns} == _expected(
            vocabulary, paper
        )
