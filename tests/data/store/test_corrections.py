"""Words on tags: which show, whose teach, and a library from before they could be taken back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlite_utils import Database

from data.records import Identifiers, PaperRecord
from data.store import corrections, learning, recording, retagging
from data.store.connection import Store
from data.store.corrections import SHELL_SERVER, settle
from data.store.migrations import MIGRATIONS
from data.store.recording import Provenance
from data.store.servers import Member

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 6, 1, 8, tzinfo=UTC)
HERE, THERE = 100, 200
ADA, BEN = Member(1, "ada"), Member(2, "ben")


@pytest.fixture
async def three(store: Store) -> Store:
    """A library of three papers without tags."""
    records = [
        PaperRecord(
            title=f"Paper {n}",
            abstract="",
            position=str(n),
            identifiers=Identifiers(arxiv=f"2606.0000{n}"),
        )
        for n in (1, 2, 3)
    ]
    provenance = Provenance(source="page", listing="page.txt", fetched=NOW)
    await store.write(recording.store_records, records, provenance)
    return store


async def say(store: Store, guild: int, member: Member, paper: int, tag: str) -> None:
    await store.write(
        corrections.add_correction, guild, paper, member, tag=tag, was="methods", now=NOW
    )


async def take_back(store: Store, guild: int, member: Member, paper: int) -> str | None:
    return await store.write(
        corrections.withdraw_correction, guild, paper, member, was="theory", now=NOW
    )


async def consent(store: Store, guild: int, *, training: bool) -> None:
    await store.write(corrections.set_consent, guild, ADA, training=training, now=NOW)


@pytest.mark.parametrize(
    ("said", "own", "shown"),
    [
        ([], "methods", None),
        ([(1, "theory")], "methods", "theory"),
        ([(1, "theory"), (2, "position")], "methods", "theory"),
        ([(1, "theory"), (2, "position")], None, "theory"),
        ([(1, "theory"), (2, "methods")], "methods", "methods"),
        ([(1, "theory"), (2, "position"), (3, "position")], "theory", "position"),
        ([(1, "theory"), (1, "position")], "methods", "position"),
        ([(1, "theory"), (2, "position"), (1, None)], "methods", "position"),
        ([(1, "theory"), (1, None)], "methods", None),
        ([(1, "theory"), (2, "position"), (3, "methods"), (1, None)], "unsure", "position"),
    ],
)
def test_the_majority_shows_and_a_tie_changes_nothing(said, own, shown) -> None:
    words = [(member, tag or "", tag is None) for member, tag in said]
    assert settle(words, own) == shown


async def test_only_servers_that_consent_teach(three: Store) -> None:
    await say(three, HERE, ADA, 1, "theory")
    await say(three, THERE, BEN, 2, "theory")
    assert await three.read(corrections.voices) == []
    await consent(three, HERE, training=True)
    assert [voice.paper_id for voice in await three.read(corrections.voices)] == [1]
    await consent(three, HERE, training=False)
    assert await three.read(corrections.voices) == []


async def test_whoever_runs_the_bot_teaches_from_the_shell(three: Store) -> None:
    await say(three, SHELL_SERVER, ADA, 1, "theory")
    assert [voice.tag for voice in await three.read(corrections.voices)] == ["theory"]


async def test_a_person_in_two_servers_is_one_voice(three: Store) -> None:
    for guild in (HERE, THERE):
        await consent(three, guild, training=True)
    await say(three, HERE, ADA, 1, "theory")
    await say(three, THERE, ADA, 1, "position")
    [voice] = await three.read(corrections.voices)
    assert (voice.guild_id, voice.tag) == (THERE, "position")


async def test_what_was_taken_back_teaches_nobody(three: Store) -> None:
    await consent(three, HERE, training=True)
    await say(three, HERE, ADA, 1, "theory")
    assert await take_back(three, HERE, ADA, 1) == "theory"
    assert await take_back(three, HERE, ADA, 1) is None
    assert await three.read(corrections.voices) == []


async def test_of_two_processes_one_retrains_and_a_dead_one_is_followed(store: Store) -> None:
    week, hour = timedelta(days=7), timedelta(hours=1)
    due = NOW + week
    assert await store.write(learning.begin_when_due, NOW, week, hour) is False
    assert await store.write(learning.begin_when_due, due - hour, week, hour) is False
    assert await store.write(learning.begin_when_due, due, week, hour) is True
    assert await store.write(learning.begin_when_due, due, week, hour) is False
    later = due + hour
    assert await store.write(learning.begin_when_due, later, week, hour) is True
    await store.write(learning.finish, later)
    assert await store.write(learning.begin_when_due, later + hour, week, hour) is False
    assert await store.write(learning.begin, later + hour, hour) is True


async def test_a_clock_that_was_ahead_does_not_stop_retraining(store: Store) -> None:
    week, hour = timedelta(days=7), timedelta(hours=1)
    await store.write(learning.finish, NOW + 100 * week)
    assert await store.write(learning.begin_when_due, NOW, week, hour) is False
    assert await store.write(learning.begin_when_due, NOW + week, week, hour) is True


async def test_a_library_from_before_keeps_its_corrections(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    old = Database(path)
    MIGRATIONS.apply(old, stop_before="m008_learning")
    with old.conn:
        old.conn.execute(
            "INSERT INTO papers (id, title, title_derived, title_key, abstract, first_seen,"
            " changed, root_id) VALUES (1, 'One', 0, 'one', '', ?, 1, 1)",
            [NOW.isoformat()],
        )
        old.conn.execute("INSERT INTO members VALUES (100, 1, 'ada')")
        old.conn.execute(
            "INSERT INTO tags (paper_id, tag, position, theory, methods, model)"
            " VALUES (1, 'methods', 0, 0, 1, 'old')"
        )
        old.conn.execute(
            "INSERT INTO corrections (guild_id, paper_id, user_id, tag, was, at)"
            " VALUES (100, 1, 1, 'theory', 'methods', ?)",
            [NOW.isoformat()],
        )
    old.close()
    store = Store(path)
    await store.open()
    try:
        [word] = await store.read(corrections.corrections_of, HERE, 1)
        assert (word.member, word.tag, word.was, word.withdrawn) == (
            ADA,
            "theory",
            "methods",
            False,
        )
        assert await store.read(corrections.corrected_tags, HERE) == {1: "theory"}
        assert (await store.read(corrections.consent_of, HERE)).training is False
        assert await store.read(retagging.judged_by_others, "new", 9) == [1]
    finally:
        await store.close()
