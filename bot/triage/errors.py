"""What a use-case says when it will not do something."""

from __future__ import annotations


class Refused(Exception):  # noqa: N818 - it is an answer to a person, not a fault
    """A request that cannot be granted; the text is one sentence that says what to do."""


class CannotPost(Exception):  # noqa: N818 - as above
    """A channel does not take a digest; the text names the missing permission or the loss."""


class ChannelGone(CannotPost):
    """The channel or thread does not exist any more."""
