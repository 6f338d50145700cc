"""What is due in a digest: first announcements, late ones, revisions, withdrawals; and why."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.triage.errors import Refused
from bot.triage.fates import Fate
from bot.triage.filtering import FilterPart
from bot.triage.posting import Posting
from bot.triage.receipts import coverage_line, quiet_reason, trouble_line, troubles
from bot.triage.schedule import EVERY_DAY
from data.records import AnnounceType, Identifiers, PaperRecord
from data.sources import Kind, Outcome
from data.store import merging, recording
from data.store import sources as source_rows
from data.store.digests import DigestFilter, SubscriptionOrder
from data.store.recording import Provenance
from data.store.sources import PartOutcome
from tests.bot.triage.channel import FakeChannel
from tests.bot.triage.conftest import ADA, OTHER_SERVER, SERVER

if TYPE_CHECKING:
    from bot.triage.digest import Digest
    from bot.triage.services import Services
    from tests.conftest import HandClock

CHANNEL = 500
MONDAY = date(2026, 6, 1)
SUBJECTS = ("otters", "herons", "glaciers", "looms", "bridges", "foxes", "corals", "kites")


def record(number: int, **changes: object) -> PaperRecord:
    subject = SUBJECTS[number % len(SUBJECTS)]
    made = PaperRecord(
        position=f"entry {number}",
        title=f"A study of {subject}, numbered {number}",
        abstract=f"We propose a method for {subject} in setting {number}, and try {subject} twice. "
        + " ".join(f"{subject}{number}x{word}" for word in range(20)),
        identifiers=Identifiers(arxiv=f"2606.{number:05}"),
        categories=("cs.LG",),
        announced=MONDAY,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


class Team:
    """One server with a digest at nine, UTC, a source, and a channel to look at."""

    def __init__(self, services: Services, clock: HandClock) -> None:
        self.services, self.clock = services, clock
        self.channel = FakeChannel()

    async def order(self, guild: int = SERVER, maximum: int = 60, **wanted: object) -> int:
        made = SubscriptionOrder(
            CHANNEL,
            time(9),
            "UTC",
            EVERY_DAY,
            DigestFilter(**wanted),
            maximum,  # type: ignore[arg-type]
        )
        return (await self.services.digests.subscribe(guild, ADA.id, made)).id

    async def told(self, *records: PaperRecord, source: str = "feed", late: bool = False) -> None:
        store, origin = self.services.library.store, Provenance(source, "f.xml", self.clock.now())
        await store.write(source_rows.store_batch, records, origin, quiet=False, late=late)
        await store.write(recording.note_source, origin, read=len(records), new=len(records))

    async def asked(self, outcome: Outcome, day: date | None = None, *, read: int = 0) -> None:
        store, now = self.services.library.store, self.clock.now()
        known = await store.read(source_rows.standing_sources)
        if not known:
            known = [
                await store.write(
                    source_rows.add_source,
                    name="feed", kind=Kind.ARXIV, spec="cs.LG", by="ada", now=now,
                )
            ]  # fmt: skip
        sentence = f"It is {outcome.value}."
        told = PartOutcome("feed", "cs.LG", "cs.LG", outcome, sentence, now, now, day, read)
        await store.write(source_rows.note_outcome, known[0].id, told)

    async def post(self) -> Digest:
        """Moves the clock to the next nine o'clock, and returns what was posted then."""
        nine = self.clock.now().replace(hour=9, minute=0)
        self.clock.moment = nine if nine > self.clock.now() else nine + timedelta(days=1)
        services, before = self.services, len(self.channel.messages)
        done = await Posting(
            services.library.store, services.digests, self.channel, services.clock
        ).run_due()
        assert done >= 1
        return self.channel.messages[before].digest

    async def fate(self, paper: int, guild: int = SERVER) -> Fate:
        [told] = (await self.services.cards.story(guild, paper)).fates
        assert told.reason()
        return told.fate


@pytest.fixture
def team(services: Services, clock: HandClock) -> Team:
    return Team(services, clock)


def shown(digest: Digest) -> list[tuple[int, bool]]:
    """The papers of a digest by number, and whether they are marked late."""
    return sorted((item.view.paper.id, item.late) for item in digest.items)


async def test_a_late_arrival_comes_in_the_next_digest_and_is_marked_late(team: Team) -> None:
    await team.order()
    await team.told(record(1))
    await team.asked(Outcome.ANNOUNCED, MONDAY, read=1)
    assert shown(await team.post()) == [(1, False)]
    team.clock.advance(hours=3)
    await team.told(record(2), record(3, announced=date(2026, 6, 2)))
    await team.asked(Outcome.ANNOUNCED, date(2026, 6, 2), read=2)
    digest = await team.post()
    assert shown(digest) == [(2, True), (3, False)]
    [cover] = digest.coverage
    assert (cover.new, cover.matched, cover.late, cover.posted) == (2, 2, 1, 2)
    assert coverage_line(cover) == "announced 2 June: 2 read, 2 new, 2 matched, 1 late, 2 posted"


async def test_what_several_files_of_a_source_held_is_added_up(team: Team) -> None:
    await team.order()
    await team.told(record(1), record(2), record(3))
    await team.told(record(4))
    [cover] = (await team.post()).coverage
    assert coverage_line(cover).endswith("4 read, 4 new, 4 matched, 4 posted")


async def test_a_day_that_nobody_could_read_in_time_comes_late(team: Team) -> None:
    await team.order()
    await team.asked(Outcome.FAILED)
    first = await team.post()
    assert quiet_reason(first) == "cs.LG: could not be read"
    team.clock.advance(days=1)
    await team.told(record(1), record(2, announced=date(2026, 6, 3)))
    assert shown(await team.post()) == [(1, True), (2, False)]


async def test_what_looking_back_found_without_a_date_is_late(team: Team) -> None:
    await team.order()
    await team.told(record(1, announced=None))
    await team.post()
    await team.told(record(2, announced=None), late=True)
    await team.told(record(3, announced=None))
    assert shown(await team.post()) == [(2, True), (3, False)]


async def test_a_cross_list_that_the_filter_waits_for_is_due_when_it_is_announced(
    team: Team,
) -> None:
    await team.order(topics=("stat.ML",))
    await team.told(record(1), record(2))
    assert shown(await team.post()) == []
    cross = replace(record(1), categories=("cs.LG", "stat.ML"), announced=date(2026, 6, 2))
    await team.told(replace(cross, announce_type=AnnounceType.CROSS_LIST))
    assert shown(await team.post()) == [(1, False)]


async def test_a_cross_list_does_not_bring_a_posted_or_left_out_paper_again(team: Team) -> None:
    await team.order(maximum=1)
    await team.told(record(1), record(2))
    first = await team.post()
    assert len(first.items) == len(first.left_out) == 1
    for number in (1, 2):
        cross = record(number, categories=("cs.LG", "stat.ML"))
        await team.told(replace(cross, announce_type=AnnounceType.CROSS_LIST))
    assert shown(await team.post()) == []


async def test_a_replacement_does_not_come_again_but_a_voted_one_is_named(team: Team) -> None:
    await team.order()
    await team.order(guild=OTHER_SERVER)
    await team.told(record(1, version=1), record(2, version=1))
    await team.post()
    await team.services.voting.toggle(SERVER, ADA, 1)
    for number in (1, 2):
        newer = record(number, version=2, announced=date(2026, 6, 2))
        await team.told(replace(newer, announce_type=AnnounceType.REPLACEMENT))
    digest = await team.post()
    assert shown(digest) == []
    [revised] = digest.revised
    assert (revised.view.paper.id, revised.revision.version) == (1, 2)
    assert not revised.revision.withdrawn
    other = team.channel.messages[-1].digest
    assert (other.subscription.guild_id, other.revised) == (OTHER_SERVER, ())
    # The same version from another source is no news.
    await team.told(
        record(1, version=2, announce_type=AnnounceType.REPLACEMENT), source="another feed"
    )
    assert (await team.post()).revised == ()


