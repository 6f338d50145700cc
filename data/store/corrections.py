"""What members say of papers' tags: every word is kept, and the standing ones decide.

A member's latest word on a paper stands, until they say another or take it back. Each standing word
is one voice, and the tag with the most voices shows. On a tie the tagger's own tag shows where it
is among the tied; else what showed before stays, so that nothing changes without a majority.

Words belong to the server in which they were said. They teach the tagger only where that server
consents (`set_consent`); for its own view they always count. What is said from a shell, outside of
every server (`SHELL_SERVER`), is the word of whoever runs the bot and always teaches.

Functions take the open `Database` and run on the store's thread.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from data.store.connection import to_moment, to_text
from data.store.servers import Member, member_of, remember_member
from data.store.sql import execute, rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlite_utils import Database

    from data.store.sql import Row


SHELL_SERVER: Final = 0
"""Stands for a server where a shell speaks and no Discord server uses the library yet."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A member's word on a paper's tag; `was` is what the paper showed before.

    Where it is `withdrawn`, the member took back that they had called it `tag`.
    """

    member: Member
    tag: str
    was: str
    at: datetime
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Voice:
    """One person's standing word on one paper, in a server that consents to training."""

    guild_id: int
    user_id: int
    paper_id: int
    tag: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Consent:
    """Whether a server's corrections may teach the tagger, who said so last, and when."""

    training: bool
    member: Member | None = None
    at: datetime | None = None


def add_correction(
    db: Database, guild_id: int, paper_id: int, member: Member, *, tag: str, was: str, now: datetime
) -> bool:
    """Stores a member's word on a paper's tag; returns whether it is a new one."""
    remember_member(db, guild_id, member)
    said = standing(corrections_of(db, guild_id, _root(db, paper_id)))
    if any(word.member.id == member.id and word.tag == tag for word in said):
        return False
    _insert(db, guild_id, paper_id, member, tag=tag, was=was, now=now, withdrawn=False)
    return True


def withdraw_correction(
    db: Database, guild_id: int, paper_id: int, member: Member, *, was: str, now: datetime
) -> str | None:
    """Takes a member's standing word on a paper back; returns it, or None where there is none."""
    remember_member(db, guild_id, member)
    for word in standing(corrections_of(db, guild_id, _root(db, paper_id))):
        if word.member.id == member.id:
            _insert(db, guild_id, paper_id, member, tag=word.tag, was=was, now=now, withdrawn=True)
            return word.tag
    return None


def _insert(
    db: Database,
    guild_id: int,
    paper_id: int,
    member: Member,
    *,
    tag: str,
    was: str,
    now: datetime,
    withdrawn: bool,
) -> None:
    execute(
        db,
        "INSERT INTO corrections (guild_id, paper_id, user_id, tag, was, at, withdrawn)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [guild_id, paper_id, member.id, tag, was, to_text(now), withdrawn],
    )


def _root(db: Database, paper_id: int) -> int:
    found = rows(db, "SELECT root_id FROM papers WHERE id = ?", [paper_id])
    return int(found[0]["root_id"]) if found else paper_id


def corrections_of(db: Database, guild_id: int, paper_id: int) -> list[Correction]:
    """Every word on a paper's tag, oldest first."""
    return [
        _correction(row)
        for row in rows(
            db,
            "SELECT c.*, m.name FROM corrections c JOIN papers p ON p.id = c.paper_id"
            " LEFT JOIN members m ON m.guild_id = c.guild_id AND m.user_id = c.user_id"
            " WHERE c.guild_id = ? AND p.root_id = ? ORDER BY c.id",
            [guild_id, paper_id],
        )
    ]


def _correction(row: Row) -> Correction:
    return Correction(
        member_of(row["user_id"], row["name"]),
        row["tag"],
        row["was"],
        to_moment(row["at"]),
        bool(row["withdrawn"]),
    )


