"""/paper, /similar, /why, /vote and /tag: what one does with one paper."""

from typing import Literal

import discord
from discord import app_commands

from bot.chat.answers import Answer, Interaction, member_of, server_of, services_of, slash
from bot.chat.commands import suggestions
from bot.chat.layouts.notices import notice
from bot.chat.layouts.paper import paper_card, paper_story
from bot.chat.layouts.search import neighbours
from bot.chat.layouts.sentences import tag_corrected, vote_cast
from bot.triage.errors import Refused

WHICH = "Number, arXiv id, DOI, address, or words of the title"


@app_commands.describe(paper=WHICH)
@app_commands.autocomplete(paper=suggestions.paper_names)
@slash(private=False)
async def paper(interaction: Interaction, paper: str) -> Answer:
    """Show a paper's card"""
    services = services_of(interaction)
    found = await services.library.find(paper)
    return Answer(view=paper_card(await services.cards.card(server_of(interaction), found.id)))


@app_commands.describe(paper=WHICH, text="Or a pasted abstract, in the library or not")
@app_commands.autocomplete(paper=suggestions.paper_names)
@slash(private=False)
async def similar(
    interaction: Interaction,
    paper: str | None = None,
    text: app_commands.Range[str, 1, 6000] | None = None,
) -> Answer:
    """Show the papers nearest to one, or to a pasted abstract"""
    services, server = services_of(interaction), server_of(interaction)
    if text is not None and paper is None:
        return Answer(view=neighbours(None, await services.search.similar_to_text(server, text)))
    if paper is None or text is not None:
        raise Refused("Name a paper, or paste a text; one of the two.")
    view = await services.library.view(server, (await services.library.find(paper)).id)
    return Answer(view=neighbours(view, await services.search.similar(server, view.paper.id)))


@app_commands.describe(paper=WHICH, channel="Only this channel's digests")
@app_commands.autocomplete(paper=suggestions.paper_names)
@slash(private=True)
async def why(
    interaction: Interaction,
    paper: str,
    channel: discord.TextChannel | discord.Thread | None = None,
) -> Answer:
    """Show a paper's whole story here: seen, tagged, posted, or what stopped it"""
    services = services_of(interaction)
    found = await services.library.find(paper)
    story = await services.cards.story(
        server_of(interaction), found.id, channel.id if channel else None
    )
    return Answer(view=paper_story(story))


@app_commands.describe(paper=WHICH)
@app_commands.autocomplete(paper=suggestions.paper_names)
@slash(private=True)
async def vote(interaction: Interaction, paper: str) -> Answer:
    """Vote for a paper, or take your vote back"""
    services = services_of(interaction)
    found = await services.library.find(paper)
    result = await services.voting.toggle(server_of(interaction), member_of(interaction), found.id)
    return Answer(view=notice(vote_cast(result)))


@app_commands.describe(
    paper=WHICH, tag="What its main contribution is; withdraw takes your word back"
)
@app_commands.autocomplete(paper=suggestions.paper_names)
@slash(private=True)
async def tag(
    interaction: Interaction,
    paper: str,
    tag: Literal["position", "theory", "methods", "withdraw"],
) -> Answer:
    """Correct a paper's tag in this server, or take back what you said"""
    services = services_of(interaction)
    found = await services.library.find(paper)
    corrected = await services.tagging.correct(
        server_of(interaction), member_of(interaction), found.id, tag
    )
    return Answer(view=notice(tag_corrected(corrected)))
