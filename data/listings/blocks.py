"""The blocks of a saved page and what each looks like: a topic, authors, a title, an abstract.

Such pages have no marks at all, so a block is judged by its words alone; `data.listings.pages`
puts the judged blocks together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from data.listings.fields import split_authors
from data.text import ends_like_a_sentence, plain_lines
from data.words import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator


class Kind(Enum):
    """What a block looks like when nothing but its own words is known."""

    TOPIC = "topic"
    AUTHORS = "authors"
    TITLE = "title"
    PROSE = "prose"
    IDENTIFIER = "identifier"
    FURNITURE = "furniture"
    SHORT = "short"


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together; `line` is the number of the first, from 1."""

    line: int
    text: str
    kind: Kind


AREAS: Final = frozenset(
    {
        "applications",
        "deep learning",
        "general machine learning",
        "miscellaneous aspects of machine learning",
        "optimization",
        "position",
        "probabilistic methods",
        "reinforcement learning",
        "social aspects",
        "theory",
    }
)
_HEADERS: Final = frozenset(
    {
        "论文检索",
        "论文搜索",
        "搜索结果",
        "每日论文",
        "daily papers",
        "trending papers",
        "papers",
        "search",
        "search results",
        "results",
        "paper search",
        "hugging face",
        "abstract",
        "abstracts",
        "accepted papers",
        "all papers",
        "home",
        "menu",
        "login",
        "next",
        "previous",
        "next page",
        "load more",
        "show more",
        "back to top",
    }
)
_FUNCTION_WORDS: Final = word_set(
    "the of a an we is are to in that this our with by on as it be can which has have from its "
    "their or not but these was were such they at into how when what than between for"
)
_PARTICLES: Final = word_set(
    "van von der den de del della di da dos das du la le el al bin ibn ben ter ten zu zur y e i "
    "af av bint abu do"
)
_SPLIT_TOPIC: Final = re.compile(r"\s+[·•›»→]\s+|\s*[·›]\s*|\s+[>|]\s+")
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_ADDRESS: Final = re.compile(r"https?://\S+|www\.\S+|10\.\d{4,9}/\S+|arxiv:\s*\S+", re.IGNORECASE)
_PAPER_ADDRESS: Final = re.compile(r"arxiv|\b10\.\d{4,9}/|openreview", re.IGNORECASE)
_COUNTS: Final = re.compile(
    r"(?:page|showing|results?|papers?|found|total|submitted|published|updated|posted|likes?|"
    r"upvotes?|comments?|copyright|©|all rights reserved|sort by|filter|code|pdf|bibtex|"
    r"openreview|poster|oral|spotlight|project page|github)\b[^.!?]{0,60}",
    re.IGNORECASE,
)
_LABELLED: Final = re.compile(
    r"(title|authors?|topics?|keywords?|area)\s*[:：]\s*(.+)", re.IGNORECASE
)
ABSTRACT_LABEL: Final = re.compile(r"^(?:abstract|summary|摘要)\s*[:：.—–-]?\s*", re.IGNORECASE)
_NAME_TOKEN: Final = re.compile(r"[\w.’'`\-–()*†‡§¹²³⁴⁵]+")
_PROSE_WORDS = 25
_SENTENCE_WORDS = 8
_LONG_LINE = 240
_MOST_TITLE_LINES = 3
_TITLE_SHARE = 0.6


def blocks_of(text: str) -> Iterator[Block]:
    """The blocks of a page, in order: paragraphs between blank lines, or single long lines."""
    pending: list[tuple[int, str]] = []
    for number, line in enumerate(plain_lines(text), start=1):
        if line:
            pending.append((number, line))
        elif pending:
            yield from _split(pending)
            pending = []
    if pending:
        yield from _split(pending)


def _split(lines: list[tuple[int, str]]) -> Iterator[Block]:
    """One paragraph, or its lines one by one where each of them speaks for itself."""
    if len(lines) == 1:
        yield _block(*lines[0])
        return
    if any(len(line) > _LONG_LINE for _, line in lines):
        for number, line in lines:
            yield _block(number, line)
        return
    start = 0
    for index in range(1, len(lines)):
        if kind_of(lines[index][1]) is Kind.TITLE:  # the next paper, without a blank line
            yield from _pieces(lines[start:index])
            start = index
    yield from _pieces(lines[start:])


