"""The one place that makes text from listings plain.

Listings carry TeX, HTML, Markdown and the scars of PDF extraction. What leaves here is text in
NFC on one line, as a person would read it aloud.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Final, cast

from data.tex import tex_to_text
from data.words import word_set

# Zero-width characters, the soft hyphen, direction marks and lone surrogates: invisible, and each
# of them makes two equal titles different or breaks the encoder.
_INVISIBLE: Final = re.compile(
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
# UTF-8 that some tool took for Latin-1 on its way: "RamÃ­rez" for "Ramírez".
_MISREAD: Final = re.compile("[\u00c2-\u00c5][\u0080-\u00bf]|\u00e2\u0080[\u0080-\u00bf]")
_LIGATURES: Final = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
)
_LIGATURE: Final = re.compile("[ﬀ-ﬆ]")
_TAG: Final = re.compile(
    r"</?(?:jats:|mml:|m:)?(?:em|i|b|strong|sub|sup|p|br|span|a|div|tt|code|u|s|small|big|font|"
    r"italic|bold|sc|title|sec|h[1-6]|ul|ol|li|inline-formula|tex-math|math|mrow|mi|mo|mn|msub|"
    r"msup|mtext|semantics|annotation|blockquote|pre|img|fixed-case)(?:\s[^<>]{0,300})?/?>",
    re.IGNORECASE,
)
_RAISED: Final = re.compile(r"<(sup|sub)>([^<>]{1,40})</\1>", re.IGNORECASE)
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_STRONG: Final = re.compile(r"(?<![\w*])\*\*(?=\S)([^*]{1,300}?)(?<=\S)\*\*(?!\*)")
_EMPHASIS: Final = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]{1,300}?)(?<=[^\s*])\*(?![\w*])")
_UNDERLINED: Final = re.compile(r"(?<![\w_])(__?)(?=[^\s_])([^_]{1,200}?)(?<=[^\s_])\1(?![\w_])")
_TICKS: Final = re.compile(r"(?<!`)`(?=[^\s`])([^`']{1,80})`(?!`)")
_TEX_QUOTED: Final = re.compile(r"``|''")
_SINGLE_QUOTED: Final = re.compile(r"(?<![\w`])`(?=[^\s`])([^`']{1,80})'(?!\w)")
_BROKEN_WORD: Final = re.compile(r"(?<![\w-])((?:\w+-)*)(\w+)- (\w+)((?:-\w+)*)")
_COMPOUND_TAILS: Final = word_set(
    "oriented based aware free level wise driven specific world like agnostic invariant "
    "dependent independent guided efficient preserving scale scaled order dimensional time "
    "term tuning tuned trained training supervised shot modal task agent step art source end "
    "quality off box layer rank play making"
)
_COMPOUND_HEADS: Final = word_set(
    "self non well state cross long short high low large small real fine zero few one two three "
    "open closed black human data model"
)
_SUSPENDED: Final = word_set("and or to und oder et versus vs through as but nor than")


def to_plain(text: str) -> str:
    """The text without TeX, HTML, Markdown emphasis and control characters, on one line, in NFC.

    Mathematics becomes Unicode where Unicode has it. Never raises, whatever comes in.
    """
    settled = text.isprintable()  # then " " is its only kind of blank
    if settled and "  " not in text:
        text = text.strip(" ")
    else:
        text = " ".join(text.split())
        settled = settled or text.isprintable()
    if not text.isascii():
        reread = _MISREAD.sub(_reread, text)
        settled = settled and reread == text
        text = _clean_characters(reread)
    elif not settled:
        text = _clean_characters(text)
    start = text
    if "&" in text:
        text = _ENTITY.sub(lambda m: html.unescape(m[0]), text)
        if "&" in text:  # feeds escape what was already escaped
            text = _ENTITY.sub(lambda m: html.unescape(m[0]), text)
        text = _clean_characters(text)
    if "<" in text:
        text = _RAISED.sub(_raise, text)
        text = _TAG.sub(_separated, text)
    if "`" in text or "''" in text:
        text = _TEX_QUOTED.sub('"', text)
        text = _SINGLE_QUOTED.sub(r"'\1'", text)
        text = _TICKS.sub(r"\1", text)
    text = tex_to_text(text)
    if "*" in text:
        text = _EMPHASIS.sub(r"\1", _STRONG.sub(r"\1", text))
    if "_" in text:
        text = _UNDERLINED.sub(r"\2", text)
    if "--" in text:
        text = _LONG_DASH.sub("—", text)
        text = _DASH.sub("–", text)
    if settled and text is start:  # nothing was found, as in most texts
        return text
    return _one_line(text if text.isascii() else unicodedata.normalize("NFC", text))


def _one_line(text: str) -> str:
    if "  " not in text and text.isprintable():  # then " " is its only kind of blank
        return text.strip(" ")
    return " ".join(text.split())


_LONG_DASH: Final = re.compile(r"(?<!-)---(?!-)")
_DASH: Final = re.compile(r"(?<=[\w)\]\"'])--(?=[\w(\[\"'])(?!\S{0,80}/)|(?<=\s)--(?=\s)")


def _reread(match: re.Match[str]) -> str:
    return match[0].encode("latin-1").decode("utf-8", "replace")


def _clean_characters(text: str) -> str:
    if not text.isprintable():
        text = _CONTROL.sub(" ", _INVISIBLE.sub("", text))
    if text.isascii():
        return text
    if _LIGATURE.search(text):
        text = text.translate(_LIGATURES)
    return unicodedata.normalize("NFC", text)


def _raise(match: re.Match[str]) -> str:
    sign = "^" if match[1].lower() == "sup" else "_"
    return tex_to_text(f"${sign}{{{match[2]}}}$")


def _separated(match: re.Match[str]) -> str:
    """A tag that ends a block leaves a blank, one inside a line leaves nothing."""
    name = match[0].strip("</> ").split()[0].lower() if match[0].strip("</> ") else ""
    return " " if name.rsplit(":", 1)[-1] in _BLOCK_TAGS else ""


_BLOCK_TAGS: Final = word_set("p br div li ul ol title sec h1 h2 h3 h4 h5 h6 blockquote pre")


def plain_lines(text: str) -> list[str]:
    """The text's lines without control characters, each with its blanks made single."""
    text = _INVISIBLE.sub("", text).translate(_LIGATURES)
    cleaned = [_one_line(_CONTROL.sub(" ", line)) for line in _LINES.split(text)]
    return [unicodedata.normalize("NFC", line) for line in cleaned]


