"""Rewrites of the ops of a module, each found by its class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, get_args, get_type_hints

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from teloom.dialects.bodies.preorder import is_of, ops_by_class
from teloom.errors import PassError

Pattern = TypeVar("Pattern", bound=RewritePattern)
Matched = TypeVar("Matched", bound=Operation)

_KINDS = "op_kinds"


def of_kind(
    method: Callable[[Pattern, Matched, PatternRewriter], None],
) -> Callable[[Pattern, Operation, PatternRewriter], None]:
    """Marks the `match_and_rewrite` of a pattern: it gets the ops of the kinds of its parameter."""
    kind = get_type_hints(method)["op"]
    is_wanted = is_of(get_args(kind) or (kind,))

    def match_and_rewrite(self: Pattern, op: Operation, rewriter: PatternRewriter) -> None:
        if is_wanted[type(op)]:
            method(self, op, rewriter)  # pyright: ignore

    setattr(match_and_rewrite, _KINDS, is_wanted)
    return match_and_rewrite


def rewrite(
    module: ModuleOp, patterns: Sequence[RewritePattern], regions_first: bool = False
) -> bool:
    """Gives each op that is there now to the patterns, until one of them changes something.

    In the order of the text, or those in an op before the op itself. What a pattern makes is not
    rewritten, and what it erases not visited. Returns whether anything changed.

    A pattern sees the ops of its kinds only, which one walk finds for all patterns: xDSL's
    walker asks each pattern about each op. A refusal without a place gets that of the op.
    """
    matching = _Matching(patterns)
    if regions_first:
        found = [op for op in module.walk(region_first=True) if matching[type(op)]]
    else:
        found = ops_by_class(module, matching)
    rewriter, has_changed = None, False
    for op in found:
        if op.parent is None:  # erased, or the module
            continue
        place = InsertPoint.before(op)
        rewriter = rewriter or PatternRewriter(place)
        rewriter.insertion_point, rewriter.has_done_action = place, False
        for pattern in matching[type(op)]:
            try:
                pattern.match_and_rewrite(op, rewriter)
            except PassError as error:
                raise error.at(op)
            if rewriter.has_done_action:
                has_changed = True
                break
    return has_changed


class _Matching(dict[type, Sequence[RewritePattern]]):
    """The patterns that a class of ops is given to."""

    def __init__(self, patterns: Sequence[RewritePattern]):
        self.patterns = patterns

    def __missing__(self, kind: type) -> Sequence[RewritePattern]:
        self[kind] = [one for one in self.patterns if _matches(one, kind)]
        return self[kind]


def _matches(pattern: RewritePattern, kind: type[Operation]) -> bool:
    kinds = getattr(pattern.match_and_rewrite, _KINDS, None)
    return kinds is None or kinds[kind]
