"""Loops, branches, calls, memory and lanes mean in C what they mean in LLVM."""

import re

import numpy as np
import pytest
from c_functions import call, library, needs_compiler
from standard_kernels import compile_text, parse

from teloom.backend.c.source import VECTOR_FORMS, c_source
from teloom.backend.machine.generators import AS_WRITTEN
from teloom.errors import Error, PassError

CONTROL = """
func.func @control(%n: index, %A: memref<?xf32>, %B: memref<?xf32>) attributes {te.signature = {
    sizes = ["n"], arrays = [
      {name = "A", dtype = "float32", shape = affine_map<()[s0] -> (s0)>},
      {name = "B", dtype = "float32", shape = affine_map<()[s0] -> (s0)>, output}]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %rows = memref.alloc(%n) : memref<?xf32>
  %fib, %next = scf.for %i = %c0 to %n step %c2 iter_args(%a = %zero, %b = %one) -> (f32, f32) {
    %c = arith.addf %a, %b : f32
    scf.yield %b, %c : f32, f32
  }
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %own = memref.alloc(%n) : memref<?xf32>
    %x = memref.load %A[%i] : memref<?xf32>
    %is_less = arith.cmpf olt, %x, %zero : f32
    %y = scf.if %is_less -> (f32) {
      %negated = arith.negf %x : f32
      scf.yield %negated : f32
    } else {
      scf.yield %x : f32
    }
    memref.store %y, %own[%c0] : memref<?xf32>
    %z = memref.load %own[%c0] : memref<?xf32>
    memref.store %zero, %own[%c0] : memref<?xf32>
    memref.store %z, %rows[%i] : memref<?xf32>
    memref.dealloc %own : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  %last = scf.while (%k = %n) : (index) -> index {
    %more = arith.cmpi sgt, %k, %c1 : index
    scf.condition(%more) %k : index
  } do {
  ^bb0(%k: index):
    %half = arith.floordivsi %k, %c2 : index
    scf.yield %half : index
  }
  func.call @shift(%n, %rows, %B) : (index, memref<?xf32>, memref<?xf32>) -> ()
  %s = func.call @twice(%fib) : (f32) -> f32
  %t = arith.subf %s, %next : f32
  %at = arith.subi %last, %c1 : index
  memref.store %t, %B[%at] : memref<?xf32>
  memref.dealloc %rows : memref<?xf32>
  %ok = arith.cmpi ult, %n, %n_most : index
  cf.assert %ok, "n is less than 50"
  func.return
}
func.func private @shift(%n: index, %from: memref<?xf32>, %to: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %from[%i] : memref<?xf32>
    %was = memref.load %to[%i] : memref<?xf32>
    memref.store %x, %to[%i] : memref<?xf32>
    %sum = arith.addf %x, %was : f32
    memref.store %sum, %from[%i] : memref<?xf32>
    memref.store %sum, %to[%i] : memref<?xf32>
  }
  func.return
}
func.func private @twice(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  func.return %y : f32
}
""".replace("  %ok =", "  %n_most = arith.constant 50 : index\n  %ok =")

