"""When Python looks for cycles of garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


def count_as_old() -> None:
    """Counts all that there is as old, which the next searches of what is new pass over.

    For much that stays, like the classes of modules: to look through them once takes as long as
    importing some. Who has frozen objects keeps them apart; then nothing changes.
    """
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()


@contextmanager
def without_collection() -> Iterator[None]:
    """Pauses the search, while much is made that stays.

    IR consists of cycles, most of which live as long as the module, and so do the classes of a
    module of Python: the search takes up to a quarter of a pass, a tenth of an import, and finds
    little. Afterwards it goes on.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
