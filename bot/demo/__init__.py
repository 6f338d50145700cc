"""The bot in a local web page, without a token: the only importer of simcord.

The unmodified client runs against a Discord that lives in this process, over a library that is
thrown away at the end.
"""

from __future__ import annotations

from bot.demo.conversation import run_check
from bot.demo.page import run_demo

__all__ = ["run_check", "run_demo"]
