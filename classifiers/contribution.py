"""The values of the tagger: contribution types, judgements and the reasons for them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

UNSURE: Final = "unsure"
"""The tag of a paper about which the tagger is not sure enough to answer."""


class ContributionType(StrEnum):
    """What a paper's main contribution is."""

    POSITION = "position"
    """An argued stance, a critique of practice, an agenda or a call to action."""

    THEORY = "theory"
    """Theorems, bounds, proofs or a formal analysis; experiments at most support it."""

    METHODS = "methods"
    """All else: a method, model, system, dataset or benchmark, or an empirical study."""


TYPES: Final = tuple(ContributionType)


@dataclass(frozen=True, slots=True)
class Reason:
    """Words that spoke for a tag or against it.

    `weight` is how far the log-odds of the tag fall when the words are taken away: positive words
    speak for the tag, negative ones against it; 0 for a reason that is a rule, not a weight.
    `sentence` is where the words stand, as printed, or None (a title, or a rule).
    """

    text: str
    weight: float
    sentence: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the tagger says about one paper.

    `tag` is a `ContributionType` or "unsure"; `secondary` a second kind of contribution that the
    paper clearly has; `probabilities` add up to 1; `reasons` (empty unless asked for) are about the
    likeliest type, strongest first.
    """

    tag: str
    secondary: str | None
    probabilities: dict[str, float]
    reasons: tuple[Reason, ...] = ()

    @property
    def likeliest(self) -> ContributionType:
        """The most probable type, sure or not."""
        return max(TYPES, key=lambda kind: self.probabilities[kind])
