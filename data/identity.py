"""Who is who: the normal forms under which one work is known, and how alike two abstracts are."""

from __future__ import annotations

import hashlib
import re
import unicodedata
import zlib
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, unquote, urlsplit

import numpy as np

from data.records import Identifiers
from data.text import to_plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

_NEW_ARXIV: Final = r"\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}"
_ARCHIVES: Final = (
    "acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas|"
    "cond-mat|cs|dg-ga|econ|eess|funct-an|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math-ph|math|mtrl-th|"
    "nlin|nucl-ex|nucl-th|patt-sol|physics|plasm-ph|q-alg|q-bio|q-fin|quant-ph|solv-int|stat|"
    "supr-con"
)
_OLD_ARXIV: Final = rf"(?:{_ARCHIVES})(?:\.[A-Za-z]{{2}})?/\d{{2}}(?:0[1-9]|1[0-2])\d{{3}}"
_ARXIV: Final = re.compile(
    rf"(?<![^\W_])(?<!\.)(?P<id>{_NEW_ARXIV}|{_OLD_ARXIV})(?:v(?P<version>\d{{1,3}}))?(?!\d)",
    re.IGNORECASE,
)
_ARXIV_CONTEXT: Final = re.compile(
    rf"(?:(?:arxiv|alphaxiv)(?:\.org)?[:./\s]+(?:abs/|pdf/|html/|ps/|src/|e-print/|format/)?"
    rf"|10\.48550/arxiv\.|papers/)(?P<id>{_NEW_ARXIV}|{_OLD_ARXIV})(?:v(?P<version>\d{{1,3}}))?"
    rf"(?!\d)",
    re.IGNORECASE,
)
_ARXIV_ALONE: Final = re.compile(
    rf"(?:oai:)?(?:arxiv(?:\.org)?:\s*)?(?P<id>{_NEW_ARXIV}|{_OLD_ARXIV})"
    rf"(?:v(?P<version>\d{{1,3}}))?(?:\.pdf|\.abs)?(?:\s*\[[\w.-]+\])?",
    re.IGNORECASE,
)
_DOI: Final = re.compile(r"(?<![\w.])10\.\d{4,9}(?:\.\d+)*/[^\s\"<>{}|\\^`]+", re.IGNORECASE)
_OPENREVIEW: Final = re.compile(
    r"openreview\.net/(?:forum|pdf|attachment|references/pdf|revisions)\?(?:[^\s#]*&)?id=([\w-]{5,})",
    re.IGNORECASE,
)
_FORUM: Final = re.compile(r"[\w-]+")
_OPENREVIEW_ALONE: Final = re.compile(r"(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[A-Za-z0-9_-]{9,12}")
_NUMBER: Final = re.compile(r"#?\s?(\d{1,9})")


def arxiv_id(text: str) -> tuple[str, int | None] | None:
    """The base arXiv id in a text and the version beside it, or None.

    Understands new and old ids alone, in URLs, PDF names, DOIs of 10.48550 and citations such as
    `arXiv:2501.00001v2 [cs.LG]`. A subject class in an old id is dropped: math.GT/0309136 and
    math/0309136 are one paper.
    """
    text = text.strip()
    found = _ARXIV_ALONE.fullmatch(text) or _ARXIV_CONTEXT.search(text)
    if found is None and ("/" not in text or _is_file_name(text)):
        found = _ARXIV.search(text) if len(text) <= 200 and " " not in text else None
        if found is not None and text.lower().startswith("10."):
            found = None
    if found is None:
        return None
    version = int(found["version"]) if found["version"] else None
    return _base_arxiv(found["id"]), version


def _is_file_name(text: str) -> bool:
    return text.lower().endswith((".pdf", ".abs", ".tar.gz", ".gz"))


def _base_arxiv(raw: str) -> str:
    archive, slash, number = raw.lower().partition("/")
    return f"{archive.split('.')[0]}/{number}" if slash else archive


def doi(text: str) -> str | None:
    """The DOI in a text in lower case, without resolver and trailing punctuation, or None.

    A DOI that arXiv mints (10.48550/arXiv.…) is a DOI here as well; `identifiers_from` prefers
    to read it as an arXiv id.
    """
    if "10." not in text:
        return None
    plain = unquote(text) if "%" in text else text
    found = _DOI.search(plain)
    if found is None:
        return None
    value = found[0].lower().rstrip(".,;:'\"!?*")
    for opening, closing in (("(", ")"), ("[", "]")):
        while value.endswith(closing) and value.count(closing) > value.count(opening):
            value = value[:-1].rstrip(".,;:'\"!?*")
    if "?" in value and plain.lower().startswith("http"):
        value = value.split("?", 1)[0]
    return value if not value.endswith("/") else value.rstrip("/")


