"""Text as papers write it, made plain: TeX, ligatures, broken lines and stray control characters.

What `plain` returns is text to show and to read words from. It keeps Unicode and its case; words
are folded later, one by one, in `data.index.analyzer`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

GREEK_NAMES: Final[dict[str, str]] = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν",
    "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ",
    "chi": "χ", "psi": "ψ", "omega": "ω",
}  # fmt: skip

_SYMBOLS: Final[dict[str, str]] = {
    **GREEK_NAMES,
    **{name.capitalize(): letter.upper() for name, letter in GREEK_NAMES.items()},
    **{f"var{name}": letter for name, letter in GREEK_NAMES.items()},
    "ell": "ℓ", "infty": "∞", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠",
    "times": "×", "cdot": "·", "pm": "±", "approx": "≈", "sim": "∼", "to": "→",
    "rightarrow": "→", "in": "∈", "sqrt": "√", "ldots": "…", "dots": "…", "log": "log",
    "ln": "ln", "exp": "exp", "min": "min", "max": "max", "sup": "sup", "inf": "inf",
    "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ss": "ß", "ae": "æ", "AE": "Æ", "aa": "å",
    "AA": "Å", "i": "i", "j": "j", "S": "§", "copyright": "©", "partial": "∂", "nabla": "∇",
    "sum": "∑", "prod": "∏", "int": "∫", "star": "*", "ast": "*", "LaTeX": "LaTeX", "TeX": "TeX",
}  # fmt: skip

_COMBINING: Final[dict[str, str]] = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328",
    "r": "\u030a",
}  # fmt: skip

_SUPERSCRIPTS: Final = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
_SUBSCRIPTS: Final = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")

_CONTROL: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]"
)
_BROKEN_WORD: Final = re.compile(
    r"(?<![^\W\d_]-)\b([^\W\d_]{2,})- (?!(?:and|or|to|nor|but|und|as|from|versus|vs)\b)([a-z]{2,})"
)
_ACCENT: Final = re.compile(r"""\\(?:(["'`^~=.])\s*|([uvHckr])(?=\{))\{?\\?([A-Za-z])\}?""")
_MATH: Final = re.compile(r"\$\$?([^$]{1,400})\$\$?|\\\(([^$]{1,400}?)\\\)")
_COMMAND: Final = re.compile(r"\\([A-Za-z]+)\*?[ ]?")
_SCRIPT: Final = re.compile(r"([_^])\s*(?:\{([^{}]*)\}|(\S))")
_BARE_SCRIPT: Final = re.compile(r"(?<![^\W_])([A-Za-zℓ])([_^])\{?(\d{1,2})\}?(?!\d)")
_SPACES: Final = re.compile(r"\s+")


def plain(text: str) -> str:
    """`text` on one line with TeX shown as Unicode, words broken at line ends joined again.

    Unknown TeX commands are left out and their arguments kept. Control and invisible characters
    vanish. The result is in Unicode's composed form (NFC).
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    printable = text.isprintable()
    if not printable:  # nothing printable is a control character, or a blank but " "
        text = _CONTROL.sub("", text.replace("\t", " ").replace("\n", " ").replace("\r", " "))
    before = text
    if "\\" in text or "$" in text:
        text = _without_tex(text)
    if "_" in text or "^" in text:
        text = _BARE_SCRIPT.sub(_script_after, text)
    if "- " in text:
        text = _BROKEN_WORD.sub(r"\1\2", text)
    printable = printable and text is before
    if "  " in text or not (printable or text.isprintable()):
        text = _SPACES.sub(" ", text)
    return text.strip()


def _without_tex(text: str) -> str:
    text = _ACCENT.sub(_accented, text)
    text = _MATH.sub(_mathematics, text)
    text = _COMMAND.sub(_command, text)
    text = re.sub(r"\\(.)", r"\1", text).replace("{", "").replace("}", "")
    return text.replace("``", "“").replace("''", "”").replace("~", " ")


def _accented(match: re.Match[str]) -> str:
    mark = _COMBINING[match[1] or match[2]]
    return unicodedata.normalize("NFC", match[3] + mark)


def _mathematics(match: re.Match[str]) -> str:
    inner = _COMMAND.sub(_command, match[1] or match[2])
    inner = _SCRIPT.sub(_script, inner)
    return inner.replace("\\", "").replace("{", "").replace("}", "").strip()


def _script(match: re.Match[str]) -> str:
    inner = match[2] if match[2] is not None else match[3]
    table = _SUBSCRIPTS if match[1] == "_" else _SUPERSCRIPTS
    raised = inner.translate(table)
    if raised != inner or len(inner) == 1:
        return raised
    return f"_{inner}"


def _script_after(match: re.Match[str]) -> str:
    table = _SUBSCRIPTS if match[2] == "_" else _SUPERSCRIPTS
    return match[1] + match[3].translate(table)


def _command(match: re.Match[str]) -> str:
    return _SYMBOLS.get(match[1], "")
