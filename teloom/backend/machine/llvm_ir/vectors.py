"""Elements of vectors and members of structures."""

from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Operation

from teloom.backend.machine.llvm_ir.function_text import FunctionText, Printer
from teloom.dialects.upstream import llvm


def _extractelement(f: FunctionText, op: Operation) -> None:
    f.define(op, f"extractelement {f.arguments(op.operands)}")


def _insertelement(f: FunctionText, op: Operation) -> None:
    f.define(op, f"insertelement {f.arguments(op.operands)}")


def _shufflevector(f: FunctionText, op: Operation) -> None:
    mask = op.properties["mask"]
    assert isinstance(mask, DenseArrayBase)
    lanes = ["i32 poison" if lane < 0 else f"i32 {lane}" for lane in mask.get_values()]
    f.define(
        op,
        f"shufflevector {f.arguments(op.operands)}, <{len(lanes)} x i32> <{', '.join(lanes)}>",
    )


def _extractvalue(f: FunctionText, op: Operation) -> None:
    f.define(op, f"extractvalue {f.typed(op.operands[0])}, {_position(op)}")


def _insertvalue(f: FunctionText, op: Operation) -> None:
    f.define(op, f"insertvalue {f.arguments(op.operands)}, {_position(op)}")


def _position(op: Operation) -> str:
    position = op.properties["position"]
    assert isinstance(position, DenseArrayBase)
    return ", ".join(map(str, position.get_values()))


PRINTERS: dict[type[Operation], Printer] = {
    llvm.ExtractElementOp: _extractelement,
    upstream.InsertElementOp: _insertelement,
    upstream.ShuffleVectorOp: _shufflevector,
    upstream.ExtractValueOp: _extractvalue,
    upstream.InsertValueOp: _insertvalue,
}