def openreview_id(text: str) -> str | None:
    """The forum id of an OpenReview address, or None."""
    found = _OPENREVIEW.search(text)
    return found[1] if found else None


def web_address(text: str) -> str | None:
    """An http(s) address in a normal form that two spellings of one page share, or None.

    Scheme and host are lower case, "www.", the fragment and a trailing slash are dropped.
    """
    text = text.strip()
    if not text.lower().startswith(("http://", "https://")) or any(c.isspace() for c in text):
        return None
    try:
        parts = urlsplit(text)
        host = (parts.hostname or "").removeprefix("www.")
        port = f":{parts.port}" if parts.port and parts.port not in {80, 443} else ""
    except ValueError:
        return None
    if "." not in host:
        return None
    query = f"?{parts.query}" if parts.query else ""
    return f"https://{host}{port}{parts.path.rstrip('/')}{query}"


def identifiers_from(
    *texts: str | None,
    arxiv: str | None = None,
    doi_text: str | None = None,
    openreview: str | None = None,
    url: str | None = None,
) -> Identifiers:
    """All that the given fields say of a paper's identity, in normal form.

    `texts` are searched for any kind of identifier, the named fields first for their own. An
    address that holds one of the other identifiers is not kept as `url`.
    """
    found_arxiv = _first_arxiv(arxiv, doi_text, url, *texts)
    found_doi = next((d for d in map(_own_doi, (doi_text, url, *texts)) if d), None)
    forum = (openreview_id(openreview) or openreview) if openreview else None
    if forum and not _FORUM.fullmatch(forum):  # the address of a venue is no forum
        forum = None
    for text in (url, *texts):
        forum = forum or (openreview_id(text) if text else None)
    page = None
    for text in (url, *texts):
        address = web_address(text) if text else None
        if address and not (_first_arxiv(address) or _own_doi(address) or openreview_id(address)):
            page = address
            break
    return Identifiers(arxiv=found_arxiv, doi=found_doi, openreview=forum, url=page)


def _first_arxiv(*texts: str | None) -> str | None:
    for text in texts:
        found = arxiv_id(text) if text else None
        if found:
            return found[0]
    return None


def _own_doi(text: str | None) -> str | None:
    """A DOI that says more than the arXiv id would."""
    value = doi(text) if text else None
    return None if value is None or value.startswith("10.48550/arxiv.") else value


def parse_reference(text: str) -> Identifiers | int | None:
    """What a person means by a word that names a paper: its number, an identifier, or neither.

    `17` and `#17` are numbers of the library; anything with an arXiv id, DOI, OpenReview id or
    another address gives `Identifiers`; None means that it can only be a piece of a title.
    """
    text = text.strip().strip("<>").strip()
    number = _NUMBER.fullmatch(text)
    if number:
        return int(number[1])
    if len(text.split()) > 3:  # "arXiv: 2501.00001v2 [cs.LG]" has three words
        return None
    lowered = text.lower()
    if lowered.startswith(("openreview:", "openreview.net/")) and "id=" not in lowered:
        forum = text.split(":", 1)[-1].strip()
        return Identifiers(openreview=forum) if re.fullmatch(r"[\w-]{5,}", forum) else None
    found = identifiers_from(text)
    if found.pairs():
        return found
    if _OPENREVIEW_ALONE.fullmatch(text) and any(c.isdigit() for c in text):
        return Identifiers(openreview=text)
    query = parse_qs(urlsplit(text).query) if "?" in text else {}
    return Identifiers(openreview=query["id"][0]) if query.get("id") else None


_MARKS: Final = re.compile("[\u0300-\u036f]")
_NOT_LETTERS: Final = re.compile(r"[\W_]+")
_TO_BLANKS: Final = bytes(c if chr(c).isalnum() and c < 128 else 32 for c in range(256))
_SIGNS: Final = bytes(c for c in range(128) if not chr(c).isalnum())
_WORD: Final = re.compile(r"[^\W_]+")


def _folded(text: str) -> str:
    """The text without case and accents."""
    if text.isascii():
        return text.lower()
    return _MARKS.sub("", unicodedata.normalize("NFKD", text.casefold()))


