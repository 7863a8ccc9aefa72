"""Tensor intrinsics: what they see, numbers against NumPy, schedules, and what is refused."""

import re
from typing import Any

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret
from teloom.errors import Error, KernelError, PassError, ScheduleError

N = te.var("n")


def plus(a, b, c):
    c[...] = a + b


def vadd(length=16, body=plus, **params):
    """Adds two vectors of `length`."""
    x, y = te.placeholder((length,), name="x"), te.placeholder((length,), name="y")
    z = te.compute((length,), lambda i: x[i] + y[i], name="z")
    return te.decl_tensor_intrin(z.op, lambda i, o: te.call_packed(body, *i, *o), "vadd", **params)


def matmul():
    """Adds a product of 2 x 8 and 8 x 4 to what is there."""
    x, y = te.placeholder((2, 8), name="x"), te.placeholder((8, 4), name="y")
    k = te.reduce_axis((0, 8), "k")
    z = te.compute((2, 4), lambda i, j: te.sum(x[i, k] * y[k, j], axis=k), name="z")
    binds = {
        x: te.decl_buffer((2, 8), name="x", strides=[te.var("sx"), 1], offset_factor=1),
        y: te.decl_buffer((8, 4), name="y", strides=[te.var("sy"), 1], offset_factor=1),
    }

    def whole(a, b, c):
        c[...] = a @ b

    def reset(c):
        c[...] = 0

    def update(a, b, c):
        c += a @ b

    return te.decl_tensor_intrin(
        z.op,
        lambda i, o: (
            te.call_packed(whole, *i, *o),
            te.call_packed(reset, *o),
            te.call_packed(update, *i, *o),
        ),
        "matmul",
        binds=binds,
    )


def check(s, args, arrays, expected, sizes=()):
    """The compiled program and the interpreter give `expected`, the last of `args`."""
    check_call(teloom.build(s, args), s, arrays, expected, sizes)


def check_call(f, s, arrays, expected, sizes):
    """As `check`, of what is compiled."""
    result = np.full_like(expected, 7)
    f(*arrays, result)
    assert np.allclose(result, expected, rtol=1e-4)
    program = s.program
    (interpreted,) = interpret(program.module, "main", list(arrays), sizes, program.externals)
    assert np.allclose(interpreted, expected, rtol=1e-4)


def random(*shape):
    return np.random.rand(*shape).astype("float32")


def running_sum(width):
    """Adds the sums of a row up to each element, `rate` times, if that is positive."""
    x, rate = te.placeholder((width,), name="x"), te.var("rate")
    z = te.compute((width,), lambda i: x[i], name="z")

    def parts(ins, outs, scalars):
        def reset():
            ib = te.ir_builder.create()
            sums = ib.buffer_ptr(outs[0])
            with ib.for_range(0, width, name="j") as j:
                sums[j] = 0
            return ib.get()

        def update():
            ib = te.ir_builder.create()
            row, sums = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
            total = ib.allocate("float32", (), name="total")
            total[()] = 0
            with ib.if_scope(scalars[0] > 0), ib.for_range(0, width, name="j") as j:
                total[()] = total[()] + row[j]
                sums[j] = sums[j] + scalars[0].astype("float32") * total[()]
            return ib.get()

        return [reset(), update()], reset(), update()

    return te.decl_tensor_intrin(z.op, parts, "running_sum", scalar_params=[rate])


@pytest.mark.parametrize("reduces", [False, True])
def test_a_body_statement_by_statement(reduces):
    A, k = te.placeholder((N, 3, 5), name="A"), te.reduce_axis((0, 3), "k")
    B = te.compute((N, 3, 5), lambda i, j, m: A[i, j, m] * 2, name="B")
    row, over = (k, k) if reduces else (1, None)
    total = running_sum(5)

    def block(i):
        return total(B[i, row], reduce_axis=over, scalar_inputs=[i - 2])

    C = te.compute((N, 5), block, name="C")
    s = te.create_schedule(C)
    _, inner = s[C].split(C.op.axis[0], factor=4)
    s[B].compute_at(s[C], inner)
    f = teloom.build(s, [A, C])
    for rows in (0, 1, 7):
        a = random(rows, 3, 5)
        taken = a.sum(axis=1) if reduces else a[:, 1]
        rates = np.maximum(np.arange(rows, dtype="float32") - 2, 0)[:, None]
        check_call(f, s, (a,), np.cumsum(2 * taken, axis=1) * rates, (rows,))


