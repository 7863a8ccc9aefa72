"""Expressions that are deeper than Python's stack, or trees of 2^30 parts in memory of thirty.

None of these tests measures time: what is walked as a tree would not end. The stack is shorter
than usual, so that shorter expressions are deeper than it.
"""

import inspect
import sys
from itertools import product

import numpy as np
import pytest
from budget import each

import teloom
from teloom import te
from teloom.tools import opt

STACK = 300
DEEP = STACK + 50
DOUBLINGS = 30
N = 8

A = te.placeholder((N,), "float32", name="A")
P = te.placeholder((N,), "int32", name="P")


@pytest.fixture(autouse=True)
def short_stack(monkeypatch: pytest.MonkeyPatch):
    """A function that a test calls has the same stack, however deep pytest is itself."""
    monkeypatch.setattr("teloom.errors.FRAMES", 0)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + STACK)
    yield
    sys.setrecursionlimit(before)


def repeated(first, count, step):
    """`step` applied `count` times to `first`."""
    found = first
    for _ in range(count):
        found = step(found)
    return found


def lowered(equation, level="loop", vectorize=False):
    """The program of one equation over A and P, and how many ops it has."""
    b = te.compute((N,), equation, name="B")
    s = te.create_schedule(b)
    if vectorize:
        s[b].vectorize(b.op.axis[0])
    module = teloom.lower(s, [A, P, b], level=level)
    return s, b, sum(1 for _ in module.walk())


