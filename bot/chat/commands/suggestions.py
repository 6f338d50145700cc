"""What an unfinished option may mean, for autocompletions."""

from bot.chat.answers import Interaction, services_of, suggests
from bot.triage.zones import zone_choices


@suggests
async def paper_names(interaction: Interaction, current: str) -> list[tuple[str, str]]:
    """Papers, by number, identifier or words of the title."""
    found = await services_of(interaction).library.suggest(current)
    return [(f"#{number} {title}", str(number)) for number, title in found]


@suggests
async def topics(interaction: Interaction, current: str) -> list[tuple[str, str]]:
    """Topics and categories of the library."""
    found = await services_of(interaction).search.complete_topics(current)
    return [(topic, topic) for topic in found]


@suggests
async def several_topics(interaction: Interaction, current: str) -> list[tuple[str, str]]:
    """Topics with ; between them: completes the last one."""
    before, _, last = current.rpartition(";")
    begun = f"{before.strip()}; " if before.strip() else ""
    found = await services_of(interaction).search.complete_topics(last.strip())
    return [(begun + topic, begun + topic) for topic in found]


@suggests
async def authors(interaction: Interaction, current: str) -> list[tuple[str, str]]:
    """Authors of the library."""
    found = await services_of(interaction).search.complete_authors(current)
    return [(name, name) for name in found]


@suggests
async def sources(interaction: Interaction, current: str) -> list[tuple[str, str]]:
    """Sources that were read."""
    names = [source.name for source in (await services_of(interaction).shelf.stats(None)).sources]
    return [(name, name) for name in names if current.casefold() in name.casefold()]


@suggests
async def zones(interaction: Interaction, current: str) -> list[tuple[str, str]]:
    """Time zones, by city or by offset."""
    return zone_choices(current, services_of(interaction).clock.now())
