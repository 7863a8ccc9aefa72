"""Parsing IR text of any known dialect."""

from __future__ import annotations

from xdsl.dialects.builtin import UNKNOWN_LOC, FileLineColLoc, ModuleOp
from xdsl.utils.exceptions import ParseError

from teloom.dialects.bodies.preorder import preorder
from teloom.driver.diagnostics import mistake_in_text
from teloom.driver.reading.located_parser import LocatedParser
from teloom.driver.registry import context_of, load_universe
from teloom.errors import Error


def parsed(text: str, name: str) -> ModuleOp:
    """The module of a text, whose ops are placed in the lines of `name`; raises `ParseError`."""
    context = context_of(load_universe().all_dialects)
    return LocatedParser(context, text, name).parse_module()


def given_text(text: str, name: str, refusal: type[Error] = Error) -> ModuleOp:
    """The module of a text that a user gives; raises `refusal`, with the place of a mistake."""
    try:
        return parsed(text, name)
    except ParseError as error:
        raise refusal(mistake_in_text(error).diagnostic().text(name)) from None


def without_places(module: ModuleOp, name: str) -> ModuleOp:
    """The module without places in the lines of `name`: its ops stand where they are taken to.

    Locations that the text says itself stay.
    """
    for op in preorder(module):
        if isinstance(op.location, FileLineColLoc) and op.location.filename.data == name:
            op.location = UNKNOWN_LOC
    return module
