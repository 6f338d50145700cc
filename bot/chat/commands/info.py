"""/stats, /about and /help."""

from importlib import metadata

from bot.chat.answers import Answer, Interaction, server_of, services_of, slash
from bot.chat.layouts.pages import about_page, help_page, stats_page


@slash(private=True)
async def stats(interaction: Interaction) -> Answer:
    """How large the library is, and what this server did with it"""
    services = services_of(interaction)
    numbers = await services.shelf.stats(server_of(interaction))
    return Answer(view=stats_page(numbers, services.clock.now()))


@slash(private=True)
async def about(interaction: Interaction) -> Answer:
    """What I am, how good my tags are, and what I keep"""
    numbers = await services_of(interaction).shelf.stats(server_of(interaction))
    return Answer(view=about_page(numbers, metadata.version("papertriage")))


@slash(private=True, name="help")
async def help_command(interaction: Interaction) -> Answer:
    """What I can do"""
    return Answer(view=help_page())
