"""What becomes of `geometry.move`: a rule for each step of the compiler that meets it."""

from xdsl.dialects import arith, llvm, vector
from xdsl.dialects.builtin import VectorType

from geometry.dialect import MoveOp
from teloom.backend.c.writer import FunctionWriter
from teloom.backend.interpreter.externs import ExternRun
from teloom.passes.lanes.lanes import LaneWriter
from teloom.passes.llvm.builder import Builder


def move_to_llvm(op: MoveOp, builder: Builder) -> None:
    """For `lower-to-llvm`: the operands are the machine's by now, the buffer is a pointer."""
    old = builder.load(op.points, op.indices, op.by.type)
    new = builder.binary(llvm.FAddOp, old, op.by)
    builder.store(new, op.points, op.indices)


def move_in_lanes(writer: LaneWriter, op: MoveOp) -> None:
    """For `vectorize-loops`: elements that are neighbours become one vector."""
    (index,) = op.indices
    if writer.strides.of(index) != 1:
        writer.lane_by_lane(op)
        return
    first = writer.scalar(index)
    type = VectorType(op.by.type, [writer.lanes])
    old = writer.emit(vector.LoadOp(op.points, [first], type))
    new = writer.emit(arith.AddfOp(old, writer.vector(op.by)))
    writer.block.add_op(vector.StoreOp(new, op.points, [first]))


def move_in_c(op: MoveOp, writer: FunctionWriter) -> None:
    """For source of C, where a buffer has one axis; what waits to be read there is read first."""
    points, index, by = (writer.use(operand) for operand in op.operands)
    writer.settle(writer.root(op.points))
    writer.line(f"{points.text}[{index.text}] += {by.text};")


def move(run: ExternRun, op: MoveOp) -> None:
    """For the reference interpreter."""
    place = run.place(op.points, op.indices)
    run.boxes[op.points][place] += run.scalars[op.by][0]
