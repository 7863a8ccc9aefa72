"""Programs as upstream MLIR writes them, compiled: what NumPy computes."""

from collections.abc import Callable

import numpy as np
import pytest
from upstream_tools import needs_mlir_opt, through_mlir_opt
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr

import teloom
from teloom.dialects import te
from teloom.dialects.upstream.linalg import Linalg
from teloom.driver.reading.parsed_text import parsed
from teloom.errors import Error
from teloom.passes.upstream.linalg_to_te import LinalgToTePass


@pytest.fixture
def some(rng: np.random.Generator) -> Callable[..., np.ndarray]:
    """Small whole numbers as floats: sums of them are exact in any order."""
    return lambda *shape: rng.integers(-4, 5, shape).astype("float32")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def call(text: str, *arrays: object) -> None:
    teloom.compile(text)(*arrays)


LAYER = """
#all = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>
func.func @layer(%a: tensor<?x?xf32>, %w: tensor<?x?xf32>, %bias: tensor<?xf32>, %scale: f32)
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>)
      -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#all, #columns, #all],
      iterator_types = ["parallel", "parallel"]} ins(%p, %bias : tensor<?x?xf32>, tensor<?xf32>)
      outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.mulf %s, %scale : f32
    %u = arith.maximumf %t, %zero : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""


def test_layer_on_tensors(some: Callable[..., np.ndarray]):
    layer = teloom.compile(LAYER)
    for m, k, n in ((5, 7, 3), (1, 1, 1), (0, 4, 2), (17, 33, 40)):
        a, w, bias, out = some(m, k), some(k, n), some(n), np.empty((m, n), "float32")
        layer(a, w, bias, np.float32(0.5), out)
        expected = np.maximum((a @ w + bias) * np.float32(0.5), 0)
        np.testing.assert_array_equal(out, expected, err_msg=f"{m} x {k} x {n}")


def test_schedule_of_upstream_text(some: Callable[..., np.ndarray]):
    schedule = """
    schedule.sequence @tiled on @layer {
      %p = schedule.get "p"
      %i, %j, %k = schedule.axes 3 of %p
      %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 8
      schedule.vectorize %ji
    }"""
    a, w, bias, out = some(9, 5), some(5, 11), some(11), np.empty((9, 11), "float32")
    compiled = teloom.compile(LAYER + schedule)
    compiled(a, w, bias, np.float32(1), out)
    np.testing.assert_array_equal(out, np.maximum(a @ w + bias, 0))
    assert "vector<8xf32>" in compiled.source("standard")


def test_buffers_through_linalg(some: Callable[..., np.ndarray]):
    """A convolution and a pooling overwrite; a sum is added to what the buffer held."""
    x, w, total = some(1, 8, 9, 3), some(3, 3, 3, 4), some(4)
    y, top = np.empty((1, 3, 4, 4), "float32"), np.empty((1, 2, 3, 4), "float32")
    new = np.empty(4, "float32")
    call(
        """func.func @conv(%x: memref<1x8x9x3xf32>, %w: memref<3x3x3x4xf32>,
            %y: memref<1x3x4x4xf32>, %top: memref<1x2x3x4xf32>, %total: memref<4xf32>) {
          %zero = arith.constant 0.0 : f32
          %least = arith.constant 0xFF800000 : f32
          %window = memref.alloc() : memref<2x2xf32>
          linalg.fill ins(%zero : f32) outs(%window : memref<2x2xf32>)
          linalg.fill ins(%zero : f32) outs(%y : memref<1x3x4x4xf32>)
          linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>,
              strides = dense<2> : tensor<2xi64>} ins(%x,
              %w : memref<1x8x9x3xf32>, memref<3x3x3x4xf32>) outs(%y : memref<1x3x4x4xf32>)
          linalg.fill ins(%least : f32) outs(%top : memref<1x2x3x4xf32>)
          linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>,
              strides = dense<1> : tensor<2xi64>} ins(%y,
              %window : memref<1x3x4x4xf32>, memref<2x2xf32>) outs(%top : memref<1x2x3x4xf32>)
          linalg.reduce { arith.addf } ins(%y : memref<1x3x4x4xf32>)
              outs(%total : memref<4xf32>) dimensions = [0, 1, 2]
          memref.dealloc %window : memref<2x2xf32>
          return
        }""",
        *(x, w, y, top, total, new),
    )
    expected = np.zeros_like(y)
    for i, j in np.ndindex(3, 4):
        expected[0, i, j] = np.tensordot(x[0, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3], w, 3)
    np.testing.assert_array_equal(y, expected)
    windows = np.lib.stride_tricks.sliding_window_view(expected, (2, 2), (1, 2))
    np.testing.assert_array_equal(top, windows.max((-2, -1)))
    np.testing.assert_array_equal(new, total + expected.sum((0, 1, 2)))


def test_fold_of_two_outputs_and_a_gather(some: Callable[..., np.ndarray]):
    a, at = some(5, 7), np.array([4, 0, 2], "int32")
    value, place, picked = np.empty(5, "float32"), np.empty(5, "int32"), np.empty((3, 7), "float32")
    call(
        """
        #all = affine_map<(d0, d1) -> (d0, d1)>
        #rows = affine_map<(d0, d1) -> (d0)>
        func.func @f(%a: tensor<5x7xf32>, %at: tensor<3xi32>)
            -> (tensor<5xf32>, tensor<5xi32>, tensor<3x7xf32>) {
          %least = arith.constant 0xFF800000 : f32
          %first = arith.constant 0 : i32
          %e = tensor.empty() : tensor<5xf32>
          %i = tensor.empty() : tensor<5xi32>
          %g = tensor.empty() : tensor<3x7xf32>
          %es = linalg.fill ins(%least : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
          %is = linalg.fill ins(%first : i32) outs(%i : tensor<5xi32>) -> tensor<5xi32>
          %r:2 = linalg.generic {indexing_maps = [#all, #rows, #rows],
              iterator_types = ["parallel", "reduction"]} ins(%a : tensor<5x7xf32>) outs(%es,
              %is : tensor<5xf32>, tensor<5xi32>) {
          ^bb0(%x: f32, %old: f32, %was: i32):
            %k = linalg.index 1 : index
            %here = arith.index_cast %k : index to i32
            %above = arith.cmpf ogt, %x, %old : f32
            %most = arith.select %above, %x, %old : f32
            %where = arith.select %above, %here, %was : i32
            linalg.yield %most, %where : f32, i32
          } -> (tensor<5xf32>, tensor<5xi32>)
          %p = linalg.generic {indexing_maps = [#rows, #all],
              iterator_types = ["parallel", "parallel"]} ins(%at : tensor<3xi32>)
              outs(%g : tensor<3x7xf32>) {
          ^bb0(%n: i32, %old: f32):
            %row = arith.index_cast %n : i32 to index
            %column = linalg.index 1 : index
            %x = tensor.extract %a[%row, %column] : tensor<5x7xf32>
            linalg.yield %x : f32
          } -> tensor<3x7xf32>
          return %r#0, %r#1, %p : tensor<5xf32>, tensor<5xi32>, tensor<3x7xf32>
        }""",
        *(a, at, value, place, picked),
    )
    np.testing.assert_array_equal(value, a.max(1))
    np.testing.assert_array_equal(place, a.argmax(1))
    np.testing.assert_array_equal(picked, a[at])


def test_narrow_factors_are_widened_before_they_are_multiplied(rng: np.random.Generator):
    a, b = (rng.integers(-128, 128, shape).astype("int8") for shape in ((3, 40), (40, 5)))
    c, out = np.ones((3, 5), "int32"), np.empty((3, 5), "int32")
    call(
        """func.func @f(%a: tensor<3x40xi8>, %b: tensor<40x5xi8>, %c: tensor<3x5xi32>)
            -> tensor<3x5xi32> {
          %r = linalg.matmul ins(%a, %b : tensor<3x40xi8>, tensor<40x5xi8>)
              outs(%c : tensor<3x5xi32>) -> tensor<3x5xi32>
          return %r : tensor<3x5xi32>
        }""",
        *(a, b, c, out),
    )
    np.testing.assert_array_equal(out, a.astype("int32") @ b + c)


AFFINE = """
#inside = affine_set<(d0, d1) : (d0 - d1 >= 0)>
func.func @lower(%A: memref<?x?xf32>, %B: memref<?x?xf32>,
    %C: memref<?x?xf32, strided<[?, 1], offset: ?>>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %k = memref.dim %A, %c1 : memref<?x?xf32>
  %n = memref.dim %B, %c1 : memref<?x?xf32>
  affine.parallel (%i, %j) = (0, 0) to (symbol(%m), symbol(%n)) {
    affine.for %r = 0 to %k step 2 {
      affine.for %q = affine_map<(d0)
          -> (d0)>(%r) to min affine_map<(d0)[s0] -> (d0 + 2, s0)>(%r)[%k] {
        %a = affine.load %A[%i, %q] : memref<?x?xf32>
        %b = affine.load %B[%q, %j] : memref<?x?xf32>
        affine.if #inside(%i, %q) {
          %c = affine.load %C[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
          %p = arith.mulf %a, %b : f32
          %s = arith.addf %c, %p : f32
          affine.store %s, %C[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
        }
      }
    }
  }
  %most = affine.parallel (%i, %j) = (0, 0) to (%m, %n) reduce ("maximumf") -> f32 {
    %c = affine.load %C[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    affine.yield %c : f32
  }
  return %most : f32
}
"""


def test_affine_loops_over_views(some: Callable[..., np.ndarray]):
    a, b, whole, most = some(7, 5), some(5, 9), some(7, 20), np.empty((), "float32")
    before = whole.copy()
    call(AFFINE, a, b, whole[:, 3:12], most)
    before[:, 3:12] += np.tril(a) @ b
    np.testing.assert_array_equal(whole, before)
    assert most == whole[:, 3:12].max()


def test_loops_and_views_of_new_memory(some: Callable[..., np.ndarray]):
    a, out, total = some(6, 4), np.empty((4, 6), "float32"), np.empty((), "float32")
    call(
        """func.func @turned(%A: memref<6x4xf32>, %x: f32, %O: memref<4x6xf32>) -> f32 {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %c4 = arith.constant 4 : index
          %c6 = arith.constant 6 : index
          %t = memref.alloc() : memref<4x6xf32>
          scf.parallel (%i, %j) = (%c0, %c0) to (%c4, %c6) step (%c1, %c2) {
            %j1 = arith.addi %j, %c1 : index
            %v = memref.load %A[%j, %i] : memref<6x4xf32>
            memref.store %v, %t[%i, %j] : memref<4x6xf32>
            %w = memref.load %A[%j1, %i] : memref<6x4xf32>
            memref.store %w, %t[%i, %j1] : memref<4x6xf32>
          }
          %rows = memref.subview %t[1, 0] [2, 6] [1, 1] : memref<4x6xf32>
              to memref<2x6xf32, strided<[6, 1], offset: 6>>
          memref.store %x, %rows[%c1, %c2] : memref<2x6xf32, strided<[6, 1], offset: 6>>
          memref.copy %t, %O : memref<4x6xf32> to memref<4x6xf32>
          memref.dealloc %t : memref<4x6xf32>
          %s = scf.parallel (%i, %j) = (%c0, %c0) to (%c4, %c6) step (%c1, %c1) init (%x) -> f32 {
            %v = memref.load %O[%i, %j] : memref<4x6xf32>
            scf.reduce(%v : f32) {
            ^bb0(%p: f32, %q: f32):
              %r = arith.addf %p, %q : f32
              scf.reduce.return %r : f32
            }
          }
          return %s : f32
        }""",
        *(a, np.float32(9), out, total),
    )
    expected = a.T.copy()
    expected[2, 2] = 9
    np.testing.assert_array_equal(out, expected)
    assert total == expected.sum() + 9


WINDOW = " {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>}"


@needs_mlir_opt
def test_named_ops_are_their_generic_form(rng: np.random.Generator):
    """`mlir-opt` says what each named op is; all in one function, and in one of generic ops."""
    own = [op for op in Linalg.operations if op.__module__ == "teloom.dialects.upstream.linalg"]
    lines: list[str] = []
    for op in own:
        example = (op.__doc__ or "").split("```mlir\n")[1].split("```")[0]
        if "i32" not in example:
            first, second = (line.strip() for line in example.strip().splitlines())
            lines.append(_function(op.name[7:], first, second))
    text = "\n".join(lines)
    named, generic = through_mlir_opt(text), through_mlir_opt(text, "-linalg-generalize-named-ops")
    assert "linalg.generic" in generic
    assert "linalg.generic" not in named
    assert _te(named).is_structurally_equivalent(_te(generic))


def _function(name: str, arguments: str, op: str) -> str:
    names, types = arguments.split(" = ")
    types = types.split("-> (")[1].rstrip(")").split(", ")
    taken = ", ".join(f"{n}: {t}" for n, t in zip(names.split(", "), types, strict=True))
    result = types[-1]
    return f"func.func @{name}({taken}) -> {result} {{\n {op}\n return %r : {result}\n}}"


def _te(text: str) -> ModuleOp:
    module = parsed(text, "text")
    LinalgToTePass().apply(Context(), module)
    for op in module.walk():
        if isinstance(op, te.ComputeOp):
            op.stage_name = StringAttr("stage")
    return module


def test_refusal_of_what_is_no_program():
    text = """func.func @f(%A: memref<4xf32>, %B: memref<4xf32>, %i: index) {
      linalg.exp ins(%A : memref<4xf32>) outs(%B : memref<4xf32>)
      %x = memref.load %B[%i] : memref<4xf32>
      return
    }"""
    with pytest.raises(Error, match=r"memref\.load stands beside structured ops"):
        teloom.compile(text)
