"""Memory reports say how much there is, where each buffer lies, and when it is needed."""

import json
from itertools import combinations
from math import prod
from xml.etree import ElementTree

import pytest
from standard_kernels import parse

import teloom
from teloom import te
from teloom.analysis.memory.report import MemoryReport


def chain(extent, stages: int = 10, reverses: bool = True):
    """Stages of which each reads the one before, from its end: none is made in place."""
    tensor = A = te.placeholder((extent,), name="A")
    for k in range(stages):

        def body(i, of=tensor):
            return of[extent - 1 - i if reverses else i] + 1

        tensor = te.compute((extent,), body, name=f"S{k}")
    return te.create_schedule(tensor), [A, tensor]


def buffers(report: MemoryReport):
    return [
        (number, buffer)
        for number, one in enumerate(report.after.allocations)
        for buffer in one.buffers
    ]


def test_a_chain_needs_two_buffers():
    report = teloom.memory_report(*chain(1 << 20))
    assert report.before.peak() == 9 * 4 * 2**20
    assert report.after.peak() == 2 * 4 * 2**20
    assert sorted(buffer.name for _, buffer in buffers(report)) == [f"S{k}" for k in range(9)]


def test_a_chain_in_place_needs_one_buffer():
    report = teloom.memory_report(*chain(1 << 20, reverses=False))
    assert (report.before.peak(), report.after.peak()) == (9 * 4 * 2**20, 4 * 2**20)


def test_buffers_in_one_place_are_needed_at_other_times():
    for (place, one), (other_place, other) in combinations(
        buffers(teloom.memory_report(*chain(1 << 20))), 2
    ):
        assert place != other_place or one.last < other.first or other.last < one.first


def test_sizes_that_are_not_given_stay_expressions():
    report = teloom.memory_report(*chain(te.var("n"), 4))
    assert report.after.peak() is None
    assert "at most 3 * n * 4  at most 2 * n * 4" in report.text


@pytest.mark.parametrize("n", [0, 1, 1000])
def test_sizes_that_are_given(n: int):
    report = teloom.memory_report(*chain(te.var("n"), 4), sizes={"n": n})
    assert (report.before.peak(), report.after.peak()) == (12 * n, 8 * n)


@pytest.mark.parametrize("name", ["n", "n_1", "3"])
def test_sizes_are_given_by_their_vars_or_names(name: str):
    n, m, other = te.var(name), te.var("m"), te.var(name)
    A = te.placeholder((n, m, other), name="A")
    B = te.compute(A.shape, lambda *i: A(*i) + 1, name="B")
    C = te.compute(A.shape, lambda i, j, k: B[n - 1 - i, j, k], name="C")
    s = te.create_schedule(C)
    by_vars = teloom.memory_report(s, [A, C], sizes={n: 5, m: 3, other: 7})
    assert by_vars.before.peak() == 4 * 5 * 3 * 7
    assert teloom.memory_report(s, [A, C], sizes={name: 5, "m": 3}).before.peak() == 4 * 5 * 3 * 5
    assert teloom.memory_report(s, [A, C], sizes={n: 5}).before.peak() is None


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ({"m": 4}, "no size named m; there are: n"),
        ({te.var("n"): 4}, "no size named n; there are: n, of another te.var"),
        ({"N": 4}, "no size named N; did you mean 'n'?"),
        ({"n": -1}, "size n is -1; sizes go from 0 to 1099511627776"),
        ({"n": 2**41}, "size n is 2199023255552; sizes go from 0 to 1099511627776"),
        ({"n": "4"}, "size n must be an integer, got '4'"),
    ],
)
def test_refuses_sizes_that_are_none(sizes: dict, words: str):
    s, args = chain(te.var("n"), 4)
    with pytest.raises(teloom.Error) as error:
        teloom.memory_report(s, args, sizes=sizes)
    assert str(error.value).startswith(words)
    if ("n" in sizes and isinstance(sizes["n"], int)) or "m" in sizes:
        with pytest.raises(teloom.Error) as error:
            teloom.memory_report(teloom.lower(s, args, level="loop"), sizes=sizes)
        assert str(error.value).startswith(words)


def test_refuses_what_is_no_program():
    with pytest.raises(teloom.Error, match="wants a schedule or a module, got 3"):
        teloom.memory_report(3)  # type: ignore


