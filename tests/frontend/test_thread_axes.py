"""Thread axes and scopes from Python: what `bind` and `set_scope` take, and what becomes of it."""

import inspect
import re

import pytest

import teloom
from teloom import te

n = te.var("n")


class Copies:
    """B = A and C = B over 64 elements."""

    def __init__(self):
        A = self.A = te.placeholder((64,), name="A")
        B = self.B = te.compute((64,), lambda i: A[i], name="B")
        self.C = te.compute((64,), lambda x: B[x], name="C")
        self.s = te.create_schedule(self.C)


@pytest.fixture
def p() -> Copies:
    return Copies()


@pytest.mark.parametrize(
    ("axis", "tag", "name", "extent"),
    [
        (te.thread_axis("threadIdx.x"), "threadIdx.x", "threadIdx.x", None),
        (te.thread_axis(tag="blockIdx.z", name="bz"), "blockIdx.z", "bz", None),
        (te.thread_axis((0, 32), "threadIdx.y"), "threadIdx.y", "threadIdx.y", 32),
        (te.thread_axis(te.Range(0, 8), "blockIdx.x", "bx"), "blockIdx.x", "bx", 8),
    ],
)
def test_a_thread_axis(axis: te.IterVar, tag: str, name: str, extent: int | None):
    assert (axis.thread_tag, axis.name) == (tag, name)
    assert axis.dom is None if extent is None else axis.dom.extent.value == extent


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("threadIdx.X",),
            'no thread axis "threadIdx.X"; thread axes: blockIdx.x, blockIdx.y, blockIdx.z, '
            "threadIdx.x, threadIdx.y, threadIdx.z, vthread; did you mean 'threadIdx.x'?",
        ),
        (((0, 32),), 'no thread axis ""; thread axes: blockIdx.x'),
        ((32, "threadIdx.x"), "thread_axis 'threadIdx.x' wants a pair (begin, end), got 32"),
        (((1, 32), "threadIdx.x"), "thread_axis 'threadIdx.x' begins at 1; a thread axis begins"),
        (
            ((0, n), "threadIdx.x"),
            "thread_axis 'threadIdx.x' has the extent n, which is no number of 1 or more; "
            'te.thread_axis("threadIdx.x") takes any extent',
        ),
        (((0, 0), "threadIdx.x", "tx"), "thread_axis 'tx' has the extent 0"),
        (((4, 0), "threadIdx.x"), "axis threadIdx.x runs from 4 to 0: that is never an iteration"),
    ],
)
def test_refuses_thread_axes(arguments: tuple, words: str):
    with pytest.raises(teloom.Error, match=re.escape(words)):
        te.thread_axis(*arguments)


def test_bind_takes_a_thread_axis_or_its_tag(p: Copies):
    outer, inner = p.s[p.C].split(p.C.op.axis[0], factor=16)
    p.s[p.C].bind(outer, te.thread_axis("blockIdx.x"))
    p.s[p.C].bind(inner, thread_ivar=te.thread_axis((0, 16), "threadIdx.x"))
    p.s[p.B].bind(p.B.op.axis[0], "threadIdx.y")
    commands = [line.strip() for line in str(p.s.sequence).splitlines()]
    assert [line for line in commands if "bind" in line] == [
        'schedule.bind %x.outer "blockIdx.x"',
        'schedule.bind %x.inner "threadIdx.x" extent 16',
        'schedule.bind %i "threadIdx.y"',
    ]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda p: p.s[p.C].bind(p.C.op.axis[0], "threadIdx.q"),
            'bind of axis x: no thread axis "threadIdx.q"; thread axes: blockIdx.x',
        ),
        (
            lambda p: p.s[p.C].bind(p.C.op.axis[0], p.B.op.axis[0]),
            'thread_ivar of bind must be a thread axis, as te.thread_axis("threadIdx.x"), got i',
        ),
        (
            lambda p: p.s[p.C].bind(te.thread_axis("threadIdx.x"), p.C.op.axis[0]),
            "axis threadIdx.x is not an axis of stage C; its axes: x",
        ),
        (lambda p: p.s[p.B].set_scope(2), "scope of set_scope must be a string, got 2"),
        (
            lambda p: p.s[p.B].set_scope("share"),
            'no storage scope "share"; scopes: global, shared, warp, local, and each with a tag, '
            "as in global.vtcm; did you mean 'shared'?",
        ),
    ],
)
def test_refuses_commands(p: Copies, make, words: str):
    with pytest.raises(teloom.ScheduleError, match=re.escape(words)):
        make(p)


def test_another_extent_than_the_thread_axis_has(p: Copies):
    _, inner = p.s[p.C].split(p.C.op.axis[0], factor=16)
    p.s[p.C].bind(inner, te.thread_axis((0, 32), "threadIdx.x"))
    line = inspect.stack()[0].lineno - 1
    words = (
        'axis x.inner of stage "C" is bound to threadIdx.x of extent 32, but its extent is 16; '
        "bind an axis of that extent, or leave out the extent of the thread axis"
    )
    for refuse in (te.infer_bounds, lambda s: teloom.lower(s, [p.A, p.C], level="loop")):
        with pytest.raises(teloom.Error) as error:
            refuse(p.s)
        assert str(error.value) == f"{__file__}:{line}: {words}"


