"""`remap` of a stage: loops over affine functions of its axes give the same numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teloom
from teloom import te

MAPS: dict[str, Callable[..., Any]] = {
    "diagonal": lambda i, j: (i + j, j),
    "holes": lambda i, j: (i + j, i - j),
    "flat": lambda i, j: [i * 6 + j],
    "blocks": lambda i, j: ((i * 6 + j) // 4, (i * 6 + j) % 4),
    "rotated": lambda i, j: (i, (i + j) % 6),
}


def maps_of_a_size(n: Any) -> dict[str, Callable[..., Any]]:
    return {
        "moved": lambda i, j: (j, i + n),
        "last_first": lambda i, j: (n - 1 - i, j),
        "moved_tiles": lambda i, j: ((i + n) // 4, j, (i + n) % 4),
        "anti_diagonal": lambda i, j: [2 * n - i - j, j],
    }


def remapped_program() -> tuple[te.Schedule, list[te.Tensor]]:
    """Stages that are all the same but for their loops; each computes a producer in them."""
    rows = te.var("n")
    maps = MAPS | maps_of_a_size(rows)
    A = te.placeholder((rows, 6), name="A")
    outputs = []
    producers = []
    for name in maps:
        producers.append(te.compute((rows, 6), lambda i, j: A[i, j] + 1, name=f"p_{name}"))
        P = producers[-1]
        outputs.append(te.compute((rows, 6), lambda i, j, P=P: P[i, j] * 2, name=name))
    s = te.create_schedule(outputs)
    for P, C, map in zip(producers, outputs, maps.values(), strict=True):
        first, *_ = s[C].remap(map)
        outer, _ = s[C].split(first, factor=3)
        s[P].compute_at(s[C], outer)
        s[P].remap(map)
    return s, [A, *outputs]


def test_numbers():
    s, arguments = remapped_program()
    f = teloom.build(s, arguments)
    for size in (0, 1, 7, 9):
        a = np.arange(size * 6, dtype="float32").reshape(size, 6)
        outputs = [np.zeros_like(a) for _ in arguments[1:]]
        f(a, *outputs)
        for found in outputs:
            np.testing.assert_array_equal(found, (a + 1) * 2)


def test_reduce_axes_and_names():
    A = te.placeholder((5, 4, 6), "int32", name="A")
    k, m = te.reduce_axis((0, 4), "k"), te.reduce_axis((1, 6), "m")
    S = te.compute((5,), lambda i: te.sum(A[i, k, m] * (k + m), axis=[k, m]), name="S")
    s = te.create_schedule(S)
    diagonal, place = s[S].remap(lambda k, m: (k + m, m), k, m)
    assert [axis.name for axis in (diagonal, place)] == ["k.m.remapped0", "k.m.remapped1"]
    assert s[S].leaf_iter_vars == [S.op.axis[0], diagonal, place]
    assert s[S].relations[0].map == "(d0, d1) -> ((d0 + d1), d1)"
    assert te.infer_bounds(s)[diagonal] == (0, 8)
    a = np.arange(120, dtype="int32").reshape(5, 4, 6)
    out = np.zeros(5, "int32")
    teloom.build(s, [A, S])(a, out)
    weights = np.add.outer(np.arange(4), np.arange(6))
    np.testing.assert_array_equal(out, (a * weights)[:, :, 1:].sum((1, 2)))


@pytest.mark.parametrize(
    ("map", "words"),
    [
        (lambda i: (i,), "the remap of C is a function of its 2 axes (i, j)"),
        (lambda i, j: i, "the remap of C gives a list of expressions, got i"),
        (
            lambda i, j: (i * j, j),
            "(i * j) in the remap of C is no affine expression of its axes and of sizes",
        ),
        (
            lambda i, j: (),
            "remap of axes i, j by (d0, d1) -> (): the map has 0 results, for 0 axes",
        ),
    ],
)
def test_refused_at_once(map: Callable[..., Any], words: str):
    C = te.compute((4, 4), lambda i, j: i + j, name="C")
    with pytest.raises(teloom.ScheduleError) as caught:
        te.create_schedule(C)[C].remap(map)
    assert str(caught.value).startswith(words)


def test_not_injective():
    C = te.compute((4, 4), lambda i, j: i + j, name="C")
    s = te.create_schedule(C)
    s[C].remap(lambda i, j: [i + j])
    with pytest.raises(teloom.ScheduleError, match=r"it is not injective: \[.*\] and \[.*\] both"):
        teloom.lower(s, [C])


def scheduled(map: str) -> tuple[te.Schedule, list[te.Tensor], list[te.IterVar]]:
    A, k = te.placeholder((9, 7, 6), "int32", name="A"), te.reduce_axis((1, 6), "k")
    C = te.compute((9, 7), lambda i, j: te.sum(A[i, j, k] * (i + 2 * j), axis=k), name="C")
    s = te.create_schedule(C)
    return s, [A, C], s[C].set_schedule(map)


@pytest.mark.parametrize(
    ("map", "extents"),
    [
        ("{ C[i, j, k] -> [i + j, k, j] }", [15, 5, 7]),
        ("{ C[i, j, k] -> [k - 1, 0, j, 8 - i] }", [5, 1, 7, 9]),
        ("{ [i, j, k] -> [i // 4, j // 3, i % 4, k, j % 3] : 0 <= i and j < 7 }", [3, 3, 4, 5, 3]),
        (
            "{ C[i, j, k] -> [floor((7i + j) / 10), (7i + j) mod 10, k // 2, k mod 2] }",
            [7, 10, 3, 2],
        ),
    ],
)
def test_loops_by_a_map_to_time(map: str, extents: list[int]):
    s, arguments, loops = scheduled(map)
    assert s[arguments[-1]].leaf_iter_vars == loops
    bounds = te.infer_bounds(s)
    assert [bounds[axis].extent for axis in loops] == extents
    module = teloom.lower(s, arguments, level="schedule")
    a = np.arange(378, dtype="int32").reshape(9, 7, 6)
    out = np.zeros((9, 7), "int32")
    teloom.build(s, arguments)(a, out)
    weights = np.add.outer(np.arange(9), 2 * np.arange(7))
    np.testing.assert_array_equal(out, a[:, :, 1:].sum(2) * weights)
    assert "schedule.remap" in str(module)


@pytest.mark.parametrize(
    ("map", "words"),
    [
        ("{ C[i, j, k] -> [i + j k] }", "it is no map in isl's language (syntax error)"),
        ("{ B[i, j, k] -> [i, j, k] }", "it is a map of B[i, j, k], not of C[i, j, k]"),
        ("{ C[i, j] -> [i, j] }", "it is a map of C[i, j], not of C[i, j, k]"),
        ("{ [i, j] -> [i, j] }", "it is a map of [i, j], not of C[i, j, k]"),
        (
            "[n] -> { C[i, j, k] -> [n - i, j, k] }",
            "it depends on n, which is no axis and no size: the program has none",
        ),
        ("{ C[i, j, k] -> [i, j, k] : i < 5 }", "it is no function of all points"),
        ("{ C[i, j, k] -> [i, j, t] : 0 <= t < k }", "it is no function of all points"),
        ("{ C[i, j, k] -> [i + k, j, k] }", "time 0, of i, k, joins a data axis and a reduce axis"),
        (
            "{ C[i, j, k] -> [i, k] }",
            "it is not injective: [0, 0, 1] and [0, 1, 1] both become [0, 1]",
        ),
    ],
)
def test_maps_to_time_that_are_refused(map: str, words: str):
    with pytest.raises(teloom.ScheduleError) as caught:
        te.infer_bounds(scheduled(map)[0])
    assert words in str(caught.value)


def test_maps_compose():
    """A map of a map is the map of both: every point runs once, at the same place in time."""
    modules = []
    for maps in (
        [lambda i, j: (i + j, j), lambda d, p: (p // 4, d, p % 4)],
        [lambda i, j: (j // 4, i + j, j % 4)],
    ):
        A = te.placeholder((9, 7), name="A")
        C = te.compute((9, 7), lambda i, j: A[i, j] * 2, name="C")
        s, loops = te.create_schedule(C), list(C.op.axis)
        for map in maps:
            loops = s[C].remap(map, *loops)
        assert str(te.explain(s)).splitlines()[1].split()[:5] == ["C", "the", "root", "1", "63"]
        modules.append(teloom.lower(s, [A, C], level="loop"))
    assert modules[0].is_structurally_equivalent(modules[1])


@pytest.mark.parametrize(
    "map",
    [
        "[n] -> { C[i, j, k] -> [n - 1 - i, j, k] }",
        "[m, n] -> { C[i, j, k] -> [n + m - i - j, j, k] : 0 <= i < n and j < m }",
        "[n] -> { C[i, j, k] -> [n, i, j, k + n] }",
        "[m] -> { C[i, j, k] -> [i, (j + m) // 3, k - m, (j + m) mod 3] }",
    ],
)
def test_loops_by_a_map_with_sizes(map: str):
    """The sum begins at a size, too, from which relations count its axis."""
    n, m = te.size_var("n"), te.var("m")
    A, k = te.placeholder((n, m, n + m + 3), "int32", name="A"), te.reduce_axis((m, m + 3), "k")
    C = te.compute((n, m), lambda i, j: te.sum(A[i, j, k] * (i + 2 * j), axis=k), name="C")
    s = te.create_schedule(C)
    s[C].set_schedule(map)
    f = teloom.build(s, [A, C])
    for rows, columns in ((0, 3), (1, 1), (4, 5), (7, 3)):
        a = np.arange(rows * columns * (rows + columns + 3), dtype="int32")
        a = a.reshape(rows, columns, rows + columns + 3)
        out = np.zeros((rows, columns), "int32")
        f(a, out)
        weights = np.add.outer(np.arange(rows), 2 * np.arange(columns))
        np.testing.assert_array_equal(out, a[:, :, columns : columns + 3].sum(2) * weights)


@pytest.mark.parametrize("extent", [0, 1])
def test_a_map_of_few_points_has_its_loops(extent: int):
    """A reduce axis of one point is a loop as it is said, and no number."""
    A, k = te.placeholder((extent, 4, 1), "int32", name="A"), te.reduce_axis((0, 1), "k")
    B = te.compute((extent, 4), lambda i, j: te.sum(A[i, j, k], axis=k), name="B")
    s = te.create_schedule(B)
    diagonal, column, term = s[B].set_schedule("{ B[i, j, k] -> [i + j, j, k] }")
    s[B].parallel(diagonal)
    assert s[B].leaf_iter_vars == [diagonal, column, term]
    assert term.iter_type == te.schedule.IterVar.CommReduce
    out = np.full((extent, 4), -1, "int32")
    teloom.build(s, [A, B])(np.arange(4 * extent, dtype="int32").reshape(extent, 4, 1), out)
    np.testing.assert_array_equal(out, np.arange(4 * extent).reshape(extent, 4))


@pytest.mark.parametrize(
    ("map", "words"),
    [
        ("[m] -> { C[i, j] -> [i + m, j] }", "it depends on m, which is no axis and no size"),
        ("[n] -> { C[i, j] -> [i, j] : n >= 2 }", "it is no function of all points"),
        (
            "[n] -> { C[i, j] -> [i + j + n] }",
            "it is not injective: [0, 1] and [1, 0] both become [3], with n = 2",
        ),
    ],
)
def test_maps_with_sizes_that_are_refused(map: str, words: str):
    n = te.size_var("n")
    C = te.compute((n, n), lambda i, j: i + j, name="C")

    def scheduled_by(map: str) -> te.Schedule:
        s = te.create_schedule(C)
        s[C].set_schedule(map)
        return s

    with pytest.raises(teloom.ScheduleError) as caught:
        te.infer_bounds(scheduled_by(map))
    assert words in str(caught.value)


def test_a_refused_map_adds_no_size():
    n, C = te.var("n"), te.compute((4, 4), lambda i, j: i + j, name="C")
    s = te.create_schedule(C)
    with pytest.raises(teloom.ScheduleError, match="no affine expression"):
        s[C].remap(lambda i, j: (i + n, j * n))
    teloom.build(s, [C])(np.zeros((4, 4), "int32"))


def test_caches_and_partial_results_of_maps_with_sizes():
    """The axes of the new stages are those of the loops, also where a size moves these."""
    n, m = te.var("n"), te.var("m")
    A, k = te.placeholder((8, n), "int32", name="A"), te.reduce_axis((0, n), "k")
    C = te.compute((8,), lambda i: te.sum(A[i, k], axis=k), name="C")
    D = te.compute((8,), lambda i: C[i] + 1, name="D")
    s = te.create_schedule(D)
    (turned,) = s[C].remap(lambda k: [m + n - k], k)
    _, inner = s[C].split(turned, factor=4)
    s.rfactor(C, inner)
    s[D].remap(lambda i: [m - i])
    s.cache_write(D, "local")
    f = teloom.build(s, [m, A, D])
    for size, moved in ((0, 3), (1, 0), (7, 2), (16, 30)):
        a = np.arange(8 * size, dtype="int32").reshape(8, size)
        out = np.zeros(8, "int32")
        f(moved, a, out)
        np.testing.assert_array_equal(out, a.sum(1) + 1)


def test_maps_to_time_of_axes_that_begin_elsewhere():
    """Relations count an axis from where it begins, which has to be known for a map to time."""
    A, i = te.placeholder((8, 8), name="A"), te.reduce_axis((0, 8), "i")
    k = te.reduce_axis((i, 8), "k")
    C = te.compute((8,), lambda j: te.sum(A[i, k], axis=[i, k]), name="C")
    with pytest.raises(teloom.ScheduleError, match="axis k begins at i; a map to time needs"):
        te.create_schedule(C)[C].set_schedule("{ C[j, i, k] -> [j, k, i] }")
    D = te.compute((64,), lambda j: A[j // 8, j % 8], name="D")
    s = te.create_schedule(D)
    _, inner = s[D].split(D.op.axis[0], factor=8)
    s[D].blockize(inner)
    with pytest.raises(teloom.ScheduleError, match="begins where a command says"):
        s[D].set_schedule("{ D[j] -> [j] }")


def rows_upwards(columns: int = 7) -> tuple[te.Schedule, list[te.Tensor]]:
    P = te.placeholder((9, columns), name="P")
    i, j = te.reduce_axis((1, 9), "i"), te.reduce_axis((0, columns - 1), "j")
    U = te.update(P, (i, j), lambda U, i, j: ((i, j), U[i - 1, j + 1] + 1.0), name="U.x")
    return te.create_schedule(U), [P, U]


@pytest.mark.parametrize(
    ("map", "loops"),
    [
        ("{ U_x[i, j] -> [2i + j, i] }", ["ax0", "ax1", "i.j.remapped0", "i.j.remapped1"]),
        ("{ U_x_init[a, b] -> [b, a] }", ["ax0.ax1.remapped0", "ax0.ax1.remapped1", "i", "j"]),
        (
            "{ U_x[a, b, i, j] -> [b, a, 2i + j, i] }",
            ["ax0.ax1.remapped0", "ax0.ax1.remapped1", "i.j.remapped0", "i.j.remapped1"],
        ),
    ],
)
def test_maps_of_the_points_of_an_update_and_of_its_start(map: str, loops: list[str]):
    s, arguments = rows_upwards()
    s[arguments[-1]].set_schedule(map)
    assert [axis.name for axis in s[arguments[-1]].leaf_iter_vars] == loops
    p = np.random.default_rng(0).random((9, 7)).astype("float32")
    found, want = np.zeros_like(p), p.copy()
    for i in range(1, 9):
        want[i, :-1] = want[i - 1, 1:] + 1
    teloom.build(s, arguments)(p, found)
    np.testing.assert_array_equal(found, want)


def test_what_maps_prints_is_a_map_to_time():
    s, (P, U) = rows_upwards()
    printed = [line.strip() for line in str(te.explain(s, "maps")).splitlines()]
    maps = [line for line in printed if line.startswith("{ U_x") and "' =" in line]
    assert [map.partition("[")[0] for map in maps] == ["{ U_x_init", "{ U_x"]
    for map in maps:
        s[U].set_schedule(map)
    teloom.build(s, [P, U])


@pytest.mark.parametrize(
    ("map", "words"),
    [
        (
            "{ U_x[i] -> [i] }",
            "it is a map of U_x[i], not of U_x[i, j] or U_x_init[ax0, ax1] or U_x[ax0, ax1, i, j]",
        ),
        (
            "{ U_x[a, b, i, j] -> [j, i] }",
            "it is not injective: [0, 0, 1, 0] and [0, 1, 1, 0] both become [0, 1]",
        ),
        (
            "{ U_x[a, b, i, j] -> [i + a, b, j, i] }",
            "time 0, of ax0, i, joins a data axis and a reduce axis",
        ),
    ],
)
def test_maps_of_updates_that_are_refused(map: str, words: str):
    s, (_, U) = rows_upwards()
    with pytest.raises(teloom.ScheduleError) as caught:
        s[U].set_schedule(map)
    assert words in str(caught.value)


def test_maps_without_a_time_of_axes_of_one_iteration():
    C = te.compute((1, 4), lambda i, j: i + j, name="C")
    k = te.reduce_axis((0, 3), "k")
    D = te.compute((1,), lambda i: te.sum(C[i, k], axis=k), name="D")
    s = te.create_schedule(D)
    with pytest.raises(teloom.ScheduleError, match="no time depends on i"):
        s[D].set_schedule("{ D[i, k] -> [k] }")
    assert len(s[D].set_schedule("{ D[i, k] -> [0, k] }")) == 2


PIECES = {
    "halves in turn": (
        "{ C[i, j] -> [i, 1, j] : j < 8; C[i, j] -> [i, 0, j] : j >= 8 }",
        lambda i, j: (i, int(j < 8), j),
    ),
    "second half first": (
        "{ C[i, j] -> [i, j] : j < 8; C[i, j] -> [i, j - 16] : j >= 8 }",
        lambda i, j: (i, j if j < 8 else j - 16),
    ),
    "thirds": (
        "{ C[i, j] -> [0, i, j] : j < 3; C[i, j] -> [2, i, j] : 3 <= j < 11; "
        "C[i, j] -> [1, i, j] : j >= 11 }",
        lambda i, j: (0 if j < 3 else 2 if j < 11 else 1, i, j),
    ),
    "odd behind even": (
        "{ C[i, j] -> [i, 0, j] : j mod 2 = 0; C[i, j] -> [i, 1, j] : j mod 2 = 1 }",
        lambda i, j: (i, j % 2, j),
    ),
    "below the diagonal first": (
        "{ C[i, j] -> [0, i, j] : j <= i; C[i, j] -> [1, i, j] : j > i }",
        lambda i, j: (int(j > i), i, j),
    ),
    "a corner last": (
        "{ C[i, j] -> [1, i, j] : i >= 5 and j >= 7; C[i, j] -> [0, i, j] : i < 5 or j < 7 }",
        lambda i, j: (int(i >= 5 and j >= 7), i, j),
    ),
}


@pytest.mark.parametrize("name", PIECES)
def test_maps_in_pieces_that_differ_by_numbers(name: str):
    """The times are those of the map: the points of an update run in their order."""
    map, time = PIECES[name]
    A = te.placeholder((9, 16), "int32", name="A")
    C = te.compute((9, 16), lambda i, j: A[i, j] * 2, name="C")
    s = te.create_schedule(C)
    s[C].set_schedule(map)
    a = np.arange(144, dtype="int32").reshape(9, 16)
    found = np.zeros_like(a)
    teloom.build(s, [A, C])(a, found)
    np.testing.assert_array_equal(found, a * 2)

    # Each point writes how many have run before it.
    zero = te.compute((145,), lambda k: te.const(0, "int32"), name="zero")
    i, j = te.reduce_axis((0, 9), "i"), te.reduce_axis((0, 16), "j")
    U = te.update(
        zero,
        (i, j),
        lambda U, i, j: [(i * 16 + j, U[144]), (144, U[144] + 1)],
        name="C",
        reorderable=True,
    )
    s = te.create_schedule(U)
    s[U].set_schedule(map)
    ranks = np.zeros(145, "int32")
    teloom.build(s, [U])(ranks)
    in_time = sorted(np.ndindex(9, 16), key=lambda point: time(*point))
    for rank, point in enumerate(in_time):
        assert ranks[np.ravel_multi_index(point, (9, 16))] == rank


@pytest.mark.parametrize(
    ("map", "words"),
    [
        (
            "{ C[i, j, k] -> [0, i, j, k] : j < 4; C[i, j, k] -> [1, j, i, k] : j >= 4 }",
            "time 1 is in one piece i and in another j: pieces may differ by a number",
        ),
        (
            "{ C[i, j, k] -> [i, 0, j, k] : i < j; C[i, j, k] -> [i, j, j, k] : i >= j }",
            "time 1 is in one piece 0 and in another j: pieces may differ by a number",
        ),
        (
            "{ C[i, j, k] -> [i, 0, k] : j < 4; C[i, j, k] -> [i, j - 4, k] : j >= 4 }",
            "it is not injective",
        ),
        (
            "{ C[i, j, k] -> [-1, j, k] : i = 3 and j = 3; "
            "C[i, j, k] -> [i, j, k] : i != 3 or j != 3 }",
            "no single expression is the value of axis 0 at all of its results",
        ),
    ],
)
def test_maps_in_pieces_that_are_refused(map: str, words: str):
    with pytest.raises(teloom.ScheduleError) as caught:
        te.infer_bounds(scheduled(map)[0])
    assert words in str(caught.value)


def test_maps_in_pieces_where_a_size_ends_the_axis_are_refused():
    n = te.var("n")
    C = te.compute((n,), lambda i: i, name="C")
    s = te.create_schedule(C)
    with pytest.raises(teloom.ScheduleError, match="ends with 7 - i, whose bounds are no numbers"):
        s[C].set_schedule("{ C[i] -> [1, i] : i < 8; C[i] -> [0, i] : i >= 8 }")
