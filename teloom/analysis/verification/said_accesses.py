"""Whether what ops say that they access agrees with their operands: analyses rely on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Operation
from xdsl.ir.affine import AffineMap

from teloom.analysis.signature import symbols_of
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.faults import OpFault
from teloom.dialects.interfaces import Access, AccessingOp
from teloom.dialects.loop import TensorType


def check_said_accesses(module: ModuleOp) -> None:
    """Raises `OpFault` for the first op, of a plug-in say, whose `accesses` cannot be right."""
    for op in preorder(module):
        if isinstance(op, AccessingOp):
            for fault in _faults(op, op.accesses()):
                raise OpFault(f"{op.name}, by its accesses(), {fault}", op)


def _faults(op: Operation, said: object) -> Iterator[str]:
    if not isinstance(said, Sequence):
        yield f"gives {type(said).__name__}, no sequence of Access"
        return
    for access in said:
        yield from _faults_of_one(op, access)
    for position in range(len(op.operands)):
        if _rank(op, position) is not None and all(one.position != position for one in said):
            yield f"says nothing of the buffer at operand {position}"


def _faults_of_one(op: Operation, access: object) -> Iterator[str]:
    if not isinstance(access, Access):
        yield f"gives {type(access).__name__} in the place of an Access"
    elif access.op is not op:
        yield "gives an access of another op"
    elif (rank := _rank(op, access.position)) is None:
        yield f"accesses operand {access.position}, which is no buffer"
    elif access.value is not None and access.value not in (*op.operands, *op.results):
        yield f"gives operand {access.position} a value that is not its own"
    elif not isinstance(access.map, AffineMap | None):
        yield f"gives operand {access.position} {type(access.map).__name__} in the place of a map"
    elif access.map is not None:
        yield from _faults_of_map(op, access.position, access.map, rank)


def _faults_of_map(op: Operation, position: int, map: AffineMap, rank: int) -> Iterator[str]:
    behind = len(op.operands) - position - 1
    if len(map.results) != rank:
        yield f"has {len(map.results)} subscripts for operand {position}, of rank {rank}"
    elif map.num_symbols or map.num_dims > behind:
        yield f"maps by {map}, but {behind} operands stand behind operand {position}"
    elif not _has_all_it_uses(map):
        yield f"maps by {map}, which uses a dimension that it does not have"


def _has_all_it_uses(map: AffineMap) -> bool:
    dims_are_there = map.used_dims() <= {*range(map.num_dims)}
    return dims_are_there and not any(symbols_of(one) for one in map.results)


def _rank(op: Operation, position: object) -> int | None:
    """The rank of the buffer, or tensor of the loop dialect, at an operand; None for others."""
    if not isinstance(position, int) or not 0 <= position < len(op.operands):
        return None
    match op.operands[position].type:
        case MemRefType() as type:
            return type.get_num_dims()
        case TensorType(rank=rank):
            return rank.data
    return None
