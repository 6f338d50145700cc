"""What single macros and scripts of TeX look like in Unicode, where pylatexenc does not say."""

from __future__ import annotations

from typing import Final

from data.words import word_set

SUPERSCRIPTS: Final = dict(
    zip(
        "0123456789+-−=()nixabcdefghjklmoprstuvwyzABDEGHIJKLMNOPRTUVWαβγδθφχ∘′⊤*",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱˣᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᶿᵠᵡ°′ᵀ*",
        strict=True,
    )
)
SUBSCRIPTS: Final = dict(
    zip(
        "0123456789+-−=()aehijklmnoprstuvxβγρφχ",
        "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ",
        strict=True,
    )
)
# Letters above the base line that TeX writes as plain capitals and Unicode lacks (F, S, C) keep
# the whole script readable as ^(…) instead; M³HF is not a script at all but three pieces.

ACCENTS: Final = {
    "'": "\u0301",
    "`": "\u0300",
    '"': "\u0308",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    ".": "\u0307",
    "u": "\u0306",
    "v": "\u030c",
    "H": "\u030b",
    "c": "\u0327",
    "k": "\u0328",
    "r": "\u030a",
    "b": "\u0331",
    "d": "\u0323",
    "hat": "\u0302",
    "widehat": "\u0302",
    "check": "\u030c",
    "tilde": "\u0303",
    "widetilde": "\u0303",
    "acute": "\u0301",
    "grave": "\u0300",
    "dot": "\u0307",
    "ddot": "\u0308",
    "breve": "\u0306",
    "bar": "\u0304",
    "overline": "\u0304",
    "vec": "\u20d7",
    "mathring": "\u030a",
}
DOUBLE_STRUCK: Final = {
    "C": "ℂ",
    "H": "ℍ",
    "N": "ℕ",
    "P": "ℙ",
    "Q": "ℚ",
    "R": "ℝ",
    "Z": "ℤ",
    "E": "𝔼",
    "1": "𝟙",
}
SPACES: Final = {",", ";", ":", " ", ">", "quad", "qquad", "enspace", "thinspace", "space", "\n"}
NOTHING: Final = word_set(
    "! - / left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr middle limits "
    "nolimits displaystyle textstyle scriptstyle rm bf it em sc sf tt sl cal bfseries itshape "
    "scshape upshape normalfont small tiny large Large footnotesize scriptsize normalsize "
    "centering "
    "noindent xspace protect relax null mathsurround boldmath unboldmath ensuremath "
    "newline linebreak allowbreak nobreak hfill vfill medskip smallskip bigskip par item"
)
SPACING_NOTHING: Final = frozenset({"par", "item", "newline", "linebreak"})
DROP_ARGUMENT: Final = word_set(
    "begin end label vspace hspace footnote footnotemark thanks color textcolor fontsize phantom "
    "vphantom hphantom citep citet cite citealp citealt citeauthor citeyear ref eqref "
    "autoref"
)
FIRST_OF_TWO_DROPPED: Final = frozenset({"href", "textcolor", "colorbox"})
SYMBOLS: Final = {
    "ne": "≠",
    "coloneqq": ":=",
    "degree": "°",
    "S": "§",
    "ss": "ß",
    "i": "ı",
    "j": "ȷ",
    "colon": ":",
    "lvert": "|",
    "rvert": "|",
    "vert": "|",
    "mid": "|",
    "sim": "~",
    "circ": "∘",
    "prime": "′",
    "tfrac": "",
    "ge": "≥",
    "geq": "≥",
    "geqslant": "≥",
    "leqslant": "≤",
    "textasciitilde": "~",
    "textbackslash": "\\",
    "textunderscore": "_",
    "textless": "<",
    "textgreater": ">",
    "textbraceleft": "{",
    "textbraceright": "}",
    "textbar": "|",
    "textbardbl": "‖",
    "textpercent": "%",
    "textasciicircum": "^",
    "textasciigrave": "`",
    "textperiodcentered": "·",
    "textquotedbl": '"',
    "textminus": "−",
    "textmugreek": "μ",
    "lbrack": "[",
    "rbrack": "]",
    "slash": "/",
    "lq": "‘",
    "rq": "’",
    "glq": "‚",
    "grq": "‘",
    "glqq": "„",
    "grqq": "“",
    "flq": "‹",
    "frq": "›",
    "flqq": "«",
    "frqq": "»",
    "guillemetleft": "«",
    "guillemetright": "»",
    "ddag": "‡",
    "P": "¶",
    "SS": "ẞ",
    "pounds": "£",
    "euro": "€",
    "EUR": "€",
    "checkmark": "✓",
    "celsius": "°C",
    "angstrom": "Å",
    "micro": "µ",
    "percent": "%",
    "nobreakspace": " ",
    "LaTeX": "LaTeX",
    "TeX": "TeX",
    "textquoteright": "’",
    "textquoteleft": "‘",
    "textquotedblleft": "“",
    "textquotedblright": "”",
    "varnothing": "∅",
    "bmod": "mod",
    "iff": "⇔",
    "implies": "⇒",
    "textsuperscript": "",
    "copyright": "©",
    "&": "&",
    "%": "%",
    "$": "$",
    "#": "#",
    "_": "_",
    "{": "{",
    "}": "}",
    "|": "‖",
    "\\": " ",
}