def _pieces(lines: list[tuple[int, str]]) -> Iterator[Block]:
    """The title, the lines that speak for themselves, the rest, and the addresses below it."""
    titled = _title_lines(lines)
    begun = bool(titled) or kind_of(lines[0][1]) not in {Kind.PROSE, Kind.SHORT}
    end = len(lines)
    while (
        end > 1
        and (begun or _PAPER_ADDRESS.search(lines[end - 1][1]))  # others may end the abstract
        and kind_of(lines[end - 1][1]) is Kind.IDENTIFIER
        and (
            ends_like_a_sentence(lines[end - 2][1]) or kind_of(lines[end - 2][1]) is Kind.IDENTIFIER
        )
    ):
        end -= 1
    if titled:
        yield _block(lines[0][0], " ".join(line for _, line in lines[:titled]))
    at = titled
    while end - at > 1:
        kind = kind_of(lines[at][1])
        if kind in {Kind.PROSE, Kind.SHORT}:
            break
        if kind is Kind.AUTHORS and lines[at][1].endswith((",", ";", " and")):
            break  # the names go on in the next line
        yield _block(*lines[at])
        at += 1
    if at < end:
        yield _block(lines[at][0], " ".join(line for _, line in lines[at:end]))
    for address in lines[end:]:
        yield _block(*address)


def _title_lines(lines: list[tuple[int, str]]) -> int:
    """How many lines at the start of a paragraph are a title above authors or an abstract."""
    for index, (_, line) in enumerate(lines[: _MOST_TITLE_LINES + 1]):
        kind = kind_of(line)
        if index and kind in {Kind.AUTHORS, Kind.PROSE}:
            rest = " ".join(text for _, text in lines[index + (kind is Kind.AUTHORS) :])
            # the first line of a wrapped paragraph is about as long as its second
            fits = kind is Kind.AUTHORS or len(lines[index - 1][1]) < _TITLE_SHARE * len(line)
            title = " ".join(text for _, text in lines[:index])
            whole = not _is_prose(title) and title.split()[-1].lower() not in _FUNCTION_WORDS
            return index if fits and whole and rest and _is_prose(rest) else 0
        if kind is not Kind.SHORT or line.endswith((".", ",", ";")):
            return 0
    return 0


def _block(line: int, text: str) -> Block:
    return Block(line, text, kind_of(text))


def kind_of(text: str) -> Kind:
    """What a block looks like by its own words."""
    if _is_furniture(text):
        return Kind.FURNITURE
    if _ADDRESS.fullmatch(text) or re.fullmatch(r"arxiv:\S+(?: \[.*\])?", text, re.IGNORECASE):
        return Kind.IDENTIFIER
    labelled = _LABELLED.fullmatch(text)
    if labelled and len(text) < 1000:  # a label before a line, not before an essay
        return {"author": Kind.AUTHORS, "title": Kind.TITLE}.get(
            labelled[1].lower().removesuffix("s"), Kind.TOPIC
        )
    if _is_topic(text):
        return Kind.TOPIC
    if _is_authors(text):
        return Kind.AUTHORS
    return Kind.PROSE if _is_prose(text) else Kind.SHORT


def unlabelled(text: str) -> str:
    """The block without "Title:", "Authors:" or "Topic:" before it."""
    labelled = _LABELLED.fullmatch(text)
    return labelled[2] if labelled else text


def _is_furniture(text: str) -> bool:
    lowered = text.lower().strip(" :·|")
    if lowered in _HEADERS or not any(c.isalpha() for c in text):
        return True
    return len(text) < 90 and bool(  # one line of a page's frame
        _COUNTS.fullmatch(text) or re.fullmatch(r"[\d,.\s]+(?:\w+\s?){1,3}", text)
    )


def _is_topic(text: str) -> bool:
    if len(text) > 140 or text[-1] in ".?!:;":  # the longest area and topic seen have 90
        return False
    if text.lower() in AREAS:
        return True
    parts = [p for p in _SPLIT_TOPIC.split(text) if p]
    if not 2 <= len(parts) <= 4 or "⋅" in text:  # area, topic, and rarely two more
        return False
    if parts[0].strip().lower() in AREAS:
        return True
    if all(_looks_like_name(p) for p in parts) and not any(_is_common_topic(p) for p in parts):
        return False
    return all(len(p.split()) <= 9 for p in parts)


_TOPIC_WORDS: Final = re.compile(
    r"\b(?:learning|language|models?|vision|theory|data|methods?|optimi[sz]ation|network|networks|"
    r"applications?|systems?|science|robotics|alignment|safety|fairness|evaluation|analysis|"
    r"position|causality|statistics|generative|reasoning|security|privacy|health|graphs?)\b",
    re.IGNORECASE,
)


def _is_common_topic(part: str) -> bool:
    return bool(_TOPIC_WORDS.search(part))


def _is_authors(text: str) -> bool:
    if text[-1] in "?!:" or "://" in text:
        return False
    names = split_authors(text)
    if not names:
        return False
    named = sum(_looks_like_name(n) for n in names)
    if len(names) == 1:
        return _looks_like_one_author(text)
    if any(w in _FUNCTION_WORDS for n in names for w in n.split()):
        return False
    if _TOPIC_WORDS.search(text) and len(names) < 4:  # "Fairness, Privacy and Safety"
        return False
    return named >= 0.8 * len(names) and any(len(n.split()) > 1 or _HAN.search(n) for n in names)


