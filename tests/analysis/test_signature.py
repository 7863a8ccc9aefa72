"""What a function's signature says of how it is called."""

import pytest
from standard_kernels import parse
from xdsl.dialects.func import FuncOp
from xdsl.ir.affine import AffineExpr

from teloom.analysis.signature import (
    SIGNATURE,
    Argument,
    Signature,
    argument_of,
    placement_of,
    signature_of,
    size_arguments,
)
from teloom.dialects.syntax.placements import USUAL
from teloom.errors import PassError


def function(parameters: str, signature: str = "") -> FuncOp:
    attributes = f" attributes {{te.signature = {signature}}}" if signature else ""
    (function,) = parse(f"func.func @f({parameters}){attributes} {{ func.return }}").ops
    assert isinstance(function, FuncOp)
    return function


def test_without_one_arrays_are_flat_and_sizes_are_passed():
    found = signature_of(
        function(
            "%n: index, %A: memref<?xf32> {llvm.readonly}, %0: memref<4xi1>, %A_1: memref<2xi8>"
        )
    )
    assert found == Signature(
        "f",
        ("n",),
        (
            Argument("A", "float32", None, output=False),
            Argument("arg2", "bool", (AffineExpr.constant(4),), output=True),
            Argument("A_1", "int8", (AffineExpr.constant(2),), output=True),
        ),
        (0, 1, 2, 3),
    )


def test_it_gives_names_shapes_placements_and_outputs():
    op = function(
        "%n: index, %A: memref<?xi8>, %B: memref<?xbf16>",
        """{sizes = ["n"], arrays = [
            {name = "a", dtype = "uint8", shape = affine_map<()[s0] -> (s0, s0 * 2)>,
             strides = affine_map<()[s0] -> (1, s0)>, alignment = 64 : i64},
            {name = "b", dtype = "bfloat16", shape = affine_map<()[s0] -> (s0)>, output}]}""",
    )
    found = signature_of(op)
    n = AffineExpr.symbol(0)
    strided = USUAL._replace(strides=(AffineExpr.constant(1), n), alignment=64)
    assert found == Signature(
        "f",
        ("n",),
        (
            Argument("a", "uint8", (n, n * 2), output=False, placement=strided),
            Argument("b", "bfloat16", (n,), output=True),
        ),
        (1, 2),
    )
    assert found.attribute() == op.attributes[SIGNATURE]
    assert [placement_of(arg) for arg in op.body.block.args] == [USUAL, strided, USUAL]


def test_the_order_of_a_call_may_be_given():
    arrays = 'arrays = [{name = "A", dtype = "float32"}, {name = "B", dtype = "float32"}]'
    said = f'{{sizes = ["n"], {arrays}, order = array<i64: 2, 0, 1>}}'
    op = function("%n: index, %A: memref<?xf32>, %B: memref<?xf32>", said)
    assert signature_of(op).order == (2, 0, 1)
    assert signature_of(op).attribute() == op.attributes[SIGNATURE]


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
    op = function(parameters)
    with pytest.raises(PassError, match=words) as refused:
        signature_of(op)
    assert refused.value.op is op


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (
            'dtype = "float64"',
            "A that its elements are float64, and those of its buffer are float32",
        ),
        ('dtype = "float31"', 'which is no signature: no array has the dtype "float31"'),
        ('dtype = [0 : i64, "a"]', r'which is no signature: no array has the dtype \[0 : i64, "a"'),
        (
            'dtype = "float32", shape = affine_map<() -> (2, 3)>',
            "A that it has 6 elements, and its buffer has 4",
        ),
        (
            'dtype = "float32", shape = affine_map<() -> (-4)>',
            "A that it has 0 elements, and its buffer has 4",
        ),
        (
            'dtype = "float32", shape = affine_map<()[s0, s1] -> (s1)>',
            "which is no signature: A is over 2 sizes of 0",
        ),
    ],
)
def test_arrays_that_do_not_fit_the_buffers_are_refused(array, words):
    said = f'{{arrays = [{{name = "A", {array}}}]}}'
    with pytest.raises(PassError, match=words):
        signature_of(function("%A: memref<4xf32>", said))


def test_sizes_of_no_signature_are_refused():
    op = function("%n: index, %A: memref<?xf32>", "3")
    with pytest.raises(PassError, match=r"te\.signature of f is 3 : i64, which is no signature"):
        size_arguments(op)
    assert size_arguments(function("%n: index")) == ()


def test_only_arguments_of_the_function_are_described():
    """An argument of a later block, and what an op makes, has no argument at its position."""
    (op,) = parse("""
        func.func @f(%n: index, %A: memref<?xf32>) attributes {te.signature = {
            sizes = ["n"], arrays = [{name = "a", dtype = "float32", alignment = 64 : i64,
                shape = affine_map<()[s0] -> (s0)>}]}} {
          %B = memref.alloc(%n) : memref<?xf32>
          cf.br ^bb1(%n, %B : index, memref<?xf32>)
        ^bb1(%m: index, %C: memref<?xf32>):
          func.return
        }
    """).ops
    assert isinstance(op, FuncOp)
    first, later = op.body.blocks
    (size, array), alloc = first.args, first.first_op
    assert alloc is not None
    described = argument_of(array)
    assert described is not None
    assert described.name == "a"
    assert placement_of(array).alignment == 64
    assert [*size_arguments(op)] == [size]
    for other in (size, *later.args, *alloc.results):
        assert argument_of(other) is None
        assert placement_of(other) == USUAL
