"""`cache_write` and `cache_read`: what a schedule says of them, and what it refuses."""

import numpy as np
import pytest

import teloom
from teloom import te


class Matmul:
    """C = A @ B, and D, which reads C and A."""

    def __init__(self):
        A = self.A = te.placeholder((40, 64), name="A")
        B = self.B = te.placeholder((64, 32), name="B")
        k = self.k = te.reduce_axis((0, 64), "k")
        C = self.C = te.compute((40, 32), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
        self.D = te.compute((40, 32), lambda y, x: C[y, x] + A[y, x], name="D")
        self.s = te.create_schedule(self.D)

    def agrees(self):
        """Whether the schedule computes what NumPy does."""
        rng = np.random.default_rng(0)
        a, b = (rng.integers(-9, 9, shape).astype("f4") for shape in ((40, 64), (64, 32)))
        d = np.empty((40, 32), "f4")
        teloom.build(self.s, [self.A, self.B, self.D])(a, b, d)
        return np.array_equal(d, a @ b + a[:, :32])


@pytest.fixture
def p() -> Matmul:
    return Matmul()


def names(stages) -> list[str]:
    return [stage.name for stage in stages]


def test_the_cache_computes_and_the_stage_copies(p: Matmul):
    i, j = p.C.op.axis
    CL = p.s.cache_write(p.C, "local")
    assert (CL.name, CL.dtype) == ("C.local", "float32")
    assert CL.shape == p.C.shape
    assert [axis.name for axis in CL.op.axis] == ["i.c", "j.c"]
    assert CL.op.reduce_axis == [p.k]
    assert str(CL.op.body[0]) == "sum((A[i.c, k] * B[k, j.c]), axis=[k])"
    copy = p.s[p.C].op
    assert (copy.axis, copy.reduce_axis) == ([i, j], [])
    assert str(copy.body[0]) == "C.local[i, j]"
    assert p.s[p.C].origin_op is p.C.op
    assert p.s[copy] is p.s[p.C]
    assert names(p.s.stages) == ["A", "B", "C.local", "C", "D"]
    assert p.s[p.C].leaf_iter_vars == [i, j]
    assert p.s[CL].leaf_iter_vars == [*CL.op.axis, p.k]
    assert p.agrees()


def test_readers_read_the_copy(p: Matmul):
    AL = p.s.cache_read(p.A, "shared", [p.C])
    assert (AL.name, AL.shape) == ("A.shared", p.A.shape)
    assert str(AL.op.body[0]) == "A[ax0, ax1]"
    assert str(p.s[p.C].op.body[0]) == "sum((A.shared[i, k] * B[k, j]), axis=[k])"
    assert str(p.s[p.D].op.body[0]) == "(C[y, x] + A[y, x])"
    assert p.s[p.C].op.axis == p.C.op.axis
    assert names(p.s.stages) == ["A", "A.shared", "B", "C", "D"]
    assert p.agrees()


def test_what_of_the_caches_is_computed_where(p: Matmul):
    s = p.s
    CL = s.cache_write(p.C, "local")
    AL = s.cache_read(p.A, "shared", CL)
    BL = s.cache_read(p.B, "shared", CL)
    _, place, _, _ = s[p.D].tile(*p.D.op.axis, 8, 16)
    s[p.C].compute_at(s[p.D], place)
    _, inner = s[p.C].split(p.C.op.axis[1], factor=4)
    s[CL].compute_at(s[p.C], p.C.op.axis[0])
    ko, ki = s[CL].split(p.k, factor=4)
    s[CL].reorder(ko, *CL.op.axis, ki)
    s[AL].compute_at(s[CL], ko)
    s[BL].compute_at(s[CL], ko)
    bounds = te.infer_bounds(s)
    assert [str(bounds[axis].min) for axis in (*p.C.op.axis, *CL.op.axis)] == [
        *("(y.outer * 8)", "(x.outer * 16)", "i", "(x.outer * 16)"),
    ]
    assert [bounds[axis].extent for axis in (*CL.op.axis, p.k, ko, ki)] == [1, 16, 64, 16, 4]
    assert [bounds[axis].extent for axis in (*AL.op.axis, *BL.op.axis, inner)] == [1, 4, 4, 16, 4]
    assert str(te.explain(s)) == EXPLANATION.strip()
    assert p.agrees()


EXPLANATION = """
stage     at               times  computed  needed  redundancy  bytes  region
A.shared  C.local.k.outer   1280      5120    2560        2.00     16  [i : 1, (k.outer * 4) : 4]
B.shared  C.local.k.outer   1280     81920    2048       40.00    256  [(k.outer * 4) : 4, (x.outer * 16) : 16]
C.local   C.i                 80      1280    1280        1.00     64  [i : 1, (x.outer * 16) : 16]
C         D.x.outer           10      1280    1280        1.00    512  [(y.outer * 8) : 8, (x.outer * 16) : 16]
D         the root             1      1280    1280        1.00   5120  [0 : 40, 0 : 32]
"""  # noqa: E501


def test_a_handle_from_before_goes_with_its_axis(p: Matmul):
    stage = p.s[p.C]
    assert stage.axes == [*p.C.op.axis, p.k]
    CL = p.s.cache_write(p.C, "local")
    outer, inner = p.s[CL].split(p.k, factor=8)
    assert stage.axes == stage.all_iter_vars == p.C.op.axis
    assert p.s[CL].leaf_iter_vars == [*CL.op.axis, outer, inner]
    with pytest.raises(teloom.ScheduleError, match="axis k of stage C"):
        stage.unroll(p.k)
    assert p.agrees()


def test_a_cache_has_the_loops_that_commands_have_made(p: Matmul):
    s, C = p.s, p.C
    yo, xo, yi, xi = s[C].tile(*C.op.axis, 16, 12)
    ko, ki = s[C].split(p.k, factor=4)
    s[C].reorder(yo, xo, ko, yi, ki, xi)
    s[C].vectorize(xi)
    CL = s.cache_write(C, "local")
    assert CL.shape == (3, 3, 16, 12)
    assert [str(axis) for axis in s[CL].leaf_iter_vars] == [
        *("i.outer.c", "j.outer.c", "k.outer", "i.inner.c", "k.inner", "j.inner.c"),
    ]
    assert CL.op.reduce_axis == [p.k]
    assert str(s[C].op.body[0]) == "C.local[(i // 16), (j // 12), (i % 16), (j % 12)]"
    assert s[C].leaf_iter_vars == C.op.axis
    s[CL].unroll(ki)
    outer, _ = s[C].split(C.op.axis[0], 5)
    s[CL].compute_at(s[C], outer)
    assert p.agrees()


def packed_skewed(s, C):
    s[C].skew(C.op.axis[1], C.op.axis[0], 1)


def packed_fused(s, C):
    s[C].split(s[C].fuse(*C.op.axis), 6)


def packed_in_parts(s, C):
    s[C].reorder(*C.op.axis[::-1])
    s[C].split(s[C].shift(C.op.axis[1], 3), nparts=3)


@pytest.mark.parametrize("schedule", [packed_skewed, packed_fused, packed_in_parts])
def test_caches_of_all_sizes_in_layouts_of_loops(schedule):
    m, n = te.var("m"), te.var("n")
    A, k = te.placeholder((m, n, 7), name="A"), te.reduce_axis((0, m), "k")
    C = te.compute((n, 7), lambda i, j: te.sum(A[k, i, j], axis=k), name="C")
    s = te.create_schedule(C)
    schedule(s, C)
    s.cache_write(C, "local")
    run = teloom.build(s, [A, C])
    for size in (0, 1, 5):
        a, c = np.arange(size * 14, dtype="f4").reshape(2, size, 7), np.empty((size, 7), "f4")
        run(a, c)
        np.testing.assert_array_equal(c, a.sum(0))


def test_of_one_element_in_the_layout_of_an_axis_of_one_iteration():
    A = te.placeholder((5,), name="A")
    C = te.compute((), lambda: A[0] + 1, name="C")
    s = te.create_schedule(C.op)
    s[C].reverse(s[C].fuse())
    s.cache_write(C, "local")
    teloom.build(s, [A, C])(np.full(5, 2, "float32"), c := np.zeros((), "float32"))
    assert c == 3


def test_all_tensors_of_an_operation_in_any_order():
    A = te.placeholder((9,), name="A")
    V, W = te.compute((9,), lambda i: (A[i] + 1, te.exp(A[i])), name="T")
    s = te.create_schedule(V)
    WL, VL = s.cache_write([W, V], "local")
    assert VL.op is WL.op
    assert (VL.value_index, WL.value_index) == (0, 1)
    s[VL].compute_at(s[V], V.op.axis[0])
    a = np.linspace(-1, 1, 9, dtype="f4")
    v, w = np.empty(9, "f4"), np.empty(9, "f4")
    teloom.build(s, [A, V, W])(a, v, w)
    np.testing.assert_array_equal(v, a + 1)
    # exp is rounded to a neighbour of its value, here and in NumPy.
    np.testing.assert_allclose(w, np.exp(a), rtol=4 * np.finfo("f4").eps)


def test_one_of_the_tensors_of_an_operation_is_read():
    A = te.placeholder((9,), name="A")
    V, W = te.compute((9,), lambda i: (A[i] + 1, A[i] * 2), name="T")
    C = te.compute((9,), lambda i: V[i] - W[i], name="C")
    s = te.create_schedule(C)
    WL = s.cache_read(W, "local", C)
    assert WL.name == "T.v1.local"
    assert str(s[C].op.body[0]) == "(T.v0[i] - T.v1.local[i])"
    s[WL].compute_at(s[C], C.op.axis[0])
    a, c = np.arange(9, dtype="f4"), np.empty(9, "f4")
    teloom.build(s, [A, C])(a, c)
    np.testing.assert_array_equal(c, a + 1 - a * 2)


def test_names_stay_different():
    """Of tensors with one name, of two caches of one tensor, of what has such a name already."""
    A, other = te.placeholder((4,), name="A"), te.placeholder((4,), name="A")
    C = te.compute((4,), lambda i: A[i] + other[i], name="A.local")
    D = te.compute((4,), lambda i: C[i] * A[i], name="D")
    s = te.create_schedule([C, D])
    for tensor, reader in ((A, C), (other, C), (A, D), (C, D)):
        s[s.cache_read(tensor, "local", reader)].compute_at(s[reader], reader.op.axis[0])
    assert sorted(names(s.stages)) == [
        *("A", "A.local", "A.local.local", "A.local_1", "A.local_2", "A.local_3", "A_1", "D"),
    ]
    te.explain(s)
    a, b = np.arange(4, dtype="f4"), np.ones(4, "f4")
    c, d = np.empty(4, "f4"), np.empty(4, "f4")
    teloom.build(s, [A, other, C, D])(a, b, c, d)
    np.testing.assert_array_equal(c, a + 1)
    np.testing.assert_array_equal(d, (a + 1) * a)


def test_the_name_of_an_inlined_cache_is_not_given_again(p: Matmul):
    first = p.s.cache_read(p.A, "local", p.D)
    p.s[first].compute_inline()
    second = p.s.cache_read(p.A, "local", p.D)
    assert second.name == "A.local_1"
    assert p.s[second].leaf_iter_vars == second.op.axis
    assert p.agrees()


def test_arguments_keep_their_numbers(p: Matmul):
    """A size and a placeholder that nothing reads come in when the function is built."""
    n = te.size_var("n")
    Z = te.placeholder((n,), name="Z")
    BL = p.s.cache_read(p.B, "local", p.C)
    p.s[BL].compute_at(p.s[p.C], p.C.op.axis[1])
    a, b = np.ones((40, 64), "f4"), np.full((64, 32), 2, "f4")
    d = np.empty((40, 32), "f4")
    teloom.build(p.s, [Z, n, p.D, p.B, p.A])(np.ones(3, "f4"), 3, d, b, a)
    np.testing.assert_array_equal(d, 129)


def test_a_cache_is_no_argument(p: Matmul):
    """The tensor of the copy in C's stage is not C either."""
    CL = p.s.cache_write(p.C, "local")
    for tensor in (CL, p.s[p.C].op.output(0)):
        with pytest.raises(teloom.Error, match=f"argument 3, {tensor.name}, is made by a command"):
            teloom.build(p.s, [p.A, p.B, p.D, tensor])


def test_a_deep_expression():
    """Longer than Python's stack: what caches change is written again without recursion."""
    A = te.placeholder((4,), name="A")
    terms = A[0]
    for _ in range(1500):
        terms = terms + A[0]
    C = te.compute((4,), lambda i: terms * i, name="C")
    s = te.create_schedule(C)
    s.cache_write(C, "local")
    s.cache_read(A, "local", s.stages[1].op)


def test_shared_parts_are_written_again_once(p: Matmul):
    A = p.A
    base = A[0, 0] + 1
    C = te.compute((4,), lambda i: (base * i) + base, name="C")
    s = te.create_schedule(C)
    AL = s.cache_read(A, "local", C)
    product, again = s[C].op.body[0].arguments
    assert product.arguments[0] is again
    assert s[C].op.input_tensors == [AL]


def test_groups_hold_caches(p: Matmul):
    CL = p.s.cache_write(p.C, "local")
    AL = p.s.cache_read(p.A, "local", CL)
    group = p.s.create_group(outputs=p.C, inputs=p.A)
    assert group.name == "group(A.local, C.local, C)"
    place, _ = p.s[p.D].split(p.D.op.axis[0], factor=8)
    group.compute_at(p.s[p.D], place)
    bounds = te.infer_bounds(p.s)
    assert [bounds[one.op.axis[0]].extent for one in (AL, CL, p.C)] == [8, 8, 8]
    assert p.agrees()
    assert p.s.create_group(outputs=CL, inputs=AL).name == "group(C.local)"


def test_a_schedule_with_caches_is_text(p: Matmul):
    CL = p.s.cache_write(p.C, "local")
    p.s.cache_read(p.B, "shared", [CL])
    p.s.cache_read(p.C, "global", p.D)
    lines = [line.strip() for line in str(p.s.sequence).splitlines() if "cache_" in line]
    assert lines == [
        '%C.local = schedule.cache_write %C "local"',
        '%B.shared = schedule.cache_read argument 1 "shared" readers %C.local',
        '%C.global = schedule.cache_read %C "global" readers %D',
    ]


def several(p: Matmul):
    V, W = te.compute((4,), lambda i: (p.A[i, 0], p.A[i, 1]), name="T")
    return te.create_schedule(V), V, W


def cache_one_of_two(p: Matmul):
    s, V, _W = several(p)
    s.cache_write(V, "local")


def cache_two_operations(p: Matmul):
    p.s.cache_write([p.C, p.D], "local")


WANTS_ALL = r"cache_write wants all tensors of one operation, as in \[{}\], got {}"
ON_THE_SPOT = [
    (lambda p: p.s.cache_write(p.C, "vtcm"), 'no storage scope "vtcm"; scopes: global, shared, '),
    (lambda p: p.s.cache_read(p.A, "Local", p.C), "no storage scope .*; did you mean 'local'?"),
    (lambda p: p.s.cache_write(p.C, None), "scope of cache_write must be a string, got None"),
    (lambda p: p.s.cache_read(p.A, 3, p.C), "scope of cache_read must be a string, got 3"),
    (lambda p: p.s.cache_write(p.A, "local"), "A is a placeholder: it is given, not computed"),
    (lambda p: p.s.cache_write(p.C.op, "local"), r"cache_write wants a tensor, got ComputeOp\(C\)"),
    (lambda p: p.s.cache_write([], "local"), WANTS_ALL.format("T.v0, T.v1", "none")),
    (cache_one_of_two, WANTS_ALL.format("T.v0, T.v1", "T.v0")),
    (cache_two_operations, WANTS_ALL.format("C", "C, D")),
    (lambda p: p.s.cache_read("A", "local", p.C), "cache_read wants a tensor, got 'A'"),
    (lambda p: p.s.cache_read(p.A, "local", []), "cache_read needs at least one reader"),
    (lambda p: p.s.cache_read(p.A, "local", p.B), "B is a placeholder: it is given, not computed"),
    (
        lambda p: p.s.cache_read(p.A, "local", [p.k]),
        "of a tensor or an operation, not of k; stages: ",
    ),
    (
        lambda p: p.s.cache_read(several(p)[1], "local", p.C),
        r"T.v0\) is not part of this schedule; its stages: A, B, C, D",
    ),
]


@pytest.mark.parametrize(("make", "words"), ON_THE_SPOT)
def test_refuses(p: Matmul, make, words: str):
    before = len(p.s.stages)
    with pytest.raises(teloom.ScheduleError, match=words):
        make(p)
    assert len(p.s.stages) == before
    assert "cache" not in str(p.s)


def after_partition(p: Matmul):
    p.s[p.C].partition(p.C.op.axis[0], "never")
    p.s.cache_write(p.C, "local")


def after_inline(p: Matmul):
    E = te.compute((40, 32), lambda i, j: p.D[i, j] * 2, name="E")
    s = te.create_schedule(E)
    s[p.D].compute_inline()
    s.cache_write(p.D, "local")
    return s


def after_loops_and_inline(p: Matmul):
    E = te.compute((40, 32), lambda i, j: p.D[i, j] * 2, name="E")
    s = te.create_schedule(E)
    s[p.D].parallel(p.D.op.axis[0])
    s[p.D].compute_inline()
    s.cache_write(p.D, "local")
    return s


def outside_the_copy(p: Matmul):
    CL = p.s.cache_write(p.C, "local")
    AL = p.s.cache_read(p.A, "local", [CL, p.D])
    p.s[AL].compute_at(p.s[CL], p.k)


WHEN_APPLIED = [
    (after_partition, 'cannot compute "C" in "local" first: partition says more'),
    (after_inline, 'stage "D" was inlined before'),
    (after_loops_and_inline, 'stage "D" was inlined before'),
    (lambda p: p.s.cache_read(p.B, "local", p.D), '"D" does not read "B"; stages that do: "C"'),
    (outside_the_copy, r'not every read of it is inside that loop \(readers: "D", "C.local"\)'),
]


@pytest.mark.parametrize(("make", "words"), WHEN_APPLIED)
def test_refuses_when_applied(p: Matmul, make, words: str):
    made = make(p)
    s = made if isinstance(made, te.Schedule) else p.s
    with pytest.raises(teloom.ScheduleError, match=words):
        te.infer_bounds(s)


def test_blocks_in_more_loops_than_there_are_axes_have_no_cache():
    A, k = te.placeholder((16, 20), name="A"), te.reduce_axis((0, 20), "k")
    B = te.compute((16,), lambda i: te.sum(A[i, k], axis=k), name="B")
    s = te.create_schedule(B)
    s[B].split(B.op.axis[0], 4)
    s[B].blockize(k)
    s.cache_write(B, "global")
    words = 'cannot compute "B" in "global" first: its code runs in more loops than its tensors'
    with pytest.raises(teloom.ScheduleError, match=words):
        teloom.lower(s, [A, B])


def test_blocks_that_read_a_cache_have_a_cache():
    A = te.placeholder((16, 8), name="A")
    B = te.compute((16, 8), lambda i, j: A[i, j] + 1, name="B")
    s = te.create_schedule(B)
    (row,) = s[B].blockize(B.op.axis[1])
    s.cache_read(A, "local", [B])
    BG = s.cache_write(B, "global")
    assert s[B].leaf_iter_vars == s[B].root_axes == list(s[B].op.axis)
    assert [axis.name for axis in s[BG].leaf_iter_vars] == [row.name]
    assert BG.shape == (16, 8)
    a = np.arange(128, dtype="float32").reshape(16, 8)
    teloom.build(s, [A, B])(a, b := np.empty_like(a))
    np.testing.assert_array_equal(b, a + 1)
