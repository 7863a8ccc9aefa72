"""Stage methods: the commands that they append, and what they refuse on the spot."""

import inspect
from collections.abc import Callable

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import FileLineColLoc
from xdsl.parser import Parser

import teloom
from teloom import te
from teloom.frontend.emit.locations import location
from teloom.frontend.schedule import schedules
from teloom.frontend.schedule.commands import all_commands
from teloom.frontend.source_location import SourceLocation


class Programs:
    """A chain of two 64 x 32 stages, B and C, with its schedule."""

    def __init__(self):
        self.A = te.placeholder((64, 32), name="A")
        k = self.k = te.reduce_axis((0, 32), "k")
        A = self.A
        self.B = te.compute((64, 32), lambda i, j: te.sum(A[i, k] * A[i, j], axis=k), name="B")
        self.C = te.compute((64, 32), lambda y, x: self.B[y, x] + 1, name="C")
        self.s = te.create_schedule(self.C)


@pytest.fixture
def p() -> Programs:
    return Programs()


def commands(schedule: te.Schedule) -> list[str]:
    """The lines of the sequence, without the handles' lines."""
    lines = [line.strip() for line in str(schedule.sequence).splitlines()]
    return [line for line in lines if "= schedule.get" not in line and "schedule.axes" not in line]


def test_every_command_is_a_method():
    names = {command.name for command in all_commands()}
    assert names >= {
        *("split", "fuse", "tile", "reorder", "vectorize", "unroll", "parallel"),
        *("shift", "reverse", "skew"),
        *("compute_at", "compute_root", "compute_inline", "bind", "set_scope"),
    }
    assert not names & {"sequence", "get", "axes", "stage", "order", "range", "equation"}
    assert "extent" not in names
    for name in names:
        assert inspect.getdoc(getattr(te.Stage, name))


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        (
            "split",
            "(self, parent, factor=None, nparts=None, tail=None, disable_predication=False)",
        ),
        ("fuse", "(self, *args)"),
        ("tile", "(self, x_parent, y_parent, x_factor, y_factor, tail=None)"),
        ("reorder", "(self, *args)"),
        ("compute_at", "(self, parent, scope)"),
        ("compute_root", "(self)"),
        ("compute_inline", "(self)"),
        ("vectorize", "(self, var)"),
        ("unroll", "(self, var)"),
        ("parallel", "(self, var, chunk=None)"),
        ("bind", "(self, ivar, thread_ivar)"),
        ("set_scope", "(self, scope)"),
    ],
)
def test_signatures_are_those_of_tvm(name: str, signature: str):
    found = inspect.signature(getattr(te.Stage, name))
    plain = [one.replace(annotation=one.empty) for one in found.parameters.values()]
    assert str(inspect.Signature(plain)) == signature


def test_a_split_has_no_predication_to_disable():
    A = te.placeholder((20,), name="A")
    B = te.compute((20,), lambda i: A[i] + 1, name="B")
    texts: set[str] = set()
    for disabled in (False, True):
        s = te.create_schedule(B)
        s[B].split(B.op.axis[0], factor=8, disable_predication=disabled)
        texts.add(str(teloom.lower(s, [A, B], level="loop")))
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("shift", "(self, parent, offset)"),
        ("reverse", "(self, parent)"),
        ("skew", "(self, parent, along, factor)"),
    ],
)
def test_signatures_that_tvm_has_not(name: str, signature: str):
    assert str(inspect.signature(getattr(te.Stage, name))) == signature


def test_axes_that_move(p: Programs):
    y, x = p.C.op.axis
    shifted = p.s[p.C].shift(y, -3)
    reverse = p.s[p.C].reverse(shifted)
    skewed = p.s[p.C].skew(x, along=reverse, factor=2)
    assert [axis.name for axis in (shifted, reverse, skewed)] == [
        *("y.shifted", "y.shifted.reversed", "x.skewed"),
    ]
    assert p.s[p.C].axes == [reverse, skewed]
    assert [line.partition(" = ")[2] for line in commands(p.s)[1:-1]] == [
        "schedule.shift %y by -3",
        "schedule.reverse %y.shifted",
        "schedule.skew %x along %y.shifted.reversed factor 2",
    ]


