"""Reasons are true to the model: taking the words away changes the judgement as they say."""

import math

import pytest

from classifiers import Reason, Tagger

_ABSTRACT = (
    "Benchmarks shape what the field values. We argue that leaderboards reward noise, and that the "
    "community should retire them. Our experiments on two datasets support this view. We call for "
    "a shared registry of claims."
)


def _log_odds(tagger: Tagger, title: str, abstract: str, kind: str) -> float:
    column = list(tagger.card.labels).index(kind)
    probability = float(tagger.probabilities([(title, abstract)])[0, column])
    return math.log(probability) - math.log1p(-probability)


@pytest.fixture
def reasons(shipped: Tagger) -> tuple[Reason, ...]:
    return shipped.judge([("", _ABSTRACT)], reasons=True)[0].reasons


def test_taking_the_words_away_changes_the_odds_by_their_weight(
    shipped: Tagger, reasons: tuple[Reason, ...]
) -> None:
    whole = _log_odds(shipped, "", _ABSTRACT, "position")
    for reason in reasons:
        gap = " ".join("zzqx" for _ in reason.text.split())
        text = _ABSTRACT.lower()
        for end in (" ", ".", ","):
            text = text.replace(f" {reason.text}{end}", f" {gap}{end}")
        text = text.removeprefix(f"{reason.text} ")
        assert whole - _log_odds(shipped, "", text, "position") == pytest.approx(
            reason.weight, abs=0.01
        )


def test_reasons_speak_for_and_against_strongest_first(reasons: tuple[Reason, ...]) -> None:
    weights = [reason.weight for reason in reasons]
    assert weights == sorted(weights, key=abs, reverse=True)
    assert any(weight > 0 for weight in weights)
    assert any(weight < 0 for weight in weights)
    assert any("argue" in reason.text for reason in reasons if reason.weight > 0)


def test_a_reason_shows_the_sentence_that_it_stands_in(reasons: tuple[Reason, ...]) -> None:
    for reason in reasons:
        assert reason.sentence is not None
        assert reason.sentence in _ABSTRACT
        assert reason.text.split()[0] in reason.sentence.lower()


def test_words_of_the_title_have_no_sentence(shipped: Tagger) -> None:
    judged = shipped.judge([("Position: Retire the leaderboard", _ABSTRACT)], reasons=True)[0]
    assert any(reason.sentence is None for reason in judged.reasons)


def test_no_reasons_are_given_unless_asked_for(shipped: Tagger) -> None:
    assert shipped.judge([("", _ABSTRACT)])[0].reasons == ()


def test_quick_reasons_are_words_of_the_paper_that_speak_for_the_tag(shipped: Tagger) -> None:
    judged = shipped.judge([("", _ABSTRACT), ("", "")], reasons=True, exact=False)
    assert 1 <= len(judged[0].reasons) <= 3
    for reason in judged[0].reasons:
        assert reason.text in _ABSTRACT.lower()
        assert reason.weight > 0
    assert judged[1].reasons == (Reason("There is no abstract.", 0.0),)
