"""Parsing IR text of any known dialect."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from teloom.dialects.syntax.upstream_text import UpstreamParser
from teloom.driver.registry import load_universe


def parsed(text: str, name: str) -> ModuleOp:
    """The module of a text, which errors call `name`. Raises what xDSL's parser raises."""
    context = Context()
    for dialect, factory in load_universe().all_dialects.items():
        context.register_dialect(dialect, factory)
    return UpstreamParser(context, text, name).parse_module()
