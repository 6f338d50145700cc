"""Unicode text as LaTeX that every engine sets and BibTeX can count braces in."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final, cast

# BibTeX counts braces without regard to backslashes, so braces are spelled out; of the spellings
# that LaTeX knows these are the ones that other programs read back.
_ASCII: Final = {
    "\\": r"{\textbackslash}",
    "{": r"{\ensuremath{\lbrace}}",
    "}": r"{\ensuremath{\rbrace}}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"{\textasciitilde}",
    "^": r"{\textasciicircum}",
    "<": r"{\ensuremath{<}}",
    ">": r"{\ensuremath{>}}",
    "|": r"{\ensuremath{|}}",
    "-": "{}-",
    "'": "{}'",
    "`": "{}`",
    ",": "{},",
}
# The second halves of what TeX would join to a dash, a quote or a turned mark are caught too.
_SPECIAL: Final = re.compile(r"[\\{}$&#%_~^<>|]|[^\x00-\x7f]|(?<=-)-|(?<=')'|(?<=[`!?])`|(?<=,),")
_WORDS: Final = re.compile(r"\s+|\S+")


def to_latex(text: str) -> str:
    """The text with everything escaped that LaTeX would read as more than itself.

    Accents become commands in braces, which old BibTeX sorts well; characters without a command
    (Chinese, emoji) stay as they are.
    """
    return _SPECIAL.sub(lambda match: _character(match[0]), text)


def to_latex_title(title: str) -> str:
    """As `to_latex`, with words in braces whose capitals a bibliography style must not touch.

    Styles put titles in lower case; "GPT-4", "LoRA" and a lone "X" have to stay as they are.
    """
    words = cast("list[str]", _WORDS.findall(title))
    return "".join(
        f"{{{to_latex(word)}}}" if _keeps_capitals(word) else to_latex(word) for word in words
    )


def _keeps_capitals(word: str) -> bool:
    letters = word.lstrip("([{'\"“‘")
    inside = letters if len(letters) == 1 and letters != "A" else letters[1:]
    return any(letter.isupper() and letter.lower() != letter for letter in inside)


@lru_cache(maxsize=4096)
def _character(character: str) -> str:
    known = _ASCII.get(character)
    if known is not None:
        return known
    kind, *parts = unicodedata.decomposition(character).split() or [""]
    if kind in {"<super>", "<sub>"}:
        inner = to_latex("".join(chr(int(part, 16)) for part in parts))
        return rf"{{\text{'super' if kind == '<super>' else 'sub'}script{{{inner}}}}}"
    return _by_table(character)


def _by_table(character: str) -> str:
    from pylatexenc.latexencode import UnicodeToLatexEncoder

    encoder = UnicodeToLatexEncoder(
        unknown_char_policy="keep",
        unknown_char_warning=False,
        replacement_latex_protection="braces-all",
    )
    return cast("str", encoder.unicode_to_latex(character))  # pyright: ignore[reportUnknownMemberType] - pylatexenc ships no types
