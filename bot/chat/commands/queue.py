"""/queue: what to read next, and who reads what."""

from typing import Literal

from discord import app_commands

from bot.chat.answers import Answer, Interaction, answers, member_of, server_of, services_of
from bot.chat.commands import suggestions
from bot.chat.commands.papers import WHICH
from bot.chat.exports import export_answer
from bot.chat.layouts.notices import notice
from bot.chat.layouts.queue import queue_page
from bot.chat.layouts.sentences import moved

queue = app_commands.Group(name="queue", description="The reading queue of this server")


@queue.command(name="list")
@answers(private=False)
async def show(interaction: Interaction) -> Answer:
    """What to read next: most votes first, then the longest waiting"""
    page = await services_of(interaction).voting.queue(server_of(interaction))
    return Answer(view=queue_page(page))


@queue.command()
@app_commands.describe(paper=WHICH)
@app_commands.autocomplete(paper=suggestions.paper_names)
@answers(private=True)
async def claim(interaction: Interaction, paper: str) -> Answer:
    """Take a paper on"""
    services = services_of(interaction)
    found = await services.library.find(paper)
    item = await services.voting.claim(server_of(interaction), member_of(interaction), found.id)
    return Answer(view=notice(moved(item, "claim")))


@queue.command()
@app_commands.describe(paper=WHICH)
@app_commands.autocomplete(paper=suggestions.paper_names)
@answers(private=True)
async def start(interaction: Interaction, paper: str) -> Answer:
    """Begin to read a paper"""
    services = services_of(interaction)
    found = await services.library.find(paper)
    item = await services.voting.start(server_of(interaction), member_of(interaction), found.id)
    return Answer(view=notice(moved(item, "start")))


@queue.command()
@app_commands.describe(paper=WHICH)
@app_commands.autocomplete(paper=suggestions.paper_names)
@answers(private=True)
async def done(interaction: Interaction, paper: str) -> Answer:
    """Mark a paper as discussed"""
    services = services_of(interaction)
    found = await services.library.find(paper)
    item = await services.voting.done(server_of(interaction), member_of(interaction), found.id)
    return Answer(view=notice(moved(item, "done")))


@queue.command()
@app_commands.describe(paper=WHICH)
@app_commands.autocomplete(paper=suggestions.paper_names)
@answers(private=True)
async def drop(interaction: Interaction, paper: str) -> Answer:
    """Take a paper out of the queue"""
    services = services_of(interaction)
    found = await services.library.find(paper)
    item = await services.voting.drop(server_of(interaction), member_of(interaction), found.id)
    return Answer(view=notice(moved(item, "drop")))


@queue.command()
@app_commands.describe(paper=WHICH)
@app_commands.autocomplete(paper=suggestions.paper_names)
@answers(private=True)
async def release(interaction: Interaction, paper: str) -> Answer:
    """Give back a paper that you had taken on"""
    services = services_of(interaction)
    found = await services.library.find(paper)
    item = await services.voting.release(server_of(interaction), member_of(interaction), found.id)
    return Answer(view=notice(moved(item, "release")))


@queue.command()
@app_commands.describe(kind="What the file is for")
@app_commands.rename(kind="format")
@answers(private=True)
async def export(
    interaction: Interaction, kind: Literal["bibtex", "ris", "csv", "md", "csljson"]
) -> Answer:
    """Get the whole queue as a file"""
    services = services_of(interaction)
    return export_answer(await services.shelf.export_queue(server_of(interaction), kind))