_LINES: Final = re.compile(r"\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")


def repair_hyphenation(text: str, vocabulary: frozenset[str] = frozenset()) -> str:
    """Joins words that PDF extraction left as "wit- nessed".

    `vocabulary` holds lower-case words of the same document: a form found there decides whether
    the hyphen stays ("recurrence- oriented"). "short- and long-term" is left as it is.
    """
    if "- " not in text:
        return text

    def join(match: re.Match[str]) -> str:
        head, left, right, tail = (cast("str", match[n]) for n in range(1, 5))
        if right.lower() in _SUSPENDED:
            return match[0]
        whole = (left + right).lower()
        dashed = f"{left}-{right}".lower()
        keep = bool(head) or not right[0].islower() or not left[-1].islower()
        if not keep and whole not in vocabulary:
            keep = (
                dashed in vocabulary
                or (right.lower() in _COMPOUND_TAILS and len(left) > 3)  # "mid-" and "pre-" join
                or left.lower() in _COMPOUND_HEADS
            )
        return f"{head}{left}{'-' if keep else ''}{right}{tail}"

    return _BROKEN_WORD.sub(join, text)


_WORDS: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def vocabulary_of(text: str) -> frozenset[str]:
    """The lower-case words of a document, hyphenated ones whole and in parts."""
    found: set[str] = set()
    for match in _WORDS.finditer(text.lower()):
        if text[match.end() : match.end() + 2] != "- ":
            found.add(match[0])
    return frozenset(found)


def ends_like_a_sentence(text: str) -> bool:
    """Whether a text stops where a sentence or an address may stop."""
    stripped = text.rstrip(" \"'”’)]}*»」』）")
    if not stripped:
        return True
    last = stripped.split()[-1]
    return stripped[-1] in ".?!…。？！:;" or "://" in last or last.startswith("www.")
