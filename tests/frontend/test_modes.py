"""How exactly regions are computed: for a whole program, and for one stage."""

import warnings

import numpy as np
import pytest
from budget import each
from programs.sizes import extents, known

import teloom
from teloom import te

SIZES = [(0,), (1,), (5,), (16,)]


def crosses(n: object) -> tuple[te.Schedule, list[te.Tensor], te.Tensor]:
    """Each element of C is the sum of four neighbours in B = 2 A, which is computed at a tile."""
    A = te.placeholder((n + 2, n + 2), "int32", name="A")
    B = te.compute(A.shape, lambda i, j: A[i, j] * 2, name="B")
    C = te.compute(
        (n, n),
        lambda y, x: B[y, x + 1] + B[y + 1, x] + B[y + 1, x + 2] + B[y + 2, x + 1],
        name="C",
    )
    s = te.create_schedule(C)
    _, x_outer, _, _ = s[C].tile(*C.op.axis, 8, 8)
    s[B].compute_at(s[C], x_outer)
    return s, [A, C], B


def check(s: te.Schedule, args: list[te.Tensor], *sizes: int, **options) -> None:
    run = teloom.build(s, args, **options)
    for n in sizes:
        a = np.arange((n + 2) * (n + 2), dtype="int32").reshape(n + 2, n + 2)
        run(a, c := np.zeros((n, n), "int32"))
        b = a * 2
        expected = b[:-2, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1]
        np.testing.assert_array_equal(c, expected, err_msg=f"n = {n}")


MODES = ("exact", "hull", "box")


@pytest.mark.parametrize(
    ("sizes", "mode"), [*each(known(SIZES), MODES), *((SIZES, mode) for mode in MODES)]
)
@pytest.mark.filterwarnings("ignore::teloom.Remark")
def test_no_mode_changes_a_result(sizes: list[tuple[int]], mode: str):
    s, args, _ = crosses(*extents(sizes, "n"))
    check(s, args, *(n for (n,) in sizes), mode=mode)


def test_a_guard_that_saves_little_is_left_out():
    s, args, _ = crosses(16)
    with pytest.warns(teloom.Remark, match="for a guard would save less than one element of 4"):
        loops = str(teloom.lower(s, args, level="loop"))
    assert "loop.if" not in loops


def test_a_stage_at_the_root_asks_for_no_guard():
    s, args, B = crosses(16)
    s[B].compute_root()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "loop.if" not in str(teloom.lower(s, args, level="loop"))


def test_a_stage_says_its_mode():
    s, args, B = crosses(16)
    s[B].set_mode("exact")
    assert "loop.if" in str(teloom.lower(s, args, level="loop"))
    check(s, args, 16)


def test_a_stage_says_its_budget():
    s, args, B = crosses(16)
    s[B].set_mode(budget=10)
    with pytest.warns(teloom.Remark, match="exact and hull took more than 10 isl operations"):
        assert "schedule.region box" in str(teloom.lower(s, args, level="schedule"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mode": "hul"}, "no mode 'hul'; modes: exact, hull, box"),
        ({"budget": 0}, "a budget of 0 operations"),
        ({"budget": "many"}, "budget must be an integer"),
    ],
)
def test_what_is_no_mode_or_budget_is_refused(options: dict, words: str):
    s, args, _ = crosses(16)
    with pytest.raises(teloom.Error, match=words):
        teloom.lower(s, args, **options)
