"""Schedules as programs: parameters, and sequences that are replayed on another program."""

import copy

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.errors import ScheduleError


def product(n: int, m: int, k: int) -> te.Tensor:
    A, B = te.placeholder((n, k), name="A"), te.placeholder((k, m), name="B")
    r = te.reduce_axis((0, k), "r")
    return te.compute((n, m), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C")


def tiled(C: te.Tensor) -> te.Schedule:
    """Tiles with parameters, a cache of B, and one of the sums."""
    s = te.create_schedule(C)
    BL = s.cache_read(C.op.input_tensors[1], "local", C)
    CL = s.cache_write(C, "local")
    _io, jo, _ii, ji = s[C].tile(*C.op.axis, te.param("rows", 4), te.param("columns", 8))
    s[C].vectorize(ji)
    s[CL].compute_at(s[C], jo)
    s[CL].reorder(*CL.op.reduce_axis, *CL.op.axis)
    s[BL].compute_at(s[C], jo)
    return s


def args_of(s: te.Schedule) -> list[te.Tensor]:
    inputs = [stage.op.output(0) for stage in s.stages if isinstance(stage.op, te.PlaceholderOp)]
    return [*inputs, s.outputs[0].output(0)]


def test_a_sequence_gives_the_same_loops_on_the_same_program():
    first, s = product(12, 16, 5), tiled(product(12, 16, 5))
    again = te.Schedule.from_sequence(first, s)
    texts = [str(teloom.lower(one, args_of(one), name="mm", level="loop")) for one in (s, again)]
    assert texts[0] == texts[1]
    assert str(again.sequence) == str(s.sequence)
    fixed = te.Schedule.from_sequence(first, s, {"rows": 4})
    assert str(fixed.sequence) == str(s.sequence).replace("rows = ", "").replace("columns = ", "")


def test_memories_come_along():
    s = tiled(product(12, 16, 5))
    s.declare_memory("global.vtcm", limit=64)
    for again in (
        te.Schedule.from_sequence(product(12, 16, 5), s),
        te.Schedule.from_json(product(12, 16, 5), s.to_json()),
        te.Schedule.from_sequence(product(12, 16, 5), str(s.module)),
    ):
        assert again.to_json() == s.to_json()
        with pytest.raises(teloom.ScheduleError, match="is declared already"):
            again.declare_memory("global.vtcm")


def test_a_copy_goes_its_own_way():
    s = tiled(product(12, 16, 5))
    s.declare_memory("global.vtcm", limit=64)
    text = str(s)
    for t in (s.copy(), copy.copy(s), copy.deepcopy(s)):
        assert (str(t), t.outputs) == (text, s.outputs)
        C = t.outputs[0].output(0)
        t[C].unroll(t[C].leaf_iter_vars[0])
        assert str(t) != text
        assert str(s) == text


def test_a_sequence_fits_another_size_with_other_parameters():
    s = tiled(product(12, 16, 5))
    other = te.Schedule.from_sequence(product(10, 21, 7), str(s.sequence), {"rows": 5})
    splits = other[other.outputs[0]].relations
    assert [split.factor for split in splits] == [5, 8]
    mm = teloom.build(other, args_of(other), name="mm")
    rng = np.random.default_rng(0)
    a, b = rng.random((10, 7), "float32"), rng.random((7, 21), "float32")
    c = np.empty((10, 21), "float32")
    mm(a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)


def test_commands_go_on_behind_a_sequence():
    s = te.Schedule.from_sequence(
        product(8, 8, 8),
        """
        schedule.named_sequence @columns(%C: !schedule.stage) -> (!schedule.axis) {
          %i, %j, %r = schedule.axes 3 of %C
          schedule.reorder %j, %i
          schedule.yield %i : !schedule.axis
        }
        schedule.sequence @s on @any {
          %C = schedule.get "C"
          %i = schedule.include @columns(%C) : (!schedule.stage) -> !schedule.axis
          %io, %ii = schedule.split %i factor 4
        }""",
    )
    C = s.outputs[0]
    s[C].unroll(s[C].leaf_iter_vars[2])
    assert [axis.name for axis in s[C].leaf_iter_vars] == ["j", "io", "ii", "r"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "schedule.named_sequence @a() {\n}",
            "a text with one schedule.sequence is wanted, this has 0",
        ),
        ("schedule.sequence on", "the sequence:1:19: error: "),
        (
            'schedule.sequence @s on @f {\n %D = schedule.get "D"\n}',
            'no stage is named "D" (stages: A, B, C)',
        ),
        (
            'schedule.sequence @s on @f {\n %C = schedule.get "C"\n %i = schedule.axes 1 of %C\n}',
            'stage "C" has 3 root axes, not 1',
        ),
    ],
)
def test_what_does_not_fit_is_refused(text: str, message: str):
    with pytest.raises(ScheduleError) as caught:
        te.Schedule.from_sequence(product(8, 8, 8), text)
    assert message in str(caught.value)


