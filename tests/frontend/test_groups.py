"""Schedule.create_group: which stages are in a group, and where it places them."""

from itertools import product

import numpy as np
import pytest
from budget import chosen
from xdsl.context import Context
from xdsl.parser import Parser

import teloom
from teloom import te
from teloom.dialects.schedule import StageOp


class Chain:
    """A -> B -> C -> D -> E, stencils over rows, and X beside them, which E reads too."""

    def __init__(self, rows: int = 20, columns: int = 9):
        self.shape = rows, columns
        A = self.A = te.placeholder((rows + 6, columns), name="A")
        self.W = te.placeholder((columns,), name="W")
        B = self.B = te.compute((rows + 4, columns), lambda i, j: A[i, j] + A[i + 2, j], name="B")
        C = self.C = te.compute((rows + 2, columns), lambda i, j: B[i, j] - B[i + 2, j], name="C")
        D = self.D = te.compute((rows, columns), lambda i, j: C[i, j] * C[i + 2, j], name="D")
        X = self.X = te.compute((columns,), lambda j: self.W[j] + 1, name="X")
        self.E = te.compute((rows, columns), lambda y, x: D[y, x] + X[x], name="E")
        self.s = te.create_schedule(self.E)

    def group(self) -> te.Stage:
        return self.s.create_group(self.D, self.A)

    def tiles(self, factor: int = 8) -> list:
        return self.s[self.E].tile(*self.E.op.axis, factor, 4)

    def check(self) -> None:
        """Compiled code under the schedule gives NumPy's numbers."""
        rows, columns = self.shape
        rng = np.random.default_rng(0)
        a = rng.integers(-9, 9, (rows + 6, columns)).astype("float32")
        w = rng.integers(-9, 9, columns).astype("float32")
        e = np.full(self.shape, np.nan, "float32")
        teloom.build(self.s, [self.A, self.W, self.E])(a, w, e)
        b = a[:-2] + a[2:]
        c = b[:-2] - b[2:]
        np.testing.assert_array_equal(e, c[:-2] * c[2:] + (w + 1))


@pytest.fixture
def p() -> Chain:
    return Chain()


def places(s: te.Schedule) -> dict[str, str | None]:
    """Where each stage is computed, by names: an axis, or None at the root."""
    module = teloom.lower(s, [*inputs(s), *outputs(s)], level="schedule")
    stages = [op for op in module.walk() if isinstance(op, StageOp)]
    return {stage.stage_name.data: stage.at and stage.at.name_hint for stage in stages}


def inputs(s: te.Schedule) -> list[te.Tensor]:
    return [stage.op.output(0) for stage in s.stages if isinstance(stage.op, te.PlaceholderOp)]


def outputs(s: te.Schedule) -> list[te.Tensor]:
    return [op.output(0) for op in s.outputs]


def test_all_members_are_computed_at_the_axis(p: Chain):
    _, x_outer, _, _ = p.tiles()
    p.group().compute_at(p.s[p.E], x_outer)
    at = "x.outer"
    assert places(p.s) == {"B": at, "C": at, "D": at, "X": None, "E": None}
    bounds = te.infer_bounds(p.s)
    assert [bounds[t.op.axis[0]].extent for t in (p.B, p.C, p.D)] == [12, 10, 8]
    p.check()


@pytest.mark.parametrize(
    ("rows", "axis"),
    chosen(
        list(product((0, 1, 7, 8, 20), range(4))),
        [(0, 1), (1, 0), (7, 0), (7, 2), (8, 3), *((20, axis) for axis in range(4))],
    ),
)
def test_numbers_at_every_axis_of_a_tile(rows: int, axis: int):
    p = Chain(rows)
    p.group().compute_at(p.s[p.E], p.tiles()[axis])
    p.check()


def test_a_member_keeps_its_own_place(p: Chain):
    y_outer, x_outer, _, _ = p.tiles()
    group = p.group()
    p.s[p.B].compute_at(p.s[p.C], p.C.op.axis[1])
    group.compute_at(p.s[p.E], x_outer)
    p.s[p.C].compute_at(p.s[p.E], y_outer)
    at = {"B": "j", "C": "y.outer", "D": "x.outer", "X": None, "E": None}
    assert places(p.s) == at
    p.check()


def test_a_member_may_be_inlined_before_or_after(p: Chain):
    p.s[p.B].compute_inline()
    group = p.group()
    group.compute_at(p.s[p.E], p.E.op.axis[0])
    p.s[p.C].compute_inline()
    assert places(p.s) == {"D": "y", "X": None, "E": None}
    p.check()


