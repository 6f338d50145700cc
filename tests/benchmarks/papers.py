"""Papers and queries for benchmarks: real ones, and as many more as a benchmark asks for.

Real are the papers of ../shared/corpus and ../shared/labels. Further ones are put together from
them, the same for the same seed:

- the sentences of two or three real abstracts of one field, drawn without order until the paper is
  as long as one of them;
- a title with its first half from one real title and its second half from another;
- new words, so that the vocabulary grows as it does in real text (Heaps' law): the n-th paper
  brings `NEW_WORDS` * (n / real papers) ** (HEAPS - 1) words that no paper had, made of the halves
  of two rare real ones, and as many that an earlier made paper brought, drawn evenly from all that
  were brought (Simon's process, Biometrika 1955, which gives Zipf's frequencies). They stand where
  rare real words stood.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import Counter
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final

from data.index import IndexDocument
from data.index.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NEW_WORDS: Final = 1.5
"""New words a paper at the end of the real ones, as counted over the last thousands of them."""
HEAPS: Final = 0.65
SEED: Final = 20261201

_WORD: Final = re.compile(r"[A-Za-z][a-z]{3,}")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_TAGS: Final = ("methods", "methods", "methods", "theory", "position")


def real_papers(shared: Path) -> list[IndexDocument]:
    """The papers of the corpus and of the labels, numbered from 1."""
    papers: list[IndexDocument] = []
    for name in ("corpus/arxiv-daily.jsonl.gz", "labels/train.jsonl.gz"):
        with gzip.open(shared / name, "rt", encoding="utf-8") as lines:
            papers += [_paper(len(papers) + at, json.loads(line)) for at, line in enumerate(lines)]
    return papers


def _paper(number: int, entry: dict[str, Any]) -> IndexDocument:
    categories = tuple(entry.get("categories") or ())
    arxiv = entry.get("id")
    announced = entry.get("announced") or f"{entry.get('year', '2025')}-05-01"
    return IndexDocument(
        id=number + 1,
        title=entry["title"],
        title_derived=False,
        abstract=entry["abstract"],
        authors=tuple(entry.get("authors") or ()),
        topics=(*categories, *filter(None, [entry.get("area")])),
        categories=categories,
        venue=entry.get("venue"),
        sources=("arxiv" if arxiv else "venue",),
        tag=entry.get("label") or _TAGS[number % len(_TAGS)],
        day=date.fromisoformat(announced),
        identifiers=(("arxiv", arxiv),) if arxiv else (),
    )


class Papers:
    """`count` papers, the real ones first; iterating gives the same ones every time."""

    def __init__(self, shared: Path, count: int) -> None:
        self.real = real_papers(shared)
        self.count = count

    def __iter__(self) -> Iterator[IndexDocument]:
        yield from self.real[: self.count]
        if self.count > len(self.real):
            yield from _made(self.real, self.count)


def _made(real: list[IndexDocument], count: int) -> Iterator[IndexDocument]:
    chance = random.Random(SEED)  # noqa: S311 - test data, no secret
    sentences = [_SENTENCE_END.split(paper.abstract) for paper in real]
    fields: dict[str, list[int]] = {}
    for at, paper in enumerate(real):
        fields.setdefault((paper.topics or ("",))[0], []).append(at)
    rare = _rare_words(real)
    rare_set = frozenset(rare)
    brought: list[str] = []
    for number in range(len(real), count):
        first = chance.randrange(len(real))
        near = fields[(real[first].topics or ("",))[0]]
        sources = [
            first,
            *(near[chance.randrange(len(near))] for _ in range(chance.choice((1, 2)))),
        ]
        pool = [sentence for at in sources for sentence in sentences[at]]
        chance.shuffle(pool)
        abstract = _as_long_as(pool, len(real[first].abstract))
        other = real[sources[1]].title.split()
        own = real[first].title.split()
        title = " ".join([*own[: len(own) // 2], *other[len(other) // 2 :]])
        expected = NEW_WORDS * (number / len(real)) ** (HEAPS - 1)
        fresh = int(expected + chance.random())
        brought += [_new_word(rare, chance) for _ in range(fresh)]
        again = [chance.choice(brought) for _ in range(fresh)] if brought else []
        words = brought[len(brought) - fresh :] + again
        day = date(2015, 1, 1) + timedelta(days=chance.randrange(4000))
        yield replace(
            real[first],
            id=number + 1,
            title=title,
            abstract=_with_words(abstract, words, rare_set, chance),
            tag=chance.choice(_TAGS),
            day=day,
            identifiers=(("arxiv", f"{day:%y%m}.{number % 100000:05d}"),),
        )


def _as_long_as(sentences: list[str], characters: int) -> str:
    taken: list[str] = []
    length = 0
    for sentence in sentences:
        if length >= characters:
            break
        taken.append(sentence)
        length += len(sentence) + 1
    return " ".join(taken)


def _rare_words(papers: list[IndexDocument]) -> list[str]:
    """Words of two to five papers, sorted."""
    counts: Counter[str] = Counter()
    for paper in papers:
        counts.update(set(_WORD.findall(paper.abstract)))
    return sorted(word for word, papers_with in counts.items() if 2 <= papers_with <= 5)


def _new_word(rare: list[str], chance: random.Random) -> str:
    head, tail = chance.choice(rare), chance.choice(rare)
    return head[: max(2, len(head) // 2)].lower() + tail[len(tail) // 2 :].lower()


def _with_words(text: str, words: list[str], rare: frozenset[str], chance: random.Random) -> str:
    """`text` with some of its words, rare ones first, exchanged for `words`."""
    pieces = text.split(" ")
    places = [at for at, piece in enumerate(pieces) if piece.strip(".,;:()") in rare]
    while len(places) < len(words):
        places.append(chance.randrange(len(pieces)))
    for at, word in zip(places, words, strict=False):
        pieces[at] = word
    return " ".join(pieces)


@dataclass(frozen=True, slots=True)
class Asked:
    """One query: `words` in order; what is special about it is said by its class.

    `text` is how our query language writes it.
    """

    kind: str
    words: tuple[str, ...]
    text: str


def queries(papers: list[IndexDocument], each: int, seed: int = SEED) -> list[Asked]:
    """`each` queries of every class, made of real papers, in a mixed order."""
    chance = random.Random(seed)  # noqa: S311 - test data, no secret
    asked: list[Asked] = []
    for _ in range(each):
        title = _plain(_one(papers, chance).title)
        telling = [word for word in title if word.lower() not in STOP_WORDS] or title
        few = tuple(chance.sample(telling, min(len(telling), chance.choice((1, 2, 3)))))
        asked.append(Asked("1-3 words", few, " ".join(few)))
        words = _plain(_one(papers, chance).abstract)
        size = chance.randrange(4, 9)
        begin = chance.randrange(max(1, len(words) - size))
        several = tuple(words[begin : begin + size])
        asked.append(Asked("4-8 words", several, " ".join(several)))
        whole = tuple(_plain(_one(papers, chance).title))
        asked.append(Asked("whole title", whole, " ".join(whole)))
        words = _plain(_one(papers, chance).abstract)
        size = chance.choice((2, 2, 3))
        begin = chance.randrange(max(1, len(words) - size))
        phrase = tuple(words[begin : begin + size])
        asked.append(Asked("phrase", phrase, f'"{" ".join(phrase)}"'))
        title = _plain(_one(papers, chance).title)
        telling = [word for word in title if word.lower() not in STOP_WORDS] or title
        pair = tuple(chance.sample(telling, min(2, len(telling))))
        asked.append(Asked("title: field", pair, " ".join(f"title:{word}" for word in pair)))
    chance.shuffle(asked)
    return asked


def _one(papers: list[IndexDocument], chance: random.Random) -> IndexDocument:
    while True:
        paper = chance.choice(papers)
        if len(_plain(paper.title)) > 1 and len(_plain(paper.abstract)) > 10:
            return paper


def _plain(text: str) -> list[str]:
    """Words of letters and digits: what every engine reads alike."""
    return [word for word in re.findall(r"[A-Za-z0-9]+", text) if word not in ("OR", "AND", "NOT")]