@pytest.mark.parametrize("blocks", [0, 1, 5])
@pytest.mark.parametrize("symbolic", [False, True])
def test_a_block_at_a_time(blocks, symbolic):
    n = N if symbolic else blocks
    A, B = te.placeholder((n, 16), name="A"), te.placeholder((n * 16,), name="B")
    add = vadd()
    C = te.compute((n, 16), lambda i: add(A[i, 0:16], B[i * 16 : i * 16 + 16]), name="C")
    a, b = random(blocks, 16), random(blocks * 16)
    s = te.create_schedule(C)
    sizes = (blocks,) if symbolic else ()
    check(s, [A, B, C], (a, b), a + b.reshape(blocks, 16), sizes)


def test_its_operation():
    A, k = te.placeholder((4, 3, 16), name="A"), te.reduce_axis((0, 3), "k")
    x = te.placeholder((16,), name="x")
    z = te.compute((16,), lambda i: x[i] * 2, name="z")
    call = te.call_packed
    parts = te.decl_tensor_intrin(
        z.op, lambda i, o: (call(plus), call(plus, *o), call(plus, *i, *o)), "sum"
    )
    assert [buffer.name for buffer in parts.buffers] == ["x", "z"]
    C = te.compute((4, 16), lambda i: parts(A[i, k], reduce_axis=k), name="C", tag="t")
    assert isinstance(C.op, te.TensorComputeOp)
    assert isinstance(parts(A[0, 0]), te.TensorIntrinCall)
    assert (C.op.tag, C.op.input_tensors, C.dtype) == ("t", [A], "float32")
    assert ([one.name for one in C.op.axis], C.op.reduce_axis) == (["i"], [k])
    assert [extent.value for extent in C.shape] == [4, 16]
    s = te.create_schedule(C)
    assert s[C].leaf_iter_vars == [C.op.axis[0], k]


def test_what_the_code_sees():
    seen = []

    def look(a, b, c):
        seen.append((a.shape, a.strides, a.flags.writeable, c.flags.writeable))
        plus(a, b, c)

    rows = te.decl_buffer((2, 3), name="x", strides=[te.var("s"), 1], offset_factor=1)
    x, y = te.placeholder((2, 3), name="x"), te.placeholder((2, 3), name="y")
    z = te.compute((2, 3), lambda i, j: x[i, j] + y[i, j], name="z")
    add = te.decl_tensor_intrin(
        z.op, lambda i, o: te.call_packed(look, *i, *o), "add", binds={x: rows}
    )
    A, B = te.placeholder((2, 4, 6), name="A"), te.placeholder((2, 2, 2, 2, 3), name="B")

    def block(i, j, k):
        return add(A[i, j * 2 : j * 2 + 2, k * 3 : (k + 1) * 3], B[i, j, k])

    C = te.compute((2, 2, 2, 2, 3), block, name="C")
    s = te.create_schedule(C)
    a, b = random(2, 4, 6), random(2, 2, 2, 2, 3)
    expected = a.reshape(2, 2, 2, 2, 3).transpose(0, 1, 3, 2, 4) + b
    check(s, [A, B, C], (a, b), expected)
    # The interpreter gives arrays of the same strides.
    assert set(seen) == {((2, 3), (24, 4), False, True)}


TEXT = """
loop.for %i = 0 to 4 {
  %v = memref.load %x[%i] : memref<4xf32, strided<[1], offset: ?>>
  %f = arith.sitofp %by : i32 to f32
  %sum = arith.addf %v, %f : f32
  memref.store %sum, %z_v0[%i] : memref<4xf32, strided<[1], offset: ?>>
  %product = arith.mulf %v, %f : f32
  memref.store %product, %z_v1[%i] : memref<4xf32, strided<[1], offset: ?>>
}
"""


def test_a_text_with_two_outputs_and_a_number():
    x, by = te.placeholder((4,), name="x"), te.var("by")
    z, _ = te.compute((4,), lambda i: (x[i] + by, x[i] * by), name="z")
    both = te.decl_tensor_intrin(z.op, lambda i, o, s: TEXT, "both", scalar_params=by)
    A = te.placeholder((5, 7, 4), name="A")
    P, Q = te.compute((5, 7, 4), lambda i, j: both(A[i, j], scalar_inputs=[i * 10 + j]), name="P")
    D = te.compute((5, 7, 4), lambda i, j, k: P[i, j, k] - Q[i, j, k], name="D")
    s = te.create_schedule(D)
    s[P].compute_at(s[D], D.op.axis[1])
    a = random(5, 7, 4)
    f = (np.arange(5)[:, None, None] * 10 + np.arange(7)[None, :, None]).astype("float32")
    check(s, [A, D], (a,), a + f - a * f)


def test_scalars_in_calls():
    seen = []

    def scaled(a, c, factor):
        seen.append(factor)
        c[...] = a * factor

    x, f = te.placeholder((2,), name="x"), te.var("f")
    z = te.compute((2,), lambda i: x[i] * f, name="z")
    times = te.decl_tensor_intrin(
        z.op, lambda i, o, s: te.call_packed(scaled, *i, *o, s[0] + 1), scalar_params=[f]
    )
    A = te.placeholder((3, 2), name="A")
    C = te.compute((3, 2), lambda i: times(A[i], scalar_inputs=i + N), name="C")
    s, a = te.create_schedule(C), random(3, 2)
    c = np.empty_like(a)
    teloom.build(s, [N, A, C])(4, a, c)
    assert np.allclose(c, a * np.array([[5], [6], [7]]))
    assert set(seen) == {5, 6, 7}


SIZES = [(3, 2, 5), (1, 1, 1), (0, 2, 3), (2, 0, 1), (2, 3, 0)]


@pytest.mark.parametrize(
    "how", ["plain", "outside", "inside", "fused", "cached", "first in other memory"]
)
def test_a_reduction_resets_and_updates(how):
    m, n, length = te.var("m"), te.var("n"), te.var("l")
    product = matmul()
    A = te.placeholder((m * 2, length * 8), name="A")
    B = te.placeholder((length * 8, n * 4), name="B")
    k = te.reduce_axis((0, length), "k")

    def block(i, j):
        rows, inner = slice(i * 2, i * 2 + 2), slice(k * 8, k * 8 + 8)
        return product(A[rows, inner], B[inner, j * 4 : j * 4 + 4], reduce_axis=k)

    C = te.compute((m, n, 2, 4), block, name="C")
    D = te.compute((m * 2, n * 4), lambda i, j: C[i // 2, j // 4, i % 2, j % 4] + 1, name="D")
    s = te.create_schedule(D)
    i, j = C.op.axis
    if how == "outside":
        s[C].reorder(k, j, i)
    if how in ("inside", "cached"):
        outer, _ = s[D].split(D.op.axis[0], factor=3)
        s[C].compute_at(s[D], outer)
        ko, ki = s[C].split(k, factor=2)
        s[C].reorder(ko, i, ki, j)
        s[C].unroll(ki)
    if how == "cached":
        s[s.cache_read(A, "local", [C])].compute_at(s[C], ki)
    if how == "fused":
        s[C].parallel(s[C].fuse(i, j))
    if how == "first in other memory":
        CL = s.cache_write(C, "local")
        assert [axis.name for axis in s[C].op.axis] == ["i", "j", "ax2", "ax3"]
        s[CL].compute_at(s[C], i)
        s[CL].reorder(k, CL.op.axis[1])
        s[C].vectorize(s[C].op.axis[3])
    f = teloom.build(s, [m, n, length, A, B, D])
    for rows, columns, depth in SIZES:
        a, b = random(rows * 2, depth * 8), random(depth * 8, columns * 4)
        d = np.empty((rows * 2, columns * 4), "float32")
        f(rows, columns, depth, a, b, d)
        assert np.allclose(d, a @ b + 1, rtol=1e-4)


def test_without_a_reduce_axis_the_body_runs():
    product = matmul()
    A, B = te.placeholder((6, 8), name="A"), te.placeholder((8, 8), name="B")
    C = te.compute(
        (3, 2, 2, 4),
        lambda i, j: product(A[i * 2 : i * 2 + 2, 0:8], B[0:8, j * 4 : j * 4 + 4]),
        name="C",
    )
    a, b = random(6, 8), random(8, 8)
    expected = np.ascontiguousarray((a @ b).reshape(3, 2, 2, 4).transpose(0, 2, 1, 3))
    check(te.create_schedule(C), [A, B, C], (a, b), expected)


def chain(n):
    """A producer, an intrinsic on its blocks, and a reader of single elements."""
    A, B = te.placeholder((n * 16,), name="A"), te.placeholder((n, 16), name="B")
    P = te.compute((n * 16,), lambda i: A[i] * 2, name="P")
    add = vadd()
    C = te.compute((n, 16), lambda i: add(P[i * 16 : i * 16 + 16], B[i, 0:16]), name="C")
    D = te.compute((n * 16,), lambda i: C[i // 16, i % 16] + 1, name="D")
    return A, B, P, C, D


def test_just_what_is_needed_is_computed():
    _, _, P, C, D = chain(8)
    s = te.create_schedule(D)
    outer, _ = s[D].split(D.op.axis[0], factor=40)
    s[C].compute_at(s[D], outer)
    s[P].compute_at(s[C], C.op.axis[0])
    costs = {cost.name: cost for cost in te.explain(s)}
    # 40 elements lie in 3 blocks; two of the 4 tiles share a block.
    assert (costs["C"].computed, costs["C"].needed, costs["C"].stored) == (160, 128, 192)
    assert (costs["P"].computed, costs["P"].needed, costs["P"].stored) == (160, 128, 64)
    ranges = te.infer_bounds(s)
    assert (ranges[C.op.axis[0]].extent, ranges[P.op.axis[0]].extent) == (3, 16)
    assert str(te.explain(s)[1]).startswith("StageCost(name='C', at='D.i.outer', times=4")


def test_only_the_blocks_that_are_read_run():
    ran = []

    def note(a, b, c):
        ran.append(a[0])
        plus(a, b, c)

    A = te.placeholder((8, 16), name="A")
    add = vadd(body=note)
    C = te.compute((8, 16), lambda i: add(A[i], A[i]), name="C")
    D = te.compute((3,), lambda i: C[i * 2 + 1, i], name="D")
    a = np.arange(128, dtype="float32").reshape(8, 16)
    d = np.empty(3, "float32")
    teloom.build(te.create_schedule(D), [A, D], sanitize=None)(a, d)
    assert (d == 2 * a[[1, 3, 5], [0, 1, 2]]).all()
    assert set(ran) == {16, 48, 80}


def test_a_callback_that_fails_stops_the_kernel():
    def fail(a, b, c):
        if a[0] == 2:
            raise ValueError("the third block")
        plus(a, b, c)

    A = te.placeholder((4, 16), name="A")
    add = vadd(body=fail)
    C = te.compute((4, 16), lambda i: add(A[i], A[i]), name="C")
    kernel = teloom.build(te.create_schedule(C), [A, C])
    a = np.repeat(np.arange(4, dtype="float32"), 16).reshape(4, 16)
    with pytest.raises(KernelError, match="fail, called by C, raised"):
        kernel(a, np.empty_like(a))


def test_strides_and_alignments_hold_at_each_point():
    A = te.placeholder((4, 32), name="A")

    def program(**params):
        add = vadd(**params)
        C = te.compute((4, 2, 16), lambda i, j: add(A[i, j * 16 : j * 16 + 16], A[i, 0:16]))
        return teloom.build(te.create_schedule(C), [A, C])

    program(default_buffer_params={"offset_factor": 16})
    with pytest.raises(PassError, match="which is not provably a multiple of 32"):
        program(default_buffer_params={"offset_factor": 32})
    with pytest.raises(PassError, match="but the buffer asks for offset 0"):
        program(default_buffer_params={"offset_factor": 0})


def test_a_slice_with_gaps_is_refused():
    x = te.placeholder((2, 4), name="x")
    z = te.compute((2, 4), lambda i, j: x[i, j], name="z")
    copy = te.decl_tensor_intrin(z.op, lambda i, o: te.call_packed(plus, *i, *o), "copy")
    A = te.placeholder((4, 8), name="A")
    C = te.compute((2, 2, 2, 4), lambda i, j: copy(A[i * 2 : i * 2 + 2, j * 4 : j * 4 + 4]))
    with pytest.raises(PassError, match="axis 0 has the stride 8, but the buffer asks for 4"):
        teloom.build(te.create_schedule(C), [A, C])


def test_a_slice_outside_is_refused_at_a_point():
    A = te.placeholder((N * 16,), name="A")
    add = vadd()
    C = te.compute((N, 16), lambda i: add(A[i * 16 : i * 16 + 16], A[i + 1 : i + 17]), name="C")
    message = r'when n == 1: stage "C" at \[0\] takes A\[16\], but axis 0 of A runs from 0 to 15'
    with pytest.raises(PassError, match=message):
        teloom.build(te.create_schedule(C), [A, C])


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (lambda s, C: s[C].vectorize(C.op.axis[0]), 'cannot vectorize axis i of "C": it is an'),
        (lambda s, C: s[C].compute_inline(), 'cannot inline "C": it is an extern'),
        (
            lambda s, C: (s[C].parallel(C.op.axis[0]), s.cache_write(C, "local")),
            "cannot compute C in 'local' first: its loops are not those of its code any more",
        ),
        (lambda s, C: s[C].storage_align(C.op.axis[0], 4, 1), 'storage_align of "C": it is an'),
        (lambda s, C: s[C].transform_layout(lambda i: [i // 2, i % 2]), 'layout of "C": it is an'),
        (lambda s, C: s[C].fold_storage(C.op.axis[0]), 'fold_storage of "C": it is an extern'),
    ],
)
def test_commands_that_an_extern_refuses(command, words):
    A, B, _, C, D = chain(4)
    s = te.create_schedule(D)

    def carry_out():
        command(s, C)
        teloom.lower(s, [A, B, D])

    with pytest.raises(ScheduleError, match=re.escape(words)):
        carry_out()


A = te.placeholder((4, 32), name="A")
I8 = te.placeholder((4, 16), "int8", name="I8")
K = te.reduce_axis((0, 2), "k")
ADD = vadd()


def scaled(scalar=None):
    """Does nothing, with a number; in parts."""
    x = te.placeholder((2,), name="x")
    z = te.compute((2,), lambda i: x[i], name="z")
    params = te.var("f") if scalar is None else scalar
    return te.decl_tensor_intrin(z.op, lambda i, o, s: ([], [], []), "scaled", scalar_params=params)


def blocks(shape, function):
    return te.compute(shape, function, name="C")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: blocks((4, 16), lambda i: ADD(A[i, 0:8], A[i, 0:16])),
            "'vadd' takes a slice of the shape [16] for 'x', A[i : 1, 0 : 8] has [1, 8]",
        ),
        (
            lambda: blocks((4, 16), lambda i: ADD(A[0:2, 0:16], A[i, 0:16])),
            "'vadd' takes a slice of the shape [16] for 'x', A[0 : 2, 0 : 16] has [2, 16]",
        ),
        (
            lambda: blocks((4, 16), lambda i: ADD(A[i, 0 : i + 1], A[i, 0:16])),
            "'vadd' takes a slice of the shape [16] for 'x', A[i : 1, 0 : (i + 1)] has",
        ),
        (
            lambda: blocks((4, 8), lambda i: ADD(A[i, 0:16], A[i, 0:16])),
            "'vadd' fills slices of the shape [16], but those of 'C', behind its axes, are [8]",
        ),
        (
            lambda: blocks((4, 16), lambda i, j: ADD(A[i, 0:16], A[i, 0:16])),
            "'vadd' fills slices of the shape [16], but those of 'C', behind its axes, are []",
        ),
        (
            lambda: blocks((4, 16), lambda i: ADD(I8[i], A[i, 0:16])),
            "'vadd' takes float32 for 'x', I8[i : 1, 0 : 16] holds int8",
        ),
        (lambda: ADD(A[0, 0:16]), "'vadd' takes 2 slices, got 1"),
        (lambda: ADD(1, A[0, 0:16]), "1 is no input of 'vadd': give a slice of a tensor"),
        (
            lambda: ADD(A[0, 0:16], A[0, 0:16], reduce_axis=K),
            "'vadd' with a reduce_axis needs code in two parts: a function that returns (body",
        ),
        (
            lambda: ADD(A[0, 0:16], A[0, 0:16], reduce_axis=3),
            "reduce_axis of 'vadd' is 3; make one with te.reduce_axis",
        ),
        (
            lambda: ADD(A[0, 0:16], A[0, 0:16], scalar_inputs=[1]),
            "'vadd' takes 0 scalar_inputs, got 1",
        ),
        (lambda: scaled()(A[0, 0:2], 1, scalar_inputs=2), "'scaled' has scalar_inputs twice: [1]"),
        (lambda: scaled()(A[0, 0:2], 1, 2), "'scaled' takes 1 scalar_inputs, got 2"),
        (
            lambda: scaled()(A[0, 0:2], scalar_inputs=A[0, 0]),
            "scalar_inputs of 'scaled' read A[0, 0]; pass a slice of it",
        ),
        (
            lambda: scaled()(A[0, 0:2], reduce_axis=K, scalar_inputs=K + 1),
            "scalar_inputs of 'scaled' are over k, a reduce axis, which the reset has not",
        ),
        (
            lambda: scaled()(A[0, 0:2], reduce_axis=[K, K], scalar_inputs=1),
            "reduce_axis of 'scaled' names k twice",
        ),
        (
            lambda: blocks((4,), lambda i: [ADD(A[i, 0:16], A[i, 0:16])]),
            "vadd(A[i : 1, 0 : 16], A[i : 1, 0 : 16]) of type TensorIntrinCall is not a scalar",
        ),
        (lambda: scaled(3), "scalar_params of 'scaled' has 3; it must be a te.var"),
        (
            lambda: blocks((4, 16), lambda i: ADD(A[i, 0:16], A[K, 0:16])),
            "'C' uses axis k, which is not one of its axes (i)",
        ),
        (lambda: blocks((4, 16), lambda i: A[i, 0]), "has 1 parameters (i) for 2 axes"),
        (
            lambda: te.create_schedule(blocks((4, 16), lambda i: ADD(A[i * i, 0:16], A[i, 0:16]))),
            "extent (i * i) of 'C' is not affine in its axes and sizes",
        ),
        (lambda: vadd(binds={A: te.decl_buffer((16,))}), "'vadd' binds Tensor(shape=[4, 32]"),
        (
            lambda: vadd(default_buffer_params={"ofset": 1}),
            "default_buffer_params of 'vadd': decl_buffer() got an unexpected keyword",
        ),
        (
            lambda: te.decl_tensor_intrin(A, lambda i, o: None),
            "'tensor_intrin' wants the operation of a te.compute, as z.op, got Tensor(",
        ),
        (
            lambda: te.decl_tensor_intrin(chain(2)[-1].op, lambda i, o: None),
            "'tensor_intrin' is one equation over placeholders, but C is computed",
        ),
    ],
)
def test_refused(make, words):
    with pytest.raises(Error, match=re.escape(words)):
        make()


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (None, "the function of 'two' returns None; give a body"),
        ((None, [], []), "returns (None, [], []); give a body"),
        (([], [], [], []), "returns ([], [], [], []); give a body"),
        (3, "the body of 'two' is 3; it must be te.call_extern"),
    ],
)
def test_bodies_that_are_refused(parts, words):
    x = te.placeholder((2,), name="x")
    z = te.compute((2,), lambda i: x[i], name="z")
    with pytest.raises(Error, match=re.escape(words)):
        te.decl_tensor_intrin(z.op, lambda i, o: parts, "two")


