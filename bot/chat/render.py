"""Text for Discord: the one place where strings are escaped and cut to Discord's limits.

Whatever a listing, a member or an exception wrote is data. It leaves here as text that Discord
shows as it was written: no Markdown, no mention and no hidden character of its own takes effect.
Lengths are counted in UTF-16 units, which never counts less than Discord does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date, datetime

    from data.records import TagJudgement

VIEW_CHARACTERS: Final = 4000
VIEW_COMPONENTS: Final = 40
CUSTOM_ID: Final = 100
BUTTON_LABEL: Final = 80
OPTION_LABEL: Final = 100
OPTIONS: Final = 25
CHOICE_NAME: Final = 100
LINK_ADDRESS: Final = 512

ELLIPSIS: Final = "…"
DOT: Final = " · "

# Control characters break lines or the encoder; direction marks and zero-width characters hide
# what a text really says; lone surrogates can't be encoded at all.
_UNSHOWN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff]"
)
_BLANKS: Final = re.compile(r"\s+")
_ADDRESS: Final = re.compile(r"https?://[^\s<>\\`|]*[^\s<>\\`|*_~.,:;\"')\]]")
_SPECIAL: Final = re.compile(r"[\\*_~`|\[\]<>]")
_LINE_START: Final = re.compile(r"^(?:[#\-+]|\d+(?=[.)]))")
_EVERYONE: Final = re.compile(r"@(?=everyone|here)")
_NO_BREAK: Final = "\u2060"


def size(text: str) -> int:
    """The length of a text as Discord's strictest client counts it, in UTF-16 units."""
    return len(text) + sum(character > "\uffff" for character in text)


def clean(text: str) -> str:
    """The text on one line, without characters that are invisible or change what is seen."""
    return _BLANKS.sub(" ", _UNSHOWN.sub("", text)).strip()


def cut(text: str, limit: int) -> str:
    """The cleaned text in at most `limit` characters, cut at a word, with an ellipsis if cut."""
    whole = clean(text)
    if size(whole) <= limit:
        return whole
    kept = whole[: max(limit - 1, 0)]
    while kept and size(kept) > limit - 1:
        kept = kept[:-1]
    between_words = whole[len(kept)].isspace()
    at_word = kept if between_words else kept.rsplit(" ", 1)[0]
    # A text without blanks near its end (a formula, an address) is cut where it has to be.
    if len(at_word) >= len(kept) * 2 // 3:
        kept = at_word
    return kept.rstrip(" .,;:–-") + ELLIPSIS if limit > 0 else ""


def escape(text: str) -> str:
    """The text with its Markdown and mentions disarmed; addresses in it stay addresses."""
    cleaned = _EVERYONE.sub("@" + _NO_BREAK, clean(text))
    pieces: list[str] = []
    at = 0
    for address in _ADDRESS.finditer(cleaned):
        pieces += [_SPECIAL.sub(r"\\\g<0>", cleaned[at : address.start()]), address[0]]
        at = address.end()
    pieces.append(_SPECIAL.sub(r"\\\g<0>", cleaned[at:]))
    return _LINE_START.sub(_disarm_line_start, "".join(pieces))


def _disarm_line_start(found: re.Match[str]) -> str:
    return found[0] + _NO_BREAK if found[0].isdigit() else "\\" + found[0]


def shown(text: str, limit: int) -> str:
    """The text escaped and cut, so that the result has at most `limit` characters."""
    allowed = limit
    while True:
        escaped = escape(cut(text, allowed))
        surplus = size(escaped) - limit
        if surplus <= 0:
            return escaped
        # Each character grows to at most two, so half of the surplus always has to go.
        allowed -= (surplus + 1) // 2


def address(url: str | None, limit: int = LINK_ADDRESS) -> str | None:
    """A web address that can stand in a Markdown link or a link button, or None."""
    if not url:
        return None
    cleaned = _UNSHOWN.sub("", url).strip()
    try:
        parts = urlsplit(cleaned)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return None
    quoted = quote(cleaned, safe=";/?:@&=+$,#%!~*'._-")
    return quoted if usable and size(quoted) <= limit else None