_TITLE_WORDS: Final = word_set(
    "considered harmful revisited rethinking revisiting towards toward beyond without via using "
    "neural autoencoders transformers bandits sampling gradients embeddings representations "
    "inference agents benchmark benchmarks attention diffusion networks learners need"
)


def is_one_unlabelled_name(block: Block) -> bool:
    """Whether a block was taken for authors because it reads like one name, or a short title."""
    return (
        block.kind is Kind.AUTHORS
        and unlabelled(block.text) == block.text
        and len(split_authors(block.text)) == 1
    )


def _looks_like_one_author(text: str) -> bool:
    tokens = text.split()
    if _HAN.search(text):
        return False
    capitals = sum(t[0].isupper() for t in tokens)
    return (
        2 <= len(tokens) <= 4  # given, middle and family names
        and _looks_like_name(text)
        and capitals >= len(tokens) - sum(t.lower() in _PARTICLES for t in tokens)
        and not _TOPIC_WORDS.search(text)
        and not any(t.lower() in _TITLE_WORDS for t in tokens)
        and not any(c.isdigit() or c == ":" for c in text)
        and not text.endswith(".")
    )


def _looks_like_name(text: str) -> bool:
    """Whether a piece can be one person: few words, capitals, no function words."""
    if _HAN.search(text):
        return len(text.replace(" ", "")) <= 4 and not re.search(r"[A-Za-z]", text)
    tokens = text.split()
    if not 1 <= len(tokens) <= 7 or len(text) > 60:  # the longest names on record
        return False
    capital = 0
    for token in tokens:
        if not _NAME_TOKEN.fullmatch(token) or token in _FUNCTION_WORDS - _PARTICLES:
            return False
        first = token.lstrip("(*†‡'’`")[:1]
        if first.isupper() or (first.isalpha() and not first.islower()):
            capital += 1
        elif token.lower() not in _PARTICLES and len(tokens) > 3:  # "Xing fan" is a name
            return False
    return capital >= 1


def _is_prose(text: str) -> bool:
    han = len(_HAN.findall(text))
    if han > 0.3 * len(text):
        return han >= 40 or (han >= 15 and text[-1] in "。！？")  # a sentence or two
    words = text.split()
    if len(words) >= _PROSE_WORDS:
        return True
    grammar = sum(w.lower().strip(",.;:()") in _FUNCTION_WORDS for w in words)
    return len(words) >= _SENTENCE_WORDS and grammar >= 2 and text.rstrip("\"'”)")[-1:] == "."


_CUES: Final = re.compile(
    r"\b(?:(we|our|us|i|this (?:paper|work|article|study|report|survey|proposal|research)|"
    r"the (?:paper|authors?|article|study))|"
    r"(propos\w+|present\w*|introduc\w+|show\w*|argu\w+|prov\w+|result\w*|experiment\w*|method\w*|"
    r"model\w*|framework\w*|approach\w*|theor\w+|analy\w+|algorithm\w*|learning|data\w*|study|"
    r"studies|evaluat\w+|benchmark\w*|investigat\w+|research\w*|evidence|demonstrat\w+|problem\w*|"
    r"novel|performance|optimi\w+|learn\w*|train\w*|systems?|bounds?|task\w*|reasoning|"
    r"network\w*))\b",
    re.IGNORECASE,
)
_MARKUP: Final = re.compile(
    r"^(?:#{1,6}\s|```|~~~|[-*+>]\s|\d+[.)]\s|\||={3,}|-{3,}|\.\. |:\w+:|<\w|</|//|/\*|\*/|\$ |>>>|"
    r"@\w+\{|import |from \w+ import|def |class |#include|\{|\}|\[|%|\w+\s?=\s|"
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:|\w{3} \d\d? \d\d:\d\d)"
)
_CODE: Final = re.compile(r"[{}]\s|\w\(\)|\w+\.\w+\(|;\s*$|==|\+=|->|::|&&|\|\|")


def reads_like_an_abstract(text: str) -> bool:
    """Whether prose speaks of research, rather than of a program, a licence or a person."""
    han = len(_HAN.findall(text))
    if han > 0.3 * len(text):
        return bool(re.search(r"本文|我们|提出|研究|方法|模型|实验|结果|论文", text))
    spoken: set[str] = set()
    subjects: set[str] = set()
    for match in _CUES.finditer(text):
        if match[1]:
            subjects.add(match[1].lower())
        else:
            spoken.add(match[2].lower()[:6])
    letters = sum(c.isalpha() or c.isspace() for c in text)
    if letters < 0.8 * len(text) or len(_CODE.findall(text)) > 4:  # formulas have some
        return False
    return len(spoken) >= (2 if subjects else 4)


def looks_like_markup(text: str) -> bool:
    """Whether a block belongs to a README, source code or a log."""
    return bool(_MARKUP.match(text))
