"""Products in registers for tiles: schedules by rules, tiles written by hand, code in externs."""

import subprocess
import sys

import numpy as np
import pytest
from budget import pairs
from cpus_here import runs_here
from ml_dtypes import bfloat16
from narrow_products import IN_TILES, convolution, matmul

import teloom
from teloom import te, topi
from teloom.backend.interpreter.equations import interpret
from teloom.backend.machine import cpus, tiles

RNG = np.random.default_rng(0)
CPU = "sapphirerapids"
HAS_TILES = runs_here(CPU)
BYTES = [(a, b) for a in ("int8", "uint8") for b in ("int8", "uint8")]

needs_tiles = pytest.mark.skipif(not HAS_TILES, reason="this machine has no tiles")


def numbers(dtype: str, *shape: int) -> np.ndarray:
    if dtype == "bfloat16":
        return RNG.integers(-8, 8, shape).astype(bfloat16)
    info = np.iinfo(dtype)
    return RNG.integers(info.min, info.max + 1, shape).astype(dtype)


def scheduled(C: te.Tensor, **options) -> tuple[te.Schedule, str]:
    s = te.create_schedule(C)
    return s, "\n".join(te.auto_schedule(s, CPU, **options))


def assert_computes(s, args, given, expected, math="default", threads=1) -> None:
    if HAS_TILES:
        f = teloom.build(s, args, target=CPU, math=math, num_threads=threads)
        f(*given, found := np.full(expected.shape, 77, expected.dtype))
        np.testing.assert_array_equal(found, expected)


SIZES = [(64, 64, 128), (33, 31, 67), (16, 100, 36), (130, 17, 64), (8, 32, 257), (48, 20, 33)]


@pytest.mark.parametrize(
    ("sizes", "dtypes", "transposed", "threads"), pairs(SIZES, BYTES, [False, True], [1, 2])
)
def test_products_of_bytes(sizes, dtypes, transposed, threads):
    n, m, k = sizes
    A, B, C = matmul(dtypes, n, m, k, transposed)
    s, why = scheduled(C, num_threads=threads)
    assert IN_TILES in why
    lowered = str(teloom.lower(s, [A, B, C], level="standard", target=CPU))
    assert "amx.tile_muli" in lowered
    a, b = numbers(dtypes[0], n, k), numbers(dtypes[1], k, m)
    given = np.ascontiguousarray(b.T) if transposed else b
    expected = a.astype("int32") @ b.astype("int32")
    assert_computes(s, [A, B, C], [a, given], expected, threads=threads)


@pytest.mark.parametrize(("known", "transposed", "threads"), [("", True, 2), ("k", False, 1)])
def test_products_of_symbolic_extents(known, transposed, threads):
    """Also where rows, columns and terms are missing in the last tiles."""
    extents = [70 if name in known else te.size_var(name) for name in "nmk"]
    A, B, C = matmul(("uint8", "int8"), *extents, transposed)
    s, why = scheduled(C, num_threads=threads)
    assert IN_TILES in why
    lowered = str(teloom.lower(s, [A, B, C], level="standard", target=CPU))
    assert "amx.tile_muli" in lowered
    for sizes in [(64, 64, 64), (1, 1, 1), (33, 65, 130), (0, 3, 4), (3, 4, 0)]:
        n, m, k = (70 if name in known else size for name, size in zip("nmk", sizes, strict=True))
        a, b = numbers("uint8", n, k), numbers("int8", k, m)
        given = np.ascontiguousarray(b.T) if transposed else b
        expected = a.astype("int32") @ b.astype("int32")
        assert_computes(s, [A, B, C], [a, given], expected, threads=threads)


@pytest.mark.parametrize(("sizes", "transposed"), pairs(SIZES[:-2], [False, True]))
def test_products_of_bfloat16_where_subnormal_numbers_may_be_0(sizes, transposed):
    n, m, k = sizes
    A, B, C = matmul(("bfloat16", "bfloat16"), n, m, k, transposed, "float32")
    assert IN_TILES not in scheduled(C)[1]
    s, why = scheduled(C, math="fast")
    assert IN_TILES in why
    a, b = numbers("bfloat16", n, k), numbers("bfloat16", k, m)
    given = np.ascontiguousarray(b.T) if transposed else b
    expected = a.astype("float32") @ b.astype("float32")
    for math in ("default", "fast"):
        assert_computes(s, [A, B, C], [a, given], expected, math)


@pytest.mark.parametrize(
    ("layout", "channels", "size", "padding"),
    [
        ("NCHW", (33, 192), (16, 16), 0),
        ("NCHW", (32, 256), (9, 17), 1),
        ("NHWC", (33, 20), (16, 16), 1),
        ("NHWC", (64, 8), (8, 20), 0),
        ("NHWC", (32, 40), (9, 17), 1),
    ],
)
def test_convolutions(layout, channels, size, padding):
    data = numbers("uint8", 1, channels[0], *size)
    weights = numbers("int8", channels[1], channels[0], 3, 3)
    (D, W, C), given, expected = convolution(layout, data, weights, padding, True)
    s, why = scheduled(C, num_threads=1)
    assert IN_TILES in why
    assert_computes(s, [D, W, C], given, expected)


def test_which_products_have_tiles():
    def has(dtypes, n, m, k, cpu=CPU):
        s = te.create_schedule(matmul(dtypes, n, m, k, False)[-1])
        return IN_TILES in "".join(te.auto_schedule(s, cpu, 1))

    assert has(("int8", "int8"), 64, 64, 64)
    assert not has(("int16", "int8"), 64, 64, 64)
    assert not has(("int8", "int8"), 4, 64, 64)  # few rows
    assert not has(("int8", "int8"), 64, 64, 12)  # few terms
    assert not has(("int8", "int8"), 64, 64, 64, "znver4")


def test_rows_that_meet_several_panels_are_copied_tile_by_tile():
    A, B, C = matmul(("int8", "int8"), 70, 200, 192, False)
    s, why = scheduled(C, num_threads=1)
    assert "A.global: the rows of a tile lie side by side" in why
    loops = str(teloom.lower(s, [A, B, C], level="loop", target=CPU))
    assert "%begin : 16, 0 : 192] in" in loops  # the last one of 70 begins earlier
    a, b = numbers("int8", 70, 192), numbers("int8", 192, 200)
    assert_computes(s, [A, B, C], [a, b], a.astype("int32") @ b.astype("int32"))
    few = matmul(("int8", "int8"), 70, 96, 192, False)[-1]
    assert "side by side" not in scheduled(few, num_threads=1)[1]


def test_rows_whose_terms_are_apart_are_turned_only_for_many_products():
    """Channels of an image that come first are apart; channels of results read each of them."""

    def has(channels):
        data, weights = numbers("int8", 1, 32, 16, 16), numbers("int8", channels, 32, 3, 3)
        (*_, C), _, _ = convolution("NCHW", data, weights, 0, False)
        return IN_TILES in scheduled(C, num_threads=1)[1]

    assert has(192)
    assert not has(64)


def test_the_schedule_is_right_without_tiles():
    A, B, C = matmul(("uint8", "int8"), 40, 33, 70, False)
    s, why = scheduled(C, num_threads=1)
    assert IN_TILES in why
    a, b = numbers("uint8", 40, 70), numbers("int8", 70, 33)
    run = teloom.build(s, [A, B, C], target="x86-64-v3")
    run(a, b, found := np.empty((40, 33), "int32"))
    np.testing.assert_array_equal(found, a.astype("int32") @ b.astype("int32"))


def test_what_reads_the_product_is_computed_tile_by_tile():
    A, B, C = matmul(("int8", "int8"), 64, 64, 64, False)
    R = topi.nn.relu(C)
    s, why = scheduled(R, num_threads=1)
    assert IN_TILES in why
    a, b = numbers("int8", 64, 64), numbers("int8", 64, 64)
    expected = np.maximum(a.astype("int32") @ b.astype("int32"), 0)
    assert_computes(s, [A, B, R], [a, b], expected)


def by_hand(rows: int, columns: int, terms: int):
    """A packed product, all of it one tile, of which the last groups may fill no step."""
    A = te.placeholder((rows, terms), "uint8", name="A")
    B = te.placeholder((terms // 4, columns, 4), "int8", name="B")
    g, k = te.reduce_axis((0, terms // 4), "g"), te.reduce_axis((0, 4), "k")

    def product(i, j):
        a = A[i, g * 4 + k].astype("int32")
        return te.sum(a * B[g, j, k].astype("int32"), axis=[g, k])

    C = te.compute((rows, columns), product, name="C")
    s = te.create_schedule(C)
    i, j = C.op.axis
    s[C].reorder(g, i, j, k)
    s[C].unroll(i)
    s[C].vectorize(j)
    return s, [A, B, C]


@pytest.mark.parametrize(
    ("rows", "columns", "terms"),
    [(16, 16, 64), (2, 16, 64), (32, 32, 68), (17, 32, 132), (5, 64, 8), (64, 16, 0), (3, 7, 300)],
)
def test_tiles_by_hand(rows, columns, terms):
    s, args = by_hand(rows, columns, terms)
    lowered = str(teloom.lower(s, args, level="standard", target=CPU))
    assert ("amx.tile_muli" in lowered) == (terms > 0)
    a, b = numbers("uint8", rows, terms), numbers("int8", terms // 4, columns, 4)
    matrix = b.swapaxes(1, 2).reshape(terms, columns)
    assert_computes(s, args, [a, b], a.astype("int32") @ matrix.astype("int32"))


CODE = """
%c0 = arith.constant 0 : index
%a = amx.tile_load %x[%c0, %c0]
  : memref<3x8xi8, strided<[?, 1], offset: ?>> into !amx.tile<3x8xi8>
%b = amx.tile_load %y[%c0, %c0]
  : memref<2x20xi8, strided<[?, 1], offset: ?>> into !amx.tile<2x20xi8>
%s = amx.tile_zero : !amx.tile<3x5xi32>
%t = amx.tile_muli %a zext, %b, %s : !amx.tile<3x8xi8>, !amx.tile<2x20xi8>, !amx.tile<3x5xi32>
amx.tile_store %z[%c0, %c0], %t : memref<3x5xi32, strided<[?, 1], offset: ?>>, !amx.tile<3x5xi32>
"""


def test_tiles_in_the_code_of_an_intrinsic():
    x = te.placeholder((3, 8), "uint8", name="x")
    y = te.placeholder((2, 20), "int8", name="y")
    k = te.reduce_axis((0, 8), "k")

    def product(i, j):
        other = y[k // 4, j * 4 + k % 4]
        return te.sum(x[i, k].astype("int32") * other.astype("int32"), axis=k)

    z = te.compute((3, 5), product, name="z")

    def rows(tensor):
        stride = te.var(f"{tensor.name}_stride")
        return te.decl_buffer(
            tensor.shape, tensor.dtype, tensor.name, strides=[stride, 1], offset_factor=1
        )

    binds = {one: rows(one) for one in (x, y, z)}
    tile = te.decl_tensor_intrin(z.op, lambda ins, outs: CODE, "tile", binds=binds)
    A = te.placeholder((6, 8), "uint8", name="A")
    B = te.placeholder((2, 20), "int8", name="B")
    C = te.compute((2, 3, 5), lambda i: tile(A[i * 3 : i * 3 + 3, 0:8], B), name="C")
    a, b = numbers("uint8", 6, 8), numbers("int8", 2, 20)
    matrix = b.reshape(2, 5, 4).swapaxes(1, 2).reshape(8, 5)
    expected = (a.astype("int32") @ matrix.astype("int32")).reshape(2, 3, 5)
    program = teloom.lower([A, B, C], level="te", name="main")
    (found,) = interpret(program, "main", [a, b])
    np.testing.assert_array_equal(found, expected)
    assert_computes(te.create_schedule(C), [A, B, C], [a, b], expected)


def test_what_is_explained_of_registers():
    """32 x 32 sums are four tiles, or more vectors than there are registers."""
    C = matmul(("uint8", "int8"), 64, 64, 64, False)[-1]
    s, _ = scheduled(C, num_threads=1)
    assert not te.explain(s, target=CPU).remarks
    (remark,) = te.explain(s, target="znver4").remarks
    assert "they take 67 registers, and znver4 has 32" in remark


@needs_tiles
def test_a_machine_whose_system_knows_no_tiles_has_none(monkeypatch):
    monkeypatch.setattr(cpus, "system_has_tiles", lambda: False)
    found = cpus.host.__wrapped__()
    assert not any(map(found.has, ("amx-tile", "amx-int8", "amx-bf16")))
    assert found.has("avx512vnni")


@needs_tiles
def test_a_system_that_gives_no_tiles(monkeypatch):
    monkeypatch.setattr(tiles, "_refusal", lambda: 28)
    s, args = by_hand(16, 16, 64)
    with pytest.raises(teloom.Error, match=r"has tiles of AMX, and the system gives .* errno 28"):
        teloom.build(s, args, target=CPU)
    teloom.build(s, args, target="x86-64-v4")


IN_A_NEW_PROCESS = """
import ctypes, sys
import numpy as np
a, b, c = np.full((16, 64), 2, "u1"), np.full((16, 16, 4), 3, "i1"), np.zeros((16, 16), "i4")
status = ctypes.CDLL(sys.argv[1]).product(*(ctypes.c_void_p(one.ctypes.data) for one in (a, b, c)))
print(status, np.unique(c))
"""


@needs_tiles
def test_a_library_asks_for_tiles(tmp_path):
    s, args = by_hand(16, 16, 64)
    product = teloom.build(s, args, name="product")
    library, _ = product.export(tmp_path / "tiles.so", [CPU, "x86-64-v3"])
    ran = subprocess.run(
        [sys.executable, "-c", IN_A_NEW_PROCESS, str(library)], capture_output=True, text=True
    )
    assert ran.stdout == "0 [384]\n", ran.stderr
