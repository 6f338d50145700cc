"""Turns a title or an abstract, as listings print them, into the tokens that the tagger counts."""

import re
from typing import Final

SENTENCE_END: Final = "."
"""The token that stands for the end of a sentence."""

NUMBER: Final = "#"
"""The token that stands for any number."""

# Saved pages keep the line breaks of a PDF: "wit- nessed". "short- and long-term" keeps its hyphen.
_BROKEN_WORD = re.compile(r"- (?<=[A-Za-z]- )(?!(?:and|or|to|nor|versus|vs)\b)(?=[a-z])")
_LINK = re.compile(r"https?://\S+|www\.\S+")
_TEX_STYLE = re.compile(
    r"\\(?:emph|text(?:bf|it|sc|tt|rm|sf|sl)?|math(?:rm|it|bf|sf|tt|bb|cal|frak|scr)|operatorname"
    r"|it|bf|em|sc|rm|left|right|[bB]igg?[lr]?)(?![A-Za-z])\*?"
)
_ORDER_OF_GROWTH = re.compile(
    r"(?:\\(?:tilde|widetilde|mathcal|mathrm|bf)\s*|[{}])*(?<![A-Za-z])[OΩΘ]\}*\s*"
    r"(?:\\[!,]|\\(?:left|[bB]igg?l?))?\s*\(|\\(?:Omega|Theta)\}*\s*(?:\\left)?\("
)
# Every order of growth holds one of these; looking for them takes a tenth of the expression's time.
_GROWTH_HINTS: Final = ("O(", "O ", "O{", "O}", "O\\", "Ω", "Θ", "\\Omega", "\\Theta")
_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|\d[\d.,]*\d|\d|%|[.!;](?=\s|$)|[?:]")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'“(*$\\])")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|cf|vs|al|Fig|Eq|resp|w\.r\.t)|\b[A-Z])\.$")


def word_set(text: str) -> frozenset[str]:
    """The words of a text, parted at white space."""
    return frozenset(text.split())


def normalise(text: str) -> str:
    """Lower-cased text with broken words joined, links named `url` and TeX styling taken out.

    Orders of growth, such as "$\\tilde{O}(\\sqrt{T})$", become the word `bigo`, because they tell
    more about a paper than their letters do.
    """
    if "- " in text:
        text = _BROKEN_WORD.sub("", text)
    if "://" in text or "www." in text:
        text = _LINK.sub(" url ", text)
    if may_tell_growth(text):
        text = _ORDER_OF_GROWTH.sub(" bigo ", text)
    if "\\" in text:
        text = _TEX_STYLE.sub(" ", text)
    return text.replace("’", "'").lower()


def may_tell_growth(text: str) -> bool:
    """Whether the text may hold an order of growth, which can have white space inside."""
    return "(" in text and any(hint in text for hint in _GROWTH_HINTS)


def raw_tokens(text: str) -> list[str]:
    """The words, numbers, percent signs and punctuation of a text, in order, as they stand.

    `canonical` says what each counts as; vocabularies apply it once a kind, not once a mention.
    """
    return _TOKEN.findall(normalise(text))


def canonical(token: str) -> str:
    """What a raw token counts as: any number is `#`, any end of a sentence is `.`."""
    first = token[0]
    if first.isdigit():
        return NUMBER
    return SENTENCE_END if first in ".!;" else token


def tokens(text: str) -> list[str]:
    """The canonical tokens of a text, in order."""
    return [canonical(token) for token in raw_tokens(text)]


def sentences(text: str) -> list[str]:
    """The sentences of a text as printed, in order; abbreviations and initials end none."""
    found: list[str] = []
    for piece in _SENTENCE.split(" ".join(text.split())):
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] = f"{found[-1]} {piece}"
        elif piece:
            found.append(piece)
    return found
