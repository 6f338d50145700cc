"""How numbers are packed in a segment: posting lists, term frequencies, word streams.

A posting list takes whichever of five kinds is smallest: a bitmap; gaps of half a byte, of one or
of two bytes, where the largest value means "so far, and further"; or plain document numbers. Of
each posting one bit tells whether its frequency code is 0, which four of five are, and only other
codes follow, in half a byte. All of it is read with a handful of NumPy calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from data.index.arrays import runs

if TYPE_CHECKING:
    from data.index.arrays import AnyArray, Bytes, Floats, Int64s

TITLE_WEIGHT: Final = 3.0
"""How often a word of the title counts, beside once for each time in the abstract."""
NO_TERM: Final = 0xFFFFFFFF
"""Stands for the term of a word that has none."""

BITMAP: Final = 0
BYTE_GAPS: Final = 1
SHORT_GAPS: Final = 2
HALF_GAPS: Final = 3
PLAIN: Final = 4

_HALF: Final = 15
_LEADS: Final = 192
_CONTINUATIONS: Final = 256 - _LEADS
_SCANNED: Final = 1 << 17
"""Bytes looked through at a time: what they are compared with stays in the processor's cache."""

_BODY_ALONE: Final = tuple((0, times) for times in range(1, 9))
_WITH_TITLE: Final = (*((1, times) for times in range(6)), (2, 1), (2, 4))
FREQUENCY_CODES: Final = (*_BODY_ALONE, *_WITH_TITLE)
"""(times in the title, times elsewhere) for each of the sixteen frequency codes."""

TITLE_CODE: Final = len(_BODY_ALONE)
"""Codes from here on have the word in the title."""

IN_BODY: Final = np.array([body > 0 for _, body in FREQUENCY_CODES], np.bool_)


class PackedPostings(NamedTuple):
    """The posting lists of a segment: list t has the bytes up to ends[t], and firsts[t + 1] -
    firsts[t] papers."""

    kinds: Bytes
    ends: Int64s
    gaps: Bytes
    firsts: Int64s
    marks: Bytes
    """A bit for each posting, set where its code is not 0."""
    codes: Bytes
    """The other codes, two in a byte."""
    ranks: Int64s
    """How many marks there are before every 64th posting."""


def frequency_codes(titles: AnyArray, bodies: AnyArray) -> Bytes:
    """Packs term frequencies into codes; rare high ones are rounded (they are saturated anyway)."""
    return _CODE_OF[np.minimum(titles, 2), np.minimum(bodies, len(_BODY_ALONE))]


def _code_of(title: int, body: int) -> int:
    if title == 0:
        return max(body, 1) - 1
    if title == 1:
        return TITLE_CODE + min(body, 5)
    return TITLE_CODE + (6 if body < 2 else 7)


_CODE_OF: Final = np.array(
    [[_code_of(title, body) for body in range(len(_BODY_ALONE) + 1)] for title in range(3)],
    np.uint8,
)


def frequencies(title_weight: float) -> Floats:
    """What each frequency code counts for, with the title's words weighted."""
    return np.array([title_weight * t + b for t, b in FREQUENCY_CODES], np.float32)


def pack_sizes(sizes: AnyArray) -> tuple[Bytes, AnyArray, AnyArray]:
    """Sizes that are mostly small, one byte each; which ones are not, and what those are."""
    large = np.flatnonzero(sizes >= 255)
    return np.minimum(sizes, 255).astype(np.uint8), narrow(large), narrow(sizes[large])


def unpack_sizes(small: AnyArray, places: AnyArray, large: AnyArray) -> Int64s:
    """What `pack_sizes` packed."""
    sizes = small.astype(np.int64)
    sizes[places] = large
    return sizes


def narrow(values: AnyArray) -> AnyArray:
    """Non-negative whole numbers in the smallest unsigned type that holds them."""
    most = int(values.max()) if len(values) else 0
    for kind in (np.uint8, np.uint16, np.uint32):
        if most <= np.iinfo(kind).max:
            return values.astype(kind)
    return values.astype(np.uint64)


