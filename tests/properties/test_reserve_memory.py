"""A call is refused before it writes anything, or not at all, and never without need."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from budget import EXAMPLES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loop_kernels import PASSES, compile_loops
from properties.build import run_script, unwritten
from properties.generate_programs import Draw
from properties.generate_schedules import ScheduledProgram, scheduled_programs
from standard_kernels import parse
from xdsl.context import Context
from xdsl.dialects import func, memref

import teloom
from teloom.backend.call import workspace
from teloom.errors import OutOfMemoryError, ScheduleError
from teloom.passes.memory.reserve_memory import ReserveMemoryPass

LINE = 64
SLACK = 2 * LINE
"""What a block takes beside its buffers, in bytes: for its size, and for its alignment."""

LEAST_RESERVED = 0.4  # of the nests: a pass that leaves all as it is would pass otherwise


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch):
    def set(bytes: int | None) -> None:
        teloom.release_workspace()
        if bytes is None:
            monkeypatch.delenv(workspace.LIMIT, raising=False)
        else:
            monkeypatch.setenv(workspace.LIMIT, str(bytes))

    return set


def test_schedules_under_a_limit(limit):
    """Outputs are right or untouched; what a call takes without a limit is enough."""
    count = Counter()

    @settings(max_examples=EXAMPLES // 2)
    @given(scheduled_programs(), st.integers(1, 99))
    def check(scheduled: ScheduledProgram, percent: int):
        program = scheduled.program
        try:
            names = run_script(scheduled.lines())
            tensors = [names[tensor.name] for tensor in (*program.inputs, *program.outputs)]
            kernel = teloom.build(names["s"], tensors, name="generated")
        except ScheduleError:
            return

        def results() -> list[np.ndarray] | None:
            """The outputs, or None if the call was refused."""
            found = unwritten(program.outputs)
            before = [array.copy() for array in found]
            try:
                kernel(*program.arrays(), *found)
            except OutOfMemoryError:
                np.testing.assert_equal(found, before)
                return None
            return found

        limit(None)
        expected = results()
        needed = teloom.workspace_bytes()
        limit(needed)
        np.testing.assert_equal(results(), expected)
        limit(needed * percent // 100)
        found = results()
        count["refused"] += found is None
        if found is not None:
            np.testing.assert_equal(found, expected)
        limit(None)

    check()
    assert count["refused"]


# Loops and branches with buffers, as text and as what they need.


@dataclass(frozen=True)
class Affine:
    """A sum of multiples of names, and a number."""

    terms: tuple[tuple[str, int], ...]
    offset: int

    def value(self, names: dict[str, int]) -> int:
        return sum(names[name] * factor for name, factor in self.terms) + self.offset

    @property
    def text(self) -> str:
        return " + ".join([*(f"%{n} * {factor}" for n, factor in self.terms), str(self.offset)])

    def apply(self, result: str) -> str:
        inputs = ", ".join(f"d{k}" for k in range(len(self.terms)))
        of = " + ".join([*(f"d{k} * {f}" for k, (_, f) in enumerate(self.terms)), "0"])
        operands = ", ".join(f"%{name}" for name, _ in self.terms)
        map = f"affine_map<({inputs}) -> ({of} + {self.offset})>"
        return f"%{result} = affine.apply {map} ({operands})"


@dataclass(frozen=True)
class Loop:
    """A loop; its body may use its counter."""

    counter: str
    upper: Affine
    kind: str
    body: "Body"


@dataclass(frozen=True)
class Branch:
    """A branch, taken where a value is not negative."""

    condition: Affine
    body: "Body"


@dataclass(frozen=True)
class Buffer:
    """A buffer of some rows of `m` elements, or of one if `is_flat`; it is needed to the end."""

    name: str
    rows: Affine
    is_flat: bool


Body = tuple[Loop | Branch | Buffer, ...]


class _Generator:
    def __init__(self, draw: Draw):
        self.draw = draw
        self.count = 0

    def name(self, start: str) -> str:
        self.count += 1
        return f"{start}{self.count}"

    def affine(self, names: tuple[str, ...]) -> Affine:
        used = self.draw(st.lists(st.sampled_from(names), unique=True, max_size=2))
        factors = st.sampled_from((1, 1, 1, 2, -1))
        terms = tuple((name, self.draw(factors)) for name in used)
        return Affine(terms, self.draw(st.integers(-1, 9)))

    def body(self, names: tuple[str, ...], depth: int) -> Body:
        return tuple(
            self.statement(names, depth)
            for _ in range(self.draw(st.integers(1, 2 if depth else 1)))
        )

    def statement(self, names: tuple[str, ...], depth: int) -> Loop | Branch | Buffer:
        kind = self.draw(st.sampled_from(("buffer", "loop", "loop", "branch")))
        if (kind == "buffer" and depth < 3) or not depth:
            return Buffer(self.name("b"), self.affine(names), self.draw(st.booleans()))
        if kind == "branch":
            return Branch(self.affine(names), self.body(names, depth - 1))
        counter, upper = self.name("i"), self.affine(names)
        run = self.draw(st.sampled_from(("", "parallel")))
        return Loop(counter, upper, run, self.body((*names, counter), depth - 1))


@st.composite
def nests(draw: Draw) -> Body:
    generator = _Generator(draw)
    return tuple(generator.body(("n",), 3)[:1] + generator.body(("n",), 3)[:1])


def lines(body: Body) -> Iterator[str]:
    frees: list[str] = []
    for one in body:
        match one:
            case Loop():
                yield f"loop.for %{one.counter} = 0 to {one.upper.text} {one.kind} {{"
                yield from lines(one.body)
                yield "}"
            case Branch():
                yield f"loop.if ({one.condition.text} >= 0) {{"
                yield from lines(one.body)
                yield "}"
            case Buffer():
                b = one.name
                yield one.rows.apply(f"{b}_rows")
                if one.is_flat:
                    yield f"%{b}_count = arith.maxsi %{b}_rows, %zero : index"
                else:
                    yield f"%{b}_count = loop.element_count [%{b}_rows, %m]"
                yield f"%{b} = memref.alloc(%{b}_count) {{alignment = 64 : i64}} : memref<?xi64>"
                yield f"loop.for %{b}_at = 0 to %{b}_count {{"
                yield f"  memref.store %one, %{b}[%{b}_at] : memref<?xi64>"
                yield "}"
                frees.append(f"memref.dealloc %{b} : memref<?xi64>")
    yield from frees


def text(nest: Body) -> str:
    body = "\n".join(lines(nest))
    return f"""
        func.func @main(%n: index, %m: index, %O: memref<1xi64>) {{
          %zero = arith.constant 0 : index
          %one = arith.constant 1 : i64
          memref.store %one, %O[%zero] : memref<1xi64>
          {body}
          func.return
        }}"""


def needed(
    body: Body, names: dict[str, int], below: int | None = None, in_thread: bool = False
) -> int:
    """The most bytes that there are at one time, above `below` of them; 0 without a buffer.

    Of those that a parallel loop needs, only if it is `in_thread`.
    """
    most, end = 0, below
    for one in body:
        match one:
            case Loop() if in_thread or one.kind != "parallel":
                for k in range(one.upper.value(names)):
                    inner = {**names, one.counter: k}
                    most = max(most, needed(one.body, inner, end, in_thread))
            case Branch():
                if one.condition.value(names) >= 0:
                    most = max(most, needed(one.body, names, end, in_thread))
            case Buffer():
                size = 8 * max(0, one.rows.value(names)) * (1 if one.is_flat else names["m"])
                end = -(-(end or 0) // LINE) * LINE + size
                most = max(most, end)
    return most


def needed_by_thread(body: Body, names: dict[str, int]) -> int:
    """The most bytes that a thread needs at one time in the parallel loops; 0 without a buffer."""
    most = 0
    for one in body:
        match one:
            case Loop():
                for k in range(one.upper.value(names)):
                    inner = {**names, one.counter: k}
                    if one.kind == "parallel":
                        most = max(most, needed(one.body, inner, in_thread=True))
                    else:
                        most = max(most, needed_by_thread(one.body, inner))
            case Branch():
                if one.condition.value(names) >= 0:
                    most = max(most, needed_by_thread(one.body, names))
    return most


def reserved_blocks(nest: Body) -> int | None:
    """How many blocks are taken at the start; None unless all buffers are in these."""
    module = parse(text(nest))
    ReserveMemoryPass().apply(Context(), module)
    functions = (op for op in module.ops if isinstance(op, func.FuncOp))
    (function,) = (op for op in functions if op.body.blocks)
    allocs = [op for op in function.walk() if isinstance(op, memref.AllocOp)]
    return len(allocs) if all(op.parent is function.body.block for op in allocs) else None


def test_what_is_reserved_is_what_is_needed(limit):
    count = Counter()

    @settings(suppress_health_check=[HealthCheck.too_slow])
    @given(nests(), st.integers(0, 12), st.integers(0, 40), st.integers(1, 3))
    def check(nest: Body, n: int, m: int, threads: int):
        count["generated"] += 1
        if (blocks := reserved_blocks(nest)) is None:
            return
        count["reserved"] += 1
        passes = [step for step in PASSES if step.name != "buffer-reuse"]
        kernel = compile_loops(text(nest), passes)
        kernel.num_threads = threads
        serial, of_thread = (one(nest, {"n": n, "m": m}) for one in (needed, needed_by_thread))
        bytes = serial + threads * -(-of_thread // LINE) * LINE
        # All but the last are rounded up by up to an eighth, as long as that fits. One of no bytes
        # is a block as well.
        rounded = serial // 8 + SLACK * (blocks - 1) if blocks > 1 else 0
        limit(bytes + rounded + SLACK)
        kernel(n, m, written := np.zeros(1, "int64"))
        assert written[0] == 1
        if bytes:
            limit(serial + threads * of_thread - 1)
            with pytest.raises(OutOfMemoryError):
                kernel(n, m, written := np.zeros(1, "int64"))
            assert written[0] == 0
        limit(None)

    check()
    assert count["reserved"] >= LEAST_RESERVED * count["generated"], count
