"""The schema of the library, as the chain of migrations that made it.

A migration that has shipped is never edited. The next change is a new module here, imported below
in the order in which migrations run, with a test that starts from the schema before it.
"""

from data.store.migrations.chain import MIGRATIONS, new_library_id

# The order of these lines is the order in which migrations run.
# isort: off
from data.store.migrations import foundations
from data.store.migrations import publication_periods
from data.store.migrations import learning
from data.store.migrations import promise
from data.store.migrations import subscribing
from data.store.migrations import interest
from data.store.migrations import weekly_notes
from data.store.migrations import learnt_orders
# isort: on

__all__ = [
    "MIGRATIONS",
    "foundations",
    "interest",
    "learning",
    "learnt_orders",
    "new_library_id",
    "promise",
    "publication_periods",
    "subscribing",
    "weekly_notes",
]