def test_the_root_takes_the_group_out_again(p: Chain):
    group = p.group()
    group.compute_at(p.s[p.E], p.E.op.axis[0])
    group.compute_root()
    assert set(places(p.s).values()) == {None}
    p.check()


@pytest.mark.parametrize("inner_first", [True, False])
def test_nested_groups(p: Chain, inner_first: bool):
    y_outer, x_outer, _, _ = p.tiles()
    made = [lambda: p.s.create_group(p.C, p.A), p.group]
    one, other = [make() for make in (made if inner_first else reversed(made))]
    inner, outer = (one, other) if inner_first else (other, one)
    outer.compute_at(p.s[p.E], x_outer)
    follows = "x.outer"
    assert [places(p.s)[name] for name in "BCD"] == [follows] * 3
    inner.compute_at(p.s[p.E], y_outer)
    assert [places(p.s)[name] for name in "BCD"] == ["y.outer", "y.outer", follows]
    p.check()


def test_members_are_the_operations_on_paths(p: Chain):
    def members(outputs, inputs, **more) -> str:
        return p.s.create_group(outputs, inputs, **more).name

    assert members(p.D, p.A) == "group(B, C, D)"
    assert members([p.D.op], [p.A.op]) == "group(B, C, D)"
    assert members(p.D, p.B) == "group(C, D)"
    assert members(p.D, p.B, include_inputs=True) == "group(B, C, D)"
    # An input stands before another one: paths go from the last.
    assert members(p.D, [p.A, p.C]) == "group(D)"
    # A placeholder is no member, also where inputs are.
    assert members([p.C, p.X], [p.A, p.W], include_inputs=True) == "group(B, C, X)"
    assert [group.name for group in p.s.groups][-1] == "group(B, C, X)"


def test_it_is_a_stage_without_axes(p: Chain):
    group = p.group()
    assert isinstance(group, te.Stage)
    assert group not in p.s.stages
    assert not group.all_iter_vars
    assert not group.leaf_iter_vars
    assert not group.relations


def test_a_group_is_printed_and_read_back(p: Chain, ctx: Context):
    p.group().compute_root()
    assert "%group = schedule.group %B, %C, %D" in str(p.s)
    assert str(Parser(ctx, str(p.s)).parse_module()) == str(p.s)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda p: p.s.create_group(p.D, [p.A, p.W]),
            "no output of the group depends on the input W (outputs: D)",
        ),
        (
            lambda p: p.s.create_group([p.D, p.X], p.A),
            "X is an output of the group but cannot be in it: it depends on no input (inputs: A)",
        ),
        (
            lambda p: p.s.create_group(p.D, []),
            "D is an output of the group but cannot be in it: it depends on no input "
            "(inputs: none)",
        ),
        (
            lambda p: p.s.create_group(p.D, p.D),
            "it is an input; include_inputs=True makes inputs members",
        ),
        (
            lambda p: p.s.create_group(p.A, p.A, include_inputs=True),
            "A is an output of the group but cannot be in it: it is a placeholder, which is "
            "given, not computed",
        ),
        (lambda p: p.s.create_group([], p.A), "no output of the group depends on the input A"),
        (
            lambda p: p.s.create_group(te.placeholder((3,), name="Z"), p.A),
            "name=Z) is not part of this schedule; its stages: A, B",
        ),
        (
            lambda p: p.group().split(p.D.op.axis[0], 4),
            "axis i of stage D is not an axis of stage group(B, C, D); its axes: none",
        ),
        (
            lambda p: p.s[p.X].compute_at(p.group(), p.D.op.axis[0]),
            "axis i of stage D is not an axis of stage group(B, C, D); its axes: none",
        ),
    ],
)
def test_refuses(p: Chain, make, words: str):
    with pytest.raises(teloom.ScheduleError) as error:
        make(p)
    assert words in str(error.value)


def test_an_output_is_in_the_loop_as_well(p: Chain):
    s = te.create_schedule([p.D, p.E])
    s.create_group(p.D, p.A).compute_at(s[p.E], p.E.op.axis[0])
    rows = te.infer_bounds(s)
    assert [str(rows[one.op.axis[0]].extent) for one in (p.B, p.C, p.D)] == ["5", "3", "1"]
    teloom.lower(s, [p.A, p.W, p.D, p.E], level="schedule")


def test_it_cannot_be_inlined(p: Chain):
    p.group().compute_inline()
    words = 'test_groups.py:.*: compute_inline wants one stage, not the group of "B", "C", "D"'
    with pytest.raises(teloom.ScheduleError, match=words):
        te.infer_bounds(p.s)
