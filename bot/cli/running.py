"""Commands that run the bot and look after its library."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from bot.bootstrap import models_of, serve, shipped
from bot.cli.common import (
    EXIT_NO_SERVICE,
    EXIT_SOME_REFUSED,
    Json,
    Unusable,
    local_inputs,
    settings,
    with_services,
)
from bot.cli.printing import print_checks, print_line

if TYPE_CHECKING:
    from bot.triage.services import Services


EXIT_ENDED: Final = 143


def demo(
    listings: Annotated[
        list[str] | None,
        typer.Argument(metavar="LISTING", help="Listings to fill the library from."),
    ] = None,
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="The port; 0 takes a free one.")
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address, open no browser.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Hold one scripted conversation, and exit.")
    ] = False,
) -> None:
    """The bot in a local web page: no token, a throw-away library."""
    try:
        from bot.demo import run_check, run_demo
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("simcord"):
            raise
        raise Unusable(
            "The demo needs simcord, which is not installed; install papertriage[demo].",
            EXIT_NO_SERVICE,
        ) from None
    # The page and the printed steps are the output; the log speaks up when something is wrong.
    settings(quiet=True)
    files = local_inputs(listings or [str(shipped("sample.jsonl"))])
    if check:
        if not asyncio.run(run_check(files)):
            raise typer.Exit(1)
    else:
        try:
            asyncio.run(run_demo(files, port=port, open_browser=not no_browser))
        except asyncio.CancelledError:  # told to end while it was setting up
            raise typer.Exit(EXIT_ENDED) from None


def run() -> None:
    """Connect to Discord and serve until stopped."""
    chosen = settings()
    token = chosen.discord_token.get_secret_value().strip() if chosen.discord_token else ""
    if not token:
        raise Unusable(
            "There is no bot token: set PAPERTRIAGE_DISCORD_TOKEN in the environment or in .env "
            "(the README says how to make one), or try 'papertriage demo', which needs none.",
            EXIT_NO_SERVICE,
        )
    from bot.chat.connecting import connection_problem

    try:
        asyncio.run(serve(chosen, token))
    except Exception as error:
        sentence = connection_problem(error)
        if sentence is None:
            raise
        raise Unusable(sentence, EXIT_NO_SERVICE) from None


def reindex() -> None:
    """Make the search index anew from the library."""

    async def action(services: Services) -> None:
        print_line(f"The index holds {await services.library.rebuild()} papers.")

    with_services(action)


def doctor(json: Json = False) -> None:
    """Check the installation, and say what to do about what is wrong."""
    from bot.triage.upkeep import check_installation

    chosen = settings()
    checks = check_installation(chosen.library_file, chosen.index_folder, models_of(chosen))
    print_checks(checks, json=json)
    if not all(check.good for check in checks):
        raise typer.Exit(EXIT_SOME_REFUSED)


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write the copy.")],
) -> None:
    """Copy the library to a file, also while the bot runs."""
    from bot.triage.upkeep import back_up

    back_up(settings().library_file, file)
    print_line(f"The library is copied to {file}.")


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `backup` wrote.")],
) -> None:
    """Put a backup in place of the library; what was there is kept beside it."""
    from bot.triage.upkeep import restore as restore_library

    kept = restore_library(file, settings().library_file)
    print_line(
        f"The library is the one of {file}." + (f" The one before is {kept}." if kept else "")
    )
