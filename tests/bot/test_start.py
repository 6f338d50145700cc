"""What a command imports before it does anything."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("matplotlib", "scipy", "sklearn")


def test_a_command_starts_and_tags_without_the_libraries_that_only_training_needs() -> None:
    script = (
        "import sys, bot.cli; from bot.bootstrap import load_tagger;"
        "load_tagger().judge([('A bound', 'We prove a tight lower bound. ' * 20)]);"
        f"print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert not done.stdout.strip(), "they take seconds to import"
