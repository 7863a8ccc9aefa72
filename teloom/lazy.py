"""Parts of the package that are loaded when they are first used."""

from importlib import import_module
from typing import Any

from teloom.garbage import without_collection


def loaded(module: str, name: str | None = None) -> Any:
    """The attribute `name` of a module, or the module itself, which is loaded if it is not yet."""
    with without_collection():
        found = import_module(module)
    return found if name is None else getattr(found, name)