def test_a_buffer_for_two_tensors_is_refused():
    x = te.placeholder((2,), name="x")
    z = te.compute((2,), lambda i: x[i], name="z")
    buffer = te.decl_buffer((2,), name="b")
    with pytest.raises(Error, match="'two' has one buffer for two tensors; declare each of its"):
        te.decl_tensor_intrin(z.op, lambda i, o: [], "two", binds={x: buffer, z: buffer})
    with pytest.raises(Error, match=r"buffer 'b' has the shape \[3\], x of 'two' \[2\]"):
        te.decl_tensor_intrin(
            z.op, lambda i, o: [], "two", binds={x: te.decl_buffer((3,), name="b")}
        )


def test_the_reset_sees_only_what_it_fills():
    x = te.placeholder((2,), name="x")
    z = te.compute((2,), lambda i: x[i], name="z")

    def parts(i, o):
        return [], te.call_packed(plus, *i, *o), []

    with pytest.raises(Error, match="'x' is no buffer of the reset of 'total', which has z"):
        te.decl_tensor_intrin(z.op, parts, "total")


def test_the_reset_knows_no_strides_of_inputs():
    x = te.placeholder((2,), name="x")
    z = te.compute((2,), lambda i: x[i], name="z")
    stride = te.var("stride", "int64")

    def parts(i, o):
        return [], te.call_extern("void", "f", stride), []

    binds = {x: te.decl_buffer((2,), name="x", strides=[stride])}
    total = te.decl_tensor_intrin(z.op, parts, "total", binds=binds)
    S, k = te.placeholder((4, 3, 2), name="S"), te.reduce_axis((0, 3), "k")
    C = te.compute((4, 2), lambda i: total(S[i, k], reduce_axis=k), name="C")
    with pytest.raises(Error, match="stride of buffer 'x' must be a number"):
        te.create_schedule(C)


