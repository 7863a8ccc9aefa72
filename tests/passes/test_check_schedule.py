"""`check-schedule` from Python: what commands are refused, at which line, and what is accepted."""

import re
from unittest import mock

import numpy as np
import pytest
from soak.legality import changed, check_changed, is_right

import teloom
from teloom import te
from teloom.analysis.dependences import legality
from teloom.analysis.dependences.flow import Edge
from teloom.analysis.dependences.legality import Legality
from teloom.dialects.te import FuncOp
from teloom.errors import PassError, Remark

LEAST_ACCEPTED = 0.6
"""Of the texts that are right: a check that refuses all would pass otherwise."""


def row_sum(dtype="float32"):
    A = te.placeholder((8, 12), dtype, name="A")
    k = te.reduce_axis((0, 12), "k")
    C = te.compute((8,), lambda i: te.sum(A[i, k], axis=k), name="C")
    return A, C, k, te.create_schedule(C)


def in_parts(s, C, k):
    outer, inner = s[C].split(k, factor=4)
    s[C].reorder(inner, outer)


def in_lanes(s, C, k):
    _, inner = s[C].split(k, factor=4)
    s[C].vectorize(inner)


def fused(s, C, k):
    outer, inner = s[C].split(k, factor=4)
    s[C].fuse(outer, inner)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (in_parts, r"adds the value at \[4\] before that at \[1\] to element \[0\]"),
        (lambda s, C, k: s[C].reverse(k), r"at \[11\] before that at \[10\]"),
        (lambda s, C, k: s[C].parallel(k), "at the same time as"),
        (in_lanes, "a sum of floats depends on the order"),
    ],
)
def test_strict_keeps_the_order_of_sums(change, words):
    A, C, k, s = row_sum()
    change(s, C, k)
    teloom.lower(s, [A, C], level="schedule")
    with pytest.raises(teloom.ScheduleError, match=words):
        teloom.lower(s, [A, C], level="schedule", strict=True)


@pytest.mark.parametrize(
    "change", [fused, lambda s, C, k: s[C].reorder(k, C.op.axis[0]), lambda s, C, k: None]
)
def test_strict_accepts_the_order_of_the_equation(change):
    A, C, k, s = row_sum()
    change(s, C, k)
    teloom.lower(s, [A, C], level="schedule", strict=True)


def test_strict_is_about_floats():
    A, C, k, s = row_sum("int32")
    in_parts(s, C, k)
    teloom.lower(s, [A, C], level="schedule", strict=True)


def test_the_line_of_the_command_is_shown():
    A, C, k, s = row_sum()
    s[C].reverse(k)  # the line that is shown
    line = 1 + test_the_line_of_the_command_is_shown.__code__.co_firstlineno + 1
    with pytest.raises(teloom.ScheduleError, match=rf"test_check_schedule.py:{line}: "):
        teloom.build(s, [A, C], strict=True).source("schedule")


def far_sums():
    """Sums along an axis of what lies eight elements before."""
    A, r = te.placeholder((64,), name="A"), te.reduce_axis((8, 64), "r")
    S = te.update(A, r, lambda S, r: (r, S[r - 8] + S[r]), name="S")
    return A, S, r, te.create_schedule(S.op)


def test_lanes_up_to_the_distance_of_a_dependence_are_legal():
    A, S, r, s = far_sums()
    _, lanes = s[S].split(r, factor=8)
    s[S].vectorize(lanes)
    a = np.arange(64, dtype="float32")
    found = np.empty_like(a)
    teloom.build(s, [A, S])(a, found)
    np.testing.assert_array_equal(found, np.cumsum(a.reshape(8, 8), 0).ravel())


def test_lanes_beyond_the_distance_of_a_dependence_are_refused():
    A, S, r, s = far_sums()
    _, lanes = s[S].split(r, factor=16)
    s[S].vectorize(lanes)
    with pytest.raises(teloom.Error, match=r"reads S\[(\d+)\], .* before, at \[\1\]"):
        teloom.lower(s, [A, S])