def test_commands_in_order(p: Programs, ctx: Context):
    y, x = p.C.op.axis
    yo, xo, yi, xi = p.s[p.C].tile(y, x, 8, y_factor=4)
    p.s[p.B].compute_at(p.s[p.C], xo)
    ko, ki = p.s[p.B].split(p.k, factor=4)
    p.s[p.B].reorder(ko, *p.B.op.axis, ki)
    p.s[p.B].unroll(ki)
    fused = p.s[p.C].fuse(yo, xo)
    p.s[p.C].parallel(fused)
    p.s[p.C].vectorize(xi)
    outer, inner = p.s[p.C].split(yi, nparts=2)
    assert [axis.name for axis in (yo, ki, fused, outer, inner)] == [
        *("y.outer", "k.inner", "y.outer.x.outer.fused", "y.inner.outer", "y.inner.inner"),
    ]
    p.s.module.verify()
    again = Parser(ctx, str(p.s)).parse_module()
    again.verify()
    assert str(again) == str(p.s)
    assert [op.name for op in p.s.sequence.body.block.ops] == [
        *("schedule.get", "schedule.axes", "schedule.tile"),
        *("schedule.get", "schedule.compute_at", "schedule.axes", "schedule.split"),
        *("schedule.reorder", "schedule.unroll", "schedule.fuse", "schedule.parallel"),
        *("schedule.vectorize", "schedule.split"),
    ]


def test_handles_are_made_at_first_use(p: Programs):
    assert not p.s.sequence.body.block.ops
    p.s[p.B].compute_inline()
    assert [op.name for op in p.s.sequence.body.block.ops] == [
        "schedule.get",
        "schedule.compute_inline",
    ]


def test_a_command_knows_its_line(p: Programs):
    p.s[p.B].compute_root()
    line = inspect.stack()[0].lineno - 1
    *_, last = p.s.sequence.body.block.ops
    assert str(last.location) == f'loc("{__file__}":{line}:1)'


def test_commands_of_rules_have_the_line_of_the_call(monkeypatch: pytest.MonkeyPatch):
    """Also where `build` is called through a decorator of Python's library."""
    found: list[SourceLocation] = []

    def noted(place: SourceLocation) -> FileLineColLoc:
        found.append(place)
        return location(place)

    monkeypatch.setattr(schedules, "location", noted)
    A = te.placeholder((64, 64), name="A")
    B = te.compute((64, 64), lambda i, j: A[j, i] * 2, name="B")
    teloom.build([A, B])
    line = inspect.stack()[0].lineno - 1
    assert {*found} == {SourceLocation(__file__, line)}


def test_stages_are_found(p: Programs):
    assert [stage.op.name for stage in p.s.stages] == ["A", "B", "C"]
    assert p.s.outputs == [p.C.op]
    assert p.s.stage_map[p.B.op] is p.s[p.B] is p.s[p.B.op]


def test_one_reduce_axis_in_two_stages(p: Programs):
    D = te.compute((64,), lambda i: te.sum(p.B[i, p.k], axis=p.k), name="D")
    s = te.create_schedule(D)
    s[D].split(p.k, 4)
    s[p.B].split(p.k, 8)
    s.module.verify()
    with pytest.raises(teloom.ScheduleError, match="axis k was consumed by split"):
        s[D].split(p.k, 4)


@pytest.mark.parametrize("number", [8, te.const(8), True + 7])
def test_factors_may_be_constants(p: Programs, number: object):
    p.s[p.C].split(p.C.op.axis[0], factor=number)
    assert "factor 8" in str(p.s)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda p: p.s[p.C].split(p.B.op.axis[0], 4),
            "axis i of stage B is not an axis of stage C; its axes: y, x",
        ),
        (
            lambda p: (p.s[p.B].split(p.k, 4), p.s[p.B].vectorize(p.k)),
            "axis k was consumed by split; use k.outer, k.inner",
        ),
        (
            lambda p: (p.s[p.C].fuse(*p.C.op.axis), p.s[p.C].reorder(*p.C.op.axis)),
            "axis y was consumed by fuse; use y.x.fused",
        ),
        (lambda p: p.s[p.C].split(p.C.op.axis[0], 0), "factor must be at least 1"),
        (lambda p: p.s[p.C].split(p.C.op.axis[0], nparts=-1), "nparts must be at least 1"),
        (lambda p: p.s[p.C].split(p.C.op.axis[0], 4, 4), "needs a factor or nparts, got both"),
        (lambda p: p.s[p.C].split(p.C.op.axis[0]), "needs a factor or nparts, got neither"),
        (
            lambda p: p.s[p.C].split(p.C.op.axis[0], 2.0),
            "factor of split must be an integer, got 2.0",
        ),
        (
            lambda p: p.s[p.C].fold_storage(p.C.op.axis[0], True),
            "factor of fold_storage must be an integer, got True",
        ),
        (
            lambda p: p.s[p.C].split(0, 4),
            "split of stage C wants an axis for parent, got 0; its axes: y, x",
        ),
        (lambda p: p.s[p.C].reorder(*p.C.op.axis, p.C.op.axis[0]), "reorder names axis y twice"),
        (lambda p: p.s[p.C].fuse(*[p.C.op.axis[0]] * 2), "fuse names axis y twice"),
        (
            lambda p: (p.s[p.C].shift(p.C.op.axis[0], 3), p.s[p.C].reverse(p.C.op.axis[0])),
            "axis y was consumed by shift; use y.shifted",
        ),
        (
            lambda p: p.s[p.C].shift(p.C.op.axis[0], te.var("n")),
            "offset of shift must be an integer, got n",
        ),
        (
            lambda p: p.s[p.C].shift(p.C.op.axis[0], 2**64 - 1),
            "offset of shift, 18446744073709551615, does not fit into 64 bits",
        ),
        (
            lambda p: p.s[p.C].skew(*p.C.op.axis, 0),
            "skew of axis y along x by factor 0: factor must not be 0",
        ),
        (lambda p: p.s[p.C].skew(*[p.C.op.axis[0]] * 2, 1), "skew names axis y twice"),
        (lambda p: p.s[p.C].tile(*p.C.op.axis, 8, 0), "tile of axis x by 0"),
        (
            lambda p: p.s[p.B].compute_at(p.C, p.C.op.axis[0]),
            "compute_at of stage B wants a stage for parent, as in s[C]",
        ),
        (
            lambda p: p.s[p.B].compute_at(p.s[p.C], p.k),
            "axis k of stage B is not an axis of stage C; its axes: y, x",
        ),
        (
            lambda p: p.s[p.B].compute_at(te.create_schedule(p.C)[p.C], p.C.op.axis[0]),
            "stage C belongs to another schedule",
        ),
        (lambda p: p.s[p.A].compute_inline(), "A is a placeholder: it is given, not computed"),
        (
            lambda p: p.s[te.placeholder((3,), name="Z")],
            "Tensor(shape=[3], dtype=float32, name=Z) is not part of this schedule; its stages: "
            "A, B, C",
        ),
        (
            lambda p: p.s["C"],
            "a stage is s[T] of a tensor or an operation, not of 'C'; stages: A, ",
        ),
    ],
)
def test_refuses(p: Programs, make, words: str):
    with pytest.raises(teloom.ScheduleError) as error:
        make(p)
    assert words in str(error.value)
    p.s.module.verify()


def test_a_refused_command_is_not_recorded(p: Programs):
    axis = p.C.op.axis[0]
    with pytest.raises(teloom.ScheduleError):
        p.s[p.C].split(axis, 0)
    p.s[p.C].split(axis, 8)
    assert len(commands(p.s)) == len(["header", "split", "}"])


class Sums:
    """Sums along an axis, and what a command has made of them before another one is refused."""

    def __init__(self):
        self.A, self.k = te.placeholder((8, 16), name="A"), te.reduce_axis((0, 16), "k")
        A, k = self.A, self.k
        self.B = te.compute((8,), lambda i: te.sum(A[i, k], axis=k), name="B")
        self.s, self.i = te.create_schedule(self.B), self.B.op.axis[0]
        self.n = te.var("n")

    @property
    def stage(self):
        return self.s[self.B]

    def state(self):
        """All that a command may change."""
        stages = [(one, one.op, one.all_iter_vars, one.is_scheduled) for one in self.s.stages]
        known = dict(self.s.stage_map), dict(self.s.program.sizes)
        return self.stage.axes, str(self.s.module), stages, known


