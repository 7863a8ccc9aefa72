"""Memories that only some targets have: what `declare_memory` takes, and what then fits."""

import re
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import memref

import teloom
from teloom import te
from teloom.dialects import loop

VTCM = "global.vtcm"
MEMORY = ("memref.alloc", "memref.alloca")


class Copies:
    """A chain of sums of eight rows, each `width` elements, in a memory of their own.

    Each element is needed for several of the next stage: none is made in place of another.
    """

    def __init__(self, width: Any = 64, count: int = 2, scope: str = VTCM):
        self.A = te.placeholder((8, width), "int32", name="A")
        chain = [self.A]
        for k in range(count + 1):
            before = chain[-1]
            last = te.compute(
                (8, width), lambda i, j, b=before: b[i, j] + b[i, 0] - b[i, 0] + 1, name=f"T{k}"
            )
            chain.append(last)
        self.out = chain[-1]
        self.s = te.create_schedule(self.out)
        for tensor in chain[1:-1]:
            self.s[tensor].set_scope(scope)
            self.s[tensor].compute_at(self.s[self.out], self.out.op.axis[0])

    def lower(self, level: str = "memref"):
        return teloom.lower(self.s, [self.A, self.out], level=level)

    def run(self, width: int = 64) -> np.ndarray:
        a = np.arange(8 * width, dtype="int32").reshape(8, width)
        out = np.zeros_like(a)
        teloom.build(self.s, [self.A, self.out])(a, out)
        return out - a


def test_what_fits_runs():
    p = Copies(count=2)
    p.s.declare_memory(VTCM, limit=512, alignment=128)
    (arena,) = [op for op in p.lower().walk() if isinstance(op, memref.AllocOp)]
    assert str(arena.memref.type) == 'memref<512xi8, "global.vtcm">'
    assert arena.alignment is not None
    assert arena.alignment.value.data == 128
    np.testing.assert_array_equal(p.run(), np.full((8, 64), 3))


def test_a_chain_needs_the_memory_of_two():
    p = Copies(count=6)
    p.s.declare_memory(VTCM, limit=512)
    np.testing.assert_array_equal(p.run(), np.full((8, 64), 7))