LANES = """
func.func @lanes(%A: memref<64xf32>, %I: memref<16xi32>, %B: memref<64xf32>, %S: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %x = vector.load %A[%c1] : memref<64xf32>, vector<16xf32>
  %y = vector.load %A[%c16] : memref<64xf32>, vector<16xf32>
  %i = vector.load %I[%c0] : memref<16xi32>, vector<16xi32>
  %two = arith.constant dense<2.0> : vector<16xf32>
  %all = vector.create_mask %c16 : vector<16xi1>
  %some = vector.create_mask %c5 : vector<16xi1>
  %less = arith.cmpf olt, %x, %y : vector<16xf32>
  %g = vector.gather %A[%c3] [%i], %less, %two
    : memref<64xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %m = vector.maskedload %A[%c8], %some, %y
    : memref<64xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %sh = vector.shuffle %x, %y [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23]
    : vector<16xf32>, vector<16xf32>
  %e = vector.extract %sh[3] : f32 from vector<16xf32>
  %in = vector.insert %e, %g [2] : f32 into vector<16xf32>
  %eb = vector.broadcast %e : f32 to vector<16xf32>
  %p = arith.mulf %eb, %m : vector<16xf32>
  %half = vector.load %A[%c3] : memref<64xf32>, vector<8xf32>
  %twice = vector.shuffle %half, %half [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]
    : vector<8xf32>, vector<8xf32>
  %four = vector.load %A[%c5] : memref<64xf32>, vector<4xf32>
  %evens = vector.shuffle %four, %four [0, 4, -1, -1, 1, 5, -1, -1, 2, 6, -1, -1, 3, 7, -1, -1]
    : vector<4xf32>, vector<4xf32>
  %odds = vector.shuffle %four, %four [-1, -1, 0, 4, -1, -1, 1, 5, -1, -1, 2, 6, -1, -1, 3, 7]
    : vector<4xf32>, vector<4xf32>
  %joined = vector.shuffle %evens, %odds [0, 1, 18, 19, 4, 5, 22, 23, 8, 9, 26, 27, 12, 13, 30, 31]
    : vector<16xf32>, vector<16xf32>
  %differ = arith.mulf %twice, %joined : vector<16xf32>
  %q0 = arith.addf %p, %differ : vector<16xf32>
  %q = arith.addf %q0, %in : vector<16xf32>
  vector.store %q, %B[%c0] : memref<64xf32>, vector<16xf32>
  // In place, one element further: all lanes are loaded before the first is stored.
  %w = vector.load %B[%c0] : memref<64xf32>, vector<16xf32>
  vector.store %w, %B[%c1] : memref<64xf32>, vector<16xf32>
  vector.store %sh, %B[%c16] : memref<64xf32>, vector<16xf32>
  vector.store %g, %B[%c32] : memref<64xf32>, vector<16xf32>
  vector.maskedstore %B[%c48], %less, %x : memref<64xf32>, vector<16xi1>, vector<16xf32>
  %chosen = arith.select %less, %x, %y : vector<16xi1>, vector<16xf32>
  %sum, %most = scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %chosen, %b = %x)
      -> (vector<16xf32>, vector<16xf32>) {
    %c = arith.maxnumf %a, %b : vector<16xf32>
    scf.yield %b, %c : vector<16xf32>, vector<16xf32>
  }
  %r0 = vector.reduction <add>, %sum : vector<16xf32> into f32
  %r1 = vector.reduction <maximumf>, %most, %e : vector<16xf32> into f32
  %r2 = vector.reduction <add>, %i : vector<16xi32> into i32
  %r3 = vector.reduction <minsi>, %i : vector<16xi32> into i32
  %both = arith.addf %x, %y : vector<16xf32>
  %r4 = vector.reduction <add>, %both, %e : vector<16xf32> into f32
  %c4 = arith.constant 4 : index
  memref.store %r4, %S[%c4] : memref<8xf32>
  %f2 = arith.sitofp %r2 : i32 to f32
  %f3 = arith.sitofp %r3 : i32 to f32
  %c2 = arith.constant 2 : index
  memref.store %r0, %S[%c0] : memref<8xf32>
  memref.store %r1, %S[%c1] : memref<8xf32>
  memref.store %f2, %S[%c2] : memref<8xf32>
  memref.store %f3, %S[%c3] : memref<8xf32>
  func.return
}
"""


@needs_compiler
@pytest.mark.parametrize("flags", [(), ("-fopenmp", "-O2")])
def test_control(flags: tuple[str, ...]):
    found = library(c_source(parse(CONTROL)), *flags)
    kernel = compile_text(CONTROL, effort=AS_WRITTEN)
    for n in (1, 2, 7, 49):
        A = np.random.default_rng(n).uniform(-1, 1, n).astype("float32")
        expected, result = np.ones(n, "float32"), np.ones(n, "float32")
        kernel(A, expected)
        assert call(found, "control", [n], [A, result]) == 0
        np.testing.assert_array_equal(result, expected)


@needs_compiler
def test_statuses():
    """1 where there is no memory, also of a thread; from 2 on the number of an assertion."""
    found = library(c_source(parse(CONTROL)), "-fopenmp")
    A, B = np.zeros(64, "float32"), np.zeros(64, "float32")
    assert call(found, "control", [50], [A, B]) == 2
    assert call(found, "control", [2**61], [A, B]) == 1
    assert call(found, "control", [-1], [A, B]) == 1
    text = CONTROL.replace("%own = memref.alloc(%n)", "%own = memref.alloc(%huge)")
    text = text.replace(
        "  %zero =", "  %huge = arith.constant 2305843009213693952 : index\n  %zero =", 1
    )
    source = c_source(parse(text))
    assert call(library(source, "-fopenmp"), "control", [8], [A, B]) == 1
    assert re.search(r"if \(status\) \{\n\s+free\(rows\);\n\s+return status;", source)


