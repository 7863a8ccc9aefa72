"""Places in the user's program as locations of IR."""

from __future__ import annotations

from functools import lru_cache

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

from teloom.frontend.source_location import SourceLocation


@lru_cache(1024)  # a line makes many axes and commands, and an attribute takes long to make
def location(place: SourceLocation) -> FileLineColLoc:
    """The location of a place."""
    return FileLineColLoc(StringAttr(place.file), IntAttr(place.line), IntAttr(place.column))