def _letters(text: str) -> str:
    """Letters and digits alone, without case and accents."""
    if text.isascii():
        return text.lower().encode("ascii").translate(None, _SIGNS).decode("ascii")
    most = _folded(text).encode("utf-8", "surrogatepass").translate(None, _SIGNS)
    letters = most.decode("utf-8", "surrogatepass")
    return letters if letters.isalnum() else _NOT_LETTERS.sub("", letters)


def _words(text: str) -> list[bytes]:
    """The words of a plain text without accents and case; hyphens and apostrophes join."""
    folded = _folded(text).replace("- ", "").replace("-", "").replace("'", "")
    plain = folded.encode("ascii", "ignore")
    if len(plain) > len(folded) // 2:
        # Symbols beyond ASCII differ between sources; the words around them are enough.
        return plain.translate(_TO_BLANKS).split()
    return [w.encode() for w in _WORD.findall(folded)]


def abstract_fingerprint(text: str) -> str:
    """Equal for the same abstract in whatever typography, 32 hexadecimal digits.

    Case, accents, blanks, punctuation, hyphenation, TeX and HTML make no difference. Empty for a
    text without letters.
    """
    letters = _letters(to_plain(text))
    return hashlib.blake2b(letters.encode(), digest_size=16).hexdigest() if letters else ""


SHINGLE_WORDS: Final = 3
BANDS: Final = 16
_ROWS: Final = 4
_BINS: Final = BANDS * _ROWS
_FEWEST_RUNS: Final = 6
_BAND_SEEDS: Final = np.uint64(0xCBF29CE484222325) + np.arange(BANDS, dtype=np.uint64)
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_MOST_WORDS: Final = 1 << 17


class _Checksums(dict[bytes, int]):
    """The checksums of words met so far; forgotten all at once when they are too many."""

    def __missing__(self, word: bytes) -> int:
        if len(self) > _MOST_WORDS:
            self.clear()
        checksum = self[word] = zlib.crc32(word)
        return checksum


_checksums: Final = _Checksums()


def shingles(text: str) -> NDArray[np.uint64]:
    """The hashes of all runs of three words of a text, sorted, each once; shape (n,)."""
    words = _words(to_plain(text))
    if not words:
        return np.empty(0, dtype=np.uint64)
    words += [b""] * (SHINGLE_WORDS - len(words))
    return np.unique(_runs(words))


def _runs(words: list[bytes]) -> NDArray[np.uint64]:
    """The hash of every run of three words, in order; shape (len(words) - 2,)."""
    codes = np.fromiter(map(_checksums.__getitem__, words), np.uint64, len(words)) * _GOLDEN
    mixed = (
        codes[:-2] * np.uint64(0xBF58476D1CE4E5B9)
        + codes[1:-1] * np.uint64(0x94D049BB133111EB)
        + codes[2:]
    )
    mixed ^= mixed >> np.uint64(29)
    mixed *= _GOLDEN
    mixed ^= mixed >> np.uint64(32)
    return mixed


def near_duplicate_bands(text: str) -> tuple[int, ...]:
    """Sixteen signed 64-bit keys; two abstracts that are nearly the same share at least one.

    One-permutation MinHash (Li, Owen and Zhang 2012) over runs of three words, empty bins filled
    from the next (Shrivastava and Li 2014), in 16 bands of 4 rows: of two texts whose runs agree
    to 0.8 all but about 1 pair in 4,000 share a key, at 0.5 two in three do, at 0.2 one in forty.
    Confirm a pair with `similarity`. Empty for a text of fewer than eight words, which many
    papers share ("Withdrawn").
    """
    return bands_of([to_plain(text)])[0]


def bands_of(plain_texts: Sequence[str]) -> list[tuple[int, ...]]:
    """`near_duplicate_bands` of many texts that are plain already (`to_plain`), in order."""
    found: list[tuple[int, ...]] = [()] * len(plain_texts)
    words: list[bytes] = []
    lengths: list[int] = []
    places: list[int] = []
    for place, text in enumerate(plain_texts):
        own = _words(text)
        if len(own) >= _FEWEST_RUNS + SHINGLE_WORDS - 1:
            words += own
            lengths.append(len(own))
            places.append(place)
    if not places:
        return found
    owners = np.repeat(np.arange(len(places)), lengths)[:-2]
    ends = np.cumsum(lengths)
    within = np.ones(len(words), np.bool_)  # a run must not reach into the next text
    within[ends - 1] = within[ends - 2] = False
    runs, owners = _runs(words)[within[:-2]], owners[within[:-2]]
    keys = _band_keys(_minima(runs, owners, len(places)))
    for place, own_keys in zip(places, keys.tolist(), strict=True):
        found[place] = tuple(own_keys)
    return found


