"""What a bibliography needs to know of a paper, worked out once for every format."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import quote, urlsplit

from data.exports.names import PersonName, split_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from data.records import Paper, TagName

Kind = Literal["article", "inproceedings", "preprint", "other"]

DERIVED_NOTE: Final = "Title derived from the abstract; the listing gave none"
_UNWANTED: Final = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_UNDECIDED: Final = re.compile(
    r"\b(?:submitted|submission|under review|withdrawn|reject(?:ed)?|preprint)\b|"
    r"\barxiv|\bbiorxiv\b|\bmedrxiv\b|\bcorr\b",
    re.IGNORECASE,
)
_MEETING: Final = re.compile(
    r"(?i:\b(?:conference|proceedings|proc\.|workshop|symposium|meeting|congress|"
    r"advances in neural information processing))|"
    r"\b(?:ICML|NeurIPS|NIPS|ICLR|AISTATS|COLT|UAI|ALT|ACML|AAAI|IJCAI|AAMAS|ECAI|CoRL|ICRA|IROS|"
    r"RSS|CVPR|ICCV|ECCV|WACV|ACL|EMNLP|NAACL|EACL|COLING|CoNLL|COLM|INTERSPEECH|ICASSP|KDD|WSDM|"
    r"WWW|SIGIR|CIKM|RecSys|CHI|CSCW|FAccT|AIES|STOC|FOCS|SODA|ITCS|EC|CCS|NDSS|USENIX|OSDI|SOSP|"
    r"MLSys|LREC|TACL-ACL|CLeaR|MIDL|MICCAI)\b"
)
_JOURNAL: Final = re.compile(
    r"\b(?:journal|transactions|trans\.|letters|annals|review|reviews|magazine|bulletin|quarterly|"
    r"archives|advances in (?!neural)|frontiers in|acta|physica|nature|science|pnas|biometrika|"
    r"econometrica|neurocomputing|jmlr|tmlr|jair|tacl|tpami|ijcv|entropy|plos|patterns|"
    r"machine learning$|artificial intelligence$|neural networks$|neural computation$)\b",
    re.IGNORECASE,
)
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
# Both kinds of arXiv id begin with the year and month: 2501.00001, hep-th/9901001.
_ARXIV_DATE: Final = re.compile(r"(?:^|/)(\d\d)(?:0[1-9]|1[0-2])(?=\.\d{4,5}$|\d{3}$)", re.ASCII)
_FOLDED: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th"}
)
_STOP_WORDS: Final = frozenset(
    [
        "a",
        "an",
        "the",
        "on",
        "of",
        "for",
        "in",
        "to",
        "and",
        "or",
        "with",
        "by",
        "from",
        "at",
        "as",
        "is",
        "are",
        "be",
        "do",
        "does",
        "can",
        "how",
        "what",
        "when",
        "where",
        "why",
        "which",
        "who",
        "towards",
        "toward",
        "via",
        "over",
        "under",
        "into",
        "its",
        "it",
        "this",
        "that",
        "our",
        "your",
        "not",
    ]
)


@dataclass(frozen=True, slots=True)
class ExportItem:
    """A paper to export, and what a server adds to it; None and empty are left out.

    `tag` is the tag that is shown, after a correction; without it the tagger's own is taken.
    """

    paper: Paper
    tag: TagName | None = None
    votes: int | None = None
    voters: tuple[str, ...] = ()
    state: str | None = None
    reader: str | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """One paper as a reference: every text on one line, without characters no file may hold."""

    item: ExportItem
    key: str
    kind: Kind
    title: str
    names: tuple[PersonName, ...]
    container: str
    year: int | None
    day: date | None
    month: int | None
    abstract: str
    keywords: tuple[str, ...]
    note: str
    doi: str
    arxiv: str
    url: str
    tag: str


def describe(items: Sequence[ExportItem]) -> list[Work]:
    """The items as references, in their order, each with a key of its own."""
    keys = _keys(items)
    return [_work(item, key) for item, key in zip(items, keys, strict=True)]


def clean(text: str) -> str:
    """The text on one line, in NFC, without control characters and broken halves."""
    return unicodedata.normalize("NFC", " ".join(_UNWANTED.sub("", text).split()))


def _work(item: ExportItem, key: str) -> Work:
    paper = item.paper
    kind, container = _kind(paper)
    year, day = _year(paper, kind), _day(paper)
    if kind == "inproceedings" or (day and day.year != year):
        day = None  # of a preprint that came before the conference or the volume
    tag = item.tag or (paper.judgement.tag if paper.judgement else "")
    notes = [
        DERIVED_NOTE if paper.title_derived else "",
        "Withdrawn" if paper.withdrawn else "",
        clean(paper.comment or ""),
    ]
    topics = tuple(topic for topic in map(clean, paper.topics) if topic)
    return Work(
        item=item,
        key=key,
        kind=kind,
        title=clean(paper.title),
        names=_names(paper),
        container=container,
        year=year,
        day=day,
        month=day.month if day else _month(paper, year),
        abstract=clean(paper.abstract),
        keywords=topics + ((tag,) if tag and tag != "unsure" and tag not in topics else ()),
        note=". ".join(note.rstrip(".") for note in notes if note),
        doi=clean(paper.identifiers.doi or ""),
        arxiv=clean(paper.identifiers.arxiv or ""),
        url=web_address(paper.link),
        tag=tag,
    )


def _names(paper: Paper) -> tuple[PersonName, ...]:
    return tuple(split_name(name) for name in map(clean, paper.authors) if name)


def _kind(paper: Paper) -> tuple[Kind, str]:
    """What sort of publication the venue tells of, and its name where it is one."""
    venue = clean(paper.venue or "")
    if venue and not _UNDECIDED.search(venue):
        # "Proceedings of the ACM on …" and "Transactions of the ACL" hold both sorts of words;
        # the word that comes first says what the thing is.
        journal, meeting = _JOURNAL.search(venue), _MEETING.search(venue)
        if journal and (not meeting or journal.start() < meeting.start()):
            return "article", venue
        if meeting:
            return "inproceedings", venue
    ids = paper.identifiers
    if ids.arxiv or ids.openreview or _UNDECIDED.search(venue):
        return "preprint", venue
    return "other", venue


def _day(paper: Paper) -> date | None:
    return paper.published.date() if paper.published else paper.announced


def _year(paper: Paper, kind: Kind) -> int | None:
    period = paper.published_in
    if kind == "inproceedings":
        found = _YEAR.search(paper.venue or "")
        if found:
            return int(found[0])
    if kind in {"inproceedings", "article"} and period:
        return period.year
    day = _day(paper)
    if day:
        return day.year
    if period:
        return period.year
    dated = _ARXIV_DATE.search(paper.identifiers.arxiv or "")
    return None if dated is None else int(dated[1]) + (1900 if dated[1] > "90" else 2000)


def _month(paper: Paper, year: int | None) -> int | None:
    """The month of publication where a source named it and the year is the reference's own."""
    period = paper.published_in
    return period.month if period and period.year == year else None


