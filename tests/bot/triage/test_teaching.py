"""Which corrections count: the rules against poisoning."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.triage.teaching import MOST_A_PERSON, Lesson, is_jump, lessons_of
from data.store.corrections import Voice

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def voice(user: int, paper: int, tag: str, guild: int = 1) -> Voice:
    return Voice(guild, user, paper, tag, NOW)


def test_of_500_corrections_by_one_person_the_newest_25_count() -> None:
    found = lessons_of([voice(1, paper, "position") for paper in range(500)])
    assert {lesson.paper_id for lesson in found.lessons} == set(range(475, 500))
    assert (len(found.lessons), found.left_out) == (MOST_A_PERSON, 475)
    assert found.one_sided


def test_a_handful_by_one_person_is_not_held() -> None:
    assert not lessons_of([voice(1, paper, "theory") for paper in range(10)]).one_sided


def test_agreement_counts_more_up_to_three() -> None:
    for people, weight in ((1, 1), (2, 2), (3, 3), (9, 3)):
        [lesson] = lessons_of([voice(user, 7, "theory") for user in range(people)]).lessons
        assert lesson == Lesson(7, "theory", weight)


def test_who_disagrees_takes_weight_away_and_a_tie_teaches_nothing() -> None:
    said = [voice(1, 7, "theory"), voice(2, 7, "theory"), voice(3, 7, "methods")]
    assert lessons_of(said).lessons == (Lesson(7, "theory", 1),)
    assert lessons_of(said[1:]).lessons == ()


def test_a_person_is_one_in_all_servers() -> None:
    said = [voice(1, paper, "theory", guild=paper % 3) for paper in range(60)]
    found = lessons_of(said)
    assert (len(found.lessons), found.people, found.servers) == (MOST_A_PERSON, 1, 3)


def test_lessons_have_the_same_name_in_any_order_and_know_what_they_include() -> None:
    said = [voice(1, 7, "theory"), voice(2, 8, "methods")]
    one, other = lessons_of(said), lessons_of(said[::-1])
    assert one.name == other.name == "7=theory*1 8=methods*1"
    assert one.include("7=theory*2")
    assert not one.include("7=methods*1")
    assert not lessons_of(said[:1]).include(one.name)


def test_a_jump_is_more_than_a_twentieth_and_more_than_five_papers() -> None:
    assert not is_jump(5, 13)
    assert is_jump(6, 100)
    assert not is_jump(50, 1000)
    assert is_jump(51, 1000)