def test_an_input_is_not_written():
    x = te.placeholder((2,), name="x")
    z = te.compute((2,), lambda i: x[i], name="z")

    def body(ins, outs):
        ib = te.ir_builder.create()
        ib.buffer_ptr(ins[0])[0] = 1
        return ib.get()

    with pytest.raises(Error, match="'ones' may not write 'x', which is an input"):
        te.decl_tensor_intrin(z.op, body, "ones")


def test_around_a_scan():
    steps, add = te.var("steps"), vadd()
    state, X = te.placeholder((steps, 16), name="state"), te.placeholder((steps, 16), name="X")
    first = te.compute((1, 16), lambda i: add(X[i, 0:16], X[i, 0:16]), name="first")
    P = te.compute((steps, 16), lambda i: add(X[i, 0:16], X[i, 0:16]), name="P")
    following = te.compute((steps, 16), lambda i, j: state[i - 1, j] + P[i, j], name="following")
    S = te.scan(first, following, state, name="S")
    C = te.compute((steps, 16), lambda i: add(S[i, 0:16], X[i, 0:16]), name="C")
    x = random(5, 16)
    check(te.create_schedule(C), [X, C], (x,), np.cumsum(2 * x, axis=0) + x, (5,))
    s = te.create_schedule(C)
    s[S].compute_at(s[C], C.op.axis[0])
    s[S].store_root()
    text = str(teloom.lower(s, [X, C], level="loop"))
    assert text.count("= 0 to %steps {") == 1, "each iteration computes one time"
    check(s, [X, C], (x,), np.cumsum(2 * x, axis=0) + x, (5,))


