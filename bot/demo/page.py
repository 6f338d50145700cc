"""The demo as a page in a browser, until it is closed there or with Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
import webbrowser
from typing import TYPE_CHECKING

from bot.demo.stage import set_stage
from bot.triage.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.triage.ingest import ListingInput


async def run_demo(listings: Sequence[ListingInput], *, port: int, open_browser: bool) -> None:
    """Serves the demo on 127.0.0.1 and prints its address; returns when it is closed."""
    print("Setting up a library to try things on …", flush=True)  # noqa: T201 - the command's output
    if port and not _is_free(port):
        raise Refused(f"Port {port} is in use; choose another with --port, or leave it out.")
    task = asyncio.current_task()
    if task is not None and sys.platform != "win32":
        # As Ctrl-C does it, so that the library is thrown away here too.
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with set_stage(listings) as stage:
        if not stage.report.total("read"):
            reasons = " ".join(refusal.reason for refusal in stage.report.refused[:3])
            raise Refused(f"No paper came in. {reasons}".strip())
        page = stage.env.preview(
            stage.channel,
            viewers=[stage.ada, stage.ben],
            layout="channel",
            port=port or None,
        )
        async with page as preview:
            for line in (
                f"{stage.report.total('new')} papers are in the library. The bot is here:",
                f"  {preview.url}",
                "Type /search in the page, press a vote button, open a paper. Ctrl-C ends it.",
            ):
                print(line, flush=True)  # noqa: T201 - the command's output
            if open_browser:
                await asyncio.to_thread(webbrowser.open, preview.url)
            with contextlib.suppress(asyncio.CancelledError):
                await preview.wait_closed()


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0
