"""Gaps between the rows of a temporary change no number."""

from itertools import product

import pytest
from budget import each
from programs.sizes import extents, known
from programs.transposed import check, transposed_twice

from teloom import ScheduleError, lower, te

GAPS = [(2, 1), (32, 8), (1, 0), (64, 63)]
SIZES = [(0, 3), (1, 1), (5, 7), (33, 16)]


@pytest.mark.parametrize(
    ("sizes", "gaps"), [*each(known(SIZES), GAPS, turn=2), *product([SIZES], GAPS)]
)
def test_agrees_with_numpy(sizes, gaps):
    A, B, C = transposed_twice(*extents(sizes, "n", "m"))
    s = te.create_schedule(C)
    s[B].storage_align(B.op.axis[0], *gaps)
    s[B].split(B.op.axis[0], factor=4)
    check(s, A, C, *sizes)


def test_in_a_tile_the_gap_is_in_the_tile():
    A, B, C = transposed_twice(64, 64)
    s = te.create_schedule(C)
    outer, *_ = s[C].tile(*C.op.axis, 16, 16)
    s[B].compute_at(s[C], outer)
    s[B].storage_align(B.op.axis[0], 32, 1)
    assert "memref<2112xf32>" in str(lower(s, [A, C], level="memref"))


@pytest.mark.parametrize(("factor", "offset"), [(0, 0), (4, 4), (4, -1)])
def test_refuses_what_is_no_remainder(factor, offset):
    _, B, C = transposed_twice(4, 4)
    s = te.create_schedule(C)
    with pytest.raises(ScheduleError, match="storage_align of axis j by"):
        s[B].storage_align(B.op.axis[0], factor, offset)