@needs_compiler
@pytest.mark.parametrize("form", VECTOR_FORMS)
def test_lanes(form: str):
    rng = np.random.default_rng(0)
    A = rng.uniform(-1, 1, 64).astype("float32")
    indices = rng.permutation(16).astype("int32")
    expected = [np.zeros(64, "float32"), np.zeros(8, "float32")]
    result = [np.zeros(64, "float32"), np.zeros(8, "float32")]
    compile_text(LANES, effort=AS_WRITTEN)(A, indices, *expected)
    source = c_source(parse(LANES), form)
    assert "[-1]" not in source
    found = library(source)
    assert call(found, "lanes", [], [A, indices, *result]) == 0
    for one, known in zip(result, expected, strict=True):
        np.testing.assert_allclose(one, known, rtol=1e-6)


@needs_compiler
def test_memory_is_aliased_as_c_allows():
    """One piece of the stack holds floats, then integers."""
    text = """
      func.func @pieces(%A: memref<4xf32>, %B: memref<4xi32>) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %one = arith.constant 1.5 : f32
        %pool = memref.alloca() {alignment = 64 : i64} : memref<64xi8>
        %f = memref.view %pool[%c0][] : memref<64xi8> to memref<4xf32>
        %i = memref.view %pool[%c0][] : memref<64xi8> to memref<4xi32>
        memref.store %one, %f[%c1] : memref<4xf32>
        %x = memref.load %f[%c1] : memref<4xf32>
        %b = memref.load %i[%c1] : memref<4xi32>
        memref.store %x, %A[%c0] : memref<4xf32>
        memref.store %b, %B[%c0] : memref<4xi32>
        func.return
      }"""
    A, B = np.zeros(4, "float32"), np.zeros(4, "int32")
    assert call(library(c_source(parse(text)), "-O2"), "pieces", [], [A, B]) == 0
    assert A[0] == 1.5
    assert B[0] == np.float32(1.5).view("int32")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("scf.execute_region {\n scf.yield\n }", "cannot write scf.execute_region in C"),
        (
            "%v = arith.constant 1 : i24\nmemref.store %v, %A[] : memref<i24>",
            "C has no type for i24",
        ),
        (
            "%v = memref.alloca(%n) : memref<?xf32>\n"
            "%w = memref.load %v[%n] : memref<?xf32>\n"
            "memref.store %w, %A[] : memref<f32>",
            "has a size unknown at compile time",
        ),
        (
            "%v = memref.alloca() : memref<400000xf32>\n"
            "%w = memref.load %v[%n] : memref<400000xf32>\n"
            "memref.store %w, %A[] : memref<f32>",
            "the function needs 1600000 bytes of stack, more than 1048576",
        ),
        (
            "%i = arith.constant 0 : index\n"
            "%v = vector.load %B[%i] : memref<9xf32>, vector<3xf32>\n"
            "vector.store %v, %B[%i] : memref<9xf32>, vector<3xf32>",
            "GCC and Clang have no vectors of 3 lanes, only of powers of two",
        ),
        ("func.call @g(%h) : (f16) -> ()", "cannot declare function g in C: it takes or returns"),
    ],
)
def test_refusals(body: str, words: str):
    declared = "func.func private @g(f16)" if "@g" in body else ""
    element = "i24" if "i24" in body else "f32"
    text = f"""
      func.func @f(%n: index, %A: memref<{element}>, %B: memref<9xf32>) {{
        %z = arith.constant 0.0 : f32
        %h = arith.constant 0.0 : f16
        {body}
        func.return
      }}
      {declared}"""
    with pytest.raises(PassError, match=re.escape(words)):
        c_source(parse(text))


def test_another_form_of_vectors_is_refused():
    with pytest.raises(Error, match=r"no form of vectors in C is 'loop'; did you mean 'loops'\?"):
        c_source(parse("func.func @f() {\n func.return\n}"), "loop")


def test_an_op_that_fails_has_its_place():
    text = "func.func @f() {\n scf.execute_region {\n scf.yield\n }\n func.return\n}"
    with pytest.raises(PassError) as caught:
        c_source(parse(text))
    assert caught.value.op is not None
    assert caught.value.op.name == "scf.execute_region"
