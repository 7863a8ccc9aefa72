"""Pass `apply-pragmas`: hands each note that a schedule made on a loop to the hook of its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import BoolAttr, DictionaryAttr, IntegerAttr, ModuleOp, i1, i32
from xdsl.ir import Attribute
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from teloom.analysis.index.extents import constant_extent
from teloom.analysis.unrolled_size import MOST_INSTRUCTIONS, instructions
from teloom.dialects import loop, te
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.loop import LoopKind
from teloom.dialects.upstream.llvm import (
    COUNT,
    LOOP_OPTIONS,
    OPPOSITE,
    LoopAnnotationAttr,
    LoopOption,
    LoopOptions,
    annotate,
)
from teloom.errors import PassError, did_you_mean
from teloom.passes.code.loop_code import write_copies
from teloom.passes.expected_level import refuse
from teloom.remarks import remark

Hook = Callable[[loop.ForOp, Attribute], None]
"""A function of a loop and the value of a note on it. It may replace the loop."""

_PREFIX = "llvm.loop."


def _options(known: LoopOptions, *path: str) -> Iterator[tuple[str, tuple[str, ...], LoopOption]]:
    """LLVM's name of each option, and where it stands in a loop annotation."""
    for name, option in known.items():
        if isinstance(option, LoopOption):
            yield option.name, (*path, name), option
        else:
            yield from _options(option, *path, name)


def _llvm_hook(path: tuple[str, ...], option: LoopOption) -> Hook:
    """A hook that writes one of LLVM's options into the loop annotation."""

    def write(op: loop.ForOp, value: Attribute) -> None:
        given = _number(op, option.name, value)
        truth = BoolAttr.from_bool(bool(given) != (option.kind == OPPOSITE))
        said = IntegerAttr(given, i32) if option.kind == COUNT else truth
        *groups, name = path
        options = DictionaryAttr({name: said})
        for group in reversed(groups):
            options = DictionaryAttr({group: options})
        annotate(op, LoopAnnotationAttr(options))

    return write


def _number(op: loop.ForOp, name: str, value: Attribute) -> int:
    """The number or truth value of a note; raises PassError for any other."""
    if not isinstance(value, IntegerAttr):
        raise PassError(
            f'pragma "{name}" of axis {op.axis_name} is {value}; it takes a number or a truth '
            "value",
            op,
        )
    number = value.value.data
    return number & 1 if value.type == i1 else number


def _unroll(op: loop.ForOp, value: Attribute) -> None:
    """Marks a serial loop as unrolled; `unroll-loops` decides whether LLVM can unroll it."""
    if not _number(op, "llvm.loop.unroll.full", value):
        return
    if op.kind.data is LoopKind.SERIAL:
        op.kind = loop.LoopKindAttr(LoopKind.UNROLLED)
    elif op.kind.data is not LoopKind.UNROLLED:
        remark(f"axis {op.axis_name} is not unrolled: it is {op.kind.data.value}", op)


def _unroll_short(op: loop.ForOp, value: Attribute) -> None:
    """Unrolls each serial loop of at most `value` iterations, this one and those inside."""
    most, counts = _number(op, "auto_unroll_max_step", value), dict[loop.ForOp, int | None]()
    for inner in reversed(ops_in(op, loop.ForOp)):
        extent, count = constant_extent(inner), 1
        for one in ops_in(inner.body.block, loop.ForOp):
            if extent is not None:
                found = counts[one]
                extent, count = (None, 1) if found is None else (extent, max(count, found))
        counts[inner] = steps = None if extent is None else extent * count
        if steps is not None and steps <= most and inner.kind.data is LoopKind.SERIAL:
            inner.kind = loop.LoopKindAttr(LoopKind.UNROLLED)