def test_a_reorder_that_turns_a_dependence_back_is_refused():
    A = te.placeholder((8, 8), name="A")
    i, j = te.reduce_axis((1, 8), "i"), te.reduce_axis((0, 7), "j")
    S = te.update(A, (i, j), lambda S, i, j: ((i, j), S[i - 1, j + 1] + S[i, j]), name="S")
    s = te.create_schedule(S.op)
    s[S].reorder(j, i)
    words = (
        'stage "S" at [2, 5] reads S[1, 6], at (j = 5, i = 2); the equations write it before, at '
        "[1, 6], the schedule at (j = 6, i = 1), which is later"
    )
    with pytest.raises(teloom.Error, match=re.escape(words)):
        teloom.lower(s, [A, S])
    skewed = te.create_schedule(S.op)
    diagonal = skewed[S].skew(j, i, factor=1)  # from (1, -1) to (1, 0)
    skewed[S].reorder(diagonal, i)
    teloom.lower(skewed, [A, S])


def test_changed_text_is_refused_or_right():
    right = accepted = 0
    for seed in (0, 1, 2, 3, 4, 7, 8, 9):
        pair = changed(seed)
        try:
            check_changed(pair)  # raises AssertionError if wrong text is accepted
            accepted += 1
        except PassError:
            right += is_right(pair)
    assert accepted >= LEAST_ACCEPTED * (accepted + right)
    assert accepted


def copy_in_fused_tiles():
    """A copy at the row of a tile that does not fit into the matrix, of a loop over tiles."""
    A = te.placeholder((50, 70), name="A")
    B = te.compute((50, 70), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((50, 70), lambda i, j: B[i, j] + 1, name="C")
    s = te.create_schedule(C)
    rows, columns, row, _ = s[C].tile(*C.op.axis, 8, 32)
    s[C].fuse(rows, columns)
    s[B].compute_at(s[C], row)
    s[B].tile(*B.op.axis, 2, 4)
    return s, [A, C]


def folded_window():
    """Rows of which nine reads of one stage see three, in the memory of three."""
    A = te.placeholder((18, 18), name="A")
    B = te.compute((18, 18), lambda i, j: A[i, j] * 2, name="B")
    near = [(y, x) for y in range(3) for x in range(3)]
    C = te.compute((16, 16), lambda i, j: sum(B[i + y, j + x] for y, x in near), name="C")
    s = te.create_schedule(C)
    s[B].compute_at(s[C], C.op.axis[0])
    s[B].store_root()
    s[B].fold_storage(B.op.axis[0])
    return s, [A, C]


@pytest.mark.parametrize(("program", "questions"), [(copy_in_fused_tiles, 0), (folded_window, 1)])
def test_few_questions_are_for_integer_sets(program, questions):
    """They take a hundred times as long as another proof."""
    s, args = program()
    module = teloom.lower(s, args, level="schedule")
    legality = Legality(next(op for op in module.ops if isinstance(op, FuncOp)))
    with mock.patch.object(Edge, "violation", autospec=True, side_effect=Edge.violation) as asked:
        legality.check()
    assert asked.call_count == questions
    assert ("sets" in vars(legality)) == (questions > 0)


def rows_of_data():
    """Sums of as many leading elements as data says."""
    A, B = te.placeholder((64,), name="A"), te.placeholder((8,), "int32", name="B")
    axes = []

    def total(i):
        axes.append(te.reduce_axis((0, B[i]), "k"))
        return te.sum(A[axes[0]], axis=axes[0])

    S = te.compute((8,), total, name="S")
    return A, B, S, axes[0]


def copied_at(place):
    """The elements of a row, copied at an axis of it, in memory of all rows."""
    A, B, S, k = rows_of_data()
    s = te.create_schedule(S)
    copy = s.cache_read(A, "shared", [S])
    s[copy].compute_at(s[S], {"i": S.op.axis[0], "k": k}[place])
    s[copy].store_root()
    return s, [A, B, S]


def summed_in_window(*more):
    """Sums of data's lengths, three at a time, beside other stages."""
    A, B, S, _ = rows_of_data()
    T = te.compute((6,), lambda i: S[i] + S[i + 1] + S[i + 2], name="T")
    s = te.create_schedule([T, *more])
    s[S].compute_at(s[T], T.op.axis[0])
    s[S].store_root()
    s[S].fold_storage(S.op.axis[0])
    return s, [A, B, T]


def window_beside_product():
    """A window of sums, and a fusion of two sizes in another stage."""
    n, m = te.size_var("n"), te.size_var("m")
    X = te.placeholder((n, m), name="X")
    W = te.compute((n, m), lambda i, j: X[i, j] + 3, name="W")
    s, args = summed_in_window(W)
    s[W].fuse(*W.op.axis)
    return s, [*args, X, W]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "program", [lambda: copied_at("k"), summed_in_window, window_beside_product]
)
def test_bounds_from_data_are_no_reason_elsewhere(program):
    s, args = program()
    teloom.lower(s, args, level="schedule")


