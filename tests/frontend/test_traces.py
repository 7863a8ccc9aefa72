"""Commands of a schedule as JSON: replayed on a fresh program they give the same IR."""

import json

import numpy as np
import pytest

import teloom
from teloom import te


def program() -> tuple[te.Tensor, ...]:
    A, W = te.placeholder((33, 17), name="A"), te.placeholder((17, 20), name="W")
    k = te.reduce_axis((0, 17), "k")
    B = te.compute((33, 20), lambda i, j: te.sum(A[i, k] * W[k, j], axis=k), name="B")
    C = te.compute((20, 33), lambda j, i: te.max(B[i, j], 50.0), name="C")
    D = te.compute((20, 33), lambda j, i: C[j, i] + 1, name="D")
    return A, W, B, C, D


def scheduled() -> te.Schedule:
    A, _, B, C, D = program()
    (k,) = B.op.reduce_axis
    s = te.create_schedule(D)
    AL = s.cache_read(A, "local", [B])
    io, jo, ii, ji = s[B].tile(*B.op.axis, 8, 16)
    s[B].reorder(io, jo, k, ii, ji)
    s[B].parallel(io)
    s[B].vectorize(ji)
    i, j = s[C].reverse_compute_at(s[B], jo)
    s[D].reverse_compute_inline()
    s[AL].compute_at(s[C], jo)
    s[C].remap(lambda i, j: [i * 16 + j], i, j)
    return s


def test_a_trace_replayed_on_a_fresh_program():
    s = scheduled()
    A, W, *_, D = program()
    again = te.Schedule.from_json(D, s.to_json())
    assert str(again.sequence) == str(s.sequence)
    assert again.to_json() == s.to_json()
    inputs = [stage.op.output(0) for stage in s.stages if isinstance(stage.op, te.PlaceholderOp)]
    texts = [
        str(teloom.lower(one, arguments, level="loop"))
        for one, arguments in (
            (s, [*inputs, s.outputs[0].output(0)]),
            (again, [A, W, D]),
        )
    ]
    assert texts[0] == texts[1]
    assert te.Schedule.from_json(D, te.create_schedule(D).to_json()).to_json() == "[]"


def test_steps():
    steps = json.loads(scheduled().to_json())
    assert [step["kind"] for step in steps if step["kind"] not in ("get", "axes")] == [
        *("cache_read", "tile", "reorder", "parallel", "vectorize", "reverse_compute_at"),
        *("reverse_compute_inline", "compute_at", "remap"),
    ]
    assert steps[-1] == {
        "kind": "remap",
        "inputs": ["i.inner#1", "j.inner#1"],
        "attributes": {"map": "affine_map<(d0, d1) -> (((d0 * 16) + d1))>"},
        "outputs": [["i.inner.j.inner.remapped0", "!schedule.axis"]],
    }


def step(kind: object, inputs: object = (), attributes: object = None, *outputs: str) -> str:
    made = [[name, "!schedule.axis"] for name in outputs]
    fields = {"kind": kind, "inputs": inputs, "attributes": attributes or {}, "outputs": made}
    return json.dumps([fields])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the trace is no JSON: "),
        ("{}", "a trace is a list of steps, each with kind, inputs, attributes, outputs"),
        ('[{"kind": "get"}]', "a trace is a list of steps"),
        (step(3), "a trace is a list of steps"),
        (step("get", 3), "a trace is a list of steps"),
        (step("melt"), "step 0 of the trace, melt: there is no such command"),
        (step("split", ["q"]), "step 0 of the trace, split: no step above has the output q"),
        (step("get", [], {"stage_name": "D D"}), "step 0 of the trace, get: attribute expected"),
        (step("split", [], {}, "o", "i"), "split: Expected 1 operand, but got 0"),
        (step("get", [], {"stage_name": '"D"'}, "D"), "get: Expected attribute !schedule.stage"),
    ],
)
def test_texts_that_are_no_trace(text: str, words: str):
    with pytest.raises(teloom.ScheduleError) as caught:
        te.Schedule.from_json(program()[-1], text)
    assert words in str(caught.value)


def merged() -> te.Schedule:
    """A program in which C has the loops of B and these those of P, as commands go on."""
    A = te.placeholder((32, 64), name="A")
    P = te.compute((32, 64), lambda i, j: A[i, j] + 3, name="P")
    B = te.compute((64, 32), lambda j, i: P[i, j] * 2, name="B")
    C = te.compute((32, 64), lambda i, j: B[j, i] + 1, name="C")
    s = te.create_schedule(C)
    s[P].split(P.op.axis[0], factor=8)
    s[B].reverse_compute_inline()
    s[C].reverse_compute_inline()
    return s


@pytest.mark.parametrize("replayed", ["not at all", "from JSON", "from text"])
def test_axes_of_producers_that_were_merged(replayed: str):
    """A stage has the axes of what it was merged into, also where the merge was replayed."""
    s = merged()
    if replayed != "not at all":
        (C,) = merged().outputs
        trace, text = s.to_json(), str(s.sequence)
        is_json = replayed == "from JSON"
        s = te.Schedule.from_json(C, trace) if is_json else te.Schedule.from_sequence(C, text)
    C = s.outputs[0].output(0)
    (B,) = C.op.input_tensors
    (P,) = B.op.input_tensors
    outer, inner, columns = s[C].leaf_iter_vars
    s[P].parallel(outer)
    s[B].split(columns, factor=16)
    s[C].reorder(s[C].leaf_iter_vars[2], inner)
    names = [axis.name for axis in s[C].leaf_iter_vars]
    assert names == ["i.outer", "j.outer", "i.inner", "j.inner"]
    a = np.arange(32 * 64, dtype="float32").reshape(32, 64)
    c = np.zeros_like(a)
    teloom.build(s, [P.op.input_tensors[0], C])(a, c)
    np.testing.assert_array_equal(c, (a + 3) * 2 + 1)


def test_a_producer_that_is_named_behind_its_merge():
    """The handle of B is from the merge on one of C."""
    A = te.placeholder((32, 64), name="A")
    B = te.compute((32, 64), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((64, 32), lambda j, i: B[i, j] + 1, name="C")
    text = 'schedule.sequence @s on @f {\n %C = schedule.get "C"\n'
    s = te.Schedule.from_sequence(C, text + " schedule.reverse_compute_inline %C\n}")
    outer, _ = s[B].split(B.op.axis[0], factor=8)
    s[C].parallel(outer)
    assert [axis.name for axis in s[C].leaf_iter_vars] == ["i.outer", "i.inner", "j"]


def test_a_tile_of_a_replayed_producer():
    """What computes in the loops of its producer has the axes of that, too."""

    def program() -> tuple[te.Tensor, te.Tensor]:
        A = te.placeholder((32, 64), name="A")
        B = te.compute((32, 64), lambda i, j: A[i, j] * 2, name="B")
        return B, te.compute((64, 32), lambda j, i: B[i, j] + 1, name="C")

    B, C = program()
    s = te.create_schedule(C)
    s[C].reverse_compute_at(s[B], s[B].split(B.op.axis[0], factor=8)[0])
    B, C = program()
    again = te.Schedule.from_json(C, s.to_json())
    again[C].parallel(again[B].all_iter_vars[2])
    loops = str(teloom.lower(again, [B.op.input_tensors[0], C], level="loop"))
    assert loops.count(" parallel ") == 1
