"""What a subscription says of quiet days and threads, where messages went, and drafts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.store.migrations.chain import MIGRATIONS, run

if TYPE_CHECKING:
    from sqlite_utils import Database


@MIGRATIONS()
def m010_subscribing(db: Database) -> None:
    """Quiet days, threads, drafts, and the place of each message.

    `subscriptions.timed_at` is when its hours were last changed: a slot from before then is not
    posted. `problem_told_at` is when somebody heard of the problem, `problem_telling_at` when
    telling was last begun. A slot and its messages keep the channel that they went to, since a
    subscription may be sent elsewhere later.
    """
    run(
        db,
        """
        ALTER TABLE subscriptions ADD COLUMN quiet_line INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE subscriptions ADD COLUMN in_thread INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE subscriptions ADD COLUMN timed_at TEXT;
        ALTER TABLE subscriptions ADD COLUMN problem_telling_at TEXT;
        ALTER TABLE subscriptions ADD COLUMN problem_told_at TEXT;
        ALTER TABLE slots ADD COLUMN channel_id INTEGER;
        ALTER TABLE slots ADD COLUMN in_thread INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE slot_parts ADD COLUMN channel_id INTEGER;
        UPDATE slots SET channel_id = (SELECT s.channel_id FROM subscriptions s
            WHERE s.id = slots.subscription_id) WHERE state != 'planned';
        UPDATE slot_parts SET channel_id = (SELECT s.channel_id FROM subscriptions s
            WHERE s.id = slot_parts.subscription_id) WHERE message_id IS NOT NULL;
        CREATE TABLE drafts (
            key TEXT PRIMARY KEY,
            guild_id INTEGER NOT NULL,
            user_id INTEGER NOT NULL,
            edits INTEGER REFERENCES subscriptions(id),
            payload TEXT NOT NULL,
            as_manager INTEGER NOT NULL,
            made_at TEXT NOT NULL,
            saved_as INTEGER REFERENCES subscriptions(id)
        ) WITHOUT ROWID;
        CREATE INDEX drafts_made ON drafts(made_at)
        """,
    )
