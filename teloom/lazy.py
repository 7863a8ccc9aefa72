"""Parts of the package that are loaded when they are first used."""

import sys
from importlib import import_module
from typing import Any

from teloom.garbage import count_as_old, without_collection


def loaded(module: str, name: str | None = None) -> Any:
    """The attribute `name` of a module, or the module itself, which is loaded if it is not yet."""
    is_new = module not in sys.modules
    with without_collection():
        found = import_module(module)
        if is_new:
            count_as_old()
    return found if name is None else getattr(found, name)
