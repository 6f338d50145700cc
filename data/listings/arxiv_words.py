"""What arXiv's own words mean, wherever they stand: withdrawals, announce types, abstracts."""

from __future__ import annotations

import re
from typing import Final

from data.records import AnnounceType

_WITHDRAWN: Final = re.compile(
    r"^\W*(?:this|the) (?:paper|article|submission|manuscript|work|preprint|version)s? "
    r"(?:has been|have been|is|was|is being|has now been) (?:temporarily )?withdrawn\b"
    r"|^\W*(?:paper |article )?withdrawn\b",
    re.IGNORECASE,
)


def announce_type_for(
    abstract: str | None, comment: str | None, said: AnnounceType = AnnounceType.NEW
) -> AnnounceType:
    """Withdrawn where the abstract or the comment says so, else what the listing said."""
    for text in (abstract, comment):
        if text and _WITHDRAWN.match(text.lstrip()):
            return AnnounceType.WITHDRAWN
    return said
