"""The schema of the library, as the chain of migrations that made it.

A migration that has shipped is never edited. The next change is a new module here, imported below
in the order in which migrations run, with a test that starts from the schema before it.
"""

from data.store.migrations import foundations, publication_periods

# isort: split
from data.store.migrations import learning
from data.store.migrations.chain import MIGRATIONS, new_library_id

__all__ = ["MIGRATIONS", "foundations", "learning", "new_library_id", "publication_periods"]