def standing(words: Iterable[Correction]) -> list[Correction]:
    """Each member's latest word of these, oldest first; nothing of those who took theirs back."""
    latest: dict[int, Correction] = {}
    for word in words:
        # Taken out first, so that the order is that of the words and not that of the members.
        latest.pop(word.member.id, None)
        if not word.withdrawn:
            latest[word.member.id] = word
    return list(latest.values())


def settle(words: Sequence[tuple[int, str, bool]], own: str | None) -> str | None:
    """The tag that shows after these words of (member, tag, withdrawn), oldest first.

    None where no word stands. `own` is the tagger's tag.
    """
    voices: dict[int, str] = {}
    shown: str | None = None
    for member, tag, withdrawn in words:
        if withdrawn:
            voices.pop(member, None)
        else:
            voices[member] = tag
        counts = Counter(voices.values())
        most = max(counts.values(), default=0)
        # Counter keeps first-met order, so that of two who both lead anew the elder shows.
        leading = [name for name, number in counts.items() if number == most]
        if len(leading) <= 1:
            shown = leading[0] if leading else None
        elif own in leading:
            shown = own
        elif shown not in leading:
            shown = leading[0]
    return shown


def corrected_tags(db: Database, guild_id: int) -> dict[int, str]:
    """The tag that the server's members settled on, for each paper with a standing word."""
    said: dict[int, list[tuple[int, str, bool]]] = defaultdict(list)
    own: dict[int, str | None] = {}
    for row in rows(
        db,
        "SELECT p.root_id, c.user_id, c.tag, c.withdrawn, t.tag AS own FROM corrections c"
        " JOIN papers p ON p.id = c.paper_id LEFT JOIN tags t ON t.paper_id = p.root_id"
        " WHERE c.guild_id = ? ORDER BY c.id",
        [guild_id],
    ):
        root = int(row["root_id"])
        said[root].append((int(row["user_id"]), str(row["tag"]), bool(row["withdrawn"])))
        own[root] = row["own"]
    settled = {root: settle(words, own[root]) for root, words in said.items()}
    return {root: tag for root, tag in settled.items() if tag is not None}


def set_consent(
    db: Database, guild_id: int, member: Member, *, training: bool, now: datetime
) -> None:
    """Says whether the corrections of a server may teach the tagger that all servers share."""
    remember_member(db, guild_id, member)
    execute(
        db,
        "INSERT OR REPLACE INTO consents (guild_id, training, user_id, at) VALUES (?, ?, ?, ?)",
        [guild_id, training, member.id, to_text(now)],
    )


def consent_of(db: Database, guild_id: int) -> Consent:
    """What a server said last; nobody has consented who was not asked."""
    found = rows(
        db,
        "SELECT c.*, m.name FROM consents c LEFT JOIN members m"
        " ON m.guild_id = c.guild_id AND m.user_id = c.user_id WHERE c.guild_id = ?",
        [guild_id],
    )
    if not found:
        return Consent(training=False)
    row = found[0]
    member = member_of(row["user_id"], row["name"])
    return Consent(bool(row["training"]), member, to_moment(row["at"]))


def voices(db: Database) -> list[Voice]:
    """The standing words of all servers that consent, oldest first.

    A person who spoke of one paper in several servers is heard once, with their latest word.
    """
    latest: dict[tuple[int, int], Voice] = {}
    for row in rows(
        db,
        "SELECT c.*, p.root_id FROM corrections c JOIN papers p ON p.id = c.paper_id"
        " LEFT JOIN consents s ON s.guild_id = c.guild_id"
        " WHERE s.training OR c.guild_id = ? ORDER BY c.id",
        [SHELL_SERVER],
    ):
        key = (int(row["user_id"]), int(row["root_id"]))
        guild = int(row["guild_id"])
        if not row["withdrawn"]:
            latest.pop(key, None)
            latest[key] = Voice(guild, *key, str(row["tag"]), to_moment(row["at"]))
        elif key in latest and latest[key].guild_id == guild:
            del latest[key]
    return list(latest.values())
