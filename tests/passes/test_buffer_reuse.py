"""Programs whose buffers share memory load what they loaded, and give NumPy's numbers."""

from collections.abc import Callable
from itertools import pairwise, product

import numpy as np
import pytest
from analysis.loop_runner import WrongAccess
from analysis.memory_runner import run_memory
from budget import each
from loop_kernels import STANDARD, compile_loops
from programs.sizes import extents, known
from standard_kernels import parse
from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp

from teloom import build, te
from teloom.analysis.accesses.instance_pairs import InstancePairs
from teloom.analysis.memory import storage_plan
from teloom.analysis.memory.storage import byte_width
from teloom.frontend.call.build import lower
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.tensors import Tensor
from teloom.passes.memory.buffer_reuse import BufferReusePass
from teloom.passes.storage.storage_flatten import StorageFlattenPass

FLATTEN, REUSE = StorageFlattenPass(stack_bytes=0), BufferReusePass()
DTYPES = ["int32", "int16", "int64", "int8"]


def stages(count: int, rows, columns) -> list[Tensor]:
    """Each stage adds its number to the one before, in another type."""
    chain = [te.placeholder((rows, columns), "int32", name="A")]
    for k in range(1, count + 1):
        dtype = "int32" if k == count else DTYPES[k % len(DTYPES)]
        before = chain[-1]
        chain.append(
            te.compute(
                (rows, columns),
                lambda i, j, before=before, dtype=dtype, k=k: before[i, j].astype(dtype) + k,
                name=f"S{k}",
            )
        )
    return chain


def unscheduled(s: Schedule, chain: list[Tensor]):
    pass


def in_rows(s: Schedule, chain: list[Tensor]):
    for tensor in chain[1:-1]:
        s[tensor].compute_at(s[chain[-1]], chain[-1].op.axis[0])


def in_parallel_rows(s: Schedule, chain: list[Tensor]):
    in_rows(s, chain)
    s[chain[-1]].parallel(chain[-1].op.axis[0])


def in_vectors(s: Schedule, chain: list[Tensor]):
    in_rows(s, chain)
    for tensor in chain[1:]:
        s[tensor].vectorize(tensor.op.axis[1])


def nested(s: Schedule, chain: list[Tensor]):
    for inner, outer in zip(chain[1:-1:2], chain[2:-1:2], strict=False):
        s[inner].compute_at(s[outer], outer.op.axis[0])


def loops(count: int, rows, columns, schedule: Callable) -> ModuleOp:
    chain = stages(count, rows, columns)
    s = te.create_schedule([chain[-1].op])
    schedule(s, chain)
    return lower(s, [chain[0], chain[-1]], "stages", level="loop")


def flat(count: int, rows, columns, schedule: Callable) -> ModuleOp:
    return flattened(loops(count, rows, columns, schedule))


def flattened(module: ModuleOp) -> ModuleOp:
    FLATTEN.apply(Context(), module)
    return module


def allocations(module: ModuleOp) -> list[memref.AllocOp]:
    return [op for op in module.walk() if isinstance(op, memref.AllocOp)]


def heap_bytes(module: ModuleOp) -> int:
    """Of a program all of whose buffers have constant sizes."""
    return sum(
        op.memref.type.get_shape()[0] * byte_width(op.memref.type.element_type)
        for op in allocations(module)
    )


def function_of(module: ModuleOp) -> func.FuncOp:
    return next(op for op in module.ops if isinstance(op, func.FuncOp))


def reuse(module: ModuleOp) -> None:
    REUSE.apply(Context(), module)
    module.verify()


SCHEDULES = [unscheduled, in_rows, in_parallel_rows, in_vectors, nested]
SIZES = [(1, 1), (3, 5), (4, 17)]


@pytest.mark.filterwarnings("ignore:parallel loops run serially")
@pytest.mark.parametrize(
    ("schedule", "sizes"), [*each(SCHEDULES, known(SIZES)), *product(SCHEDULES, [SIZES])]
)
def test_every_load_gives_what_it_gave(schedule: Callable, sizes: list[tuple[int, int]]):
    module = loops(7, *extents(sizes, "n", "m"), schedule)
    apart = flattened(module.clone())
    shared = apart.clone()
    reuse(shared)
    assert len(allocations(shared)) < len(allocations(apart))
    kernel = compile_loops(module, (FLATTEN, REUSE, *STANDARD))
    for n, m in sizes:
        a = np.random.default_rng(0).integers(-40, 40, (n, m), "int32")
        loaded, expected = (
            run_memory(function_of(module), {"n": n, "m": m}, {"A": a})
            for module in (shared, apart)
        )
        assert loaded == expected
        out = np.zeros((n, m), "int32")
        kernel(a, out)
        np.testing.assert_array_equal(out, a + sum(range(1, 8)))


def test_ten_stages_take_the_memory_of_two():
    module = flat(10, 64, 64, unscheduled)
    widths = [byte_width(op.memref.type.element_type) for op in allocations(module)]
    assert heap_bytes(module) == 64 * 64 * sum(widths)
    neighbours = [a + b for a, b in pairwise(widths)]
    reuse(module)
    assert heap_bytes(module) == 64 * 64 * max(neighbours)


