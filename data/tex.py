"""TeX in titles, names and abstracts, shown as Unicode.

The symbols come from pylatexenc's tables; the walk over the text is our own, because a listing
holds fragments rather than documents: a brace that never closes, a dollar that is money, a macro
of the authors. Whatever comes in, text comes out.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final, cast

from data.tex_symbols import (
    ACCENTS,
    DOUBLE_STRUCK,
    DROP_ARGUMENT,
    FIRST_OF_TWO_DROPPED,
    NOTHING,
    SPACES,
    SPACING_NOTHING,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    SYMBOLS,
)

_TOKEN: Final = re.compile(r"\\[A-Za-z]+\*?|\\.|\\$|[{}$^_~]|[^\\{}$^_~]+", re.DOTALL)

# A dollar sign opens mathematics only where the two signs stand as TeX wants them; the length
# keeps one stray "$5" from swallowing a paragraph.
_MATH: Final = re.compile(r"\$\$(?P<d>[^$]{1,600})\$\$|\$(?P<s>(?:[^$\\]|\\.){1,600})\$", re.DOTALL)
_MONEY: Final = re.compile(
    r"^\d[\d,.]*\s?(?:[kKMB]\b|[a-z]{2,}|\b(?:and|to|or|for|per)\b|[–-]\s*$)"
)
_TEX_SIGNS: Final = re.compile(r"[\\^_{}=<>+|]")
_LATEX_MATH: Final = re.compile(r"\\\((.{1,600}?)\\\)|\\\[(.{1,600}?)\\\]", re.DOTALL)
_COMBINING: Final = {"\u0307": "ı", "\u0301": "ı"}
_MAX_DEPTH: Final = 40


def tex_to_text(text: str) -> str:
    """The text with its TeX as Unicode.

    Scripts become Unicode where every character has a form, else stay readable after `^` and
    `_`. Unknown macros lose their backslash. Never raises; the time is linear in the length.
    """
    if "\\" not in text and "$" not in text and "{" not in text and "~" not in text:
        return text
    if "\\(" in text or "\\[" in text:
        text = _LATEX_MATH.sub(lambda m: f"${m[1] or m[2]}$", text)
    pieces: list[str] = []
    at = 0
    while True:
        found = _MATH.search(text, at)
        if found is None:
            break
        inner = cast("str", found["d"] or found["s"] or "")
        if _is_money(inner):
            # Only the opening dollar is money; the second may open a real formula.
            upto = found.start() + 1
            pieces.append(_plain(text[at : upto - 1]) + "$")
            at = upto
            continue
        pieces.append(_plain(text[at : found.start()]))
        pieces.append(_math(inner))
        at = found.end()
    pieces.append(_plain(text[at:]))
    return "".join(pieces)


def _is_money(inner: str) -> bool:
    if _TEX_SIGNS.search(inner):
        return False
    return bool(_MONEY.match(inner)) or (len(inner.split()) > 4 and inner[:1].isdigit())


def _plain(text: str) -> str:
    if "\\" not in text and "{" not in text and "}" not in text and "~" not in text:
        return text
    return _Walk(text, math=False).run()


@lru_cache(maxsize=8192)
def _math(text: str) -> str:
    if text.isalnum():
        return text
    return re.sub(r"\s+", " ", _Walk(text, math=True).run()).strip()


@lru_cache(maxsize=4096)
def _symbol(name: str) -> str | None:
    """The Unicode form of a macro without arguments, ours or pylatexenc's, or None.

    The text form of a symbol (`textalpha`) is the symbol.
    """
    for symbol in dict.fromkeys((name, name.removeprefix("text"))):
        own = SYMBOLS.get(symbol)
        if own is not None:
            return own
        shown = _known_symbol(symbol) if symbol else None
        if shown is not None:
            return shown
    return None


def _known_symbol(name: str) -> str | None:
    from pylatexenc.latex2text import get_default_latex_context_db

    spec = cast("object", get_default_latex_context_db().get_macro_spec(name))  # pyright: ignore[reportUnknownMemberType] - pylatexenc ships no types
    shown = cast("object", getattr(spec, "simplify_repl", None))
    if isinstance(shown, str) and shown and "%" not in shown and "<" not in shown:
        return shown
    return None


class _Walk:
    """One pass over a fragment: signs in, Unicode out."""

    def __init__(self, text: str, *, math: bool) -> None:
        self._signs = cast("list[str]", _TOKEN.findall(text))
        self._at = 0
        self._in_math = math

    def run(self) -> str:
        out: list[str] = []
        while self._at < len(self._signs):
            out.append(self._piece(0, out))
        return "".join(out)

    def _piece(self, depth: int, before: list[str]) -> str:
        sign = self._signs[self._at]
        self._at += 1
        if sign == "{":
            return self._group(depth)
        if sign in {"}", "$"}:
            return sign if sign == "$" else ""
        if sign in {"^", "_"}:
            return self._script(sign, depth) if self._in_math else sign
        if sign == "~":
            return self._tilde(before)
        if sign[0] == "\\" and len(sign) > 1:
            return self._macro(sign[1:].rstrip("*") or "*", depth, before)
        if self._in_math:
            return sign.replace("'", "′").replace("&", " ")
        return sign if sign != "\\" else ""

    def _tilde(self, before: list[str]) -> str:
        last = before[-1][-1:] if before and before[-1] else ""
        follows = self._peek()
        tied = (last.isalnum() or last in {".", ",", ")"}) and (
            follows[:1].isalnum() or follows[:1] in {"\\", "("}
        )
        return " " if tied else "~"

    def _peek(self) -> str:
        return self._signs[self._at] if self._at < len(self._signs) else ""

    def _group(self, depth: int) -> str:
        """What stands in braces; outside formulas a set such as {a, b} keeps its own braces."""
        out: list[str] = []
        start = self._at
        while self._at < len(self._signs) and self._signs[self._at] != "}":
            if depth >= _MAX_DEPTH:
                out.append(self._signs[self._at].strip("{}\\"))
                self._at += 1
            else:
                out.append(self._piece(depth + 1, out))
        closed = self._at < len(self._signs)
        self._at += 1
        inner = "".join(out)
        lone = self._at - start == 2 and depth == 0  # one sign and its brace
        if not self._in_math and lone and closed and re.search(r",\s", inner):
            return "{" + inner + "}"
        return inner

    def _argument(self, depth: int) -> str:
        while self._peek().isspace():
            self._at += 1
        sign = self._peek()
        if not sign:
            return ""
        if sign == "{":
            self._at += 1
            return self._group(depth + 1)
        if sign == "}":
            return ""
        if sign[0] == "\\" and len(sign) > 1:
            if depth >= _MAX_DEPTH:
                self._at += 1
                return ""
            self._at += 1
            return self._macro(sign[1:].rstrip("*") or "*", depth + 1, [])
        if sign in {"^", "_", "~", "$"}:
            return ""
        # One character only: TeX takes the next sign, and a run of text is many.
        bare = sign.lstrip()
        self._signs[self._at] = bare[1:]
        if len(bare) <= 1:
            self._at += 1
        return bare[:1]

    def _option(self) -> None:
        """Passes over an optional argument in square brackets."""
        sign = self._peek()
        if sign.startswith("[") and "]" in sign:
            rest = sign[sign.index("]") + 1 :]
            if rest:
                self._signs[self._at] = rest
            else:
                self._at += 1

    def _script(self, kind: str, depth: int) -> str:
        inner = self._argument(depth).strip()
        if not inner:
            return ""
        table = SUPERSCRIPTS if kind == "^" else SUBSCRIPTS
        if inner == "*" or (kind == "^" and inner in {"th", "st", "nd", "rd", "′", "″"}):
            return inner
        packed = inner.replace(" ", "")
        if all(c in table for c in packed):
            return "".join(table[c] for c in packed)
        if len(inner) == 1 or inner.isalnum():
            return kind + inner
        return f"{kind}({inner})"

    def _macro(self, name: str, depth: int, before: list[str]) -> str:
        if name in ACCENTS and (self._in_math or len(name) == 1 or name in {"bar", "hat"}):
            return self._accent(name, depth)
        if name in {"frac", "dfrac", "tfrac", "nicefrac", "sfrac"}:
            return self._fraction(depth)
        if name == "sqrt":
            self._option()
            inner = self._argument(depth)
            return f"√{inner}" if len(inner) <= 1 else f"√({inner})"
        if name in {"textsuperscript", "textsubscript", "sp", "sb"}:
            return self._script("^" if name in {"textsuperscript", "sp"} else "_", depth)
        if name in {"mathbb", "mathds", "mathbbm", "Bbb"}:
            inner = self._argument(depth)
            return DOUBLE_STRUCK.get(inner, inner)
        if name in FIRST_OF_TWO_DROPPED:
            self._argument(depth)
            return self._argument(depth)
        if name in DROP_ARGUMENT:
            self._option()
            if self._peek().lstrip().startswith("{") or self._peek() == "{":
                self._argument(depth)
            return ""
        if name in SPACES:
            # "i.\,i.\,d." is one abbreviation, as other sources write it.
            last = before[-1][-1:] if before and before[-1] else ""
            return "" if name == "," and (last == "." or self._in_math) else " "
        if name in NOTHING:
            self._swallow_space()
            return " " if name in SPACING_NOTHING else ""
        return self._named(name, before)

    def _named(self, name: str, before: list[str]) -> str:
        shown = _symbol(name)
        if shown is None:
            if self._peek().lstrip().startswith("{") or self._peek() == "{":
                return ""  # \textbf, \mathrm, \emph and the authors' own: the argument speaks
            if name in {"mathbf", "mathcal", "mathrm", "mathsf", "mathfrak", "bm", "boldsymbol"}:
                self._swallow_space()
                return ""
            return name
        if not name.isalpha():
            return shown
        if not self._in_math:
            self._swallow_space()
        elif len(shown) > 1 and shown.isalpha():
            return shown + " " if self._peek()[:1].isalnum() else shown
        elif not (before and before[-1][-1:].isspace()):
            self._swallow_space()  # "d\\times d" reads d×d, "a \\to b" reads a → b
        return shown

    def _swallow_space(self) -> None:
        """TeX takes the blank behind a macro's name as its end, not as a blank."""
        sign = self._peek()
        if sign[:1].isspace():
            rest = sign.lstrip()
            if rest:
                self._signs[self._at] = rest
            else:
                self._at += 1

    def _accent(self, name: str, depth: int) -> str:
        if not name.isalpha() and self._peek()[:1].isspace():
            return ""
        mark = ACCENTS[name]
        inner = self._argument(depth)
        if not inner:
            return ""
        base, rest = inner[0], inner[1:]
        base = {"ı": "i", "ȷ": "j"}.get(base, base)
        if not base.isalpha():
            return inner
        if rest and name in {"overline", "bar", "widehat", "widetilde", "vec"}:
            return inner
        return unicodedata.normalize("NFC", base + mark) + rest

    def _fraction(self, depth: int) -> str:
        above, below = self._argument(depth), self._argument(depth)
        return f"{_wrapped(above)}/{_wrapped(below)}"


def _wrapped(part: str) -> str:
    return part if re.fullmatch(r"[\w.√′]*", part) else f"({part})"
