"""The `papertriage` command: each command parses, calls one use-case, and prints.

Exit status: 0 done; 1 done with some records refused; 2 wrong use or unreadable input; 69 a
needed service is missing.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from importlib.metadata import version
from typing import Annotated, Final

import typer

from bot.cli import library, model, running, sources
from bot.cli.common import EXIT_UNUSABLE, Unusable, help_where_bare
from bot.cli.printing import complain, print_line
from bot.triage.errors import Refused
from data.store.connection import StoreError

EXIT_INTERRUPTED: Final = 130

# What was typed can be of any length, and usage errors repeat it.
_LONGEST_ERROR: Final = 300

app = typer.Typer(
    name="papertriage",
    help="A Discord bot with which research teams triage papers.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(asked: bool) -> None:  # noqa: FBT001 - Typer calls it so
    if asked:
        print_line(f"papertriage {version('papertriage')}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """A Discord bot with which research teams triage papers."""
    help_where_bare(context)


for command in (
    running.demo,
    running.run,
    library.ingest,
    library.search,
    library.similar,
    library.tag,
    library.digest,
    library.queue,
    library.export,
    library.why,
    library.merge,
    library.split,
    library.stats,
    library.rank,
    model.correct,
    model.train,
    model.evaluate,
    sources.sync,
    running.doctor,
    running.backup,
    running.restore,
    running.reindex,
):
    app.command()(command)
app.add_typer(sources.app)


def main() -> None:
    """Runs the command line and exits with its status; errors are one sentence."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character gets a question mark, not a traceback.
            stream.reconfigure(errors="replace")
    sys.exit(_status())


def _status() -> int:
    try:
        status = app(standalone_mode=False)
        sys.stdout.flush()
    except typer.Exit as leaving:
        return leaving.exit_code
    except (typer.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    except typer.TyperException as error:
        # Usage errors name their option in format_message only.
        said = getattr(error, "format_message", error.__str__)()
        command = getattr(getattr(error, "ctx", None), "command_path", "papertriage")
        complain(f"{_plainly(str(said))}; see '{command} --help'.")
        return EXIT_UNUSABLE
    except Unusable as error:
        complain(str(error))
        return error.status
    except (Refused, StoreError) as error:
        complain(str(error))
        return EXIT_UNUSABLE
    except BrokenPipeError:
        # The reader of our output went away, as `head` does; Python would complain at exit.
        _drop_output()
        return 0
    except MemoryError:
        complain(
            "There is not enough memory for this. What was stored is kept; close other programs, "
            "or give the listing in parts, and run it again."
        )
        return EXIT_UNUSABLE
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _drop_output()
        complain("Nothing more can be written: the disk is full. Make room and try again.")
        return EXIT_UNUSABLE
    return status if isinstance(status, int) else 0


def _plainly(said: str) -> str:
    """A usage error without the words of the library that found it, and not endless."""
    for jargon, plain in (("Value error, ", ""), (": Input should be ", ": it must be ")):
        said = said.replace(jargon, plain)
    return said[:_LONGEST_ERROR].rstrip(".")


def _drop_output() -> None:
    """Sends what is still to be written nowhere, so that Python does not try again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