def test_threads_end_where_no_target_has_them(p: Copies):
    p.s[p.C].bind(p.C.op.axis[0], "threadIdx.x")
    text = str(teloom.lower(p.s, [p.A, p.C], level="loop"))
    assert "loop.for %x = 0 to 64 threadIdx.x {" in text
    with pytest.raises(teloom.Error) as error:
        teloom.build(p.s, [p.A, p.C])
    location = f"{__file__}:{p.C.op.location.line}"
    assert str(error.value) == (
        f"{location}: axis x is bound to threadIdx.x, but there is no code for thread axes on "
        "this target yet; make it parallel, or leave it serial"
    )


class Matmul:
    """The product of a 70 x 40 and a 40 x 50 matrix, with copies of both for a schedule."""

    def __init__(self):
        A = self.A = te.placeholder((70, 40), name="A")
        B = self.B = te.placeholder((40, 50), name="B")
        AA = self.AA = te.compute(A.shape, lambda i, k: A[i, k], name="AA")
        BB = self.BB = te.compute(B.shape, lambda k, j: B[k, j], name="BB")
        AL = self.AL = te.compute(A.shape, lambda i, k: AA[i, k], name="AL")
        BL = self.BL = te.compute(B.shape, lambda k, j: BB[k, j], name="BL")
        k = self.k = te.reduce_axis((0, 40), "k")
        self.CL = te.compute((70, 50), lambda i, j: te.sum(AL[i, k] * BL[k, j], k), name="CL")
        self.C = te.compute((70, 50), lambda i, j: self.CL[i, j], name="C")
        self.s = te.create_schedule(self.C)
        self._schedule()

    def _schedule(self) -> None:
        """Blocks of 32 x 32, 8 x 8 threads of 4 x 4 elements each, and k in steps of 8."""
        s, C, CL = self.s, self.C, self.CL
        thread_y = te.thread_axis((0, 8), "threadIdx.y")
        thread_x = te.thread_axis((0, 8), "threadIdx.x")
        by, bx, y, x = s[C].tile(*C.op.axis, 32, 32)
        ty, yi = s[C].split(y, nparts=8)
        tx, xi = s[C].split(x, nparts=8)
        s[C].reorder(by, bx, ty, tx, yi, xi)
        for axis, thread in ((by, "blockIdx.y"), (bx, "blockIdx.x"), (ty, thread_y)):
            s[C].bind(axis, thread)
        s[C].bind(tx, thread_x)
        s[CL].compute_at(s[C], tx)
        ko, ki = s[CL].split(self.k, factor=8)
        s[CL].reorder(ko, ki, *CL.op.axis)
        for shared, local in ((self.AA, self.AL), (self.BB, self.BL)):
            s[shared].compute_at(s[CL], ko)
            s[shared].set_scope("shared")
            s[local].compute_at(s[CL], ki)
            fused = s[shared].fuse(*shared.op.axis)
            ty, rest = s[shared].split(fused, nparts=8)
            tx, _ = s[shared].split(rest, nparts=8)
            s[shared].bind(ty, thread_y)
            s[shared].bind(tx, thread_x)


def test_the_tiles_of_a_matrix_product_are_those_of_tvm():
    p = Matmul()
    bounds = te.infer_bounds(p.s)

    def box(tensor: te.Tensor) -> list[tuple[str, int]]:
        return [(str(bounds[axis].min), bounds[axis].extent) for axis in tensor.op.axis]

    rows, columns = "(i.outer * 32)", "(j.outer * 32)"
    my_rows = f"({rows} + (i.inner.outer * 4))"
    my_columns = f"({columns} + (j.inner.outer * 4))"
    assert box(p.AA) == [(rows, 32), ("(k.outer * 8)", 8)]
    assert box(p.BB) == [("(k.outer * 8)", 8), (columns, 32)]
    assert box(p.AL) == [(my_rows, 4), ("((k.outer * 8) + k.inner)", 1)]
    assert box(p.BL) == [("((k.outer * 8) + k.inner)", 1), (my_columns, 4)]
    assert box(p.CL) == [(my_rows, 4), (my_columns, 4)]


def test_the_tiles_of_a_matrix_product_are_stored_where_they_are_shared():
    p = Matmul()
    text = str(teloom.lower(p.s, [p.A, p.B, p.C], level="loop"))
    scopes = re.findall(r'loop.realize "(\w+)" \[.*\](?: in "(\w+)")? :', text)
    assert dict(scopes) == {
        "AA": "shared",
        "BB": "shared",
        "AL": "local",
        "BL": "local",
        "CL": "local",
    }
