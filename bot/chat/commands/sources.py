"""/listing sources: what is polled for new papers.

Discord gives permissions to whole commands, and /listing add is for everybody, so each of these
checks for Manage Server itself, except the list.
"""

from discord import app_commands

from bot.chat.answers import Answer, Interaction, answers, member_of, services_of, suggests
from bot.chat.layouts.notices import notice
from bot.chat.layouts.sentences import source_paused, source_removed, source_resumed
from bot.chat.layouts.sources import poll_report, source_list
from bot.triage.errors import Refused

sources = app_commands.Group(name="sources", description="What is asked for new papers by itself")


def _needs_manage_server(interaction: Interaction) -> None:
    if not interaction.permissions.manage_guild:
        raise Refused("You need the Manage Server permission to change the sources.")


@suggests
async def _names(interaction: Interaction, current: str) -> list[tuple[str, str]]:
    states = await services_of(interaction).sources.list()
    found = [(state.source.name, f"#{state.source.id}") for state in states]
    return [pair for pair in found if current.casefold() in pair[0].casefold()]


@sources.command()
@app_commands.describe(
    what="cs.LG, stat.ML · an arXiv query · a feed's address · hf-daily · an OpenReview venue",
    name="What to call it",
)
@answers(private=True)
async def add(
    interaction: Interaction,
    what: app_commands.Range[str, 1, 300],
    name: app_commands.Range[str, 1, 80] | None = None,
) -> Answer:
    """Ask a source for new papers from now on; what it holds already is no news"""
    _needs_manage_server(interaction)
    services = services_of(interaction)
    source = await services.sources.add(what, by=member_of(interaction).name, name=name)
    return Answer(view=poll_report(await services.sources.poll(f"#{source.id}")))


@sources.command(name="list")
@answers(private=True)
async def show(interaction: Interaction) -> Answer:
    """All sources, and how asking them went"""
    return Answer(view=source_list(await services_of(interaction).sources.list()))


@sources.command()
@app_commands.describe(source="Which source; see /listing sources list")
@app_commands.autocomplete(source=_names)
@answers(private=True)
async def pause(interaction: Interaction, source: str) -> Answer:
    """Stop asking a source for a while"""
    _needs_manage_server(interaction)
    paused = await services_of(interaction).sources.pause(source, paused=True)
    return Answer(view=notice(source_paused(paused)))


@sources.command()
@app_commands.describe(source="Which source; see /listing sources list")
@app_commands.autocomplete(source=_names)
@answers(private=True)
async def resume(interaction: Interaction, source: str) -> Answer:
    """Go on asking a source"""
    _needs_manage_server(interaction)
    resumed = await services_of(interaction).sources.pause(source, paused=False)
    return Answer(view=notice(source_resumed(resumed)))


@sources.command()
@app_commands.describe(source="Which source; see /listing sources list")
@app_commands.autocomplete(source=_names)
@answers(private=True)
async def remove(interaction: Interaction, source: str) -> Answer:
    """End a source; its papers stay"""
    _needs_manage_server(interaction)
    removed = await services_of(interaction).sources.remove(source)
    return Answer(view=notice(source_removed(removed)))


@sources.command()
@app_commands.describe(source="Which source; see /listing sources list")
@app_commands.autocomplete(source=_names)
@answers(private=True)
async def poll(interaction: Interaction, source: str) -> Answer:
    """Ask a source now"""
    _needs_manage_server(interaction)
    return Answer(view=poll_report(await services_of(interaction).sources.poll(source)))
