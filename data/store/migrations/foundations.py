"""The first migrations: papers, servers, digests, merging, sources and relations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.store.migrations.chain import MIGRATIONS, new_library_id, run

if TYPE_CHECKING:
    from sqlite_utils import Database


@MIGRATIONS()
def m001_library(db: Database) -> None:
    """Papers and everything a listing says of them."""
    run(
        db,
        """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE papers (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            title TEXT NOT NULL,
            title_derived INTEGER NOT NULL,
            title_key TEXT NOT NULL,
            abstract TEXT NOT NULL,
            fingerprint TEXT,
            categories TEXT NOT NULL DEFAULT '[]',
            venue TEXT,
            comment TEXT,
            published TEXT,
            updated TEXT,
            announced TEXT,
            first_seen TEXT NOT NULL,
            withdrawn INTEGER NOT NULL DEFAULT 0,
            merged_into INTEGER REFERENCES papers(id),
            changed INTEGER NOT NULL
        );
        CREATE INDEX papers_changed ON papers(changed);
        CREATE INDEX papers_fingerprint ON papers(fingerprint);
        CREATE INDEX papers_title_key ON papers(title_key);
        CREATE INDEX papers_first_seen ON papers(first_seen);
        CREATE TABLE identifiers (
            scheme TEXT NOT NULL,
            value TEXT NOT NULL,
            paper_id INTEGER NOT NULL REFERENCES papers(id),
            PRIMARY KEY (scheme, value)
        ) WITHOUT ROWID;
        CREATE INDEX identifiers_paper ON identifiers(paper_id);
        CREATE TABLE authors (
            paper_id INTEGER NOT NULL REFERENCES papers(id),
            place INTEGER NOT NULL,
            name TEXT NOT NULL,
            PRIMARY KEY (paper_id, place)
        ) WITHOUT ROWID;
        CREATE TABLE topics (
            paper_id INTEGER NOT NULL REFERENCES papers(id),
            topic TEXT NOT NULL,
            PRIMARY KEY (paper_id, topic)
        ) WITHOUT ROWID;
        CREATE TABLE abstract_bands (
            band INTEGER NOT NULL,
            paper_id INTEGER NOT NULL REFERENCES papers(id),
            PRIMARY KEY (band, paper_id)
        ) WITHOUT ROWID;
        CREATE INDEX abstract_bands_paper ON abstract_bands(paper_id);
        CREATE TABLE sightings (
            id INTEGER PRIMARY KEY,
            paper_id INTEGER NOT NULL REFERENCES papers(id),
            source TEXT NOT NULL,
            listing TEXT NOT NULL,
            position TEXT NOT NULL,
            fetched TEXT NOT NULL,
            announced TEXT,
            version INTEGER,
            announce_type TEXT NOT NULL,
            digest TEXT NOT NULL
        );
        CREATE UNIQUE INDEX sightings_once ON sightings(source, digest);
        CREATE INDEX sightings_paper ON sightings(paper_id);
        CREATE TABLE tags (
            paper_id INTEGER PRIMARY KEY REFERENCES papers(id),
            tag TEXT NOT NULL,
            secondary TEXT,
            position REAL NOT NULL,
            theory REAL NOT NULL,
            methods REAL NOT NULL,
            model TEXT NOT NULL
        );
        CREATE TABLE sources (
            name TEXT PRIMARY KEY,
            first_read TEXT NOT NULL,
            last_read TEXT NOT NULL,
            last_announced TEXT,
            last_read_count INTEGER NOT NULL DEFAULT 0,
            last_new_count INTEGER NOT NULL DEFAULT 0
        )
        """,
    )
    new_library_id(db)


@MIGRATIONS()
def m002_servers(db: Database) -> None:
    """What belongs to one Discord server: every table is keyed by guild_id."""
    run(
        db,
        """
        CREATE TABLE members (
            guild_id INTEGER NOT NULL,
            user_id INTEGER NOT NULL,
            name TEXT NOT NULL,
            PRIMARY KEY (guild_id, user_id)
        ) WITHOUT ROWID;
        CREATE TABLE votes (
            guild_id INTEGER NOT NULL,
            paper_id INTEGER NOT NULL REFERENCES papers(id),
            user_id INTEGER NOT NULL,
            active INTEGER NOT NULL,
            changed_at TEXT NOT NULL,
            PRIMARY KEY (guild_id, paper_id, user_id)
        ) WITHOUT ROWID;
        CREATE TABLE queue (
            guild_id INTEGER NOT NULL,
            paper_id INTEGER NOT NULL REFERENCES papers(id),
            state TEXT NOT NULL CHECK (state IN ('queued', 'reading', 'discussed', 'dropped')),
            reader_id INTEGER,
            queued_at TEXT NOT NULL,
            changed_at TEXT NOT NULL,
            PRIMARY KEY (guild_id, paper_id)
        ) WITHOUT ROWID;
        CREATE TABLE queue_history (
            id INTEGER PRIMARY KEY,
            guild_id INTEGER NOT NULL,
            paper_id INTEGER NOT NULL REFERENCES papers(id),
            user_id INTEGER NOT NULL,
            event TEXT NOT NULL,
            at TEXT NOT NULL
        );
        CREATE INDEX queue_history_paper ON queue_history(guild_id, paper_id);
        CREATE TABLE corrections (
            id INTEGER PRIMARY KEY,
            guild_id INTEGER NOT NULL,
            paper_id INTEGER NOT NULL REFERENCES papers(id),
            user_id INTEGER NOT NULL,
            tag TEXT NOT NULL CHECK (tag IN ('position', 'theory', 'methods')),
            was TEXT NOT NULL,
            at TEXT NOT NULL
        );
        CREATE INDEX corrections_paper ON corrections(guild_id, paper_id);
        CREATE TABLE searches (
            key TEXT PRIMARY KEY,
            guild_id INTEGER NOT NULL,
            payload TEXT NOT NULL,
            at TEXT NOT NULL
        );
        """,
    )


@MIGRATIONS()
def m003_digests(db: Database) -> None:
    """Subscriptions, their slots, and the ledger of what was posted for which."""
    run(
        db,
        """
        CREATE TABLE subscriptions (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            guild_id INTEGER NOT NULL,
            channel_id INTEGER NOT NULL,
            created_by INTEGER NOT NULL,
            created_at TEXT NOT NULL,
            after_paper INTEGER NOT NULL,
            local_time TEXT NOT NULL,
            zone TEXT NOT NULL,
            days TEXT NOT NULL,
            tags TEXT NOT NULL,
            topics TEXT NOT NULL,
            query TEXT NOT NULL,
            maximum INTEGER NOT NULL,
            paused INTEGER NOT NULL DEFAULT 0,
            removed_at TEXT,
            problem TEXT
        );
        CREATE INDEX subscriptions_guild ON subscriptions(guild_id);
        CREATE TABLE slots (
            subscription_id INTEGER NOT NULL REFERENCES subscriptions(id),
            local_date TEXT NOT NULL,
            due_at TEXT NOT NULL,
            planned_at TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('planned', 'sending', 'sent')),
            after_paper INTEGER NOT NULL,
            upto_paper INTEGER NOT NULL,
            total INTEGER NOT NULL,
            parts INTEGER NOT NULL,
            sent_at TEXT,
            PRIMARY KEY (subscription_id, local_date)
        ) WITHOUT ROWID;
        CREATE TABLE slot_parts (
            subscription_id INTEGER NOT NULL,
            local_date TEXT NOT NULL,
            part INTEGER NOT NULL,
            message_id INTEGER,
            PRIMARY KEY (subscription_id, local_date, part),
            FOREIGN KEY (subscription_id, local_date)
                REFERENCES slots(subscription_id, local_date)
        ) WITHOUT ROWID;
        CREATE TABLE posted (
            subscription_id INTEGER NOT NULL REFERENCES subscriptions(id),
            paper_id INTEGER NOT NULL REFERENCES papers(id),
            local_date TEXT NOT NULL,
            part INTEGER NOT NULL,
            place INTEGER NOT NULL,
            posted_at TEXT,
            PRIMARY KEY (subscription_id, paper_id)
        ) WITHOUT ROWID;
        CREATE INDEX posted_slot ON posted(subscription_id, local_date);
        """,
    )


@MIGRATIONS()
def m004_merging(db: Database) -> None:
    """Papers that turn out to be one work stand together, and can stand apart again.

    A merge moves nothing: `root_id` names the paper that stands for the group, and every reading
    goes by it. So a split is exact, whatever happened meanwhile.
    """
    run(
        db,
        """
        ALTER TABLE papers ADD COLUMN root_id INTEGER;
        UPDATE papers SET root_id = coalesce(merged_into, id);
        CREATE INDEX papers_root ON papers(root_id);
        CREATE TABLE merges (
            id INTEGER PRIMARY KEY,
            kept_id INTEGER NOT NULL REFERENCES papers(id),
            gone_id INTEGER NOT NULL REFERENCES papers(id),
            reason TEXT NOT NULL,
            by TEXT NOT NULL,
            at TEXT NOT NULL,
            split_by TEXT,
            split_at TEXT
        );
        CREATE INDEX merges_kept ON merges(kept_id);
        CREATE INDEX merges_gone ON merges(gone_id);
        CREATE TABLE kept_apart (
            paper_id INTEGER NOT NULL REFERENCES papers(id),
            other_id INTEGER NOT NULL REFERENCES papers(id),
            PRIMARY KEY (paper_id, other_id)
        ) WITHOUT ROWID
        """,
    )


@MIGRATIONS()
def m005_sources(db: Database) -> None:
    """Standing sources, what they answered, and from which number on a paper is news.

    A digest takes papers by number. `papers.news` is NULL for a paper that is news under its own
    number, 0 for one that was only learnt when a source was read for the first time, and another
    number for one that was announced after that.
    """
    run(
        db,
        """
        ALTER TABLE papers ADD COLUMN news INTEGER;
        CREATE INDEX papers_news ON papers(coalesce(news, id));
        CREATE TABLE standing_sources (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            kind TEXT NOT NULL,
            spec TEXT NOT NULL,
            added_by TEXT NOT NULL,
            added_at TEXT NOT NULL,
            next_poll TEXT NOT NULL,
            failures INTEGER NOT NULL DEFAULT 0,
            paused INTEGER NOT NULL DEFAULT 0,
            removed_at TEXT
        );
        CREATE UNIQUE INDEX standing_sources_name ON standing_sources(name)
            WHERE removed_at IS NULL;
        CREATE UNIQUE INDEX standing_sources_spec ON standing_sources(kind, spec)
            WHERE removed_at IS NULL;
        CREATE TABLE source_parts (
            source_id INTEGER NOT NULL REFERENCES standing_sources(id),
            part TEXT NOT NULL,
            day TEXT,
            count INTEGER NOT NULL,
            batch TEXT NOT NULL,
            built TEXT,
            ahead_seconds INTEGER NOT NULL,
            skipped TEXT NOT NULL,
            etag TEXT,
            last_modified TEXT,
            shrunk INTEGER NOT NULL,
            read_at TEXT,
            PRIMARY KEY (source_id, part)
        ) WITHOUT ROWID;
        CREATE TABLE source_outcomes (
            id INTEGER PRIMARY KEY,
            source_id INTEGER NOT NULL REFERENCES standing_sources(id),
            part TEXT NOT NULL,
            channel TEXT NOT NULL,
            outcome TEXT NOT NULL,
            day TEXT,
            read INTEGER NOT NULL,
            new INTEGER NOT NULL,
            late INTEGER NOT NULL,
            refused INTEGER NOT NULL,
            sentence TEXT NOT NULL,
            first_at TEXT NOT NULL,
            last_at TEXT NOT NULL,
            times INTEGER NOT NULL DEFAULT 1
        );
        CREATE INDEX source_outcomes_part ON source_outcomes(source_id, part, id);
        CREATE INDEX source_outcomes_last ON source_outcomes(last_at);
        CREATE TABLE source_answers (
            id INTEGER PRIMARY KEY,
            source_id INTEGER NOT NULL REFERENCES standing_sources(id),
            part TEXT NOT NULL,
            page INTEGER NOT NULL,
            url TEXT NOT NULL,
            day TEXT,
            fetched_at TEXT NOT NULL,
            digest TEXT NOT NULL,
            body BLOB NOT NULL
        );
        CREATE UNIQUE INDEX source_answers_once ON source_answers(source_id, part, page, digest)
        """,
    )


@MIGRATIONS()
def m006_forms_and_relations(db: Database) -> None:
    """The texts as listings had them, works that belong together, and lighter storing.

    `sightings.title_source` and `abstract_source` are NULL where the plain text says the same.
    `relations` joins papers that are not one: paper_id is the smaller number. Bands are deleted by
    their key, so the second index on them only cost time.
    """
    run(
        db,
        """
        ALTER TABLE sightings ADD COLUMN title_source TEXT;
        ALTER TABLE sightings ADD COLUMN abstract_source TEXT;
        CREATE TABLE relations (
            paper_id INTEGER NOT NULL REFERENCES papers(id),
            other_id INTEGER NOT NULL REFERENCES papers(id),
            reason TEXT NOT NULL,
            at TEXT NOT NULL,
            PRIMARY KEY (paper_id, other_id)
        ) WITHOUT ROWID;
        CREATE INDEX relations_other ON relations(other_id);
        DROP INDEX abstract_bands_paper
        """,
    )
