"""`python -m bot` is the `papertriage` command."""

from __future__ import annotations

from bot.cli import main

if __name__ == "__main__":
    main()