def linked(
    text: str, url: str | None, *, limit: int, url_limit: int = 160, slanted: bool = False
) -> str:
    """The text in bold, as a link where there is an address of at most `url_limit` characters.

    `limit` holds for the text alone; `slanted` puts it in italics.
    """
    target = address(url, url_limit)
    # Discord takes an address in a label for a link of its own, and shows the rest as raw text.
    label = shown(text.replace("://", ": //"), limit) or "untitled"
    label = f"*{label}*" if slanted else label
    return f"**[{label}]({target})**" if target else f"**{label}**"


def small(*parts: str) -> str:
    """One line of small print from the parts that are there; the parts are escaped already."""
    return "-# " + DOT.join(part for part in parts if part)


def people(names: Sequence[str], *, most: int = 3, limit: int = 80) -> str:
    """Names for one line, escaped: family names where there are several, then how many more."""
    if not names:
        return ""
    if len(names) == 1:
        return shown(names[0], limit)
    families = [family_name(name) for name in names[:most]]
    more = f" +{len(names) - most}" if len(names) > most else ""
    return shown(", ".join(families), limit - len(more)) + more


def family_name(name: str) -> str:
    """The name by which a person is cited: the last word, with its particles."""
    words = clean(name).split(" ")
    start = len(words) - 1
    while start > 1 and words[start - 1].islower():
        start -= 1
    return " ".join(words[start:])


def listed(names: Iterable[str], *, limit: int) -> str:
    """Names one after the other, escaped; as many as fit, then how many more."""
    every = [name for name in map(clean, names) if name]
    line, count = "", 0
    for name in every:
        rest = len(every) - count - 1
        longer = f"{line}, {escape(name)}" if line else escape(name)
        if size(longer) + (len(f" and {rest} more") if rest else 0) > limit:
            break
        line, count = longer, count + 1
    if count == len(every):
        return line
    return f"{line} and {len(every) - count} more" if line else shown(every[0], limit)


def percent(probability: float) -> str:
    """A probability as a whole percentage that never claims certainty."""
    rounded = round(probability * 100)
    return "<1%" if rounded < 1 else ">99%" if rounded > 99 else f"{rounded}%"


def chip(judgement: TagJudgement | None, corrected: str | None = None) -> str:
    """The tag as a chip with its probability; *unsure* with its two best; corrections as such."""
    if corrected:
        return f"`{corrected} ✓`"
    if judgement is None:
        return "`not tagged yet`"
    best = sorted(judgement.probabilities.items(), key=lambda pair: -pair[1])
    if judgement.tag == "unsure":
        return "`unsure` " + ", ".join(f"{name} {percent(value)}" for name, value in best[:2])
    first = f"`{judgement.tag} {percent(judgement.probabilities[judgement.tag])}`"
    return f"{first} `{judgement.secondary}`" if judgement.secondary else first


def emphasised(text: str, spans: Iterable[tuple[int, int]], limit: int) -> str:
    """A passage, escaped, with the (start, end) pieces of it in bold, in at most `limit`."""
    line, at = "", 0
    for start, end in (*spans, (len(text), len(text))):
        for piece, matches in ((text[at:start], False), (text[start:end], True)):
            room = limit - size(line) - 6
            plain = clean(piece)
            before = " " if piece[:1].isspace() and line else ""
            after = " " if piece[-1:].isspace() and plain else ""
            if plain and room < 8:
                return line.rstrip() + ELLIPSIS
            inside = shown(plain, room)
            line += before + (f"**{inside}**" if matches and inside else inside) + after
            if plain and inside.endswith(ELLIPSIS) and not plain.endswith(ELLIPSIS):
                return line.strip()
        at = end
    return line.strip()


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: "1 paper", "1,204 papers"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def day(moment: date) -> str:
    """A day as people write it: "2 June 2026"."""
    return f"{moment.day} {moment:%B %Y}"


def ago(moment: datetime, now: datetime) -> str:
    """How long ago something was, roughly: "today", "9 days"."""
    days = (now.date() - moment.date()).days
    return "today" if days <= 0 else count(days, "day")
