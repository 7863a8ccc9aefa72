"""`te.call_op`: an op of another package stands in equations and externs that Python writes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects import llvm
from xdsl.dialects.builtin import Float32Type, IntegerAttr, VectorType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

import teloom
from teloom import te
from teloom.dialects.interfaces import ScalarOp
from teloom.passes.llvm.builder import Builder

FLOATS = base(Float32Type) | base(VectorType)


@irdl_op_definition
class SumOp(IRDLOperation, ScalarOp):
    """`x + y`, as often as it says."""

    name = "other.sum"

    x = operand_def(FLOATS)
    y = operand_def(FLOATS)
    times = prop_def(IntegerAttr)
    result = result_def(FLOATS)

    traits = traits_def(Pure())

    assembly_format = "$x `,` $y `,` $times attr-dict `:` type($x) `,` type($y) `->` type($result)"

    def evaluate(self, operands: Sequence[np.ndarray]) -> np.ndarray:
        return (operands[0] + operands[1]) * np.float32(self.times.value.data)

    def to_llvm(self, builder: Builder) -> SSAValue:
        found = builder.binary(llvm.FAddOp, self.x, self.y)
        one = found
        for _ in range(1, self.times.value.data):
            found = builder.binary(llvm.FAddOp, found, one)
        return found


@irdl_op_definition
class OneOp(IRDLOperation, ScalarOp):
    """1, of which nothing says that it is pure."""

    name = "other.one"

    result = result_def(FLOATS)

    def evaluate(self, operands: Sequence[np.ndarray]) -> np.float32:
        return np.float32(1)

    def to_llvm(self, builder: Builder) -> SSAValue:
        return builder.constant(1, self.result.type)


TWICE = IntegerAttr(2, i64)


@pytest.mark.parametrize("n", [0, 1, 37])
@pytest.mark.parametrize("command", [None, "vectorize", "unroll", "parallel"])
def test_in_an_equation(n: int, command: str | None):
    A, B = (te.placeholder((n,), name=name) for name in "AB")
    C = te.compute(
        (n,), lambda i: te.call_op("float32", SumOp, A[i], B[i], times=TWICE) - 1, name="C"
    )
    assert "(other.sum(A[i], B[i]) - 1.0)" in str(C.op.body[0])
    s = te.create_schedule(C)
    if command is not None:
        outer, inner = s[C].split(C.op.axis[0], 8)
        getattr(s[C], command)(outer if command == "parallel" else inner)
    a, b = np.arange(2 * n, dtype="float32").reshape(2, n)
    c = np.empty_like(a)
    function = teloom.build(s, [A, B, C])
    function(a, b, c)
    np.testing.assert_array_equal(c, (a + b) * 2 - 1)
    if command == "vectorize" and n > 8:
        assert "vector<8xf32>" in function.source("standard").split("other.sum")[1]


def test_under_rules_and_in_a_reduction():
    A = te.placeholder((50, 70), name="A")
    r = te.reduce_axis((0, 70), "r")
    C = te.compute(
        (50,), lambda i: te.sum(te.call_op("float32", SumOp, A[i, r], 3, times=TWICE), r), name="C"
    )
    a = np.arange(3500, dtype="float32").reshape(50, 70) % 11
    c = np.empty(50, "float32")
    teloom.build([C], [A, C])(a, c)
    np.testing.assert_array_equal(c, ((a + 3) * 2).sum(axis=1))


def test_in_an_extern():
    A = te.placeholder((9,), name="A")

    def twice(ins: Sequence[te.Buffer], outs: Sequence[te.Buffer]):
        ib = te.ir_builder.create()
        a, c = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
        with ib.for_range(0, 9, "i") as i:
            c[i] = te.call_op("float32", SumOp, a[i], 0, times=TWICE)
        return ib.get()

    C = te.extern((9,), [A], twice, name="C", dtype="float32")
    a = np.arange(9, dtype="float32")
    c = np.empty_like(a)
    teloom.build([C], [A, C])(a, c)
    np.testing.assert_array_equal(c, 2 * a)


A = te.placeholder((4,), name="A")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: te.call_op("float32", "other.sum", A[0]), "wants the class of an op .* got 'oth"),
        (lambda: te.call_op("float32", llvm.FAddOp, A[0]), "wants the class of an op .* got FAdd"),
        (lambda: te.call_op("float32", OneOp), "other.one is called in .* not declared Pure"),
        (
            lambda: te.call_op("float32", SumOp, A[0], times=TWICE),
            "no other.sum of float32 gives float32: Expected 2 operands, but got 1",
        ),
        (
            lambda: te.call_op("int8", SumOp, A[0], A[1], times=TWICE),
            "no other.sum of float32, float32 gives int8: result 'result'",
        ),
        (
            lambda: te.call_op("float32", SumOp, A[0], A[1], A[2], times=3),
            "times of other.sum is 3, no attribute of xDSL",
        ),
        (
            lambda: te.gradient(
                te.compute((4,), lambda i: te.call_op("float32", SumOp, A[i], 1, times=TWICE)), [A]
            ),
            r"the gradient of other\.sum\(A\[i\], 1\.0\), in 'compute', is not known",
        ),
    ],
)
def test_refused(call, words: str):
    with pytest.raises(teloom.Error, match=words):
        call()
