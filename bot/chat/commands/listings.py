"""/listing add, and the same for a message: bring papers in."""

import re

import discord
from discord import app_commands

from bot.chat.answers import Answer, Interaction, answers, services_of
from bot.chat.commands import sources
from bot.chat.forms import PasteForm
from bot.chat.layouts.pages import listing_report
from bot.triage.errors import Refused

LARGEST_ATTACHMENT_BYTES = 20_000_000
MOST_LINKS = 5
_LINK = re.compile(r"https?://[^\s<>]+[^\s<>.,:;\"')\]]")

listing = app_commands.Group(name="listing", description="Bring papers into the library")
listing.add_command(sources.sources)


@listing.command()
@app_commands.describe(
    file="A saved page, a feed, a bibliography, an e-mail, JSON lines …",
    url="The address of a listing or of a paper",
)
@answers(private=True)
async def add(
    interaction: Interaction, file: discord.Attachment | None = None, url: str | None = None
) -> Answer:
    """Add papers from a file, an address, or text that you paste"""
    listings = services_of(interaction).listings
    if file is not None:
        return Answer(view=listing_report(await listings.add_file(file.filename, await read(file))))
    if url:
        return Answer(view=listing_report(await listings.add_url(url)))
    return Answer(modal=PasteForm(listings))


@app_commands.context_menu(name="Add papers from this message")
@answers(private=True)
async def add_from_message(interaction: Interaction, message: discord.Message) -> Answer:
    """Reads the files and the links of a message."""
    links = list(dict.fromkeys(_LINK.findall(message.content)))[:MOST_LINKS]
    files = [(file.filename, await read(file)) for file in message.attachments]
    if not links and not files:
        raise Refused("This message has no link and no file that I could read papers from.")
    report = await services_of(interaction).listings.add_all(files, links)
    return Answer(view=listing_report(report))


async def read(file: discord.Attachment) -> bytes:
    """An attachment's content. Raises Refused where it is too large or gone."""
    if file.size > LARGEST_ATTACHMENT_BYTES:
        raise Refused(
            f"{file.filename} is larger than {LARGEST_ATTACHMENT_BYTES // 1_000_000} MB; "
            "split it, or let whoever runs me read it with “papertriage ingest”."
        )
    try:
        return await file.read()
    except discord.HTTPException as error:
        raise Refused(
            f"Discord does not hand out {file.filename} any more; send it again."
        ) from error