DEEP_EQUATIONS = {
    "values": lambda i: repeated(A[i], DEEP, lambda e: e + A[i]),
    "subscript": lambda i: A[repeated(i, DEEP, lambda e: e + 1) - DEEP],
    "divisions": lambda i: A[te.max(0, te.min(repeated(i, DEEP, lambda e: (e + 1) // 2), N - 1))],
    "gather": lambda i: A[
        te.max(0, te.min(repeated(P[i], DEEP, lambda e: te.max(P[i], e - P[i])), N - 1))
    ],
    "conditions of data": lambda i: te.if_then_else(
        repeated(A[i] > 0, DEEP, lambda e: te.all(e, A[i] > 1)), A[i], 0.0
    ),
    "conditions of axes": lambda i: te.if_then_else(
        repeated(i < N, DEEP, lambda e: te.any(e, i > 2)), A[i], 0.0
    ),
}


@pytest.mark.parametrize("name", DEEP_EQUATIONS)
def test_depth_is_no_limit(name):
    _, _, ops = lowered(DEEP_EQUATIONS[name])
    assert ops < 8 * DEEP


@pytest.mark.parametrize("name", ["values", "gather"])
def test_depth_is_no_limit_to_lanes(name):
    _, _, ops = lowered(DEEP_EQUATIONS[name], "memref", vectorize=True)
    assert ops < 8 * DEEP


def test_a_long_sum_is_built_as_vectors():
    """Through LLVM and with the checks of memory, which take their time: so of fewer terms."""
    terms = 200
    s, b, _ = lowered(lambda i: repeated(A[i], terms, lambda e: e + A[i]), vectorize=True)
    out = np.zeros(N, "float32")
    given = np.arange(N, dtype="float32")
    teloom.build(s, [A, b])(given, out)
    np.testing.assert_array_equal(out, given * (terms + 1))


SHARED_EQUATIONS = {
    "value": lambda i: repeated(A[i], DOUBLINGS, lambda e: e + e),
    "condition of an axis": lambda i: te.if_then_else(
        repeated(i < N, DOUBLINGS, lambda e: te.all(e, e)), A[i], 0.0
    ),
    "condition of data": lambda i: te.if_then_else(
        repeated(A[i] > 0, DOUBLINGS, lambda e: te.any(e, e)), A[i], 0.0
    ),
    "quotients": lambda i: A[
        te.max(0, te.min(repeated(i, DOUBLINGS, lambda e: e // 2 + e // 3), N - 1))
    ],
    "products": lambda i: A[te.max(0, te.min(repeated(P[i], DOUBLINGS, lambda e: e * e), N - 1))],
    "largest": lambda i: A[
        te.max(0, te.min(repeated(P[i], DOUBLINGS, lambda e: te.max(e, e)), N - 1))
    ],
}


@pytest.mark.parametrize(("name", "vectorize"), each([*SHARED_EQUATIONS], [False, True]))
def test_shared_parts_are_met_once(name, vectorize):
    _, _, ops = lowered(SHARED_EQUATIONS[name], "memref", vectorize)
    assert ops < 100 * DOUBLINGS


def test_doubled_subscript_is_linear():
    b = te.compute((1,), lambda i: A[repeated(i, DOUBLINGS, lambda e: e + e)], name="B")
    module = teloom.lower(te.create_schedule(b), [A, b], level="te")
    assert f"%i * {2**DOUBLINGS}]" in str(module)


def test_coefficient_that_wraps_is_refused():
    b = te.compute((1,), lambda i: A[repeated(i, 70, lambda e: e + e)], name="B")
    words = rf"needs the number {2**63}, which does not fit into 64 bits"
    with pytest.raises(teloom.Error, match=words):
        te.create_schedule(b)


def stages(count, equation, margin=0):
    """A chain of `count` stages, the last and all but the last; each reads the one before."""
    found = [te.placeholder((64,), name="X")]
    for number in range(count):
        extent = 64 - margin * (number + 1)
        before = found[-1]
        found.append(te.compute((extent,), lambda i, x=before: equation(x, i), name=f"s{number}"))
    return found[0], found[1:-1], found[-1]


INLINED = {
    "twice the same": (lambda x, i: x[i] * x[i] + x[i], 0, 8),
    "the same": (lambda x, i: x[i] + x[i], 0, 25),
    "neighbours": (lambda x, i: x[i] + x[i + 1], 1, 16),
    "written otherwise": (lambda x, i: x[i + 1] + x[1 + i] + x[2 * i + 1 - i], 1, 16),
}


@pytest.mark.parametrize(("name", "order"), each([*INLINED], [1, -1]))
def test_inlined_reads_are_merged(name, order):
    equation, margin, count = INLINED[name]
    x, inner, last = stages(count, equation, margin)
    plain = te.create_schedule(last)
    s = te.create_schedule(last)
    for stage in inner[::order]:
        s[stage].compute_inline()
    module = teloom.lower(s, [x, last], level="loop")
    assert sum(1 for _ in module.walk()) < 2 * (count + 2) ** 2
    given = np.linspace(-0.5, 0.5, 64, dtype="float32")
    expected, out = (np.zeros(64 - margin * count, "float32") for _ in range(2))
    teloom.build(plain, [x, last])(given, expected)
    teloom.build(s, [x, last])(given, out)
    np.testing.assert_array_equal(out, expected)


def test_signs_of_zero_are_not_merged():
    """0.0 == -0.0, but 1 / x differs."""
    x = te.compute((N,), lambda i: te.select(A[i] > 0, te.const(0.0, "float32"), -0.0), name="X")
    y = te.compute((N,), lambda i: te.const(1.0, "float32") / x[i], name="Y")
    s = te.create_schedule(y)
    s[x].compute_inline()
    out = np.zeros(N, "float32")
    teloom.build(s, [A, y])(np.array([1, -1] * 4, "float32"), out)
    assert list(out) == [np.inf, -np.inf] * 4


TE = """\
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {{
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {{
    %v0 = te.read %A[{subscript}] : f32
{body}
    te.yield %v{last} : f32
  }}
  te.return %B : tensor<8xf32>
}}
"""


def te_text(subscript="%i", count=0):
    body = "\n".join(f"    %v{k + 1} = arith.addf %v{k}, %v0 : f32" for k in range(count))
    return TE.format(subscript=subscript, body=body, last=count)


SIZES = """\
func.func @f(%n: index, %x: f32, %C: memref<?xf32>) {{
  %s0 = arith.addi %n, %n : index
  %t0 = arith.addi %n, %n : index
{sizes}
  %b = memref.alloc(%s{last}) : memref<?xf32>
  loop.for %i = 0 to %n {{
    memref.store %x, %b[%i] : memref<?xf32>
  }}
  %c = memref.alloc(%t{last}) : memref<?xf32>
  loop.for %i = 0 to %n {{
    %v = memref.load %b[%i] : memref<?xf32>
    memref.store %v, %c[%i] : memref<?xf32>
  }}
  loop.for %i = 0 to %n {{
    %w = memref.load %c[%i] : memref<?xf32>
    memref.store %w, %C[%i] : memref<?xf32>
  }}
  memref.dealloc %b : memref<?xf32>
  memref.dealloc %c : memref<?xf32>
  func.return
}}
"""


def sizes_text(op, count=DOUBLINGS):
    """Two buffers of sizes that are computed alike, by `op` of a value with itself."""
    sizes = (
        f"  %{name}{k + 1} = arith.{op} %{name}{k}, %{name}{k} : index"
        for name in "st"
        for k in range(count)
    )
    return SIZES.format(sizes="\n".join(sizes), last=count)


@pytest.mark.parametrize(
    ("op", "passes", "count"),
    [
        *product(
            ("addi", "muli", "maxsi", "divsi"),
            ("buffer-reuse", "check-accesses", "lower-loops"),
            (DOUBLINGS,),
        ),
        ("addi", "buffer-reuse", 1500),
    ],
)
def test_sizes_by_shared_values(tmp_path, capsys, op, passes, count):
    file = tmp_path / "sizes.mlir"
    file.write_text(sizes_text(op, count))
    assert opt.main([str(file), "-p", passes]) == 0
    assert len(capsys.readouterr().out) < 10 * len(file.read_text())


LOOPS = "apply-schedule,infer-bounds,build-loops"


@pytest.mark.parametrize("passes", ["", LOOPS])
@pytest.mark.parametrize(
    "text",
    [te_text(count=DEEP), te_text("%i" + " + 1 - 1" * DEEP), te_text("%i" + " + %i - %i" * DEEP)],
)
def test_text_of_long_sums(tmp_path, capsys, passes, text):
    file = tmp_path / "deep.mlir"
    file.write_text(text)
    assert opt.main([str(file), *(["-p", passes] if passes else [])]) == 0
    assert len(capsys.readouterr().out) < 2 * len(text)


NESTED = {
    "parentheses": (te_text("(" * 150 + "%i" + ")" * 150), "nested more than 100 deep"),
    "signs": (te_text("- " * DEEP + "%i"), "nested more than 100 deep"),
    "divisions": (te_text("%i" + " floordiv 2" * DEEP), "too deeply"),
    "maps": (
        te_text().replace(
            "te.yield",
            f"%p = affine.apply affine_map<(d0) -> (d0{' + d0' * DEEP})>(%i)\n    te.yield",
        ),
        "too deeply",
    ),
    "branches": (
        te_text().replace(
            "te.yield", f"%c = arith.constant true\n{'scf.if %c {' * 1000}{'}' * 1000}\nte.yield"
        ),
        "too deeply",
    ),
}


@pytest.mark.parametrize("name", NESTED)
def test_what_xdsl_cannot_walk_is_one_line(tmp_path, capsys, name):
    sys.setrecursionlimit(sys.getrecursionlimit() + 60)  # 100 parentheses are not too many
    text, words = NESTED[name]
    file = tmp_path / "nested.mlir"
    file.write_text(text)
    assert opt.main([str(file)]) == 1
    first = capsys.readouterr().err.splitlines()[0]
    assert ": error: " in first
    assert words in first


def test_branches_in_one_another_are_refused_in_words():
    choice = repeated(A[0], 2000, lambda e: te.if_then_else(A[1] > 0, e, 0.0))
    b = te.compute((N,), lambda i: choice, name="B")
    with pytest.raises(teloom.Error, match="stand in one another too deeply"):
        te.create_schedule(b)
