"""A topic is suggested from papers that have one, or left out."""

import random
import time

import pytest

from classifiers.features import Paper
from classifiers.text import word_set
from classifiers.topics import TopicSuggester

_WORDS = {
    "Graphs": "graph node edge neighbour spectral message passing community embedding",
    "Speech": "speech phoneme speaker acoustic utterance transcript voice dialect",
    "Robots": "robot gripper torque manipulation arm grasp locomotion joint",
}
_ANY = tuple(
    sorted(word_set("we show a new approach and study its results on several tasks with care"))
)
_FOREIGN = ("", "Tides move sediment along the estuary while brine seeps through marshes at dusk.")


def _papers(count: int, seed: int = 1) -> list[tuple[Paper, list[str]]]:
    chance = random.Random(seed)  # noqa: S311 - made-up papers, no secret
    made: list[tuple[Paper, list[str]]] = []
    for number in range(count):
        topic = list(_WORDS)[number % len(_WORDS)]
        own = _WORDS[topic].split()
        words = [chance.choice(own if chance.random() < 0.4 else _ANY) for _ in range(60)]
        made.append(((f"On {chance.choice(own)}", " ".join(words)), [topic]))
    return made


@pytest.fixture(scope="module")
def suggester() -> TopicSuggester:
    made = TopicSuggester.fit(_papers(90))
    assert made is not None
    return made


def test_a_paper_gets_the_topic_of_papers_like_it(suggester: TopicSuggester) -> None:
    fresh = _papers(30, seed=2)
    said = suggester.suggest([paper for paper, _ in fresh])
    told = [(found.topic, topics) for found, (_, topics) in zip(said, fresh, strict=True) if found]
    assert len(told) > 20
    assert all(topic in topics for topic, topics in told)


def test_a_probability_comes_with_each_suggestion(suggester: TopicSuggester) -> None:
    found = suggester.suggest([paper for paper, _ in _papers(3)])[0]
    assert found is not None
    assert 0.5 < found.probability <= 1


@pytest.mark.parametrize("paper", [("", ""), _FOREIGN, ("", " ".join(_ANY * 4))])
def test_what_is_like_no_topic_gets_none(suggester: TopicSuggester, paper: Paper) -> None:
    assert suggester.suggest([paper]) == [None]


def test_a_paper_between_two_topics_is_left_out_or_said_with_doubt(
    suggester: TopicSuggester,
) -> None:
    both = f"{_WORDS['Graphs']} {_WORDS['Speech']} " * 4
    found = suggester.suggest([("", both)])[0]
    assert found is None or found.probability < 0.9


def test_nothing_is_learnt_from_one_topic_or_a_few_papers() -> None:
    assert TopicSuggester.fit([]) is None
    assert TopicSuggester.fit(_papers(12)) is None
    assert TopicSuggester.fit([(paper, ["All"]) for paper, _ in _papers(40)]) is None


def test_a_topic_of_a_few_papers_is_never_suggested() -> None:
    rare = [((title, text), ["Rare"]) for (title, text), _ in _papers(9)[1::3]]
    made = TopicSuggester.fit([*_papers(60), *rare])
    assert made is not None
    said = made.suggest([paper for paper, _ in rare])
    assert all(found is None or found.topic != "Rare" for found in said)


def test_papers_of_several_topics_teach_each_of_them() -> None:
    doubled = [(paper, [*topics, f"{topics[0]} and more"]) for paper, topics in _papers(60)]
    made = TopicSuggester.fit(doubled)
    assert made is not None
    assert made.suggest([]) == []


@pytest.mark.benchmark
def test_five_thousand_papers_are_learnt_in_two_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    papers = _papers(5_000)
    start = time.process_time()
    assert TopicSuggester.fit(papers) is not None
    with capsys.disabled():
        print(f"\n5,000 papers: {time.process_time() - start:.2f} s")  # noqa: T201 - a benchmark
