"""Standing sources: what may be asked regularly, how it is asked, and what an answer means."""

from data.sources.base import (
    Addresses,
    Answer,
    Kind,
    Page,
    Part,
    Source,
    SourceError,
    SpecError,
    Validators,
)
from data.sources.judging import (
    Memory,
    Outcome,
    Storing,
    Verdict,
    fingerprint,
    is_first,
    judge,
    judge_same,
    remembered,
)
from data.sources.reading import Reading, read_pages
from data.sources.registry import (
    default_name,
    guess_kind,
    make_source,
    named_kind,
    normal_spec,
)

__all__ = [
    "Addresses",
    "Answer",
    "Kind",
    "Memory",
    "Outcome",
    "Page",
    "Part",
    "Reading",
    "Source",
    "SourceError",
    "SpecError",
    "Storing",
    "Validators",
    "Verdict",
    "default_name",
    "fingerprint",
    "guess_kind",
    "is_first",
    "judge",
    "judge_same",
    "make_source",
    "named_kind",
    "normal_spec",
    "read_pages",
    "remembered",
]
