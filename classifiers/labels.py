"""Reads labelled papers: JSON lines with title, abstract and label, as the tagger learns them."""

import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from classifiers.contribution import ContributionType
from classifiers.features import Paper
from classifiers.text import tokens

_ANNOUNCED_TITLE = re.compile(
    r"^(?:position|perspective|opinion|viewpoint)(?: paper)?\s*[:\u2013\u2014-]\s*", re.IGNORECASE
)
_ANNOUNCED = re.compile(
    r"\b(this|our|the present) (?:position|perspective|opinion|viewpoint)"
    r"(?= (?:paper|article|piece))",
    re.IGNORECASE,
)


class LabelsUnusable(Exception):  # noqa: N818 - it names what happened, as the caller reads it
    """A label file gave nothing to learn from or to grade on; the message says what to do."""


@dataclass(frozen=True, slots=True)
class LabelledPaper:
    """A paper and the contribution type that somebody, or a rule, gave it.

    `bare_title` and `bare_abstract` are the texts without the words by which a paper announces its
    kind ("Position:", "this position paper"); where they are not given, the usual announcements
    are taken out. `weight` is how much the paper counts in training.
    """

    title: str
    abstract: str
    label: ContributionType
    rule: str = ""
    trust: str = ""
    venue: str = ""
    bare_title: str = ""
    bare_abstract: str = ""
    weight: float = 1.0

    def __post_init__(self) -> None:
        """Fills the bare texts where they were not given."""
        if not self.bare_title:
            object.__setattr__(self, "bare_title", _ANNOUNCED_TITLE.sub("", self.title))
        if not self.bare_abstract:
            object.__setattr__(self, "bare_abstract", _ANNOUNCED.sub(r"\1", self.abstract))

    @property
    def published(self) -> Paper:
        """Title and abstract as published."""
        return self.title, self.abstract

    @property
    def bare(self) -> Paper:
        """Title and abstract without announcements."""
        return self.bare_title, self.bare_abstract

    @property
    def untitled(self) -> Paper:
        """The abstract alone, without announcements, as saved pages give it."""
        return "", self.bare_abstract


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line of a label file that could not be used: its number, from 1, and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class LabelFile:
    """What a label file held."""

    papers: tuple[LabelledPaper, ...]
    bad_lines: tuple[BadLine, ...]


def read_labels(path: Path) -> LabelFile:
    """The labelled papers of a JSON-lines file (compressed if its name ends in .gz).

    A line needs `abstract` and `label` (position, theory or methods); `title`, `rule`, `trust`,
    `venue`, `title_stripped` and `abstract_masked` are used where they are given. A line that
    cannot be used is named in `bad_lines` and the others go in.

    Raises `LabelsUnusable` when the file cannot be read or has no usable line.
    """
    papers: list[LabelledPaper] = []
    bad: list[BadLine] = []
    try:
        for number, line in lines_of(path):
            read = _read_line(line)
            if isinstance(read, LabelledPaper):
                papers.append(read)
            elif read:
                bad.append(BadLine(number, read))
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LabelsUnusable(
            f"{path} cannot be read ({reason}); name a file of JSON lines with title, abstract "
            "and label."
        ) from error
    if not papers:
        first = f" Line {bad[0].line}: {bad[0].reason}" if bad else ""
        raise LabelsUnusable(
            f"{path} has no line that can be used: each needs an abstract and a label of "
            f"position, theory or methods.{first}"
        )
    return LabelFile(tuple(papers), tuple(bad))


def fingerprint(abstract: str) -> str:
    """Twelve hexadecimal digits that name an abstract whatever its spacing, case or markup."""
    return hashlib.sha256(" ".join(tokens(abstract)).encode()).hexdigest()[:12]


def fingerprint_all(papers: Iterable[LabelledPaper]) -> str:
    """Sixteen hexadecimal digits that name a set of labelled papers, whatever their order."""
    parts = sorted(f"{fingerprint(f'{p.title} . {p.abstract}')} {p.label}" for p in papers)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file, numbered from 1; a file whose name ends in .gz is unpacked."""
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as lines:
        yield from enumerate(lines, start=1)


def _read_line(line: bytes) -> LabelledPaper | str:
    """The paper of a line, "" for a blank one, or a sentence about what is wrong with it."""
    if not line.strip():
        return ""
    try:
        read: object = json.loads(line)
    except UnicodeDecodeError:
        return "This line is not UTF-8 text; save the file as UTF-8."
    except (ValueError, RecursionError):
        return "This line is not JSON; each line is one JSON object."
    if not isinstance(read, dict):
        return 'This line is no JSON object; write {"title": …, "abstract": …, "label": …}.'
    fields = cast("dict[str, object]", read)
    label = _text(fields, "label").strip().lower()
    if label not in set(ContributionType):
        said = f'"{label}"' if label else "missing"
        return f"The label is {said}; it must be position, theory or methods."
    abstract = _text(fields, "abstract")
    if not abstract.strip():
        return "The abstract is missing or empty."
    return LabelledPaper(
        title=_text(fields, "title"),
        abstract=abstract,
        label=ContributionType(label),
        rule=_text(fields, "rule"),
        trust=_text(fields, "trust"),
        venue=_text(fields, "venue"),
        bare_title=_text(fields, "title_stripped"),
        bare_abstract=_text(fields, "abstract_masked"),
    )


def _text(fields: dict[str, object], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""
