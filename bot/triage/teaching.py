"""Which corrections teach the tagger, and how much each counts: the rules against poisoning.

Of one person at most `MOST_A_PERSON` corrections count, the newest. On a paper the majority of all
voices counts, and a paper without one teaches nothing; the more people agree, the more it counts.
A retraining always starts from the base model, so nothing adds up from week to week, and a word
that was taken back is forgotten at the next one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data.store.corrections import Voice

MOST_A_PERSON: Final = 25
MOST_AGREEING: Final = 3

# Beyond these a person's influence, or the change of the library, is for an admin to judge.
LARGEST_SHARE: Final = 0.5
SHARE_MATTERS_FROM: Final = 10
LARGEST_JUMP: Final = 0.05
JUMP_MATTERS_FROM: Final = 5


@dataclass(frozen=True, slots=True)
class Lesson:
    """A paper, the tag that people settled on, and by how many voices it leads, at most 3."""

    paper_id: int
    tag: str
    weight: int


@dataclass(frozen=True, slots=True)
class Lessons:
    """What there is to learn, and whose it is.

    `left_out` counts voices beyond a person's share; `largest_share` is that of the person with
    the most voices among those that count, 0 to 1.
    """

    lessons: tuple[Lesson, ...]
    people: int
    servers: int
    left_out: int
    largest_share: float
    largest_count: int

    @property
    def one_sided(self) -> bool:
        """Whether more than half of what counts, and more than a handful, is one person's word."""
        return self.largest_share > LARGEST_SHARE and self.largest_count > SHARE_MATTERS_FROM

    @property
    def name(self) -> str:
        """The same for the same lessons, whatever their order."""
        return " ".join(
            sorted(f"{entry.paper_id}={entry.tag}*{entry.weight}" for entry in self.lessons)
        )

    def include(self, name: str) -> bool:
        """Whether every paper of other lessons, by their name, is taught here with the same tag."""
        mine = {f"{entry.paper_id}={entry.tag}" for entry in self.lessons}
        return all(told.partition("*")[0] in mine for told in name.split())


def lessons_of(voices: Sequence[Voice]) -> Lessons:
    """What people's standing words teach, oldest word first."""
    allowed: Counter[int] = Counter()
    counted: dict[int, list[Voice]] = defaultdict(list)
    left_out = 0
    for voice in reversed(voices):
        if allowed[voice.user_id] == MOST_A_PERSON:
            left_out += 1
            continue
        allowed[voice.user_id] += 1
        counted[voice.paper_id].append(voice)
    lessons: list[Lesson] = []
    teaching: list[Voice] = []
    for paper_id, said in counted.items():
        ranked = Counter(voice.tag for voice in said).most_common()
        lead = ranked[0][1] - sum(number for _, number in ranked[1:])
        if lead > 0:
            lessons.append(Lesson(paper_id, ranked[0][0], min(lead, MOST_AGREEING)))
            teaching += [voice for voice in said if voice.tag == ranked[0][0]]
    by_person = Counter(voice.user_id for voice in teaching)
    most = max(by_person.values(), default=0)
    return Lessons(
        lessons=tuple(lessons),
        people=len(by_person),
        servers=len({voice.guild_id for voice in teaching}),
        left_out=left_out,
        largest_share=most / len(teaching) if teaching else 0.0,
        largest_count=most,
    )


def is_jump(moved: int, looked_at: int) -> bool:
    """Whether so many papers of those looked at would get another tag that an admin must agree."""
    return moved > JUMP_MATTERS_FROM and moved > LARGEST_JUMP * looked_at