@pytest.mark.parametrize("is_flat", [True, False])
@pytest.mark.parametrize("extents", [("n", "m"), ("n", "m", "n")])
def test_products_of_sizes(extents: tuple[str, ...], is_flat: bool):
    sizes = {name: te.var(name) for name in "nm"}
    shape = [sizes[extent] for extent in extents]
    A = te.placeholder(shape, name="A")
    B = te.compute(shape, lambda *i: A[i] + 1, name="B")
    C = te.compute(shape, lambda *i: B[i] + 1, name="C")
    s = te.create_schedule(C)
    if not is_flat:
        s[B].transform_layout(lambda i, *others: [i, te.AXIS_SEPARATOR, *others])
    said = " * ".join(extents)
    unknown, known = (teloom.memory_report(s, [A, C], sizes=v) for v in ({}, {"n": 5, "m": 7}))
    assert f"at most {said} * 4  at most {said} * 4" in unknown.text
    bytes = 4 * prod({"n": 5, "m": 7}[extent] for extent in extents)
    assert (known.before.peak(), known.after.peak()) == (bytes, bytes)


def test_a_size_with_gaps():
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n, m), name="A")
    B = te.compute((n, m), lambda i, j: A[i, j] + 1, name="B")
    C = te.compute((n, m), lambda i, j: B[i, m - 1 - j], name="C")
    s = te.create_schedule(C)
    s[B].storage_align(B.op.axis[0], 16, 1)
    assert teloom.memory_report(s, [A, C], sizes={"n": 8, "m": 5}).after.peak() == 8 * 17 * 4
    assert "?" not in teloom.memory_report(s, [A, C]).text.partition("buffer")[0]


def test_stack_and_heap_are_told_apart():
    report = teloom.memory_report(*chain(100, 2))
    assert report.after.kinds() == [("global", "stack")]
    assert report.after.peak(("global", "stack")) == 400


def test_the_target_says_how_large_the_stack_is():
    s, args = chain(100, 2)
    small = teloom.Target(stack_bytes=256)
    for report in (
        teloom.memory_report(s, args, target=small),
        teloom.memory_report(teloom.lower(s, args, level="loop"), target=small),
        teloom.memory_report(teloom.lower(s, args, level="loop", target=small)),
    ):
        assert report.after.kinds() == [("global", "heap")]


def test_views_have_offsets():
    module = parse("""
        func.func @f(%C: memref<8xf32>) {
          %storage = memref.alloc() : memref<128xi8>
          %start = arith.constant 64 : index
          %zero = arith.constant 0 : index
          %b = memref.view %storage[%start][] : memref<128xi8> to memref<8xf32>
          loop.for %i = 0 to 8 {
            %v = memref.load %b[%zero] : memref<8xf32>
            memref.store %v, %C[%i] : memref<8xf32>
          }
          memref.dealloc %storage : memref<128xi8>
          func.return
        }""")
    ((_, b),) = buffers(teloom.memory_report(module))
    assert (b.name, b.offset, b.bytes) == ("b", 64, 32)


def test_no_memory():
    report = teloom.memory_report(*chain(8, 1))
    assert (report.before.peak(), report.after.peak()) == (0, 0)
    assert report.svg().count("<rect") == 0


def test_json():
    said = json.loads(teloom.memory_report(*chain(1 << 20)).json())
    assert said["before"]["peak"] == 9 * 4 * 2**20
    assert said["after"]["allocations"][0]["buffers"][0]["name"] == "S0"


@pytest.mark.parametrize(
    ("extent", "sizes", "dashed"),
    [(1 << 20, {}, 0), (te.var("n"), {"n": 1000}, 0), (te.var("n"), {}, 2)],
)
def test_picture(extent, sizes: dict[str, int], dashed: int):
    report = teloom.memory_report(*chain(extent), sizes=sizes)
    picture = ElementTree.fromstring(report._repr_svg_())
    bars = picture.findall("{http://www.w3.org/2000/svg}rect")
    assert len(bars) == 2 + 9
    assert len([bar for bar in bars if bar.get("stroke-dasharray")]) == dashed
    for bar in bars:
        x, y, width, height = (float(bar.get(key, "")) for key in ("x", "y", "width", "height"))
        assert 0 <= x <= x + width <= 840
        assert height > 0
        assert 0 <= y <= y + height <= float(picture.get("height", ""))


def test_refuses_to_choose_a_function():
    module = parse("func.func @f() {\n func.return\n}\nfunc.func @g() {\n func.return\n}")
    with pytest.raises(
        teloom.Error,
        match="which function is meant must be said, by --entry or name=; there are: @f, @g",
    ):
        teloom.memory_report(module)
    assert teloom.memory_report(module, name="g").after.function == "g"
