"""Chains of temporaries of several dimensions give NumPy's numbers, and each access of them is
checked, however they are laid out and placed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pytest
from budget import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from teloom import compile, te
from teloom.analysis.memory.storage import Allocation
from teloom.dialects.target import Target
from teloom.errors import ScheduleError
from teloom.frontend.call.build import lower
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.tensors import Tensor
from teloom.passes.memory.buffer_reuse import BufferReusePass
from teloom.passes.storage.storage_flatten import StorageFlattenPass

LEAST_SHARED = 0.1  # of the programs
LEAST_IN_PLACE = 0.02


class Read(NamedTuple):
    """What a stage reads of the one before, and the same of an array."""

    element: Callable
    array: Callable[[np.ndarray], np.ndarray]


READS = {
    "itself": Read(lambda t, i, j, n, m: t[i, j], lambda a: a),
    "rows backwards": Read(lambda t, i, j, n, m: t[n - 1 - i, j], lambda a: a[::-1]),
    "columns backwards": Read(lambda t, i, j, n, m: t[i, m - 1 - j], lambda a: a[:, ::-1]),
    "next row": Read(
        lambda t, i, j, n, m: te.if_then_else(i + 1 < n, t[i + 1, j], t[i, j]),
        lambda a: np.concatenate([a[1:], a[-1:]]),
    ),
    "column before": Read(
        lambda t, i, j, n, m: te.if_then_else(j > 0, t[i, j - 1], t[i, j]),
        lambda a: np.concatenate([a[:, :1], a[:, :-1]], axis=1),
    ),
}

LAYOUTS = {
    "flat": None,
    "rows": lambda i, j: [i, te.AXIS_SEPARATOR, j],
    "columns": lambda i, j: [j, te.AXIS_SEPARATOR, i],
    "blocks": lambda i, j: [i // 4, te.AXIS_SEPARATOR, j, i % 4],
}


class Link(NamedTuple):
    """A stage: what it reads, how it is stored, and the number of the axis it is computed at."""

    read: str
    dtype: str
    layout: str
    place: int | None
    is_reordered: bool
    kind: str | None


class Chain(NamedTuple):
    shape: tuple[int, int]
    is_symbolic: bool
    links: Sequence[Link]


@st.composite
def chains(draw: st.DrawFn) -> Chain:
    usual = draw(st.sampled_from(["rows", "rows", "columns", "blocks"]))
    links = st.builds(
        Link,
        st.sampled_from(["itself", "itself", *READS]),
        st.sampled_from([*["int32"] * 5, "int64"]),
        st.sampled_from([*[usual] * 6, *LAYOUTS]),
        st.sampled_from([None, None, 0, 1]),
        st.booleans(),
        st.sampled_from([None, None, "parallel", "vectorize"]),
    )
    shape = draw(st.sampled_from([(1, 1), (3, 5), (8, 4), (5, 17)]))
    return Chain(shape, draw(st.booleans()), draw(st.lists(links, min_size=3, max_size=5)))


def scheduled(chain: Chain) -> tuple[Schedule, list[Tensor]]:
    n, m = (te.var("n"), te.var("m")) if chain.is_symbolic else chain.shape
    tensors = [te.placeholder((n, m), "int32", name="A")]
    for k, link in enumerate(chain.links):

        def body(i, j, link=link, of=tensors[-1], k=k):
            return READS[link.read].element(of, i, j, n, m).astype(link.dtype) + k

        tensors.append(te.compute((n, m), body, name=f"S{k}"))
    s = te.create_schedule(tensors[-1])
    axes = []
    for link, tensor, reader in zip(
        reversed(chain.links), reversed(tensors), (None, *reversed(tensors)), strict=False
    ):
        around, axes = axes, [*tensor.op.axis]
        if reader is not None and (layout := LAYOUTS[link.layout]):
            axes = s[tensor].transform_layout(layout)
        if link.is_reordered:
            axes = axes[::-1]
            s[tensor].reorder(*axes)
        if reader is not None and link.place is not None:
            s[tensor].compute_at(s[reader], around[link.place])
        if link.kind == "vectorize":
            s[tensor].vectorize(axes[-1])
        elif link.kind == "parallel":
            s[tensor].parallel(axes[0])
    return s, [tensors[0], tensors[-1]]


def buffers(module: ModuleOp, in_place: bool) -> int:
    """How many of several dimensions are left."""
    module = module.clone()
    BufferReusePass(in_place=in_place).apply(Context(), module)
    return count(module)


def count(module: ModuleOp) -> int:
    allocations = [op for op in module.walk() if isinstance(op, Allocation)]
    return sum(len(op.memref.type.get_shape()) > 1 for op in allocations)


def loops(chain: Chain) -> ModuleOp:
    """Raises `ScheduleError` if the schedule is refused."""
    return lower(*scheduled(chain), "chain", level="loop")


def check_chain(chain: Chain, module: ModuleOp | None = None) -> None:
    """Its `loops` give NumPy's numbers. Raises `ScheduleError` if the schedule is refused."""
    a = expected = np.arange(np.prod(chain.shape), dtype="int32").reshape(chain.shape)
    for k, link in enumerate(chain.links):
        expected = READS[link.read].array(expected).astype(link.dtype) + k
    found = np.zeros_like(expected)
    compile(loops(chain) if module is None else module)(a, found)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.filterwarnings("ignore:parallel loops run serially")
def test_chains_in_memory_of_several_dimensions(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Target, "fits_registers", lambda *_: False)
    seen = Counter()

    @settings(max_examples=EXAMPLES)
    @given(chains())
    def check(chain: Chain):
        try:
            module = loops(chain)
        except ScheduleError:
            return
        flat = module.clone()
        StorageFlattenPass().apply(Context(), flat)
        in_turn, in_place = buffers(flat, False), buffers(flat, True)
        seen["run"] += 1
        seen["shared"] += in_place < count(flat)
        seen["in place"] += in_place < in_turn
        check_chain(chain, module)

    check()
    assert seen["shared"] >= LEAST_SHARED * seen["run"], seen
    assert seen["in place"] >= LEAST_IN_PLACE * seen["run"], seen