def scaled_rows() -> te.TensorIntrin:
    """Code for a row of any length: v times the row, plus w."""
    n, v, w = te.size_var("n"), te.var("v"), te.var("w")
    x = te.placeholder((n,), name="x")
    z = te.compute((n,), lambda i: x[i] * v + w, name="z")

    def body(ins: list[te.Buffer], outs: list[te.Buffer], scalars: list[Any]) -> object:
        ib = te.ir_builder.create()
        x, z = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
        with ib.for_range(0, ins[0].shape[0], "i") as i:
            z[i] = x[i] * scalars[0] + scalars[1]
        return ib.get()

    return te.decl_tensor_intrin(z.op, body, "rows", scalar_params=[v, w])


@pytest.mark.parametrize("columns", [1, 4, te.var("columns")])
def test_an_intrinsic_of_any_length(columns: Any):
    """Numbers may stand among the slices, in the order of the parameters."""
    A = te.placeholder((6, columns), name="A")
    rows = scaled_rows()
    C = te.compute((6, columns), lambda i: rows(i * i, A[i, 0:columns], i + 2), name="C")
    a = random(6, columns if isinstance(columns, int) else 5)
    i = np.arange(6, dtype="float32")[:, None]
    sizes = () if isinstance(columns, int) else a.shape[1:]
    check(te.create_schedule(C), [A, C], (a,), a * i * i + (i + 2), sizes)


def test_an_intrinsic_of_single_elements():
    A, rows = te.placeholder((3, 4), name="A"), scaled_rows()
    C = te.compute((3, 4), lambda i, j: rows(i * i, A[i, j], i + j), name="C")
    a = random(3, 4)
    i, j = np.indices(a.shape, "float32")
    s = te.create_schedule(C)
    s[C].reorder(*reversed(C.op.axis))
    check(s, [A, C], (a,), a * i * i + (i + j))


def test_a_scope_is_demanded():
    add = vadd(default_buffer_params={"scope": "shared"})
    A = te.placeholder((N, 16), name="A")
    B = te.compute((N, 16), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((N, 16), lambda i: add(B[i, 0:16], B[i, 0:16]), name="C")
    D = te.compute((N, 16), lambda i, j: C[i, j], name="D")
    s = te.create_schedule(D)
    s[B].set_scope("shared")
    with pytest.raises(PassError, match='buffer of C: it is in scope "global", but the buffer ask'):
        teloom.lower(s, [A, D])
    s[C].set_scope("shared")
    a = random(3, 16)
    check(s, [A, D], (a,), 4 * a, (3,))
