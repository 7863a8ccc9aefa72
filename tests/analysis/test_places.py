"""Places of stages in deep nests are those that `queries` finds, each found once."""

from collections import Counter
from itertools import pairwise

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from teloom import te
from teloom.analysis.dependences import legality, places
from teloom.analysis.stages.queries import (
    all_stages,
    fixed_axes,
    path,
    path_to_storage,
    stages_around,
)
from teloom.dialects.te import FuncOp
from teloom.frontend.call.build import lower


def nested(count: int) -> FuncOp:
    """Stages, each computed in the inner loop of the next, and some stored further out."""
    tensors = [te.placeholder((24,), "float32", "A")]
    for k in range(count):
        before = tensors[-1]
        tensors.append(te.compute((24,), lambda i, before=before: before[i] * 2.0, f"s{k}"))
    s = te.create_schedule(tensors[-1])
    for number, (stage, reader) in enumerate(pairwise(tensors[1:])):
        outer, inner = s[reader].split(reader.op.axis[0], factor=4)
        s[stage].compute_at(s[reader], inner)
        if number % 3 == 0:
            s[stage].store_at(s[reader], outer)
        if number % 3 == 1:
            s[stage].store_root()
    module: ModuleOp = lower(s, [tensors[0], tensors[-1]], level="schedule")
    return next(op for op in module.walk() if isinstance(op, FuncOp))


def test_places_are_those_of_the_queries() -> None:
    found = places.Places()
    for stage in all_stages(nested(12)):
        around = found.of(stage)
        assert [*around.loops] == path(stage)
        assert [*found.of_storage(stage).loops] == path_to_storage(stage)
        outer = [*stages_around(stage)]
        assert around.fixed == {a for one in outer for a in fixed_axes(one, path(stage))}


def test_the_place_of_each_loop_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[SSAValue] = Counter()
    found = places.loops_to

    def counted(axis: SSAValue) -> list[SSAValue]:
        asked[axis] += 1
        return found(axis)

    func = nested(30)
    monkeypatch.setattr(places, "loops_to", counted)
    legality.Legality(func).check()
    assert len(asked) >= 29
    assert set(asked.values()) == {1}