@pytest.mark.parametrize(
    ("before", "refused", "words"),
    [
        (
            lambda p: p.stage.vectorize(p.k),
            lambda p: p.stage.partial_results(p.k, 4),
            "is vectorized; rfactor it before that",
        ),
        (
            lambda p: None,
            lambda p: p.stage.partial_results(p.k, p.n),
            'extent of axis k.outer of stage "B" is known at the call, so no equation can have it',
        ),
        (
            lambda p: p.stage.vectorize(p.k),
            lambda p: p.s.rfactor(p.B, p.k),
            "is vectorized; rfactor it before that",
        ),
        (
            lambda p: p.stage.split(p.k, 3),
            lambda p: p.stage.set_schedule("{ B[i, k] -> [k, i] }"),
            "axis k was consumed by split",
        ),
        (
            lambda p: p.stage.split(p.k, 3),
            lambda p: p.stage.split(p.k, p.n),
            "axis k was consumed by split",
        ),
        (
            lambda p: p.stage.split(p.i, 3),
            lambda p: p.stage.remap(lambda i: [i + p.n]),
            "axis i was consumed by split",
        ),
        (
            lambda p: p.stage.split(p.k, 3),
            lambda p: p.s.pad_einsum(p.B, [4, -4]),
            "pad_einsum of axis k by -4: a factor must be at least 1",
        ),
    ],
)
def test_what_is_refused_changes_nothing(before, refused, words: str):
    p = Sums()
    before(p)
    old = p.state()
    with pytest.raises(teloom.ScheduleError, match=words):
        refused(p)
    assert p.state() == old


@pytest.mark.parametrize(
    "refused",
    [
        lambda s, B: s[B].split(B.op.axis[0], 4, tail="nonsense"),
        lambda s, B: s[B].fuse(B.op.axis[0], B.op.axis[0]),
        lambda s, B: s[B].unroll(te.reduce_axis((0, 4), "k")),
        lambda s, B: s[B].remap(lambda i: [i * i], B.op.axis[0]),
        lambda s, B: s[B].blockize(te.reduce_axis((0, 4), "k")),
        lambda s, B: s[B].set_scope("a b"),
        lambda s, B: s.rfactor(B, B.op.axis[0]),
        lambda s, B: s.cache_write(B, "a b"),
        lambda s, B: s.cache_read(B, "a b", []),
        lambda s, B: s.clone_in(B, []),
        lambda s, B: s.fission_results([B]),
        lambda s, B: s[B].reverse_compute_at(s[B], B.op.axis[0]),
    ],
)
def test_what_is_refused_asks_for_no_handles(refused):
    """Handles behind the command that inlines a stage would be refused themselves."""
    A = te.placeholder((8, 9), name="A")
    B = te.compute((8, 9), lambda i, j: A[i, j] + 1, name="B")
    C = te.compute((8, 9), lambda i, j: B[i, j] * 2, name="C")
    s = te.create_schedule(C)
    s[B].compute_inline()
    before = str(s.sequence)
    with pytest.raises(teloom.ScheduleError):
        refused(s, B)
    assert str(s.sequence) == before
    teloom.lower(s, [A, C])


def test_parameters_are_pythons_business(p: Programs):
    with pytest.raises(TypeError, match=r"tile\(\) missing a required argument: 'y_factor'"):
        p.s[p.C].tile(*p.C.op.axis, 8)
    with pytest.raises(TypeError, match=r"split\(\) got an unexpected keyword argument 'fac'"):
        p.s[p.C].split(p.C.op.axis[0], fac=8)


