"""Listings that people hand in from the chat: an attachment, an address, or pasted text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.triage.errors import Refused
from bot.triage.ingest import FileReport, IngestReport, ListingInput
from data.fetch import FetchError, listing_url
from data.records import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.triage.ingest import Ingest
    from data.fetch import Fetcher


class Listings:
    """Reads what people hand in; each call answers with what became of the records."""

    def __init__(self, ingest: Ingest, fetcher: Fetcher) -> None:
        self._ingest = ingest
        self._fetcher = fetcher

    async def add_file(self, name: str, content: bytes) -> IngestReport:
        """Reads an attached file."""
        return await self._ingest.run([ListingInput(name, content)])

    async def add_text(self, text: str) -> IngestReport:
        """Reads pasted text. Raises Refused where there is none."""
        if not text.strip():
            raise Refused("There was no text; paste the listing or the abstracts into the box.")
        return await self._ingest.run([ListingInput("pasted text", text.encode())])

    async def add_url(self, url: str) -> IngestReport:
        """Fetches an address and reads what it holds. Raises Refused where it cannot be read."""
        try:
            return await self._ingest.run([await self._fetched(url)])
        except FetchError as error:
            raise Refused(str(error)) from error

    async def add_all(
        self, files: Sequence[tuple[str, bytes]], urls: Sequence[str]
    ) -> IngestReport:
        """Reads several files and addresses; what cannot be fetched is a refusal in the report."""
        inputs = [ListingInput(name, content) for name, content in files]
        failed: list[FileReport] = []
        for url in urls:
            try:
                inputs.append(await self._fetched(url))
            except FetchError as error:
                refusal = Refusal(url, "address", str(error))
                failed.append(FileReport(url, refused=(refusal,), unreadable=True))
        report = await self._ingest.run(inputs)
        return IngestReport((*report.files, *failed))

    async def _fetched(self, url: str) -> ListingInput:
        fetched = await self._fetcher.fetch(listing_url(url.strip()))
        return ListingInput(url.strip(), fetched.body)
