"""Every op on numbers means in C what it means in LLVM, also at the ends of its type."""

import re
from itertools import product

import numpy as np
import pytest
from budget import chosen, each
from c_functions import call, library, needs_compiler
from standard_kernels import DTYPES, compile_standard, elementwise_text, parse

from teloom.backend.c.source import VECTOR_FORMS, c_source
from teloom.backend.machine.generators import AS_WRITTEN

pytestmark = needs_compiler

BINARY = (
    "addi subi muli divsi divui remsi remui floordivsi ceildivsi ceildivui "
    "minsi maxsi minui maxui andi ori xori"
).split()
SHIFTS = "shli shrui shrsi".split()
INTEGER_TESTS = "eq ne slt sle sgt sge ult ule ugt uge".split()
FLOATS = ["f16", "f32", "bf16", "f64"]
FLOAT_TESTS = "oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno".split()


def corners(bits: int) -> list[int]:
    least, most = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    return [least, least + 1, -7, -2, -1, 0, 1, 2, 3, 5, most - 1, most]


def pairs(type: str) -> list[np.ndarray]:
    """All pairs of the ends of an integer type, of 0 and of numbers around it."""
    both = np.array(list(product(corners(int(type[1:])), repeat=2)), DTYPES[type])
    return [np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])]


def float_pairs(type: str) -> list[np.ndarray]:
    tiny, most = {"f32": (1e-45, 3e38), "f64": (5e-324, 1e308)}.get(type, (6e-8, 6e4))
    ends = [0.0, -0.0, 1.0, -1.5, 2.5, 0.1, -3.25, tiny, most, -most, np.inf, -np.inf, np.nan]
    both = np.array(list(product(ends, repeat=2)))[:168].astype(DTYPES[type])
    return [np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])]


def agrees(
    bodies: list[str], inputs: list[str], output: str, arrays: list[np.ndarray], *forms: str
) -> None:
    """Each body, on numbers and on vectors: one source in C for each form, one kernel of LLVM."""
    scalar, lanes = ([typed(one, count) for one in bodies] for count in (0, 4))
    both = parse(
        elementwise_text(scalar, inputs, output, 0, "scalar")
        + elementwise_text(lanes, inputs, output, 4, "lanes")
    )
    known = [np.zeros(len(arrays[0]), DTYPES[output]) for _ in bodies]
    alone = both.clone()
    for function in [*alone.ops][1:]:
        function.detach()
    compile_standard(alone, effort=AS_WRITTEN)(*arrays, *known)
    for form in forms:
        found = library(c_source(both.clone(), form))
        for name in ("scalar", "lanes"):
            results = [np.zeros(len(arrays[0]), DTYPES[output]) for _ in bodies]
            assert call(found, name, [len(arrays[0])], [*arrays, *results]) == 0
            for body, result, expected in zip(bodies, results, known, strict=True):
                where = f"{body} in {name}, {form}"
                np.testing.assert_array_equal(bits(result), bits(expected), where)


def typed(body: str, lanes: int) -> str:
    """A body on numbers, or on vectors.

    In it stand types as `<i32>`, those of a select as `<i1?i32>`, and constants as `<3 i32>`.
    """

    def written(found: re.Match[str]) -> str:
        constant, is_choice, type = found.groups()
        vector = f"vector<{lanes}x{type}>" if lanes else type
        if constant:
            return f"arith.constant {f'dense<{constant}>' if lanes else constant} : {vector}"
        return f"vector<{lanes}xi1>, {vector}" if is_choice and lanes else vector

    return re.sub(r"<(?:(-?[\w.]+) )?(i1\?)?(\w+)>", written, body)


def bits(values: np.ndarray) -> np.ndarray:
    """What is compared: a NaN is like any other."""
    if values.dtype.kind in "iub":
        return values
    whole = values.view(f"u{values.itemsize}").copy()
    whole[np.isnan(values.astype("float64"))] = 1
    return whole


@pytest.mark.parametrize(("type", "form"), each(["i8", "i16", "i32", "i64"], VECTOR_FORMS))
def test_integers(type: str, form: str):
    width = int(type[1:])
    bodies = [f"%r = arith.{op} %x0, %x1 : <{type}>" for op in BINARY]
    for op in SHIFTS:
        masked = f"%k = <{width - 1} {type}>\n%m = arith.andi %x1, %k : <{type}>\n"
        bodies.append(f"{masked}%r = arith.{op} %x0, %m : <{type}>")
        bodies.append(f"%k = <3 {type}>\n%r = arith.{op} %x0, %k : <{type}>")
    for op, number in product(BINARY[2:10], (-3, -1, 0, 3, 8)):
        bodies.append(f"%k = <{number} {type}>\n%r = arith.{op} %x0, %k : <{type}>")
    for test in INTEGER_TESTS:
        compared = f"%c = arith.cmpi {test}, %x0, %x1 : <{type}>\n"
        bodies.append(f"{compared}%r = arith.select %c, %x0, %x1 : <i1?{type}>")
        bodies.append(f"{compared}%r = arith.extui %c : <i1> to <{type}>")
    bodies += [f"%r = math.{op} %x0 : <{type}>" for op in ("absi", "ctlz", "cttz", "ctpop")]
    bodies.append(f"%r = math.ipowi %x0, %x1 : <{type}>")
    bodies.append(
        f"%0 = arith.muli %x0, %x1 : <{type}>\n%1 = arith.subi %0, %x1 : <{type}>\n"
        f"%2 = arith.divsi %1, %x0 : <{type}>\n%r = arith.addi %2, %0 : <{type}>"
    )
    agrees(bodies, [type, type], type, pairs(type), form)


