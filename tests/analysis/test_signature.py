"""What a function's argument attributes say of how it is called."""

import pytest
from standard_kernels import parse
from xdsl.dialects.func import FuncOp
from xdsl.ir.affine import AffineExpr

from teloom.analysis.signature import Argument, Signature, signature_of
from teloom.errors import PassError


def signature(parameters: str, attributes: str = "") -> Signature:
    module = parse(f"func.func @f({parameters}){attributes} {{ func.return }}")
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    return signature_of(function)


def test_without_attributes_arrays_are_flat_and_sizes_are_passed():
    found = signature("%n: index, %A: memref<?xf32> {llvm.readonly}, %B: memref<4xi1>")
    assert found == Signature(
        "f",
        ("arg0",),
        (
            Argument("arg1", "float32", None, output=False),
            Argument("arg2", "bool", (AffineExpr.constant(4),), output=True),
        ),
        (0, 1, 2),
    )


def test_attributes_give_names_shapes_and_outputs():
    found = signature(
        """%n: index {te.name = "n"},
        %A: memref<?xi8> {te.name = "A", te.dtype = "uint8",
                          te.shape = affine_map<()[s0] -> (s0, s0 * 2)>},
        %B: memref<?xbf16> {te.name = "B", te.output, te.shape = affine_map<()[s0] -> (s0)>}"""
    )
    n = AffineExpr.symbol(0)
    assert found == Signature(
        "f",
        ("n",),
        (
            Argument("A", "uint8", (n, n * 2), output=False),
            Argument("B", "bfloat16", (n,), output=True),
        ),
        (1, 2),
    )


def test_a_parameter_is_passed_though_a_shape_mentions_it():
    found = signature(
        "%n: index {te.parameter}, %A: memref<?xf32> {te.shape = affine_map<()[s0] -> (s0)>}"
    )
    assert found.order == (0, 1)


def test_the_order_of_a_call_may_be_given():
    attributes = " attributes {te.order = array<i64: 2, 0, 1>}"
    found = signature("%n: index, %A: memref<?xf32>, %B: memref<?xf32>", attributes)
    assert found.order == (2, 0, 1)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (
            "%x: f32",
            "argument 0 of f is of type f32; a function is called with sizes",
        ),
        ("%A: memref<4xf32>, %n: index", "argument 1 of f is of type index"),
        ("%A: memref<4xi7>", "no array has elements of type i7"),
    ],
)
def test_other_arguments_are_refused(parameters, words):
    with pytest.raises(PassError, match=words):
        signature(parameters)