async def test_a_voted_paper_that_is_withdrawn_is_said_to_be(team: Team) -> None:
    await team.order()
    await team.told(record(1))
    await team.post()
    await team.services.voting.toggle(SERVER, ADA, 1)
    gone = record(1, version=2, announce_type=AnnounceType.WITHDRAWN)
    await team.told(gone)
    digest = await team.post()
    assert [(one.view.paper.id, one.revision.withdrawn) for one in digest.revised] == [(1, True)]


async def test_a_new_paper_that_is_withdrawn_before_its_digest_is_not_posted(team: Team) -> None:
    await team.order()
    await team.told(record(1))
    team.clock.advance(minutes=10)
    await team.told(record(1, version=2, announce_type=AnnounceType.WITHDRAWN))
    digest = await team.post()
    assert shown(digest) == []
    assert quiet_reason(digest) == "1 new paper that fits was withdrawn"
    assert await team.fate(1) is Fate.WITHDRAWN


async def test_a_paper_whose_withdrawal_kept_it_from_its_digest_is_due_once_that_is_ended(
    team: Team,
) -> None:
    await team.order()
    await team.told(record(1))
    await team.told(record(1, version=2, announce_type=AnnounceType.WITHDRAWN))
    assert shown(await team.post()) == []
    back = record(1, version=3, announce_type=AnnounceType.REPLACEMENT)
    await team.told(replace(back, abstract=f"{back.abstract} It is mended."))
    assert [number for number, _ in shown(await team.post())] == [1]
    await team.told(record(1, version=4, announce_type=AnnounceType.WITHDRAWN))
    await team.told(record(1, version=5, announce_type=AnnounceType.REPLACEMENT))
    assert shown(await team.post()) == [], "it was posted before"


async def test_a_paper_that_is_split_off_is_due_for_itself(team: Team) -> None:
    await team.order()
    await team.told(record(1), record(2))
    store = team.services.library.store
    await store.write(merging.merge, 1, 2, reason="alike", by="ada", now=team.clock.now())
    assert shown(await team.post()) == [(1, False)]
    await store.write(merging.split, 2, by="ada", now=team.clock.now())
    assert [number for number, _ in shown(await team.post())] == [2]


async def test_a_paper_that_was_passed_over_for_its_copy_is_due_after_the_split(
    team: Team,
) -> None:
    """Its copy was withdrawn, and both with it, when their digest was put together."""
    await team.order()
    await team.told(record(1), record(2))
    await team.told(record(2, version=2, announce_type=AnnounceType.WITHDRAWN))
    store = team.services.library.store
    await store.write(merging.merge, 1, 2, reason="alike", by="ada", now=team.clock.now())
    assert shown(await team.post()) == []
    await store.write(merging.split, 2, by="ada", now=team.clock.now())
    assert [number for number, _ in shown(await team.post())] == [1]
    await store.write(merging.merge, 1, 2, reason="alike", by="ada", now=team.clock.now())
    await store.write(merging.split, 2, by="ada", now=team.clock.now())
    assert shown(await team.post()) == []


@pytest.mark.parametrize(
    ("outcomes", "reason"),
    [
        ([], "no listing was read since the last digest"),
        ([Outcome.NOT_YET], "cs.LG: not announced yet"),
        ([Outcome.STALE], "cs.LG: feed is stale"),
        ([Outcome.FAILED], "cs.LG: could not be read"),
        ([Outcome.FAILED, Outcome.UNCHANGED], "cs.LG announced nothing since the last digest"),
        ([Outcome.UNCHANGED, Outcome.FAILED], "cs.LG: could not be read"),
        ([Outcome.EMPTY], "cs.LG announced nothing since the last digest"),
    ],
)
async def test_a_quiet_day_says_why(team: Team, outcomes: list[Outcome], reason: str) -> None:
    await team.order()
    for outcome in outcomes:
        team.clock.advance(minutes=5)
        await team.asked(outcome)
    digest = await team.post()
    assert quiet_reason(digest) == reason
    for outcome in troubles(digest):
        assert "(since 1 June" in trouble_line(outcome)