def test_wrong_parameters_are_refused():
    s = tiled(product(12, 16, 5))
    with pytest.raises(ScheduleError, match=r"no sequence has the parameter 'row'.*mean 'rows'"):
        te.Schedule.from_sequence(product(8, 8, 8), s, {"row": 2})
    with pytest.raises(ScheduleError, match="tile of axis i by 0: a factor must be at least 1"):
        te.Schedule.from_sequence(product(8, 8, 8), s, {"rows": 0})
    with pytest.raises(ScheduleError, match="a parameter has a name such as tile, not 'a b'"):
        te.param("a b", 1)
    with pytest.raises(ScheduleError, match=r"default of a must be an integer, got 1\.5"):
        te.param("a", 1.5)  # pyright: ignore


def test_commands_that_make_stages_are_replayed():
    def summed() -> te.Tensor:
        A, k = te.placeholder((8, 32), name="A"), te.reduce_axis((0, 32), "k")
        B = te.compute((8,), lambda i: te.sum(A[i, k], axis=k), name="B")
        return te.compute((8,), lambda i: B[i] * 2, name="C")

    C = summed()
    s = te.create_schedule(C)
    (B,) = C.op.input_tensors
    _, inner = s[B].split(B.op.reduce_axis[0], factor=te.param("lanes", 4))
    BF = s.rfactor(B, inner)
    s[BF].compute_at(s[B], B.op.axis[0])
    s[B].unroll(s[B].op.reduce_axis[0])
    s.create_group(outputs=B, inputs=B.op.input_tensors[0]).compute_at(s[C], C.op.axis[0])
    again = te.Schedule.from_sequence(summed(), s)
    texts = [str(teloom.lower(one, args_of(one), name="f", level="loop")) for one in (s, again)]
    assert texts[0] == texts[1]


def test_to_reorder_no_axes_is_no_command():
    A = te.placeholder((), name="A")
    B = te.compute((), lambda: A[()] + 1, name="B")
    C = te.compute((), lambda: B[()] * 2, name="C")
    s = te.create_schedule(C)
    s[C].reorder(*C.op.axis)
    s[B].compute_inline()
    again = te.Schedule.from_sequence(C, str(s.sequence))
    assert again.schedule_record == s.schedule_record
    assert s.primitive_record == ["vanilla", "compute_inline"]
    assert te.Schedule.from_json(C, s.to_json()).to_json() == s.to_json()


def test_sizes_that_only_commands_have():
    n, width = te.var("n"), te.var("width")
    A, k = te.placeholder((n, n), name="A"), te.reduce_axis((0, n), "k")
    B = te.compute((n,), lambda i: te.sum(A[i, k], axis=k), name="B")
    s = te.create_schedule(B)
    s[B].split(B.op.axis[0], factor=width)
    s.rfactor(B, k)
    (split,) = s[B].relations
    for again in (
        te.Schedule.from_sequence(B, s),
        te.Schedule.from_sequence(B, str(s.sequence), sizes=[width]),
        te.Schedule.from_json(B, s.to_json(), sizes=[n, width]),
    ):
        (replayed,) = again[B].relations
        assert replayed.factor is width is split.factor
        assert again.schedule_record == s.schedule_record
        texts = [str(teloom.lower(one, [n, width, A, B], level="loop")) for one in (s, again)]
        assert texts[0] == texts[1]