@pytest.mark.parametrize("schedule", [unscheduled, in_rows, in_parallel_rows, in_vectors])
@pytest.mark.parametrize("shape", [(8, 16), ("n", "m")])
def test_a_chain_of_elementwise_stages_takes_the_memory_of_one(shape: tuple, schedule: Callable):
    sizes = [te.size_var(size) if isinstance(size, str) else size for size in shape]
    chain = [te.placeholder(sizes, "int32", name="A")]
    for k in range(1, 6):
        chain.append(te.compute(sizes, lambda i, j, t=chain[-1], k=k: t[i, j] + k, name=f"S{k}"))
    s = te.create_schedule([chain[-1].op])
    schedule(s, chain)
    module = lower(s, [chain[0], chain[-1]], "chain", level="loop")
    FLATTEN.apply(Context(), module)
    assert len(allocations(module)) == 4
    reuse(module)
    assert len(allocations(module)) == 1


@pytest.mark.parametrize("count", [4, 40])
def test_as_many_large_buffers_on_the_stack_as_one_likes(count: int):
    """All are needed by the last stage."""
    size = 65536 // 4
    given = te.placeholder((size,), "int32", name="A")
    parts = [
        te.compute((size,), lambda i, k=k: given[size - 1 - i] + k, name=f"S{k}")
        for k in range(count)
    ]
    total = te.compute((size,), lambda i: sum((p[i] for p in parts[1:]), parts[0][i]), name="T")
    s = te.create_schedule([total.op])
    kernel = build(s, [given, total])
    a = np.arange(size, dtype="int32")
    out = np.zeros_like(a)
    kernel(a, out)
    np.testing.assert_array_equal(out, a[::-1] * count + sum(range(count)))


@pytest.mark.parametrize("rows", [64, te.size_var("n")])
def test_windows_of_a_chain_are_told_apart_by_a_few_instances(
    rows, monkeypatch: pytest.MonkeyPatch
):
    """All live throughout one loop; deciding each pair takes a second for sixteen of them."""
    count, columns = 8, 2000
    chain = [te.placeholder((rows + 2 * count, columns), "float32", name="A")]
    for k in range(count):
        above = chain[-1]
        chain.append(
            te.compute(
                (above.shape[0] - 2, columns),
                lambda i, j, a=above: a[i, j] + a[i + 2, j],
                name=f"S{k}",
            )
        )
    s = te.create_schedule(chain[-1].op)
    for tensor in chain[1:-1]:
        s[tensor].compute_at(s[chain[-1]], chain[-1].op.axis[0])
        s[tensor].rolling_buffer()
    module = lower(s, [chain[0], chain[-1]], "windows", level="loop")
    FLATTEN.apply(Context(), module)
    decisions: list[object] = []
    decide = InstancePairs.conflicting
    monkeypatch.setattr(
        InstancePairs, "conflicting", lambda *args: decisions.append(args) or decide(*args)
    )
    reuse(module)
    assert len(decisions) < count


def test_a_wrong_plan_is_found(monkeypatch: pytest.MonkeyPatch):
    module = flat(4, 3, 5, unscheduled)
    a = np.ones((3, 5), "int32")
    monkeypatch.setattr(storage_plan, "live_together", lambda lives: [[] for _ in lives])
    reuse(module)
    with pytest.raises(WrongAccess, match="is read before it is written"):
        run_memory(function_of(module), {}, {"A": a})


def test_an_element_that_nothing_wrote_is_found():
    module = parse("""
        func.func @unwritten(%C: memref<1xf32>) {
          %t = memref.alloc() : memref<4xf32>
          %three = arith.constant 3 : index
          %v = memref.load %t[%three] : memref<4xf32>
          memref.store %v, %C[%three] : memref<1xf32>
          memref.dealloc %t : memref<4xf32>
          func.return
        }""")
    with pytest.raises(WrongAccess, match=r"t\[3\] is read before it is written"):
        run_memory(function_of(module), {}, {})


@pytest.mark.parametrize(("dtypes", "left"), [(["int32"], 2), (["int32", "int64", "int16"], 3)])
@pytest.mark.parametrize("growth", [-2, 0, 3])
def test_stages_of_different_symbolic_sizes_take_turns(dtypes: list[str], left: int, growth: int):
    """Each stage adds what lies on the two sides of the one before: none is made in place.

    The two of eight bytes share memory; then those of two and four bytes need not.
    """
    n, margin = te.size_var("n"), 20
    chain = [te.placeholder((n + margin,), "int32", name="A")]
    for k in range(1, 6):
        before, size = chain[-1], n + margin + k * growth
        far = chain[-1].shape[0] - 1
        dtype = "int32" if k == 5 else dtypes[k % len(dtypes)]
        chain.append(
            te.compute(
                (size,),
                lambda i, of=before, far=far, dtype=dtype: (
                    of[te.min(i, far)].astype(dtype) + of[te.max(far - i, 0)].astype(dtype)
                ),
                name=f"S{k}",
            )
        )
    s = te.create_schedule(chain[-1])
    arguments = [chain[0], chain[-1]]
    assert len(allocations(lower(s, arguments, "stages"))) == left
    function = build(s, arguments, name="stages")
    for count in (0, 1, 7):
        expected = a = np.arange(count + margin, dtype="int32")
        for k in range(1, 6):
            i = np.arange(count + margin + k * growth)
            far = len(expected) - 1
            expected = expected[np.minimum(i, far)] + expected[np.maximum(far - i, 0)]
        out = np.full(len(expected), -1, "int32")
        function(a, out)
        np.testing.assert_array_equal(out, expected)