async def test_a_day_on_which_nothing_fits_says_so(team: Team) -> None:
    await team.order(tags=("theory",))
    await team.told(record(1), record(2))
    await team.asked(Outcome.ANNOUNCED, MONDAY, read=2)
    digest = await team.post()
    assert quiet_reason(digest) == "2 new papers came and none fits this digest's filter"
    assert coverage_line(digest.coverage[0]).endswith("2 read, 2 new, 0 matched, 0 posted")


async def test_an_announcement_does_not_hide_that_the_source_failed_since(team: Team) -> None:
    await team.order()
    await team.told(record(1))
    await team.asked(Outcome.ANNOUNCED, MONDAY, read=1)
    team.clock.advance(minutes=30)
    await team.asked(Outcome.FAILED)
    digest = await team.post()
    assert [one.outcome for one in digest.asked] == [Outcome.ANNOUNCED, Outcome.FAILED]
    assert [trouble.channel for trouble in troubles(digest)] == ["cs.LG"]


async def test_why_tells_the_fate_of_a_paper_from_due_to_posted_with_a_link(team: Team) -> None:
    number = await team.order()
    await team.told(record(1))
    [due] = (await team.services.cards.story(SERVER, 1)).fates
    assert (due.fate, due.reason()) == (Fate.DUE, "it fits, and is due on 2026-06-01 at 09:00 UTC")
    await team.services.digests.pause(SERVER, number, paused=True)
    [paused] = (await team.services.cards.story(SERVER, 1)).fates
    assert "once the digest is resumed" in paused.reason()
    await team.services.digests.pause(SERVER, number, paused=False)
    await team.post()
    [posted] = (await team.services.cards.story(SERVER, 1, CHANNEL)).fates
    assert (posted.fate, posted.reason()) == (Fate.POSTED, "posted on 2026-06-01 at 09:00 UTC")
    assert posted.link == f"https://discord.com/channels/{SERVER}/{CHANNEL}/1"
    with pytest.raises(Refused, match="no digest"):
        await team.services.cards.story(SERVER, 1, CHANNEL + 1)


@pytest.mark.parametrize(
    ("wanted", "part", "words"),
    [
        ({"tags": ("theory",)}, FilterPart.TAGS, "its tag is unsure, and only theory"),
        ({"topics": ("cs.CV", "cs.CL")}, FilterPart.TOPICS, "its topics are cs.LG, and only cs.CV"),
        ({"query": "walrus"}, FilterPart.QUERY, "the query “walrus” does not find it"),
    ],
)
async def test_why_names_the_part_of_the_filter_that_stopped_a_paper(
    team: Team, wanted: dict[str, object], part: FilterPart, words: str
) -> None:
    await team.order(**wanted)
    await team.told(record(1))
    for _ in range(2):  # before its digest, and after
        [told] = (await team.services.cards.story(SERVER, 1)).fates
        assert (told.fate, told.part) == (Fate.STOPPED, part)
        assert words in told.reason()
        await team.post()


async def test_why_tells_what_was_left_out_learnt_or_known_before(team: Team) -> None:
    store, origin = team.services.library.store, Provenance("feed", "f.xml", team.clock.now())
    await store.write(source_rows.store_batch, [record(1)], origin, quiet=True)
    await team.told(record(2))
    team.clock.advance(days=1)
    number = await team.order(maximum=1)
    await team.told(record(3), record(4))
    assert await team.fate(1) is Fate.LEARNT
    assert await team.fate(2) is Fate.BEFORE
    digest = await team.post()
    [left] = digest.left_out
    assert await team.fate(left) is Fate.LEFT_OUT
    await team.services.tagging.correct(SERVER, ADA, left, "theory")
    [rest] = await team.services.digests.hidden(SERVER, number, digest.slot.local_date)
    assert rest.paper.id == left, "what was left out stays listed, whatever changes"


async def test_why_says_when_a_paper_fits_only_since_its_tag_was_corrected(team: Team) -> None:
    await team.order(tags=("theory",))
    await team.told(record(1))
    await team.post()
    await team.services.tagging.correct(SERVER, ADA, 1, "theory")
    assert await team.fate(1) is Fate.PASSED