def web_address(link: str | None) -> str:
    """The link where it leads to the web, else nothing: `javascript:` is no page of a paper.

    Blanks, braces, brackets in angles and whatever is not ASCII are written as %xx.
    """
    text = quote(clean(link or ""), safe="!#$%&'()*+,/:;=?@[]~._-")
    try:
        return text if urlsplit(text).scheme in {"http", "https"} else ""
    except ValueError:
        return ""


def _keys(items: Sequence[ExportItem]) -> list[str]:
    """Readable keys, each used once: riemer2025collusion, then riemer2025collusiona, …b.

    The paper with the lowest number keeps the plain key, so that a key that somebody has cited
    stays when a later paper would like the same one.
    """
    keys = [""] * len(items)
    taken: set[str] = set()
    for at in sorted(range(len(items)), key=lambda at: items[at].paper.id):
        wanted = _key(items[at].paper)
        key, count = wanted, 0
        while key in taken:
            count += 1
            key = wanted + _letters(count)
        taken.add(key)
        keys[at] = key
    return keys


def _key(paper: Paper) -> str:
    first = next((name for name in map(clean, paper.authors) if name), "")
    year = _year(paper, _kind(paper)[0])
    family = _folded(split_name(first).family)
    words = [_folded(word) for word in re.split(r"[\s\-–—/:,]+", clean(paper.title))]
    word = next((word for word in words if word and word not in _STOP_WORDS), "")
    if not family and not word:
        return f"paper{paper.id}"
    return f"{family or 'anon'}{year or ''}{word}"[:60]


def _folded(text: str) -> str:
    """The Latin letters and digits of a text, without accents and in lower case."""
    plain = unicodedata.normalize("NFKD", text.lower().translate(_FOLDED))
    return re.sub(r"[^a-z0-9]", "", plain)


def _letters(count: int) -> str:
    """1 → a, 26 → z, 27 → aa."""
    letters = ""
    while count:
        count, rest = divmod(count - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters
