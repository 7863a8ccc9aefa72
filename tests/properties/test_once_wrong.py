"""Programs that were compiled wrongly or not at all when they were generated, cut down."""

import numpy as np
import pytest
from properties.build import compiled, interpreted, run_script
from properties.program import Extent, Program, Tensor

M = Extent(8, "m")
ONCE_WRONG = {
    "a padded row, whose last tile begins earlier than its conditions were asked": (
        [Tensor("A", (Extent(4),), "float64")],
        [Tensor("B", (Extent(6),), "float64")],
        """
        A = te.placeholder((4,), "float64", name="A")
        B = te.compute(
            (6,), lambda i: te.if_then_else(te.all(i >= 1, i < 5), A[i - 1], 0.0), name="B"
        )
        s = te.create_schedule(B)
        outer, inner = s[B].split(B.op.axis[0], factor=5, tail="shift_inwards")
        s[B].unroll(outer)
        """,
    ),
    "a tile that is rounded up, whose last iteration does not read": (
        [Tensor("A", (Extent(4), Extent(2)), "float32")],
        [Tensor("C", (), "float32")],
        """
        A = te.placeholder((4, 2), "float32", name="A")
        B = te.compute((4, 2), lambda i, j: A[i, j] + 1, name="B")
        r, q = te.reduce_axis((0, 4), "r"), te.reduce_axis((0, 2), "q")
        C = te.compute(
            (), lambda: te.max(B[r, q] * 2, axis=[r, q], where=r % 2 == 0), name="C"
        )
        s = te.create_schedule(C)
        s[C].split(r, factor=3, tail="round_up")
        """,
    ),
    "a size in a subscript": (
        [Tensor("A", (M,), "uint8")],
        [Tensor("B", (M,), "uint8")],
        """
        m = te.size_var("m")
        A = te.placeholder((m,), "uint8", name="A")
        B = te.compute((m,), lambda i: A[m - 1 - i], name="B")
        s = te.create_schedule(B)
        """,
    ),
    "the guard of a region that starts at 1": (
        [Tensor("A", (M,), "uint8")],
        [Tensor("C", (M,), "uint8")],
        """
        m = te.size_var("m")
        A = te.placeholder((m,), "uint8", name="A")
        B = te.compute((m + 2,), lambda i: te.if_then_else(i < m, A[te.min(i, m - 1)], 3), name="B")
        C = te.compute((m,), lambda i: B[i + 2] + B[i + 1], name="C")
        s = te.create_schedule(C)
        s[B].split(B.op.axis[0], nparts=8)
        """,
    ),
    "a fused axis over a region that moves by divisions": (
        [Tensor("A", (Extent(7), Extent(7)), "uint8")],
        [Tensor("C", (Extent(2), Extent(7)), "uint8")],
        """
        A = te.placeholder((7, 7), "uint8", name="A")
        B = te.compute((4, 7), lambda i, j: A[i * 2, j], name="B")
        C = te.compute((2, 7), lambda i, j: B[i * 2, j], name="C")
        s = te.create_schedule(C)
        outer, inner = s[C].split(s[C].fuse(*C.op.axis), factor=2)
        s[B].compute_at(s[C], outer)
        outer, inner = s[B].split(s[B].fuse(*B.op.axis), factor=1)
        s[B].vectorize(inner)
        """,
    ),
    "a fusion with a part of a split that does not divide": (
        [Tensor("A", (Extent(7), Extent(7)), "float64")],
        [Tensor("B", (Extent(7), Extent(7)), "float64")],
        """
        A = te.placeholder((7, 7), "float64", name="A")
        B = te.compute((7, 7), lambda i, j: A[i, j] * 2, name="B")
        s = te.create_schedule(B)
        outer, inner = s[B].split(B.op.axis[1], nparts=5)
        fused = s[B].fuse(B.op.axis[0], outer)
        s[B].reorder(inner, fused)
        """,
    ),
    "lanes beyond the end of a tile, which read beyond the end of a stage in it": (
        [Tensor("A", (Extent(7), Extent(7)), "uint8")],
        [Tensor("C", (Extent(3),), "uint8")],
        """
        A = te.placeholder((7, 7), "uint8", name="A")
        k = te.reduce_axis((0, 7), "k")
        B = te.compute((7,), lambda i: te.sum(A[k, i], axis=k), name="B")
        C = te.compute((3,), lambda i: B[i] + B[i + 2] + B[i + 4], name="C")
        s = te.create_schedule(C)
        outer, inner = s[C].split(C.op.axis[0], factor=2)
        s[C].vectorize(inner)
        s[C].parallel(outer)
        s[B].compute_at(s[C], outer)
        s[B].parallel(B.op.axis[0])
        """,
    ),
    "a loop that is divided where several conditions are known, which isl says by many pieces": (
        [Tensor("A", (Extent(4), M), "int8")],
        [Tensor("B", (Extent(4), M.plus(2)), "int8")],
        """
        m = te.size_var("m")
        A = te.placeholder((4, m), "int8", name="A")
        B = te.compute(
            (4, m + 2),
            lambda i, j: te.if_then_else(te.all(j >= 1, j < m + 1), A[i, j - 1], 0),
            name="B",
        )
        s = te.create_schedule(B)
        outer, inner = s[B].split(B.op.axis[1], factor=16)
        outer, middle = s[B].split(outer, factor=5)
        s[B].reorder(outer, middle, B.op.axis[0], inner)
        s[B].skew(outer, B.op.axis[0], 3)
        s[B].unroll(middle)
        """,
    ),
    "extra iterations that read elements of an output, which later tiles write": (
        [Tensor("A", (Extent(13),), "int32")],
        [Tensor("B", (Extent(13),), "int32"), Tensor("C", (Extent(11),), "int32")],
        """
        A = te.placeholder((13,), "int32", name="A")
        B = te.compute((13,), lambda i: A[i] * 2, name="B")
        C = te.compute((11,), lambda i: B[i] + B[i + 1] + B[i + 2], name="C")
        s = te.create_schedule([B.op, C.op])
        outer, inner = s[C].split(C.op.axis[0], factor=5)
        middle, inner = s[C].split(inner, factor=3, tail="round_up")
        s[B].compute_at(s[C], inner)
        """,
    ),
    "extra lanes that read an element which an update may write, by a subscript from data": (
        [Tensor("A", (Extent(7),), "uint8"), Tensor("B", (Extent(7),), "uint8")],
        [Tensor("C", (Extent(7),), "uint8")],
        """
        A = te.placeholder((7,), "uint8", name="A")
        B = te.placeholder((7,), "uint8", name="B")
        k = te.reduce_axis((0, 7), "k")
        H = te.update(A, [k], lambda h, k: ((B[k] % 7,), h[B[k] % 7] + 1), name="H")
        C = te.compute((7,), lambda i: H[i] + 1, name="C")
        s = te.create_schedule(C)
        outer, inner = s[C].split(C.op.axis[0], factor=2, tail="predicate")
        s[C].vectorize(inner)
        s[C].unroll(outer)
        s[H].compute_at(s[C], outer)
        s[H].split(s[H].op.axis[0], nparts=5, tail="round_up")
        """,
    ),
    "elements first needed in a fused loop, over which isl's lexmin stumbles in two forms": (
        [Tensor("A", (Extent(5),), "int32"), Tensor("C", (Extent(5), M), "int32")],
        [Tensor("D", (Extent(5), M), "int32")],
        """
        m = te.size_var("m")
        A = te.placeholder((5,), "int32", name="A")
        C = te.placeholder((5, m), "int32", name="C")
        k = te.reduce_axis((0, 5), "k")
        of_all = lambda i, j: te.sum(A[i - 2] * C[k, j - 2], axis=k)
        D = te.compute(((2, 7), (2, 2 + m)), of_all, name="D")
        s = te.create_schedule(D)
        written = s.cache_write(D, "local")
        i, j = D.op.axis
        s[D].reorder(j, i)
        s[written].compute_at(s[D], s[D].skew(j, i, -2))
        fused = s[written].fuse(*written.op.axis)
        s[written].align_bounds(written.op.axis[0], 4)
        copied = s.cache_read(C, "shared", [written])
        s[copied].compute_at(s[written], fused)
        s[copied].store_root()
        """,
    ),
}


@pytest.mark.parametrize("what", ONCE_WRONG)
def test_is_compiled_right(what: str):
    inputs, outputs, script = ONCE_WRONG[what]
    names = run_script([line.strip() for line in script.strip().splitlines()])
    program = Program({"m": M.value} if "m" in names else {}, tuple(inputs), ())
    rng = np.random.default_rng(0)
    arrays = [rng.integers(9, size=tensor.shape).astype(tensor.dtype) for tensor in inputs]
    expected = interpreted(program, names, arrays)
    for found, reference in zip(compiled(program, names, arrays, outputs), expected, strict=True):
        np.testing.assert_array_equal(found, reference)