def in_rows_of(width: int):
    """A layout with two dimensions of memory."""
    return lambda i, j: [i, j // width, te.AXIS_SEPARATOR, j % width]


@pytest.mark.parametrize("limit", [511, 512])
def test_a_chain_in_two_dimensions_needs_the_memory_of_two(limit: int):
    p = Copies(count=6)
    for stage in p.s.stages[1:-1]:
        stage.transform_layout(in_rows_of(8))
    p.s.declare_memory(VTCM, limit=limit)
    if limit < 512:
        with pytest.raises(teloom.Error, match='512 are needed at one time: "T0" 256 bytes, "T1"'):
            p.lower()
    else:
        np.testing.assert_array_equal(p.run(), np.full((8, 64), 7))


def test_shapes_that_are_needed_one_after_the_other():
    """They are not in the same memory, but each is freed before the other is there."""
    tensors = [te.placeholder((8, 64), "int32", name="A")]
    for name in "TUVW":
        before = tensors[-1]
        tensors.append(te.compute((8, 64), lambda i, j, b=before: b[i, j] + 1, name=name))
    A, T, U, V, W = tensors
    s = te.create_schedule(W)
    for stage, reader, width in ((T, U, 8), (V, W, 16)):
        s[stage].compute_at(s[reader], reader.op.axis[0])
        s[stage].set_scope(VTCM)
        s[stage].transform_layout(in_rows_of(width))
    s.declare_memory(VTCM, limit=256)
    a = np.arange(512, dtype="int32").reshape(8, 64)
    w = np.zeros_like(a)
    teloom.build(s, [A, W])(a, w)
    np.testing.assert_array_equal(w, a + 4)


def test_what_does_not_fit_names_the_line_and_the_buffers():
    p = Copies(count=2)
    p.s.declare_memory(VTCM, limit=511)
    words = (
        '"global.vtcm" holds 511 bytes, but 512 are needed at one time: "T0" 256 bytes, '
        '"T1" 256 bytes, on boundaries of 64 bytes'
    )
    with pytest.raises(teloom.Error, match=rf"test_memories.py:\d+: .*{re.escape(words)}"):
        p.lower()


def test_an_alignment_makes_gaps():
    p = Copies(width=5, count=2)
    p.s.declare_memory(VTCM, limit=40, alignment=16)
    with pytest.raises(teloom.Error, match=r"40 bytes, but 52 are needed .* 20 bytes"):
        p.lower()
    p = Copies(width=5, count=2)
    p.s.declare_memory(VTCM, limit=52, alignment=16)
    np.testing.assert_array_equal(p.run(5), np.full((8, 5), 3))


def test_what_iterations_hold_at_the_same_time():
    p = Copies(count=1)
    p.s[p.out].parallel(p.out.op.axis[0])
    p.s.declare_memory(VTCM, limit=2047)
    with pytest.raises(teloom.Error, match=r'but 2048 are needed .*"T0" 256 bytes \(8 times\)'):
        p.lower()


@pytest.mark.parametrize("scope", ["global.vtcm", "shared.smem", "warp.regs", "local.acc"])
def test_blocks_and_threads_have_memories_of_their_own(scope: str):
    """A block has one `shared`, a thread one `local`; all blocks have one `global`."""
    rows = {"global.vtcm": 4 * (4 * 8), "shared.smem": 8, "warp.regs": 8, "local.acc": 1}[scope]
    lower_in_threads(scope, limit=rows * 64)
    with pytest.raises(teloom.Error, match=f"but {rows * 64} are needed at one time"):
        lower_in_threads(scope, limit=rows * 64 - 1)


def lower_in_threads(scope: str, limit: int):
    A = te.placeholder((4, 8, 16), "int32", name="A")
    T = te.compute((4, 8, 16), lambda b, t, i: A[b, t, i] + 1, name="T")
    C = te.compute((4, 8, 16), lambda b, t, i: T[b, t, i] + 1, name="C")
    s = te.create_schedule(C)
    block, thread, _ = C.op.axis
    s[C].bind(block, te.thread_axis("blockIdx.x"))
    s[C].bind(thread, te.thread_axis("threadIdx.x"))
    s[T].set_scope(scope)
    s[T].compute_at(s[C], thread)
    s.declare_memory(scope, limit=limit)
    teloom.lower(s, [A, C])


def test_a_symbolic_size_has_no_limit():
    p = Copies(width=te.size_var("n"), count=1)
    p.s.declare_memory(VTCM, limit=1 << 20)
    words = (
        'the size of "T0" in "global.vtcm" depends on sizes, but this memory holds 1048576 bytes'
    )
    with pytest.raises(teloom.Error, match=words):
        p.lower()


@pytest.mark.parametrize("scope", ["global", "shared", "warp", "local", "global.constant"])
def test_every_scope_is_on_its_buffers(scope: str):
    """`global.constant` is memory that kernels only read: a stage is written by nobody else."""
    p = Copies(count=1, scope=scope)
    types = [op.results[0].type for op in p.lower().walk() if op.name in MEMORY]
    space = "" if scope == "global" else f', "{scope}"'
    assert [str(type) for type in types] == [f"memref<64xi32{space}>"]
    np.testing.assert_array_equal(p.run(), np.full((8, 64), 2))


def test_an_alignment_alone_limits_nothing():
    p = Copies(width=te.size_var("n"), count=1)
    p.s.declare_memory(VTCM, alignment=256)
    np.testing.assert_array_equal(p.run(7), np.full((8, 7), 2))
    alignments = [op.alignment for op in p.lower().walk() if isinstance(op, memref.AllocOp)]
    assert [given and given.value.data for given in alignments] == [256]


def test_the_declaration_is_text_down_to_the_buffers():
    p = Copies()
    p.s.declare_memory(VTCM, limit=4096)
    assert 'loop.memory "global.vtcm" limit 4096' in str(p.s)
    for level in ("te", "schedule", "loop", "memref"):
        assert any(isinstance(op, loop.MemoryOp) for op in p.lower(level).ops)
    assert not any(isinstance(op, loop.MemoryOp) for op in p.lower("standard").ops)
    assert te.infer_bounds(p.s)[p.out.op.axis[1]].extent == 64


def declare_twice(p: Copies):
    p.s.declare_memory(VTCM, limit=64)
    p.s.declare_memory(VTCM, limit=128)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: p.s.declare_memory(3, limit=64), "scope of declare_memory must be a string"),
        (lambda p: p.s.declare_memory(VTCM, limit="a"), "limit of declare_memory must be an int"),
        (
            lambda p: p.s.declare_memory(VTCM, limit=True),
            "must be an integer, got True",
        ),
        (lambda p: p.s.declare_memory(VTCM, limit=2**63), "does not fit into 64 bits"),
        (lambda p: p.s.declare_memory("vtcm", limit=64), 'no storage scope "vtcm"'),
        (lambda p: p.s.declare_memory("shared", limit=64), 'scope "shared" has no tag'),
        (lambda p: p.s.declare_memory(VTCM), "has neither a limit nor an alignment"),
        (lambda p: p.s.declare_memory(VTCM, limit=0), "with limit 0: it must hold at least 1"),
        (lambda p: p.s.declare_memory(VTCM, alignment=48), "with alignment 48: it must be a power"),
        (declare_twice, 'the memory "global.vtcm" is declared already'),
    ],
)
def test_refuses(make, words: str):
    with pytest.raises(teloom.ScheduleError, match=words):
        make(Copies())
