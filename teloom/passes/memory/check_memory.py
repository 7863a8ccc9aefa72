"""Pass `check-memory`: a program fits into the memories that have a limit."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from teloom.analysis.memory.held import (
    Held,
    MemoryHeld,
    allocations_in,
    buffers_at_once,
    bytes_of,
    name_of_buffer,
)
from teloom.analysis.memory.moments import moments_in
from teloom.analysis.memory.storage import boundary_of, buffer_bytes
from teloom.analysis.memory.storage_plan import Lifetime
from teloom.dialects import loop, te
from teloom.errors import PassError
from teloom.passes.expected_level import refuse


def _check(function: func.FuncOp, memory: loop.MemoryOp, limit: int) -> None:
    for allocation in allocations_in(function, memory.scope):
        if buffer_bytes(allocation.memref) is None:
            raise PassError(
                f'the size of "{name_of_buffer(allocation.memref)}" in "{memory.scope}" depends '
                f"on sizes, but this memory holds {limit} bytes; compute a part of constant "
                "size at a time, or store it in a memory without a limit",
                allocation,
            )
    held = MemoryHeld(function, memory.scope).most
    needed = bytes_of(held)
    if needed > limit:
        moments = moments_in(function)
        buffers = ", ".join(_text(one, moments) for one in held)
        raise PassError(
            f'"{memory.scope}" holds {limit} bytes, but {needed} are needed at one time: '
            f"{buffers}, on boundaries of {boundary_of(held[-1].op)} bytes; compute less of them "
            "at a time, or at different times",
            held[-1].op,
        )


def _text(held: Held, moments: dict[Operation, Lifetime]) -> str:
    parts = [
        f'"{name_of_buffer(buffer)}" {buffer_bytes(buffer)} bytes'
        for buffer in buffers_at_once(held, moments)
    ]
    times = "" if held.copies == 1 else f" ({held.copies} times)"
    return ", ".join(parts) + times


@dataclass(frozen=True)
class CheckMemoryPass(ModulePass):
    """Refuse a program whose pressure on a memory exceeds the limit of its `loop.memory`.

    The pressure is the sum of all allocations in the scope that are live at one time, each
    aligned to its boundary. An allocation is live from its op to its deallocation. In a loop
    with concurrent iterations it counts once per iteration, unless each iteration has a
    memory of its own, as blocks have of `shared`. A buffer in a limited memory must have a
    constant size.

    Order: after `buffer-reuse`, which decides what is live at one time; before `unroll-loops`
    and `lower-loops`, while loops still say which iterations run concurrently.

    Example: `check-memory`
    ```mlir
    loop.memory "global.vtcm" limit 1024
    func.func @fits(%x: f32, %i: index) {
      %a = memref.alloc() {alignment = 64 : i64} : memref<256xf32, "global.vtcm">
      memref.store %x, %a[%i] : memref<256xf32, "global.vtcm">
      memref.dealloc %a : memref<256xf32, "global.vtcm">
      func.return
    }
    ```
    becomes
    ```mlir
    loop.memory "global.vtcm" limit 1024
    func.func @fits(%x: f32, %i: index) {
      %a = memref.alloc() {alignment = 64 : i64} : memref<256xf32, "global.vtcm">
      memref.store %x, %a[%i] : memref<256xf32, "global.vtcm">
      memref.dealloc %a : memref<256xf32, "global.vtcm">
      func.return
    }
    ```
    Refused: `check-memory`
    ```mlir
    loop.memory "global.vtcm" limit 1000
    func.func @too_large(%x: f32, %i: index) {
      %a = memref.alloc() {alignment = 64 : i64} : memref<256xf32, "global.vtcm">
      memref.store %x, %a[%i] : memref<256xf32, "global.vtcm">
      memref.dealloc %a : memref<256xf32, "global.vtcm">
      func.return
    }
    ```
    with ""global.vtcm" holds 1000 bytes, but 1024 are needed at one time: "a" 1024 bytes"
    """

    name = "check-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp, loop.TensorRegionOp, loop.AccessOp), "storage-flatten")
        memories = loop.memories_in(op)
        functions = [function for function in op.ops if isinstance(function, func.FuncOp)]
        for memory in memories:
            if memory.limit is not None:
                for function in functions:
                    _check(function, memory, memory.limit.value.data)
