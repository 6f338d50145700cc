"""What the commands share: settings, an open library, and inputs by path, address or pipe."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from pydantic import ValidationError

from bot.bootstrap import opened, start_log
from bot.settings import Settings
from bot.triage.ingest import ListingInput
from data.fetch import FetchError, TooSlowError, UnreachableError, listing_url
from data.store.corrections import SHELL_SERVER
from data.store.servers import Member

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable

    from bot.triage.services import Services

# How the log names what was done from a command line.
SHELL: Final = "the shell"

_LONGEST_SHOWN: Final = 100

EXIT_SOME_REFUSED: Final = 1
EXIT_UNUSABLE: Final = 2
EXIT_NO_SERVICE: Final = 69

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
# Ids beyond SQLite's numbers are nobody's.
_LARGEST_ID: Final = 2**63 - 1

Server = Annotated[
    int | None,
    typer.Option(
        "--server",
        metavar="ID",
        min=0,
        max=_LARGEST_ID,
        help="The Discord server's id; needed where there are several.",
    ),
]


def help_where_bare(context: typer.Context) -> None:
    """Prints a group's help where none of its commands is named, and leaves with status 2."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(EXIT_UNUSABLE)


class Unusable(Exception):  # noqa: N818 - it is an answer to a person
    """What was asked for cannot be done; the text is one sentence that says what to do."""

    def __init__(self, sentence: str, status: int = EXIT_UNUSABLE) -> None:
        super().__init__(sentence)
        self.status = status


def settings(*, quiet: bool = False) -> Settings:
    """The settings, with the log started; `quiet` leaves only warnings in it.

    Raises Unusable that names a wrong setting.
    """
    try:
        chosen = Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = "_".join(str(part) for part in first["loc"]).upper()
        raise Unusable(
            f"The setting PAPERTRIAGE_{name.removeprefix('PAPERTRIAGE_')} is wrong: "
            f"{first['msg']}; .env.example shows its form."
        ) from None
    except UnicodeDecodeError:
        raise Unusable("The file .env is not in UTF-8; save it as UTF-8 text.") from None
    except RuntimeError as error:  # "~somebody" of whom this machine knows no folder
        raise Unusable(f"The setting PAPERTRIAGE_HOME is wrong: {error}") from None
    start_log(chosen, quiet=quiet)
    return chosen


def with_services(action: Callable[[Services], Coroutine[object, object, None]]) -> None:
    """Opens the library, awaits the action, and closes the library again."""
    chosen = settings(quiet=True)

    async def run() -> None:
        async with opened(chosen) as services:
            await action(services)

    asyncio.run(run())


def local_inputs(names: Iterable[str]) -> list[ListingInput]:
    """Listings by path, folder (its files, in order) or - for standard input.

    Raises Unusable for a path that is not there.
    """
    inputs: list[ListingInput] = []
    for name in names:
        path = Path(name)
        if not name.strip():
            raise Unusable("A listing's name is empty; check the variable that should hold it.")
        try:
            path.stat()
        except (FileNotFoundError, ValueError):
            pass  # "-" and what is not there are told below
        except OSError as error:
            shown = name if len(name) < _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}…"
            raise Unusable(f"{shown} cannot be read: {error.strerror}; check the path.") from None
        if name == "-":
            inputs.append(ListingInput("standard input", sys.stdin.buffer.read()))
        elif path.is_dir():
            files = sorted(
                file for file in path.rglob("*") if file.is_file() and file.name[0] != "."
            )
            if not files:
                raise Unusable(f"The folder {name} holds no files; name a listing.")
            inputs += [ListingInput(str(file), file) for file in files]
        elif path.exists() and not path.is_file():
            raise Unusable(f"{name} is no ordinary file; pipe it in, with - for its name.")
        elif path.exists():
            inputs.append(ListingInput(name, path))
        else:
            raise Unusable(f"There is no file {name}; check the path.")
    return inputs


async def inputs(services: Services, names: Iterable[str]) -> list[ListingInput]:
    """As `local_inputs`, and addresses are fetched. Raises Unusable where that fails."""
    found: list[ListingInput] = []
    for name in names:
        if name.startswith(("http://", "https://")):
            try:
                fetched = await services.fetcher.fetch(listing_url(name))
            except (UnreachableError, TooSlowError) as error:
                raise Unusable(str(error), EXIT_NO_SERVICE) from None
            except FetchError as error:
                raise Unusable(str(error)) from None
            found.append(ListingInput(name, fetched.body))
        else:
            found += local_inputs([name])
    return found


async def server(services: Services, chosen: int | None) -> int:
    """The server that is meant: the one chosen, or the only one known."""
    if chosen is not None:
        return chosen
    known = await services.shelf.servers()
    if len(known) == 1:
        return known[0]
    if not known:
        raise Unusable(
            "No Discord server has used this library yet, so there are no votes or digests; "
            "see 'papertriage run'."
        )
    raise Unusable(f"Several servers use this library; add --server with one of {known}.")


def named_member(name: str) -> Member:
    """A person who acts from a shell: the same for the same name, and nobody of Discord."""
    plain = " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())
    if not plain:
        raise Unusable("The name is empty; say who corrects with --by NAME.")
    if len(plain) > _LONGEST_SHOWN:
        raise Unusable(f"The name has more than {_LONGEST_SHOWN} signs; shorten it.")
    digest = hashlib.blake2b(plain.casefold().encode(), digest_size=6).digest()
    return Member(-1 - int.from_bytes(digest), plain)


async def viewpoint(services: Services, chosen: int | None) -> int:
    """The server whose corrections are seen: the one chosen, the only one, or the shell's own."""
    if chosen is not None:
        return chosen
    known = await services.shelf.servers()
    return known[0] if len(known) == 1 else SHELL_SERVER
