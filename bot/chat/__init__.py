"""The chat: the only importer of discord. See `client` for its door, `layouts` for its looks."""