def pack_postings(counts: Int64s, docs: Int64s, codes: Bytes, papers: int) -> PackedPostings:
    """Packs posting lists that lie one after the other, `counts` says how long each is."""
    firsts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    starts = firsts[:-1]
    gaps = np.diff(docs, prepend=0)
    gaps[starts] = docs[starts]
    sizes = np.stack(
        [
            np.full(len(counts), (papers + 7) // 8),
            counts + _summed(gaps // 255, starts),
            2 * (counts + _summed(gaps // 65535, starts)),
            4 * counts,
            (counts + _summed(gaps // _HALF, starts) + 1) // 2,
        ]
    )
    chosen = np.argmin(sizes, axis=0)
    kinds = np.array([BITMAP, BYTE_GAPS, SHORT_GAPS, PLAIN, HALF_GAPS], np.uint8)[chosen]
    size = sizes[chosen, np.arange(len(counts))]
    ends = np.cumsum(size)
    begins = ends - size
    packed = np.full(int(ends[-1]) if len(ends) else 0, 255, np.uint8)
    kind_of = np.repeat(kinds, counts)
    for kind, width, skip in ((BYTE_GAPS, 1, 255), (SHORT_GAPS, 2, 65535)):
        mine = kind_of == kind
        if not mine.any():
            continue
        steps = gaps[mine]
        until = np.cumsum(steps // skip + 1)
        list_begins = np.repeat(begins, counts)[mine]
        within = counts[kinds == kind]
        before = np.concatenate([np.zeros(1, np.int64), until])[
            np.concatenate([np.zeros(1, np.int64), np.cumsum(within)])[:-1]
        ]
        places = list_begins + width * (until - 1 - np.repeat(before, within))
        rest = steps % skip
        packed[places] = rest & 255
        if width == 2:
            packed[places + 1] = rest >> 8
    mine = kind_of == PLAIN
    if mine.any():
        order = np.arange(len(docs)) - np.repeat(starts, counts)
        places = np.repeat(begins, counts)[mine] + 4 * order[mine]
        for byte in range(4):
            packed[places + byte] = (docs[mine] >> (8 * byte)) & 255
    for at in np.flatnonzero(kinds == BITMAP).tolist():
        bits = np.zeros(papers, np.bool_)
        bits[docs[firsts[at] : firsts[at + 1]]] = True
        packed[begins[at] : ends[at]] = np.packbits(bits, bitorder="little")
    for at in np.flatnonzero(kinds == HALF_GAPS).tolist():
        steps = gaps[firsts[at] : firsts[at + 1]]
        halves = np.full(2 * size[at], _HALF, np.uint8)
        halves[np.cumsum(steps // _HALF + 1) - 1] = steps % _HALF
        packed[begins[at] : ends[at]] = _nibbles(halves)
    marked = codes > 0
    marks = np.packbits(marked, bitorder="little")
    return PackedPostings(
        kinds, ends, packed, firsts, marks, _nibbles(codes[marked]), ranks_of(marks)
    )


def ranks_of(marks: Bytes) -> Int64s:
    """How many bits are set before every 64th."""
    whole = len(marks) // 8
    counts = np.bitwise_count(np.frombuffer(marks, np.uint64, whole))
    ranks = np.zeros(whole + 1, np.int64)
    np.cumsum(counts, out=ranks[1:])
    return ranks


def _summed(values: Int64s, starts: Int64s) -> Int64s:
    return np.add.reduceat(values, starts) if len(starts) else values


def _nibbles(codes: Bytes) -> Bytes:
    padded = codes if len(codes) % 2 == 0 else np.append(codes, np.uint8(0))
    return (padded[0::2] | (padded[1::2] << 4)).astype(np.uint8)


def unpack_docs(packed: PackedPostings, at: int, papers: int) -> Int64s:
    """The document numbers of list `at`, ascending."""
    begin = int(packed.ends[at - 1]) if at else 0
    piece = packed.gaps[begin : int(packed.ends[at])]
    kind = int(packed.kinds[at])
    if kind == BITMAP:
        bits = np.unpackbits(piece, count=papers, bitorder="little")
        return bits.view(np.bool_).nonzero()[0]  # several times as quick as that of numbers
    if kind == PLAIN:
        return np.frombuffer(piece.tobytes(), np.uint32).astype(np.int64)
    skip = 255
    if kind == HALF_GAPS:
        piece, skip = _halves(piece), _HALF
    if kind == SHORT_GAPS:
        piece = np.frombuffer(piece.tobytes(), np.uint16)
        skip = 65535
    docs = piece.cumsum(dtype=np.int64)
    last = piece == skip
    return docs[~last] if last.any() else docs


def unpack_all(packed: PackedPostings, papers: int) -> tuple[Int64s, Bytes]:
    """The document numbers and frequency codes of all lists, one list after the other."""
    counts = np.diff(packed.firsts)
    sizes = np.diff(packed.ends, prepend=0)
    docs = np.empty(int(counts.sum()), np.int64)
    for kind, width, skip in ((BYTE_GAPS, 1, 255), (SHORT_GAPS, 2, 65535), (PLAIN, 4, -1)):
        mine = packed.kinds == kind
        if not mine.any():
            continue
        piece = packed.gaps[np.repeat(mine, sizes)]
        values = np.frombuffer(piece.tobytes(), f"<u{width}").astype(np.int64)
        if kind != PLAIN:
            sums = np.cumsum(values)
            lengths = sizes[mine] // width
            starts = np.cumsum(lengths) - lengths
            values, gaps = sums - np.repeat(sums[starts] - values[starts], lengths), values
            values = values[gaps != skip]
        docs[np.repeat(mine, counts)] = values
    for at in np.flatnonzero((packed.kinds == BITMAP) | (packed.kinds == HALF_GAPS)).tolist():
        docs[packed.firsts[at] : packed.firsts[at + 1]] = unpack_docs(packed, at, papers)
    codes = np.unpackbits(packed.marks, count=len(docs), bitorder="little")
    places = codes.view(np.bool_).nonzero()[0]
    codes[places] = _halves(packed.codes)[: len(places)]
    return docs, codes


def unpack_codes(packed: PackedPostings, at: int) -> Bytes:
    """The frequency codes of list `at`, one for each document number."""
    first, end = int(packed.firsts[at]), int(packed.firsts[at + 1])
    # From the 64th posting on, as many marks before which are known.
    begin = first & ~63
    codes = np.unpackbits(
        packed.marks[begin >> 3 : (end + 7) >> 3], count=end - begin, bitorder="little"
    )
    marked = codes.view(np.bool_)
    rank = int(packed.ranks[begin >> 6]) + int(np.count_nonzero(marked[: first - begin]))
    codes = codes[first - begin :]
    places = marked[first - begin :].nonzero()[0]
    if len(places):
        halves = _halves(packed.codes[rank >> 1 : (rank + len(places) + 1) >> 1])
        codes[places] = halves[rank & 1 : (rank & 1) + len(places)]
    return codes


def _halves(pairs: Bytes) -> Bytes:
    halves = np.empty(2 * len(pairs), np.uint8)
    halves[0::2] = pairs & 15
    halves[1::2] = pairs >> 4
    return halves


def pack_stream(numbers: Int64s) -> tuple[Bytes, Int64s]:
    """Packs word numbers, frequent ones small, into bytes that can be searched as they are.

    A word is one byte below 192 and then up to three bytes from 192 on, so that a packed phrase is
    found by comparing bytes. Returns the bytes and how many each number took.
    """
    sizes = np.ones(len(numbers), np.int64)
    rest = numbers.astype(np.int64)
    low = np.zeros(len(numbers), np.int64)
    span = _LEADS
    for _ in range(3):
        more = numbers - low >= span
        sizes += more
        low = np.where(more, low + span, low)
        span *= _CONTINUATIONS
    rest = numbers - low
    ends = np.cumsum(sizes)
    packed = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    for back in range(3):
        there = sizes > back + 1
        packed[(ends - 1 - back)[there]] = _LEADS + rest[there] % _CONTINUATIONS
        rest = np.where(there, rest // _CONTINUATIONS, rest)
    packed[ends - sizes] = rest
    return packed, sizes


_OFFSETS: Final = tuple(
    sum(_LEADS * _CONTINUATIONS**size for size in range(more)) for more in range(4)
)
"""The first number of one, two, three and four bytes."""


def pack_word(number: int) -> bytes:
    """What `pack_stream` makes of one word."""
    size = next(size for size in (3, 2, 1, 0) if number >= _OFFSETS[size])
    rest = number - _OFFSETS[size]
    packed = bytearray()
    for _ in range(size):
        packed.append(_LEADS + rest % _CONTINUATIONS)
        rest //= _CONTINUATIONS
    packed.append(rest)
    packed.reverse()
    return bytes(packed)


def pack_texts(words: Int64s, most: int) -> tuple[Bytes, Bytes]:
    """What `pack_stream` makes of many words, none of them above `most`."""
    packed, sizes = pack_stream(np.arange(most + 1))
    starts = (np.cumsum(sizes) - sizes).astype(np.int32)
    counts = sizes.astype(np.uint8)[words]
    return packed[runs(starts[words], counts)], counts


def unpack_stream(packed: Bytes) -> tuple[Int64s, Int64s]:
    """The word numbers of packed bytes, and at which byte each begins."""
    begins = (packed < _LEADS).nonzero()[0]
    numbers = packed.take(begins).astype(np.int64)
    sizes = np.empty_like(begins)
    np.subtract(begins[1:], begins[:-1], out=sizes[:-1])
    sizes[-1:] = len(packed) - begins[-1:]
    longer = (sizes > 1).nonzero()[0]
    values, places, left = numbers.take(longer), begins.take(longer), sizes.take(longer)
    for more in range(1, 4):
        if not len(longer):
            break
        values = (values << 6) + packed.take(places + more) - _LEADS
        numbers[longer] = values + _OFFSETS[more]
        on = (left > more + 1).nonzero()[0]
        longer, values, places, left = longer[on], values[on], places[on], left[on]
    return numbers, begins


def places_in(stream: Bytes, phrase: bytes) -> Int64s:
    """Where packed words stand one after the other in a stream; what comes next begins a word."""
    size = len(phrase)
    found: list[Int64s] = []
    for begin in range(0, len(stream) - size + 1, _SCANNED):
        piece = stream[begin : begin + _SCANNED + size - 1]
        count = len(piece) - size + 1
        fits = piece[:count] == phrase[0]
        if size > 1:
            fits &= piece[1 : count + 1] == phrase[1]
        places = fits.nonzero()[0]
        for at in range(2, size):
            places = places[piece[places + at] == phrase[at]]
        found.append(places + begin)
    places = np.concatenate(found) if found else np.zeros(0, np.int64)
    after = np.minimum(places + size, len(stream) - 1)
    return places[(stream[after] < _LEADS) | (places + size == len(stream))]
