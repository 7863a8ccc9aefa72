"""Arithmetic in machine code, against NumPy."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pytest
from budget import each
from standard_kernels import BF16, DTYPES, run, run_all

import teloom
from teloom.backend.machine import cpus

LANES = [0, 1, 8]


def typed(text: str, type: str, lanes: int) -> str:
    return f"{text} : {f'vector<{lanes}x{type}>' if lanes else type}"


def assert_same(actual: np.ndarray, expected: np.ndarray, what: str = "") -> None:
    """Equal, NaN with NaN; in f64, because NumPy knows no NaN of bf16."""
    assert actual.dtype == expected.dtype
    if actual.dtype == BF16:
        actual, expected = actual.astype("float64"), expected.astype("float64")
    np.testing.assert_array_equal(actual, expected, what)


def binary(ops: Iterable[str], type: str, lanes: int) -> list[str]:
    """The bodies of `run_all` for operations on two operands."""
    return [typed(f"%r = arith.{op} %x0, %x1", type, lanes) for op in ops]


def integers(type: str, seed: int = 0) -> np.ndarray:
    dtype = DTYPES[type]
    info = np.iinfo(dtype)
    chosen = [info.min + 1, info.max, 0, 1, -1, 2, -2, 7, -7, 64]
    drawn = np.random.default_rng(seed).integers(-100, 100, 54)
    return np.concatenate([np.array(chosen), drawn]).astype(dtype)


def floats(type: str, seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed).standard_normal(64) * 10
    values[:6] = [0.0, -0.0, 1.0, -1.0, np.inf, np.nan]
    return values.astype(DTYPES[type])


def check_operations(
    operations: Mapping[str, Callable], draw: Callable[..., np.ndarray], type: str, lanes: int
) -> None:
    """Each operation gives what its reference gives, of drawn numbers and of others backwards."""
    a, b = draw(type), draw(type, 1)[::-1].copy()
    results = run_all(binary(operations, type, lanes), [(type, a), (type, b)], type, lanes)
    for (op, reference), r in zip(operations.items(), results, strict=True):
        with np.errstate(all="ignore"):
            assert_same(r, reference(a, b), op)


INTEGER_OPERATIONS = {
    "addi": np.add,
    "subi": np.subtract,
    "muli": np.multiply,
    "andi": np.bitwise_and,
    "ori": np.bitwise_or,
    "xori": np.bitwise_xor,
    "minsi": np.minimum,
    "maxsi": np.maximum,
}


@pytest.mark.parametrize(("type", "lanes"), each(["i8", "i16", "i32", "i64"], LANES))
def test_integer_operations_wrap_as_numpy_does(type, lanes):
    check_operations(INTEGER_OPERATIONS, integers, type, lanes)


SIGNED_DIVISIONS = ["divsi", "remsi", "floordivsi", "ceildivsi"]


@pytest.mark.parametrize(("type", "lanes"), each(["i8", "i32", "i64"], LANES))
def test_signed_division_rounds_as_named(type, lanes):
    a, b = integers(type), integers(type, 1)
    b[b == 0] = 3
    exact = [int(x) // int(y) for x, y in zip(a, b, strict=True)]
    rest = [int(x) - q * int(y) for x, y, q in zip(a, b, exact, strict=True)]
    up = [q + (m != 0) for q, m in zip(exact, rest, strict=True)]
    negative = [(int(x) < 0) != (int(y) < 0) for x, y in zip(a, b, strict=True)]
    towards_zero = [u if n else q for q, u, n in zip(exact, up, negative, strict=True)]
    expected = {
        "floordivsi": exact,
        "ceildivsi": up,
        "divsi": towards_zero,
        "remsi": [int(x) - q * int(y) for x, y, q in zip(a, b, towards_zero, strict=True)],
    }
    bodies = binary(SIGNED_DIVISIONS, type, lanes)
    results = run_all(bodies, [(type, a), (type, b)], type, lanes)
    for op, r in zip(SIGNED_DIVISIONS, results, strict=True):
        np.testing.assert_array_equal(r, expected[op], op)


def quotients(a: np.ndarray, b: np.ndarray) -> dict[str, np.ndarray]:
    """Quotients and remainders as NumPy has them: 0 by 0, and MIN by -1 wraps."""
    rest = np.fmod(a, b)
    floored = np.floor_divide(a, b)
    return {
        "div": (a - rest) // b,
        "rem": rest,
        "floordiv": floored,
        "ceildiv": floored + (np.remainder(a, b) != 0),
    }


@pytest.mark.parametrize(("type", "lanes"), each(["i8", "i16", "i32", "i64"], LANES))
def test_every_divisor_has_a_quotient(type, lanes):
    info = np.iinfo(DTYPES[type])
    ends = np.array([info.min, info.min + 1, -1, 0, 1, 2, 5, info.max], DTYPES[type])
    a, b = np.repeat(ends, 8), np.tile(ends, 8)
    unsigned = a.dtype.str.replace("i", "u")
    ops = [*SIGNED_DIVISIONS, "divui", "remui", "ceildivui"]
    results = run_all(binary(ops, type, lanes), [(type, a), (type, b)], type, lanes)
    for op, r in zip(ops, results, strict=True):
        given = (a.view(unsigned), b.view(unsigned)) if op.endswith("ui") else (a, b)
        np.testing.assert_array_equal(r, quotients(*given)[op[:-2]].view(a.dtype), op)


@pytest.mark.parametrize(("divisor", "lanes"), each([0, -1, 1, 8, 7, -8], LANES))
def test_every_constant_divisor_has_a_quotient(divisor, lanes):
    a = np.concatenate([integers("i32"), np.full(8, -(2**31), "int32")])
    value = f"dense<{divisor}> : vector<{lanes}xi32>" if lanes else f"{divisor} : i32"
    bodies = [
        f"%c = arith.constant {value}\n{typed(f'%r = arith.{op} %x0, %c', 'i32', lanes)}"
        for op in SIGNED_DIVISIONS
    ]
    expected = quotients(a, np.full_like(a, divisor))
    for op, r in zip(SIGNED_DIVISIONS, run_all(bodies, [("i32", a)], "i32", lanes), strict=True):
        np.testing.assert_array_equal(r, expected[op[:-2]], op)


def test_index_divisions_have_a_quotient_for_every_divisor():
    a = np.array([7, -7, 7, 2**63 - 1, -(2**63), -(2**63)], "int64")
    b = np.array([2, 2, 0, -1, -1, 0], "int64")
    bodies = [
        f"""%i0 = arith.index_cast %x0 : i64 to index
            %i1 = arith.index_cast %x1 : i64 to index
            %q = arith.{op} %i0, %i1 : index
            %r = arith.index_cast %q : index to i64"""
        for op in SIGNED_DIVISIONS
    ]
    results = run_all(bodies, [("i64", a), ("i64", b)], "i64", 0)
    for op, r in zip(SIGNED_DIVISIONS, results, strict=True):
        np.testing.assert_array_equal(r, quotients(a, b)[op[:-2]], op)


def test_floor_division_by_a_constant_power_of_two_rounds_down():
    a = integers("i32")
    body = "%c = arith.constant 8 : i32\n%r = arith.floordivsi %x0, %c : i32"
    np.testing.assert_array_equal(run(body, [("i32", a)], "i32", 0), a // 8)


UNSIGNED_OPERATIONS = {
    "divui": lambda a, b: a // b,
    "remui": lambda a, b: a % b,
    "ceildivui": lambda a, b: a // b + (a % b != 0),
    "minui": np.minimum,
    "maxui": np.maximum,
}


def test_unsigned_operations_read_the_bits_without_a_sign():
    a, b = integers("i32"), integers("i32", 1)
    b[b == 0] = 3
    bodies = binary(UNSIGNED_OPERATIONS, "i32", 0)
    results = run_all(bodies, [("i32", a), ("i32", b)], "i32", 0)
    a, b = a.view("uint32"), b.view("uint32")
    for (op, expected), r in zip(UNSIGNED_OPERATIONS.items(), results, strict=True):
        np.testing.assert_array_equal(r.view("uint32"), expected(a, b), op)


@pytest.mark.parametrize("lanes", LANES)
def test_shifts(lanes):
    a = integers("i32")
    by = (np.arange(64) % 32).astype("int32")
    shifted = {
        "shli": a << by,
        "shrsi": a >> by,
        "shrui": (a.view("uint32") >> by.view("uint32")).view("int32"),
    }
    results = run_all(binary(shifted, "i32", lanes), [("i32", a), ("i32", by)], "i32", lanes)
    for (op, expected), r in zip(shifted.items(), results, strict=True):
        np.testing.assert_array_equal(r, expected, op)


FLOAT_OPERATIONS = {
    "addf": np.add,
    "subf": np.subtract,
    "mulf": np.multiply,
    "divf": np.divide,
}


@pytest.mark.parametrize(("type", "lanes"), each(["f16", "bf16", "f32", "f64"], LANES))
def test_float_operations_round_once(type, lanes):
    # NumPy and ml_dtypes also compute short floats in f32 and round once.
    check_operations(FLOAT_OPERATIONS, floats, type, lanes)


SELECTIONS = {
    "maximumf": np.maximum,
    "minimumf": np.minimum,
    "maxnumf": np.fmax,
    "minnumf": np.fmin,
}


@pytest.mark.parametrize("type", ["f16", "bf16", "f32", "f64"])
def test_float_selections_treat_nan_as_named(type):
    a, b = floats(type), floats(type, 1)[::-1].copy()
    results = run_all(binary(SELECTIONS, type, 0), [(type, a), (type, b)], type, 0)
    for (op, reference), r in zip(SELECTIONS.items(), results, strict=True):
        assert_same(r, reference(a, b), op)


@pytest.mark.parametrize("type", ["f16", "bf16", "f32", "f64"])
def test_negation_flips_the_sign_of_zero_too(type):
    a = floats(type)
    r = run(f"%r = arith.negf %x0 : {type}", [(type, a)], type, 0)
    np.testing.assert_array_equal(np.signbit(r), ~np.signbit(a))


ORDERED = {
    "eq": np.equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lt": np.less,
    "le": np.less_equal,
}


def compared(predicate: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """What `arith.cmpf` says of numbers in f64."""
    unordered = np.isnan(a) | np.isnan(b)
    match predicate:
        case "false" | "true":
            return np.full(64, predicate == "true")
        case "ord" | "uno":
            return unordered == (predicate == "uno")
        case "one" | "une":
            return (a != b) & (~unordered if predicate == "one" else True)
    return ORDERED[predicate[1:]](a, b) | (unordered & (predicate[0] == "u"))


@pytest.mark.parametrize(("type", "lanes"), each(["bf16", "f32", "f64"], [0, 8]))
def test_float_comparisons(type, lanes):
    predicates = "false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true".split()
    a, b = floats(type), np.roll(floats(type), 1)
    a[10:20] = b[10:20]
    bodies = binary([f"cmpf {predicate}," for predicate in predicates], type, lanes)
    results = run_all(bodies, [(type, a), (type, b)], "i1", lanes)
    a, b = a.astype("float64"), b.astype("float64")
    for predicate, r in zip(predicates, results, strict=True):
        np.testing.assert_array_equal(r, compared(predicate, a, b), predicate)


INTEGER_COMPARISONS = {
    "eq": (np.equal, "int32"),
    "ne": (np.not_equal, "int32"),
    "slt": (np.less, "int32"),
    "sle": (np.less_equal, "int32"),
    "sgt": (np.greater, "int32"),
    "sge": (np.greater_equal, "int32"),
    "ult": (np.less, "uint32"),
    "ule": (np.less_equal, "uint32"),
    "ugt": (np.greater, "uint32"),
    "uge": (np.greater_equal, "uint32"),
}


@pytest.mark.parametrize("lanes", [0, 8])
def test_integer_comparisons(lanes):
    a, b = integers("i32"), np.roll(integers("i32"), 3)
    bodies = binary([f"cmpi {predicate}," for predicate in INTEGER_COMPARISONS], "i32", lanes)
    results = run_all(bodies, [("i32", a), ("i32", b)], "i1", lanes)
    for (predicate, (of, dtype)), r in zip(INTEGER_COMPARISONS.items(), results, strict=True):
        np.testing.assert_array_equal(r, of(a.view(dtype), b.view(dtype)), predicate)


@pytest.mark.parametrize("lanes", LANES)
def test_select_takes_one_of_two_values(lanes):
    a, b = floats("f32"), floats("f32", 1)
    truth = f"vector<{lanes}xi1>, " if lanes else ""
    body = "\n".join(
        (
            typed("%m = arith.cmpf ogt, %x0, %x1", "f32", lanes),
            f"%r = arith.select %m, %x0, %x1 : {truth}{typed('', 'f32', lanes)[3:]}",
        )
    )
    r = run(body, [("f32", a), ("f32", b)], "f32", lanes)
    np.testing.assert_array_equal(r, np.where(a > b, a, b))


FLOATS = ["f16", "bf16", "f32", "f64"]


RESIZED_FLOATS = [
    (a, b, op)
    for i, narrow in enumerate(FLOATS)
    for wide in FLOATS[max(i + 1, 2) :]
    for a, b, op in ((narrow, wide, "extf"), (wide, narrow, "truncf"))
]
OTHER_CASTS = [
    *(("i32", b, "sitofp") for b in FLOATS),
    *((a, "i32", "fptosi") for a in FLOATS),
    ("i8", "i64", "extsi"),
    ("i64", "i16", "trunci"),
    ("i1", "i32", "extui"),
]


def operand_of_cast(source: str, op: str) -> np.ndarray:
    values = floats(source) if source in FLOATS else integers("i8" if source == "i1" else source)
    if op == "fptosi":
        values = np.nan_to_num(values.astype("float64"), posinf=9, nan=-9)
    return values.astype(DTYPES[source])


@pytest.mark.parametrize(("cast", "lanes"), each(RESIZED_FLOATS, LANES))
def test_floats_change_their_width(cast, lanes):
    source, target, op = cast
    a = operand_of_cast(source, op)
    wrap = f"vector<{lanes}x{{}}>" if lanes else "{}"
    body = f"%r = arith.{op} %x0 : {wrap.format(source)} to {wrap.format(target)}"
    with np.errstate(all="ignore"):
        assert_same(run(body, [(source, a)], target, lanes), a.astype(DTYPES[target]))


@pytest.mark.parametrize(("cast", "lanes"), each(OTHER_CASTS, LANES))
def test_numbers_change_their_kind(cast, lanes):
    source, target, op = cast
    a = operand_of_cast(source, op)
    wrap = f"vector<{lanes}x{{}}>" if lanes else "{}"
    body = f"%r = arith.{op} %x0 : {wrap.format(source)} to {wrap.format(target)}"
    assert_same(run(body, [(source, a)], target, lanes), a.astype(DTYPES[target]))


@pytest.mark.parametrize("target", FLOATS)
def test_unsigned_integers_become_floats_and_come_back(target):
    a = np.abs(integers("i8").astype("int16")).astype("uint8")
    r = run(f"%r = arith.uitofp %x0 : i8 to {target}", [("i8", a.view("int8"))], target, 0)
    assert_same(r, a.astype(DTYPES[target]))
    back = run(f"%r = arith.fptoui %x0 : {target} to i8", [(target, r)], "i8", 0)
    np.testing.assert_array_equal(back.view("uint8"), a)


def test_bfloat_rounds_every_f32_pattern_as_ml_dtypes_does():
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 2**32, 2**16, dtype="uint32")
    bits[:4] = [1, 0x00018000, 0x7F7FFFFF, 0x7F800001]
    a = bits.view("float32")
    r = run("%r = arith.truncf %x0 : vector<16xf32> to vector<16xbf16>", [("f32", a)], "bf16", 16)
    with np.errstate(all="ignore"):
        expected = a.astype(BF16)
    number = ~np.isnan(a)
    np.testing.assert_array_equal(r.view("uint16")[number], expected.view("uint16")[number])
    assert np.isnan(r[~number].astype("float32")).all()


def test_bitcast_keeps_the_bits():
    a = floats("f32")
    r = run("%r = arith.bitcast %x0 : f32 to i32", [("f32", a)], "i32", 0)
    np.testing.assert_array_equal(r, a.view("int32"))


@pytest.mark.parametrize(
    ("lanes", "type", "cast"), each(LANES, ["i8", "i32", "i64"], ["index_cast", "index_castui"])
)
def test_index_casts_keep_the_sign_or_extend_by_zeros(lanes, type, cast):
    a = integers(type)
    narrow, index, wide = (
        f"vector<{lanes}x{one}>" if lanes else one for one in (type, "index", "i64")
    )
    body = f"""%once = arith.{cast} %x0 : {narrow} to {index}
        %back = arith.{cast} %once : {index} to {narrow}
        %j = arith.{cast} %back : {narrow} to {index}
        %r = arith.{cast} %j : {index} to {wide}"""
    expected = a.view(a.dtype.str.replace("i", "u")) if cast == "index_castui" else a
    found = run(body, [(type, a)], "i64", lanes)
    np.testing.assert_array_equal(found, expected.astype("int64"))


def test_lanes_of_more_than_64_bits_have_constants():
    kernel = teloom.compile("""
    func.func @f(%A: memref<8xi64>) {
      %far = arith.constant 1180591620717411303424 : i128
      %68 = arith.constant 68 : i128
      %2 = arith.constant 2 : i128
      loop.for %i = 0 to 8 vectorized {
        %a = memref.load %A[%i] : memref<8xi64>
        %wide = arith.extsi %a : i64 to i128
        %sum = arith.addi %wide, %far : i128
        %high = arith.shrui %sum, %68 : i128
        %square = math.ipowi %high, %2 : i128
        %r = arith.trunci %square : i128 to i64
        memref.store %r, %A[%i] : memref<8xi64>
      }
      func.return
    }
    """)
    a = np.array([0, 1, 2, 3, -1, -2, -3, -4])
    expected = np.where(a < 0, 3**2, 4**2)  # 2^70 is 4 * 2^68
    kernel(a)
    np.testing.assert_array_equal(a, expected)


def test_a_product_and_a_sum_are_contracted_where_the_machine_does_both():
    a = np.array([1 + 2.0**-12], "float32")
    body = "%p = arith.mulf %x0, %x0 : f32\n%r = arith.subf %p, %x1 : f32"
    r = run(body, [("f32", a), ("f32", a * a)], "f32", 0)
    here = cpus.asked()
    fused = "+fma" in here.features.split(",") or here.architecture == "aarch64"
    exact = float(a[0]) ** 2 - float((a * a)[0])
    assert r[0] == (np.float32(exact) if fused else 0)