def _unroll_here(op: loop.ForOp, value: Attribute) -> None:
    """Copies the bodies of unrolled loops here, instead of in LLVM: this loop and those inside.

    What would be too many instructions is left to `unroll-loops`, which says so.
    """
    if not _number(op, "unroll_explicit", value):
        return
    for inner in reversed(ops_in(op, loop.ForOp)):
        if inner.kind.data is LoopKind.UNROLLED and instructions(inner) <= MOST_INSTRUCTIONS:
            extent = constant_extent(inner)
            if extent is not None and len(inner.lower.data.results) == 1:
                write_copies(inner, extent, PatternRewriter(inner))


PRAGMAS: dict[str, Hook] = {
    **{name: _llvm_hook(path, option) for name, path, option in _options(LOOP_OPTIONS)},
    "llvm.loop.unroll.full": _unroll,
    "auto_unroll_max_step": _unroll_short,
    "unroll_explicit": _unroll_here,
}
"""The hooks by the names of notes, in the order in which those of a loop are called.

The table is open: a plug-in adds its own, `PRAGMAS["my.note"] = hook`.
"""


@dataclass(frozen=True)
class ApplyPragmasPass(ModulePass):
    """Hand each note on a loop to the hook of its name.

    LLVM's loop metadata, `llvm.loop.unroll.count` and the like, becomes a loop annotation; the
    prefix `llvm.loop.` may be left out. `llvm.loop.unroll.full` unrolls a serial loop, as the
    kind `unrolled` does. `auto_unroll_max_step` unrolls the serial loops with at most so many
    iterations, those inside included. `unroll_explicit` copies the bodies of unrolled loops here,
    that of the loop and of those inside, and not in LLVM, but for those that `unroll-loops` finds
    too long. A note without a hook stays, with a remark.

    Order: after `vectorize-loops`, whose loops have the notes of those that they replace; before
    `unroll-loops`, which annotates the loops that are unrolled.

    Example: `apply-pragmas`
    ```mlir
    func.func @fill(%n: index, %A: memref<?xf32>, %x: f32) {
      loop.for %i = 0 to %n attributes {loop.pragmas = {
          "llvm.loop.unroll.count" = 4 : i64, "mine" = "kept"}} {
        memref.store %x, %A[%i] : memref<?xf32>
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @fill(%n: index, %A: memref<?xf32>, %x: f32) {
      loop.for %i = 0 to %n attributes {
          llvm.loop_annotation = #llvm.loop_annotation<unroll = <count = 4 : i32>>,
          loop.pragmas = {"mine" = "kept"}} {
        memref.store %x, %A[%i] : memref<?xf32>
      }
      func.return
    }
    ```
    Refused: `apply-pragmas`
    ```mlir
    func.func @fill(%n: index, %A: memref<?xf32>, %x: f32) {
      loop.for %i = 0 to %n attributes {loop.pragmas = {"unroll.count" = "four"}} {
        memref.store %x, %A[%i] : memref<?xf32>
      }
      func.return
    }
    ```
    with "pragma "llvm.loop.unroll.count" of axis i is "four"; it takes a number or a truth value"
    """

    name = "apply-pragmas"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp, loop.TensorRegionOp, loop.AccessOp), "storage-flatten")
        for inner in reversed(ops_in(op, loop.ForOp)):  # inner first: copies have no note left
            if inner.parent is not None:
                _apply(inner)


def _apply(op: loop.ForOp) -> None:
    remaining = loop.pragmas_of(op)
    notes = {_full(name): name for name in remaining}
    for name, hook in PRAGMAS.items():
        if name in notes:
            hook(op, remaining.pop(notes[name]))
    loop.set_pragmas(op, remaining)
    for name in remaining:
        hint = did_you_mean(name, PRAGMAS)
        remark(f'pragma "{name}" of axis {op.axis_name} does nothing, as it has no hook{hint}', op)


def _full(name: str) -> str:
    """The name of a note as hooks have it."""
    return _PREFIX + name if name not in PRAGMAS and _PREFIX + name in PRAGMAS else name