def _minima(runs: NDArray[np.uint64], owners: NDArray[np.int64], count: int) -> NDArray[np.uint64]:
    """The least run of each of the bins of each text; shape (count, _BINS).

    The bin of a run is its top six bits; an empty bin takes that of the next one that has any,
    and the last ones go on from the first.
    """
    slots = owners * _BINS + (runs >> np.uint64(58)).astype(np.int64)
    least = np.full(count * _BINS, np.iinfo(np.uint64).max, np.uint64)
    np.minimum.at(least, slots, runs)
    filled = (np.bincount(slots, minlength=count * _BINS) > 0).reshape(count, _BINS)
    following = np.where(filled, np.arange(_BINS), _BINS)
    following = np.minimum.accumulate(following[:, ::-1], axis=1)[:, ::-1]
    first = filled.argmax(axis=1)[:, None]
    following = np.where(following == _BINS, first, following)
    return np.take_along_axis(least.reshape(count, _BINS), following, axis=1)


def _band_keys(minima: NDArray[np.uint64]) -> NDArray[np.int64]:
    rows = minima.reshape(-1, BANDS, _ROWS)
    keys = np.broadcast_to(_BAND_SEEDS, rows.shape[:2])
    for row in range(_ROWS):
        keys = (keys ^ rows[:, :, row]) * _GOLDEN
        keys = keys ^ (keys >> np.uint64(31))
    return keys.view(np.int64)


def similarity(first: str, second: str) -> float:
    """How many of the runs of three words two texts share, 0 to 1 (Jaccard)."""
    a, b = shingles(first), shingles(second)
    if not len(a) or not len(b):
        return 0.0
    shared = len(np.intersect1d(a, b, assume_unique=True))
    return shared / (len(a) + len(b) - shared)


def title_key(title: str) -> str:
    """Equal for the same title in whatever typography; numbers and parts still tell apart."""
    return _letters(to_plain(title).rstrip(".* "))


_TITLE_WORD: Final = re.compile(r"[^\W_]+")
_PART: Final = re.compile(r"\d+|[ivx]{1,4}")


def titles_alike(one: str, other: str) -> bool:
    """Whether two titles can be one that was edited: it goes on, or most words are the same.

    Numbers tell apart: "Part I" and "Part II" are not alike.
    """
    keys = sorted((title_key(one), title_key(other)), key=len)
    if keys[0] == keys[1]:
        return True
    first, second = ({*_TITLE_WORD.findall(_folded(to_plain(t)))} for t in (one, other))
    if any(_PART.fullmatch(word) for word in first ^ second):
        return False
    begins = bool(keys[0]) and keys[1].startswith(keys[0])
    return begins or 2 * len(first & second) > len(first | second)


def author_key(name: str) -> str:
    """Family name and first initial, as `muller-j`, the same for every way to write a name.

    "Müller, Jan", "Jan Müller", "J. Müller" and `M\\"uller, J.` agree. Empty without letters.
    """
    plain = re.sub(r"\([^)]*\)", " ", to_plain(name))
    family, comma, given = plain.partition(",")
    if not comma:
        parts = [p for p in plain.split() if _letters(p) not in _SUFFIXES]
        family, given = (parts[-1], parts[0] if len(parts) > 1 else "") if parts else ("", "")
    else:
        family_parts = [p for p in family.split() if _letters(p) not in _SUFFIXES]
        family = family_parts[-1] if family_parts else ""
    key, initial = _letters(family), _letters(given)[:1]
    return f"{key}-{initial}" if key and initial else key


def name_key(name: str) -> tuple[str, ...]:
    """The words of a name in whatever order: "Jan Müller" and "Muller Jan" agree."""
    parts = (_letters(part) for part in re.split(r"[\s,.]+", to_plain(name)))
    return tuple(sorted(part for part in parts if part and part not in _SUFFIXES))


_SUFFIXES: Final = frozenset({"jr", "sr", "ii", "iii", "iv", "phd", "md"})


def first_author_key(authors: Iterable[str]) -> str:
    """`author_key` of the first author, or empty."""
    return next((author_key(name) for name in authors), "")
