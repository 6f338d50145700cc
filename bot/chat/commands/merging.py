"""/merge and /split: papers that are one work, joined and taken apart by hand.

Both need Manage Server until the server's own command permissions say otherwise.
"""

from discord import app_commands

from bot.chat.answers import Answer, Interaction, member_of, services_of, slash
from bot.chat.commands import suggestions
from bot.chat.layouts.notices import notice
from bot.chat.layouts.sentences import merged, taken_apart


@app_commands.describe(
    paper="A paper, by number, id, address or words of its title",
    other="The paper that is the same work",
)
@app_commands.autocomplete(paper=suggestions.paper_names, other=suggestions.paper_names)
@app_commands.default_permissions(manage_guild=True)
@slash(private=True)
async def merge(interaction: Interaction, paper: str, other: str) -> Answer:
    """Make one paper of two that are the same work"""
    by = member_of(interaction).name
    kept = await services_of(interaction).merging.merge(paper, other, by=by)
    return Answer(view=notice(merged(kept)))


@app_commands.describe(paper="The number that was merged away, or the paper that stands for both")
@app_commands.autocomplete(paper=suggestions.paper_names)
@app_commands.default_permissions(manage_guild=True)
@slash(private=True)
async def split(interaction: Interaction, paper: str) -> Answer:
    """Take papers apart that were merged by mistake"""
    by = member_of(interaction).name
    stands, back = await services_of(interaction).merging.split(paper, by=by)
    return Answer(view=notice(taken_apart(stands, back)))
