"""A heading for a paper whose listing gives none, taken from its own abstract.

Where the abstract introduces a name ("we propose X", "X, a new …", "called X") the heading is the
name and what it stands for; else it is the claim: what is argued, proposed, or shown.
"""

from __future__ import annotations

import re
from typing import Final

from data.heading_names import introduced_name
from data.heading_words import (
    ADVERB,
    SUBJECT,
    VERBS,
    fit,
    sentences_of,
    without_article,
)
from data.text import to_plain

UNTITLED: Final = "Untitled paper"
_SHORTEST: Final = 20
_LONGEST_TEXT: Final = 6000
_LONGEST_SENTENCE: Final = 700
_SURE: Final = 6.5

# What a paper stands for comes before what it names on the way.
_POSITIONS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:our|the|this) position(?: is)?(?: that|:)\s*(?P<that>.+)",
        r"\b(?:take|takes|adopt|advance|defend)s? the (?:position|view|stance) that (?P<that>.+)",
        r"\bposition paper,? (?:\w+ )?(?:argues?|contends?|posits?|claims?|maintains?)(?: that|:)"
        r" (?P<that>.+)",
        r"\bposition paper,? (?:\w+ )?(?:advocates?|calls?|argues?)(?: for)? (?P<noun>.+)",
        r"\bposition paper is (?P<noun>a call .+)",
        r"\bposition paper\b.{0,80}?\bargu(?:e|es|ing)(?: that|:)? (?P<that>.+)",
        r"\b(?:we|i|here|paper|work|article|essay) (?:\w+ )?(?:argues?|contends?|maintains?|"
        r"posits?)"
        r"(?: that|:) (?P<that>.+)",
        r"\bthis (?:paper|work|article) argues for (?P<noun>.+)",
        r"\bwe argue for (?P<noun>.+)",
    )
)
_CLAIMS: Final = tuple(
    (weight, re.compile(pattern, re.IGNORECASE))
    for weight, pattern in (
        (9, rf"{SUBJECT}{ADVERB} {VERBS} (?P<noun>(?!that\b).+)"),
        (8, rf"{SUBJECT}\b[^.;:]{{0,220}}? and{ADVERB} {VERBS} (?P<noun>(?:an?|the) .+)"),
        (8, r"\bwe (?:\w+ )?propose that (?P<that>.+)"),
        (
            8,
            r"\bthis (?:paper|work|article|study|report|thesis)(?: \w+ly)? "
            r"(?!is |was |has |aims? |can |will |would |may |should |argues? |begins? )\w+s "
            r"(?:that )?"
            r"(?P<noun>.+)",
        ),
        (8, r"\bthis (?:paper|work|article|study|report|thesis) is (?P<noun>an? .+)"),
        (7.5, r"\band (?:show|prove|find|demonstrate) that (?P<that>.+)"),
        (7, r"\bhypothesis: (?P<that>.+)"),
        (
            6,
            r"\b(?:utili[sz]e|use|employ|apply|leverage)s? .{5,90}? to (?:show|prove) "
            r"(?P<noun>an? .+)",
        ),
        (7, r"^(?P<noun>(?:an?|the) .{15,110}?) (?:is|are) (?:proposed|introduced|presented)\b"),
        (7, r"^(?P<noun>[A-Z][^.;]{4,60} is (?:introduced|proposed|presented) as .+)"),
        (
            7,
            r"\bwe (?:\w+ )?(?:show|prove|find|demonstrate|establish|discover|observe|reveal|"
            r"indicate|conclude|hypothesi[sz]e|conjecture|assert)(?: that)? (?P<that>(?!how\b).+)",
        ),
        (
            6,
            r"\b(?:i|it|paper|analysis|results?) (?:\w+ )?(?:shows?|proves?|concludes?|suggests?)"
            r" that (?P<that>.+)",
        ),
        (
            5,
            rf"{SUBJECT}{ADVERB} (?:investigates?|stud(?:y|ies)|examines?|explores?|analy[sz]es?|"
            r"addresse?s?|revisits?|evaluates?|characteri[sz]es?|focus(?:es)? on|considers?|tests?|"
            r"compares?|discuss(?:es)?|describes?|reports?(?: on)?) (?P<noun>.+)",
        ),
        (4, r"\bthe aim of this \w+ is (?:therefore )?(?P<noun>to .+)"),
        (4, rf"{SUBJECT}{ADVERB} uses? (?P<noun>.+)"),
    )
)
# "this issue", "they": words that point at a sentence the reader of a heading doesn't see.
_POINTS_BACK: Final = re.compile(
    r"^(?:if such|that \w+ |such\b|it\b|they\b|them\b|its\b|those\b|doing so|the (?:latter|"
    r"former|same|above|"
    r"proposed|issue|answer|second|first|two)\b|we can\b|our\b|"
    r"(?:this|these|the) (?:issues?|problems?|approach(?:es)?|methods?|gaps?|practices?|questions?|"
    r"goals?|challenges?|limitations?|frameworks?|models?|techniques?|phenomen\w+|is\b|was\b|can\b|"
    r"could\b|raises\b|leads\b)|here\b|there\b|following\b|several\b|how\b.{0,20}$|why\b.{0,20}$)",
    re.IGNORECASE,
)
_SIDE_MATTERS: Final = re.compile(
    r"^(?:an? |the |our |both |two |three |some |several |further |also |rigorous |strong |more |"
    r"extensive |empirical and |comprehensive |new |formal |detailed |thorough )*"
    r"(?:theoretical(?: and \w+)? (?:justifications?|analys[ei]s|guarantees?|understandings?|"
    r"insights?|support|foundations?|motivation)|justifications?|empirical (?:evidence|results|"
    r"analysis|validation|support)|experiment\w*|results?|evaluations?|insights?|evidence|code|"
    r"case stud\w+|practical guidelines|guidelines|benefits|the benefits|"
    r"effectiveness|its? |proposed theorems|state-of-the-art|superior|significant|improvements?|"
    r"connections? (?:with|to)|limitations|implications|existing progress|statistical tests|"
    r"example|examples|open challenges|insight)\b",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(
    r"^(?:(?:in|with|within|through|throughout) (?:this|our|the present|the|that) (?:\w+ )?"
    r"(?:paper|work|article|study|report|proposal),?|(?:however|thus|therefore|moreover|here|"
    r"furthermore|in particular|specifically|recently|in summary|in contrast|to (?:this|that) end|"
    r"to address [^,]*|importantly|surprisingly|in recent years|motivated by [^,]*|despite [^,]*|"
    r"while [^,]*|although [^,]*|for example|as a result|instead|i\.e\.|given [^,]*|in the rapidly "
    r"[^,]*|under [^,]{0,40}|when properly [^,]*),|address (?:this|these)(?: \w+)? by)\s+",
    re.IGNORECASE,
)
# "Psychometrics, a theory originating in …, offers": the heading can do without the aside.
_ASIDES: Final = (
    re.compile(r"^([^,]{3,60}), (?:an?|the|that is|which) [^,]{8,130}, (?=[a-z]+)"),
    re.compile(r"\s[–—-]\s[^–—]{5,130}\s?[–—-]\s"),
    re.compile(r"\s[–—-]\s[^–—,]{5,130},\s(?=(?:is|are|can|does|do|has|have)\b)"),
)
_CITED: Final = re.compile(
    r"\s*\((?:[^()]{0,80}\b(?:19|20)\d\d[^()]*|e\.g\.[^()]*|i\.e\.[^()]*|a\.k\.a[^()]*)\)"
    r"|\s*\[(?:[^\[\]]{0,80}\b(?:19|20)\d\d[^\[\]]*|[\d, –-]+)\]"
)
_LABEL: Final = re.compile(r"^(?:\(?(?:[a-z]|i{1,3}|\d)\)\s*)")


def derive_heading(abstract: str) -> str:
    """A heading of at most about 80 characters, cut at a word; "Untitled paper" without text."""
    # No abstract has longer sentences; a text that has is cut to keep the search quick.
    whole = sentences_of(to_plain(abstract)[:_LONGEST_TEXT])
    sentences = [s[:_LONGEST_SENTENCE] for s in whole]
    if not any(c.isalnum() for s in sentences for c in s):
        return UNTITLED
    position = _first_claim(_POSITIONS, sentences)
    if position is not None and any("position" in s.lower() for s in sentences):
        return fit(_capital(position))
    named = introduced_name(sentences)
    if named is not None and named[1]:
        return fit(f"{named[0]}: {named[1]}")
    if position is not None:
        return fit(_capital(position))
    claim, sure = _best_claim(sentences)
    if named is None and sure < _SURE:
        named = introduced_name(sentences, aside=True)
        claim = named[1] or claim if named else claim
    if named is not None:
        claim = without_article(claim.removeprefix(named[0]).strip(" ,:"))
        first, _, others = claim.partition(" ")
        return fit(f"{named[0]}: {first.lower() if first.istitle() else first} {others}".strip())
    return fit(_capital(claim)) or UNTITLED


def _first_claim(patterns: tuple[re.Pattern[str], ...], sentences: list[str]) -> str | None:
    for pattern in patterns:
        for sentence in sentences:
            found = pattern.search(sentence)
            if found is None:
                continue
            claim = _claim_of(found)
            if len(claim) >= _SHORTEST and not _POINTS_BACK.match(claim):
                return claim
    return None


_SPEAKS: Final = re.compile(r"(?:We|I|This|In this|An?|Our)\b")


def _best_claim(sentences: list[str]) -> tuple[str, float]:
    """The strongest claim and how strong it is; the first sentence, at 0, where there is none."""
    best, best_score = "", 0.0
    for order, sentence in enumerate(sentences):
        for weight, pattern in _CLAIMS:
            found = pattern.search(sentence)
            if found is None:
                continue
            claim = _claim_of(found)
            score = weight - 0.1 * order + (2 if order == 0 and _SPEAKS.match(sentence) else 0)
            if _POINTS_BACK.match(claim):
                score -= 5
            if _SIDE_MATTERS.match(claim):
                score -= 6
            if len(claim) < _SHORTEST:
                score -= 6
            if score > best_score:
                best, best_score = claim, score
    if best:
        return best, best_score
    return _tidied(next((s for s in sentences if len(s) >= _SHORTEST), sentences[0])), 0.0


def _claim_of(found: re.Match[str]) -> str:
    groups = found.groupdict()
    that, noun = groups.get("that"), groups.get("noun")
    if that:
        return _tidied(that)
    tidied = _tidied(noun or "")
    bare = without_article(tidied)
    return bare if len(bare) >= _SHORTEST else tidied


def _tidied(claim: str) -> str:
    claim = _LABEL.sub("", claim.strip(" ,"), count=1)
    for _ in range(3):
        shorter = _LEAD.sub("", claim, count=1)
        shorter = re.sub(r"^(?:that|for|the fact that|to|,)\s+", "", shorter, flags=re.IGNORECASE)
        if shorter == claim:
            break
        claim = shorter
    claim = _CITED.sub("", claim)
    claim = _ASIDES[0].sub(r"\1 ", claim, count=1)
    for aside in _ASIDES[1:]:
        claim = aside.sub(" ", claim, count=1)
    lead, colon, rest = claim.partition(": ")
    # "a new measure: …" says more behind the colon.
    if colon and len(lead.split()) <= 3 and len(rest) > _SHORTEST and lead.islower():
        claim = rest
    claim = re.sub(r"^(?:this|these) (?=[a-z]+ [a-z]+)", "The ", claim, flags=re.IGNORECASE)
    return _LABEL.sub("", claim).strip(" .,;:\"'")


def _capital(text: str) -> str:
    """Sentence case, with words such as "dLLMs" left as they are."""
    first = text.split(" ", 1)[0]
    return text if any(c.isupper() for c in first[1:]) else text[:1].upper() + text[1:]
