"""All the formats there are, in one place, and the choice among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from data.listings import (
    arxiv_json,
    catalogues,
    csl,
    feeds,
    hf_daily,
    jsonl,
    openalex,
    openreview,
    paperlists,
    semantic_scholar,
    tagged_forms,
    virtual_site,
)
from data.listings.arxiv_list import ArxivListReader
from data.listings.arxiv_text import ArxivTextReader
from data.listings.base import ListingError
from data.listings.bibtex import BibtexReader
from data.listings.oai import OaiReader
from data.listings.pages import PagesReader
from data.listings.tables import TableReader

if TYPE_CHECKING:
    from data.listings.base import ListingReader
    from data.listings.source import Source

READERS: Final[tuple[ListingReader, ...]] = (
    ArxivTextReader(),
    ArxivListReader(),
    *feeds.READERS,
    OaiReader(),
    catalogues.CatalogueReader(),
    arxiv_json.KAGGLE,
    arxiv_json.DAILY,
    hf_daily.READER,
    semantic_scholar.READER,
    openalex.READER,
    openreview.READER,
    paperlists.READER,
    virtual_site.JSON_READER,
    virtual_site.VirtualPageReader(),
    catalogues.DBLP_JSON,
    csl.READER,
    jsonl.READER,
    BibtexReader(),
    *tagged_forms.READERS,
    TableReader(),
    PagesReader(),
)

# What a source is called when nobody named it, in receipts and filters.
SOURCE_NAMES: Final = {
    "arxiv-api": "arXiv API",
    "arxiv-feed": "arXiv feed",
    "arxiv-kaggle": "arXiv snapshot",
    "arxiv-list": "arXiv list page",
    "arxiv-mail": "arXiv mailing",
    "bibtex": "BibTeX",
    "catalogue": "library catalogue",
    "csl-json": "CSL JSON",
    "csv": "table",
    "daily-arxiv": "daily arXiv",
    "dblp-json": "DBLP",
    "endnote": "EndNote",
    "feed": "feed",
    "hf-daily": "Hugging Face Daily Papers",
    "jsonl": "JSON lines",
    "oai-pmh": "OAI-PMH",
    "openalex": "OpenAlex",
    "openreview": "OpenReview",
    "pages": "saved pages",
    "paperlists": "paperlists",
    "pubmed": "PubMed",
    "ris": "RIS",
    "semantic-scholar": "Semantic Scholar",
    "virtual-html": "conference site",
    "virtual-json": "conference site",
    "wos": "Web of Science",
}


def find_reader(source: Source, wanted: str | None) -> ListingReader:
    """The reader of that name, or the one that recognises the content most surely.

    Raises `ListingError` for an unknown name and for content that nobody recognises.
    """
    if wanted is not None:
        for reader in READERS:
            if reader.name == wanted.strip().lower():
                return reader
        known = ", ".join(sorted(reader.name for reader in READERS))
        raise ListingError(f'There is no format "{wanted}"; use one of {known}.')
    best: ListingReader | None = None
    surest = 0.0
    for reader in READERS:
        sure = reader.sniff(source.head)
        if sure > surest:
            best, surest = reader, sure
    if best is None:
        raise ListingError(
            f"{source.name} is no listing that can be recognised: no papers were found in its "
            "text; give a feed, an export or a saved page, or name its format."
        )
    return best