def test_truth_values():
    arrays = [np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)]
    bodies = [f"%r = arith.{op} %x0, %x1 : <i1>" for op in BINARY]
    bodies += [f"%r = arith.cmpi {test}, %x0, %x1 : <i1>" for test in INTEGER_TESTS]
    bodies += ["%k = <1 i1>\n%r = arith.xori %x0, %k : <i1>"]
    bodies += ["%r = arith.select %x0, %x1, %x0 : <i1?i1>"]
    agrees(bodies, ["i1", "i1"], "i1", arrays, *VECTOR_FORMS)
    shifted = [f"%k = <0 i1>\n%s = arith.{op} %x0, %k : <i1>\n" for op in SHIFTS]
    widened = [f"{one}%r = arith.extsi %s : <i1> to <i8>" for one in shifted]
    agrees(widened, ["i1"], "i8", arrays[:1], *VECTOR_FORMS)


def test_a_number_and_itself():
    bodies = [
        f"%c = arith.cmpi {test}, %x0, %x0 : <i32>\n%r = arith.extui %c : <i1> to <i32>"
        for test in INTEGER_TESTS
    ]
    agrees(bodies, ["i32"], "i32", [np.arange(-3, 9, dtype="int32")], *VECTOR_FORMS)


@pytest.mark.parametrize(
    ("type", "form"), each(chosen(["i1", "i8", "i64"], ["i1", "i8"]), VECTOR_FORMS, turn=1)
)
def test_conversions_of_integers(type: str, form: str):
    values = np.array([0, 1], bool) if type == "i1" else np.array(corners(int(type[1:])))
    arrays = [np.resize(values, 12).astype(DTYPES[type])]
    for target in ("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"):
        bodies = []
        if target[0] in "fb":
            bodies = [
                f"%r = arith.{op} %x0 : <{type}> to <{target}>" for op in ("sitofp", "uitofp")
            ]
        elif int(target[1:]) > int(type[1:]):
            bodies = [f"%r = arith.{op} %x0 : <{type}> to <{target}>" for op in ("extsi", "extui")]
        elif int(target[1:]) < int(type[1:]):
            bodies = [f"%r = arith.trunci %x0 : <{type}> to <{target}>"]
        if bodies:
            agrees(bodies, [type], target, arrays, form)


@pytest.mark.parametrize(("type", "form"), each(["i1", "i8", "i64"], VECTOR_FORMS))
def test_indices_of_integers(type: str, form: str):
    values = np.array([0, 1], bool) if type == "i1" else np.array(corners(int(type[1:])))
    casts = f"%whole = arith.index_cast{{0}} %x0 : <{type}> to <index>\n"
    casts += "%r = arith.index_cast{0} %whole : <index> to <i32>"
    arrays = [np.resize(values, 12).astype(DTYPES[type])]
    agrees([casts.format(sign) for sign in ("", "ui")], [type], "i32", arrays, form)


@pytest.mark.parametrize(
    ("type", "form"), each(chosen(FLOATS, ["f16", "f32", "bf16"]), VECTOR_FORMS)
)
def test_floats(type: str, form: str):
    arithmetic = "addf subf mulf divf maximumf minimumf".split()
    bodies = [f"%r = arith.{op} %x0, %x1 : <{type}>" for op in arithmetic]
    bodies += [f"%r = arith.negf %x0 : <{type}>", f"%r = math.absf %x0 : <{type}>"]
    bodies += [f"%k = <-0.0 {type}>\n%r = arith.addf %x0, %k : <{type}>"]
    bodies += [f"%k = <0.1 {type}>\n%r = arith.mulf %k, %x0 : <{type}>"]
    for test in FLOAT_TESTS:
        compared = f"%c = arith.cmpf {test}, %x0, %x1 : <{type}>\n"
        bodies.append(f"{compared}%r = arith.select %c, %x0, %x1 : <i1?{type}>")
        bodies.append(f"{compared}%r = arith.uitofp %c : <i1> to <{type}>")
    functions = "ceil copysign floor round roundeven sqrt trunc exp log sin tanh atan2 powf".split()
    for op in functions:
        operands = "%x0, %x1" if op in ("copysign", "atan2", "powf") else "%x0"
        bodies.append(f"%r = math.{op} {operands} : <{type}>")
    agrees(bodies, [type, type], type, float_pairs(type), form)


@pytest.mark.parametrize(("type", "form"), each(chosen(FLOATS, ["bf16", "f64"]), VECTOR_FORMS))
def test_conversions_of_floats(type: str, form: str):
    wide = np.array(
        [0.0, -0.0, 1.5, -2.5, 1e-8, 65504.0, 65520.0, 1 / 3, 1e30, -1e-40, np.inf, np.nan]
    )
    arrays = [wide.astype(DTYPES[type])]
    for target in {"f16", "bf16", "f32", "f64"} - {type}:
        op = "extf" if DTYPES[target].itemsize > DTYPES[type].itemsize else "truncf"
        if DTYPES[target].itemsize != DTYPES[type].itemsize:
            agrees([f"%r = arith.{op} %x0 : <{type}> to <{target}>"], [type], target, arrays, form)
    inside = [np.resize([0.0, -0.9, 1.5, 2.9, 100.0, 126.5], 12).astype(DTYPES[type])]
    for target in ("i8", "i16", "i32", "i64"):
        ops = ("fptosi", "fptoui")
        bodies = [f"%r = arith.{op} %x0 : <{type}> to <{target}>" for op in ops]
        agrees(bodies, [type], target, inside, form)
    same = f"i{8 * DTYPES[type].itemsize}"
    agrees([f"%r = arith.bitcast %x0 : <{type}> to <{same}>"], [type], same, inside, form)