def test_the_reason_is_data_where_it_is():
    s, args = copied_at("i")
    words = 'finds what "A.shared" writes: the bounds of k of "S" come from data'
    with pytest.warns(teloom.errors.Remark, match=words):
        teloom.lower(s, args, level="schedule")


def rows_on_cores(far, column=False, fold=None):
    """A window along columns, or rows, of rows that run on several cores, kept from all of them."""
    A = te.placeholder((20, 18), name="A")
    B = te.compute((20, 18), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((20 - far, 16), lambda i, j: B[i, j] + B[i + far, j + 2], name="C")
    s = te.create_schedule(C)
    row, at = C.op.axis
    s[C].parallel(row)
    s[B].compute_at(s[C], at if column else row)
    s[B].store_root()
    if fold is not None:
        s[B].fold_storage(B.op.axis[fold])
    return s, [A, C]


@pytest.mark.parametrize("column", [False, True])
def test_what_an_iteration_alone_needs_may_be_stored_outside_of_a_parallel_loop(column):
    s, args = rows_on_cores(0, column, fold=1 if column else None)
    a = np.arange(360, dtype="float32").reshape(20, 18)
    found = np.empty((20, 16), "float32")
    teloom.build(s, args)(a, found)
    np.testing.assert_array_equal(found, 2 * (a[:, :16] + a[:, 2:]))


@pytest.mark.parametrize(
    ("far", "fold", "words"),
    [
        (1, None, r"the schedule at \(i = 0\), and iterations of i, which is parallel, have no"),
        (0, 0, r"writes the same place at \(i = 1\): iterations of i, which is parallel, have no"),
    ],
)
def test_what_iterations_of_a_parallel_loop_share_is_refused(far, fold, words):
    s, args = rows_on_cores(far, fold=fold)
    with pytest.raises(teloom.ScheduleError, match=words):
        teloom.lower(s, args, level="schedule")


def test_a_parallel_loop_is_refused_if_it_is_not_proved_legal():
    n = te.size_var("n")
    A = te.placeholder((n, n), name="A")
    B = te.compute((n, n), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((n, n), lambda i, j: B[i, j] + 1, name="C")
    s = te.create_schedule(C)
    place = s[C].fuse(*C.op.axis)
    s[C].parallel(place)
    s[B].compute_at(s[C], place)
    s[B].store_root()
    words = 'not proved that .* "C" is symbolic; "B" is stored outside of i.j.fused'
    with pytest.raises(teloom.ScheduleError, match=words):
        teloom.lower(s, [A, C], level="schedule")


def test_a_whole_that_takes_too_long_to_prove(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(legality, "OPERATIONS_OF_A_WHOLE", 500)
    n = te.size_var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    outer, inner = s[B].split(B.op.axis[0], factor=8)
    _, middle, low, high = s[B].tile(outer, inner, 16, 5)
    s[B].fuse(low, high)
    s[B].split(middle, nparts=4, tail="round_up")
    words = r'it is not proved that "B" is computed as a whole: that takes more than 500 isl'
    with pytest.warns(Remark, match=words):
        teloom.lower(s, [A, B], level="loop")
