"""The tagger is retrained on corrections: graded, held, refused, taken back, and continued."""

from __future__ import annotations

import shutil
from datetime import timedelta

import numpy as np
import pytest

from bot.bootstrap import build, shipped
from bot.triage import learning as learning_module
from bot.triage import tagging as tagging_module
from bot.triage.errors import Refused
from bot.triage.ingest import ListingInput
from bot.triage.learning import EVERY, Outcome
from bot.triage.models import Models
from bot.triage.search import SearchRequest
from bot.triage.teaching import MOST_A_PERSON
from classifiers import artefact, heldout
from classifiers.features import Present
from classifiers.heldout import HeldOut
from data.index import SearchIndex
from data.store import corrections, retagging
from data.store.servers import Member
from tests.bot.triage.conftest import ADA, SERVER

TEAM = tuple(Member(number, f"member {number}") for number in range(10, 16))
COARSE = 0.04
WRONG = {"position": "theory", "theory": "methods", "methods": "position", "unsure": "position"}


class Team:
    """A library of the sample's papers, and members who correct them."""

    def __init__(self, services, models: Models) -> None:
        self.services = services
        self.models = models
        self.learning = services.learning

    async def tags(self) -> dict[int, str]:
        found = await self.services.library.papers(range(1, 66))
        return {paper.id: paper.judgement.tag for paper in found.values()}

    async def say(self, *said: tuple[Member, int, str]) -> None:
        """Members' words on papers' tags, all of them in one go."""
        tags, now = await self.tags(), self.services.clock.now()

        def write(db) -> None:
            for member, paper, tag in said:
                corrections.add_correction(
                    db, SERVER, paper, member, tag=tag, was=tags[paper], now=now
                )

        await self.services.library.store.write(write)

    async def agree_with_the_tagger(self, each: int = 2) -> set[int]:
        """Members say of different papers what the tagger says; returns the papers."""
        tags = await self.tags()
        sure = [paper for paper, tag in tags.items() if tag != "unsure"][: each * len(TEAM)]
        await self.say(
            *((TEAM[place // each], paper, tags[paper]) for place, paper in enumerate(sure))
        )
        return set(sure)


def first_sure(tags: dict[int, str]) -> list[tuple[int, str]]:
    """The first twenty papers of which the tagger is sure."""
    return [(paper, tag) for paper, tag in tags.items() if tag != "unsure"][:20]


@pytest.fixture(scope="session")
def base(tmp_path_factory):
    """The model that ships, with every fourth of its held-out papers, to be quick."""
    folder = tmp_path_factory.mktemp("base") / "tagger"
    shutil.copytree(shipped("tagger"), folder)
    model, card = artefact.load(folder)
    held = heldout.load(folder, model, card.model_id)
    few = np.arange(0, len(held.truth), 4)
    starts = held.present.starts
    columns = [held.present.columns[starts[place] : starts[place + 1]] for place in few]
    present = Present(np.cumsum([0, *map(len, columns)]), np.concatenate(columns))
    heldout.save(
        folder,
        card.model_id,
        HeldOut(present, held.truth[few], held.scores[few], held.fingerprints[few]),
    )
    return folder


@pytest.fixture
def make(store, clock, tagger, tmp_path, base):
    """Makes the use-cases anew over the same files, as a restart does."""

    def build_team() -> Team:
        models = Models(lambda: tagger, base, tmp_path / "model")
        services = build(store, SearchIndex(None), None, clock, models)
        return Team(services, models)

    return build_team


@pytest.fixture
async def team(make, monkeypatch):
    # With a quarter of the papers the grade is four times as coarse: one paper is 0.017 of F1.
    monkeypatch.setattr("classifiers.retraining.TOLERANCE", COARSE)
    team = make()
    await team.services.ingest.run([ListingInput("sample", shipped("sample.jsonl"))])
    await team.services.tagging.consent(SERVER, ADA, training=True)
    return team


async def test_what_the_team_says_is_learnt_and_graded_and_shown(team) -> None:
    papers = (await team.services.library.papers(range(1, 66))).values()
    doubted = min(papers, key=lambda paper: max(paper.judgement.probabilities.values()))
    chances = sorted(doubted.judgement.probabilities.items(), key=lambda pair: pair[1])
    second = chances[1][0]
    await team.agree_with_the_tagger()
    await team.say(*((member, doubted.id, second) for member in TEAM))
    report = await team.learning.retrain()
    assert report.outcome is Outcome.IN_PLACE, report.reasons
    assert (report.people, report.servers) == (6, 1)
    assert report.papers >= 10
    assert all(report.before[kind] - report.after[kind] <= COARSE for kind in report.before)
    state = await team.learning.state()
    assert (state.retrained, state.trouble) == (True, None)
    assert (state.judged, state.tagged) == (0, 65)
    await team.services.tagging.tag_again()
    state = await team.learning.state()
    assert (state.judged, state.tagged) == (65, 65)
    after = (await team.services.library.papers([doubted.id]))[doubted.id].judgement
    assert after.model == report.model
    assert after.probabilities[second] > chances[1][1] + 0.05
    assert team.services.tagging.tagger.card.scores["bare theory F1"] > 0.8


async def test_without_consent_nothing_is_learnt(team) -> None:
    await team.services.tagging.consent(SERVER, ADA, training=False)
    await team.agree_with_the_tagger()
    report = await team.learning.retrain()
    assert (report.outcome, report.papers) == (Outcome.NOTHING, 0)
    assert team.models.current() is None


async def test_one_angry_member_flips_nothing(team) -> None:
    before = await team.tags()
    angry = Member(99, "angry")
    await team.say(*((angry, paper, WRONG[tag]) for paper, tag in before.items()))
    report = await team.learning.retrain()
    assert report.outcome in (Outcome.HELD, Outcome.REFUSED)
    assert report.papers == MOST_A_PERSON
    await team.services.tagging.tag_again()
    assert await team.tags() == before
    assert (await team.learning.state()).retrained is False


async def test_an_angry_member_among_others_flips_no_paper_to_another_type(team) -> None:
    before = await team.tags()
    spoken = await team.agree_with_the_tagger(8)
    angry = Member(99, "angry")
    others = [paper for paper in before if paper not in spoken]
    await team.say(*((angry, paper, WRONG[before[paper]]) for paper in others))
    report = await team.learning.retrain()
    if report.outcome is Outcome.HELD:
        await team.learning.accept()
    await team.services.tagging.tag_again()
    after = await team.tags()
    flipped = [
        paper
        for paper in before
        if after[paper] != before[paper] and "unsure" not in (after[paper], before[paper])
    ]
    assert flipped == []


async def test_a_jump_is_held_until_an_admin_accepts_it(team, monkeypatch) -> None:
    await team.agree_with_the_tagger()
    monkeypatch.setattr(learning_module.teaching, "is_jump", lambda moved, of: of > 0)
    report = await team.learning.retrain()
    assert report.outcome is Outcome.HELD
    assert any("would get another tag" in reason for reason in report.reasons)
    assert team.services.tagging.tagger.card.model_id != report.model
    accepted = await team.learning.accept()
    assert accepted.outcome is Outcome.ACCEPTED
    assert team.services.tagging.tagger.card.model_id == report.model
    with pytest.raises(Refused, match="No retrained model is held"):
        await team.learning.accept()


async def test_a_held_model_can_be_discarded_and_is_not_made_again_at_once(team) -> None:
    tags = await team.tags()
    await team.say(*((ADA, paper, tag) for paper, tag in first_sure(tags)))
    held = await team.learning.retrain()
    assert held.outcome is Outcome.HELD
    assert held.reasons == ("100% of what it learnt is the word of one person",)
    assert (await team.learning.discard()).outcome is Outcome.DISCARDED
    assert (await team.learning.retrain()).outcome is Outcome.DISCARDED
    assert team.models.held() is None


async def test_a_held_model_that_learnt_what_was_taken_back_is_not_accepted(team) -> None:
    tags = await team.tags()
    await team.say(*((ADA, paper, tag) for paper, tag in first_sure(tags)))
    assert (await team.learning.retrain()).outcome is Outcome.HELD
    await team.services.tagging.correct(SERVER, ADA, 20, "withdraw")
    with pytest.raises(Refused, match="no longer count"):
        await team.learning.accept()
    assert team.models.current() is None


async def test_consent_that_ends_takes_a_servers_words_out_even_while_a_model_is_held(team) -> None:
    await team.agree_with_the_tagger()
    assert (await team.learning.retrain()).outcome is Outcome.IN_PLACE
    await team.services.tagging.consent(SERVER, ADA, training=False)
    # What the shell says counts without a server, and is one person's word: it is held.
    tags, store = await team.tags(), team.services.library.store
    for paper, tag in first_sure(dict(reversed(tags.items()))):
        await store.write(
            corrections.add_correction,
            corrections.SHELL_SERVER,
            paper,
            ADA,
            tag=tag,
            was=tag,
            now=team.services.clock.now(),
        )
    report = await team.learning.retrain()
    assert report.outcome is Outcome.HELD
    assert "no longer count" in report.reasons[-1]
    assert (await team.learning.state()).retrained is False


async def test_a_model_that_tells_a_type_worse_is_refused_and_the_old_one_stays(
    team, monkeypatch
) -> None:
    await team.agree_with_the_tagger()
    kept = await team.learning.retrain()
    assert kept.outcome is Outcome.IN_PLACE
    await team.services.tagging.tag_again()
    before = await team.tags()
    monkeypatch.setattr("classifiers.retraining.TOLERANCE", 0.005)
    # Six members at one: all that is methods is theory.
    turned = {"methods": "theory"}
    await team.say(
        *(
            (member, paper, turned[tag])
            for paper, tag in before.items()
            for member in TEAM
            if tag in turned
        )
    )
    report = await team.learning.retrain()
    assert report.outcome is Outcome.REFUSED
    assert "would fall from" in report.reasons[0]
    assert team.services.tagging.tagger.card.model_id != report.model
    assert await team.tags() == before


async def test_words_taken_back_are_forgotten_even_where_the_new_model_is_refused(
    team, monkeypatch
) -> None:
    await team.agree_with_the_tagger()
    assert (await team.learning.retrain()).outcome is Outcome.IN_PLACE
    await team.services.tagging.correct(SERVER, TEAM[0], 1, "withdraw")
    monkeypatch.setattr("classifiers.retraining.TOLERANCE", -1.0)
    report = await team.learning.retrain()
    assert report.outcome is Outcome.REFUSED
    assert "no longer count" in report.reasons[-1]
    assert team.models.current() is None
    assert (await team.learning.state()).retrained is False


async def test_without_any_word_left_the_base_tags_again(team) -> None:
    await team.agree_with_the_tagger()
    assert (await team.learning.retrain()).outcome is Outcome.IN_PLACE
    await team.services.tagging.consent(SERVER, ADA, training=False)
    assert (await team.learning.retrain()).outcome is Outcome.NOTHING
    assert (await team.learning.state()).retrained is False


async def test_the_same_corrections_are_not_learnt_twice(team) -> None:
    await team.agree_with_the_tagger()
    first = await team.learning.retrain()
    assert await team.learning.retrain() == first


@pytest.mark.parametrize(
    "lose",
    [
        shutil.rmtree,
        lambda folder: (folder / "current").unlink(),
        lambda folder: (folder / "current").write_text("???"),
        lambda folder: next(folder.glob("*/tagger.skops")).write_bytes(b"x"),
    ],
)
async def test_a_model_that_was_lost_is_made_anew_from_the_same_corrections(
    team, make, tmp_path, lose
) -> None:
    await team.agree_with_the_tagger()
    first = await team.learning.retrain()
    assert first.outcome is Outcome.IN_PLACE
    lose(tmp_path / "model")
    again = make()
    told = (await again.learning.state()).trouble
    assert "'papertriage train' makes" in told or "train anew with" in told
    anew = await again.learning.retrain()
    assert (anew.outcome, anew.papers) == (Outcome.IN_PLACE, first.papers)
    assert again.models.current() == anew.model
    assert (await again.learning.state()).retrained is True
    assert again.models.trouble is None


async def test_a_held_model_that_is_damaged_is_not_accepted_and_can_be_made_anew(
    team, tmp_path
) -> None:
    tags = await team.tags()
    await team.say(*((ADA, paper, tag) for paper, tag in first_sure(tags)))
    held = await team.learning.retrain()
    assert held.outcome is Outcome.HELD
    (tmp_path / "model" / held.model / "tagger.skops").write_bytes(b"x")
    with pytest.raises(Refused, match="held model cannot be used"):
        await team.learning.accept()
    assert team.models.current() is None
    assert (await team.learning.retrain()).outcome is Outcome.HELD
    assert (await team.learning.accept()).outcome is Outcome.ACCEPTED
    assert (await team.learning.state()).retrained is True


async def test_a_place_that_cannot_be_written_is_a_sentence_and_the_next_time_tries_again(
    team, tmp_path
) -> None:
    await team.agree_with_the_tagger()
    (tmp_path / "model").write_text("in the way")
    with pytest.raises(Refused, match="cannot be written"):
        await team.learning.retrain()
    assert (await team.learning.last()).outcome is Outcome.FAILED
    (tmp_path / "model").unlink()
    assert (await team.learning.retrain()).outcome is Outcome.IN_PLACE


async def test_the_tick_retrains_once_a_week(team, clock) -> None:
    await team.agree_with_the_tagger()
    await team.learning.tick()
    assert await team.learning.last() is None, "the first tick begins the week"
    clock.advance(days=6)
    await team.learning.tick()
    assert await team.learning.last() is None
    clock.advance(days=1)
    await team.learning.tick()
    first = await team.learning.last()
    assert first.outcome is Outcome.IN_PLACE
    clock.advance(minutes=1)
    await team.learning.tick()
    assert await team.learning.last() == first
    assert (await team.learning.state()).judged == 65
    clock.advance(seconds=EVERY.total_seconds())
    await team.say((TEAM[0], 60, "theory"))
    await team.learning.tick()
    assert (await team.learning.last()).at == first.at + EVERY + timedelta(minutes=1)


async def test_judging_again_goes_on_after_a_restart(team, make, monkeypatch) -> None:
    await team.agree_with_the_tagger()
    model = (await team.learning.retrain()).model
    monkeypatch.setattr(tagging_module, "BATCH", 20)
    assert await team.services.tagging.tag_again(most=20) == 20
    again = make()
    state = await again.learning.state()
    assert (state.retrained, state.judged, state.tagged) == (True, 20, 65)
    await again.learning.tick()
    store = again.services.library.store
    assert await store.read(retagging.count_judged, model) == (65, 65)
    assert await again.services.tagging.tag_again() == 0


async def test_a_changed_tag_can_be_searched_at_once(team) -> None:
    store, library = team.services.library.store, team.services.library
    before = (await library.papers([1]))[1].judgement
    await library.refresh()
    changed = await store.write(retagging.save_again, {1: before})
    assert changed == 0, "a tag that stayed is no change"
    await store.write(
        lambda db: db.execute("UPDATE tags SET tag = 'position', model = 'old' WHERE paper_id = 1")
    )
    assert await team.services.tagging.tag_again() == 1
    filters = await team.services.search.filters(None, SearchRequest(tag=before.tag))
    found = library.index.search("", filters, limit=99, offset=0)
    assert 1 in {hit.id for hit in found.hits}


async def test_another_process_takes_up_what_was_put_in_place(team, make) -> None:
    running = make()
    assert (await running.learning.state()).retrained is False
    await team.agree_with_the_tagger()
    model = (await team.learning.retrain()).model
    await running.learning.tick()
    assert running.services.tagging.tagger.card.model_id == model


async def test_a_damaged_model_is_passed_over_with_a_sentence(team, make, tmp_path) -> None:
    await team.agree_with_the_tagger()
    model = (await team.learning.retrain()).model
    (tmp_path / "model" / model / "tagger.skops").write_bytes(b"nonsense")
    again = make()
    state = await again.learning.state()
    assert state.retrained is False
    assert "is not the one that its manifest describes" in state.trouble
    await again.learning.tick()
    assert (await again.learning.state()).judged == 65
    assert (await again.learning.retrain()).outcome is Outcome.IN_PLACE
    assert (await again.learning.state()).trouble is None
