"""The English of abstracts, as far as headings need it: sentences, openings, and where to cut."""

from __future__ import annotations

import re
from typing import Final

from data.words import word_set

LONGEST: Final = 80

VERBS: Final = (
    r"(?:propos(?:e|es|ing)|present(?:s|ing)?|introduc(?:e|es|ing)|develop(?:s|ing)?|"
    r"releas(?:e|es|ing)|design(?:s|ing)?|devis(?:e|es|ing)|describ(?:e|es|ing)|contribut(?:e|es)|"
    r"build(?:s|ing)?|creat(?:e|es|ing)|construct(?:s|ing)?|curat(?:e|es|ing)|provid(?:e|es|ing)|"
    r"unveils?|offers?|formulat(?:e|es)|derives?|advance|launch|outlines?|defines?)"
)
SUBJECT: Final = (
    r"(?:\b[Ww]e|\bI|\b(?:[Tt]his|[Tt]he|[Oo]ur) (?:\w+ )?(?:paper|work|article|study|proposal|"
    r"report|chapter|thesis|survey))"
)
ADVERB: Final = (
    r"(?:(?:,? (?:also|further|then|thus|therefore|hence|next|here|herein|instead|first|finally|"
    r"additionally|formally|theoretically|systematically|experimentally|empirically|now|in this "
    r"work|"
    r"subsequently|accordingly|shall|will|can|aim to|seek to|begin by|in this paper),?)*)"
)
_ARTICLE: Final = re.compile(
    r"^(?:(?:[Aa]|[Aa]n|[Tt]he|[Oo]ur|its|[Tt]his|both|some|several|to|use of|the use of)\s+)*"
    r"(?:(?:set|series|family|class|suite|form|kind|type|pair) of\s+(?:the\s+)?)?"
    r"(?:(?:first(?:-ever)?|novel|new|simple|simpler|yet|but|effective|lightweight|principled|"
    r"efficient|general|unified|comprehensive|extensive|innovative|pioneering|powerful|fully|"
    r"accurate|alternative|common|more|flexible|practical|scalable|robust|rigorous|carefully|"
    r"systematic|large|entirely|so-called|specialized|highly|easy-to-use|elegant|intuitive)"
    r"(?:,\s*|\s+(?:and\s+|,\s*)?))*"
)
_SENTENCE: Final = re.compile(
    r"(?<=[.?!])[\"'”’)]*\s+(?=[\"“'(\[]?[A-Z0-9])|(?<=[a-z)])[.](?=[A-Z][a-z])"
)
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|et al|etc|vs|cf|resp|approx|Dr|Mr|Ms|Prof|Fig|Eq|Sec|No|w\.r\.t|i\.i\.d|"
    r"a\.k\.a|St|[A-Z]))\.$"
)
_DANGLING: Final = word_set(
    "a an the of to in on for with by from as at and or but nor that which who whose where when "
    "while if is are was were be been being has have had can could may might will would should its "
    "their our this these those such than then thus via into over under between among about both "
    "either not no using based also we it they i.e e.g very more most each any all through without "
    "within across toward towards because since so yet only even how what one called named just "
    "aims enables enabling allows including like rather per novel new upon against"
)
# Where a clause ends, where a list or an aside begins, and where a phrase hangs on: the better the
# place, the more characters a heading gives up for it.
_BREAKS: Final[tuple[tuple[int, int, re.Pattern[str]], ...]] = (
    (
        45,
        30,
        re.compile(
            r",?\s(?=(?:which|while|because|although|rather than|so that|thereby|whereby|unlike|"
            r"since|but)\s)|,\s(?=and (?:argue|show|find|propose|present|prove|demonstrate|provide|"
            r"introduce|discuss|it|we|that)\b)|;\s|\s[–—-]\s|,\s(?=we\s)|,?\s(?=e\.g\.)"
        ),
    ),
    (26, 30, re.compile(r"[:–—]\s?|,\s|\s\(|\s(?=(?:where|whose|if|when)\s)")),
    (
        0,
        46,
        re.compile(
            r"\s(?=(?:by|using|via|that|with|without|from|for|to|in|as|through|across|under|"
            r"during|after|against|toward|towards|over|between|compared|such as|leading|showing|"
            r"allowing|enabling|demonstrating|yielding|within|drawn|designed|built|directly)\s)"
        ),
    ),
)


def sentences_of(text: str) -> list[str]:
    """The sentences of a text; abbreviations do not end one, a missing blank does not join two."""
    pieces: list[str] = []
    for piece in _SENTENCE.split(text):
        if pieces and _ABBREVIATION.search(pieces[-1]):
            pieces[-1] += " " + piece
        elif piece.strip():
            pieces.append(piece.strip())
    return pieces


def without_article(phrase: str) -> str:
    """A noun phrase without "a novel, simple yet effective" before it."""
    return _ARTICLE.sub("", phrase, count=1).strip(" ,")


def fit(text: str) -> str:
    """The text within `LONGEST` characters, cut where it reads as whole as it can."""
    text = _closed(text.strip(" .,;:"))
    if len(text) <= LONGEST:
        return text
    name = re.match(r"[^:]{1,40}: ", text)
    start = name.end() if name else 0
    best, best_score = "", 0
    for bonus, least, pattern in _BREAKS:
        for found in pattern.finditer(text, start):
            if found.start() > LONGEST:
                break
            part = _undangled(text[: found.start()])
            if len(part) < max(least, start + 12) or part.count("(") != part.count(")"):
                continue
            if _inside_list(text, found) or re.search(r"\ban? [\w-]+$", part):
                continue
            if len(part) + bonus > best_score:
                best, best_score = part, len(part) + bonus
    if best:
        return _closed(best)
    cut = text[:LONGEST].rsplit(" ", 1)[0] if " " in text[:LONGEST] else text[: LONGEST - 1]
    return _closed(_undangled(cut)) + "…"


def _inside_list(text: str, found: re.Match[str]) -> bool:
    """Whether a comma separates the members of a list, which a cut would leave halved."""
    if found[0] != ", ":
        return False
    after = text[found.end() : found.end() + 60]
    before = text[: found.start()]
    if re.match(r"(?:and|or) (?!\w+ (?:that|how|a|the)\b)", after):
        return True
    return (
        bool(re.match(r"[^,]{1,28}, (?:\w+ )?(?:and|or)\b", after)) and before.count(",") < 3
    ) or bool(re.match(r"[^,]{1,22} and [^,]{1,30}$", after) and not before.count(","))


def _undangled(text: str) -> str:
    words = text.rstrip(" ,;:–—-(").split(" ")
    while len(words) > 1 and words[-1].strip(".,;:()\"'").lower() in _DANGLING:
        words.pop()
    return " ".join(words).rstrip(" ,;:–—-(")


def _closed(text: str) -> str:
    """The text without a quotation mark or bracket that never closes."""
    for opening, closing in (("(", ")"), ("[", "]"), ("“", "”")):
        if text.count(opening) > text.count(closing):
            at = text.rfind(opening)
            text = text[:at].rstrip() if at > len(text) // 2 else text.replace(opening, "")
    return text.replace('"', "") if text.count('"') % 2 else text
