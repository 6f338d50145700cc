"""What the digest's promise needs: late sightings, windows of slots, and what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.store.migrations.chain import MIGRATIONS, run

if TYPE_CHECKING:
    from sqlite_utils import Database


@MIGRATIONS()
def m009_promise(db: Database) -> None:
    """Slots know their order, their window of sightings and their channel's newest message.

    `slots.number` counts the slots of a subscription as they were planned, whatever the clock
    said. `left_out` holds the papers that matched a slot for which it had no room. From here on a
    paper that becomes news again takes a number of its own from the papers' sequence, so the
    sequence must be above every such number that was given before.
    """
    run(
        db,
        """
        ALTER TABLE sightings ADD COLUMN late INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE slots ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE slots ADD COLUMN after_sighting INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE slots ADD COLUMN upto_sighting INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE slots ADD COLUMN since TEXT;
        ALTER TABLE slots ADD COLUMN anchor INTEGER;
        UPDATE slots SET upto_sighting = (
            SELECT coalesce(max(id), 0) FROM sightings WHERE fetched <= slots.planned_at
        ), number = (
            SELECT count(*) FROM slots o WHERE o.subscription_id = slots.subscription_id
            AND o.local_date <= slots.local_date
        );
        UPDATE slots SET after_sighting = upto_sighting;
        CREATE TABLE left_out (
            subscription_id INTEGER NOT NULL REFERENCES subscriptions(id),
            paper_id INTEGER NOT NULL REFERENCES papers(id),
            local_date TEXT NOT NULL,
            place INTEGER NOT NULL,
            PRIMARY KEY (subscription_id, paper_id)
        ) WITHOUT ROWID;
        CREATE INDEX left_out_slot ON left_out(subscription_id, local_date);
        UPDATE sqlite_sequence SET seq = max(seq, (SELECT coalesce(max(news), 0) FROM papers))
            WHERE name = 'papers'
        """,
    )