class Places:
    """A chain of four stages of 9 x 8, of which C and D are read once; E is the output."""

    def __init__(self):
        A = te.placeholder((9, 8), name="A")
        self.B = te.compute((9, 8), lambda i, j: A[i, j] + 1, name="B")
        self.C = te.compute((9, 8), lambda u, v: self.B[u, v] + 1, name="C")
        self.D = te.compute((9, 8), lambda m, n: self.C[m, n] + 1, name="D")
        self.E = te.compute((9, 8), lambda y, x: self.D[y, x] + 1, name="E")
        self.s = te.create_schedule(self.E)

    def at(self, producer, reader, axis) -> None:
        axis = reader.op.axis[axis] if isinstance(axis, int) else axis
        self.s[producer].compute_at(self.s[reader], axis)


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        (
            lambda p: (p.at(p.C, p.D, 0), p.at(p.D, p.C, 0)),
            'cannot compute "D" at axis u of "C": "C" is computed inside "D", at axis m; '
            "legal places: the root, E.y, E.x",
        ),
        (
            lambda p: (p.at(p.B, p.C, 1), p.at(p.C, p.D, 0), p.at(p.D, p.B, 0)),
            'cannot compute "D" at axis i of "B": "B" is computed inside "D", at axis m; '
            "legal places: the root, E.y, E.x",
        ),
        (
            lambda p: (p.at(p.D, p.C, 0), p.at(p.C, p.D, 0)),
            'cannot compute "C" at axis m of "D": "D" is computed inside "C", at axis u; '
            "legal places: the root",
        ),
        (
            lambda p: p.at(p.D, p.D, 0),
            'cannot compute "D" at axis m of "D": a stage cannot be computed inside itself; '
            "legal places: the root, E.y, E.x",
        ),
        (
            lambda p: p.at(p.C, p.E, 0),
            'cannot compute "C" at axis y of "E": not every read of it is inside that loop '
            '(readers: "D"); legal places: the root, D.m, D.n',
        ),
        (
            lambda p: p.at(p.D, p.B, 1),
            'cannot compute "D" at axis j of "B": not every read of it is inside that loop '
            '(readers: "E"); legal places: the root, E.y, E.x',
        ),
        (
            lambda p: (p.s[p.E].vectorize(p.E.op.axis[1]), p.at(p.D, p.E, 1)),
            'cannot compute "D" at axis x of "E": x is vectorized; legal places: the root, E.y',
        ),
        (
            lambda p: (p.s[p.E].vectorize(p.E.op.axis[0]), p.at(p.D, p.E, 1)),
            'cannot compute "D" at axis x of "E": y is vectorized; legal places: the root',
        ),
        (
            lambda p: p.at(p.E, p.D, 0),
            'cannot compute "E" at axis m of "D": nothing reads it; legal places: the root',
        ),
        (
            lambda p: (p.s[p.E].split(p.E.op.axis[0], 4), p.at(p.D, p.E, 0)),
            "axis y was consumed by split; use y.outer, y.inner",
        ),
        (
            lambda p: p.at(p.D, p.E, p.C.op.axis[0]),
            "axis u of stage C is not an axis of stage E; its axes: y, x",
        ),
    ],
)
def test_refuses_an_illegal_place(schedule, words: str):
    def infer():
        p = Places()
        schedule(p)
        te.infer_bounds(p.s)

    with pytest.raises(teloom.ScheduleError) as error:
        infer()
    assert str(error.value).endswith(words)


def test_a_schedule_of_nothing():
    s = te.create_schedule([])
    assert (s.stages, s.outputs, s.schedule_record, s.primitive_record) == ([], [], [], ["vanilla"])
    assert teloom.build(s, [])() is None


def test_words_of_commands():
    """A tile counts as what TVM makes of it."""
    A = te.placeholder((8, 8), name="A")
    B = te.compute((8, 8), lambda i, j: A[i, j] + 1, name="B")
    s = te.create_schedule(B)
    s[B].vectorize(s[B].tile(*B.op.axis, 4, 4)[-1])
    assert s.primitive_record == ["vanilla", "split", "split", "reorder", "vectorize"]


def attempted(s: te.Schedule, *commands: Callable[[], object]) -> None:
    with s.attempt():
        for command in commands:
            command()


def test_an_attempt_leaves_the_schedule_as_it_was():
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] + 1, name="B")
    C = te.compute((8,), lambda i: B[i] * 2, name="C")
    s = te.create_schedule(C)
    (i,) = C.op.axis
    refused = [
        (lambda: s[C].double_buffer(), 'cannot double-buffer "C"'),
        (lambda: s[C].storage_align(i, 16, 0), 'cannot align axis i of "C"'),
        (lambda: s[B].compute_at(s[B], B.op.axis[0]), "a stage cannot be computed inside itself"),
        (lambda: s.cache_read(A, "local", [C]), '"C" does not read "A"'),
        (lambda: s[C].split(s[C].leaf_iter_vars[0], 0), "factor must be at least 1"),
    ]
    for command, words in refused:
        before = str(s)
        with pytest.raises(teloom.ScheduleError, match=words):
            attempted(s, lambda: s[C].vectorize(s[C].split(i, 4)[1]), command)
        assert str(s) == before
        assert s[C].leaf_iter_vars == [i]
    with s.attempt():
        outer, _ = s[C].split(i, 4)
        s[B].compute_at(s[C], outer)
    teloom.build(s, [A, C])(np.arange(8, dtype="float32"), c := np.empty(8, "float32"))
    np.testing.assert_array_equal(c, np.arange(8) * 2 + 2)
