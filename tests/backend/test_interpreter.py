"""The reference interpreter against NumPy and against numbers worked out by hand."""

import math

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from teloom.backend.interpreter.equations import InterpretError, interpret
from teloom.errors import CallError

MATMUL = """
te.func @mm(%n: index, %m: index, %l: index,
            %A: tensor<?x?xT>[%n, %l], %B: tensor<?x?xT>[%l, %m]) -> (tensor<?x?xT>) {
  %C = te.compute "C" (%i = %n, %j = %m) reduce (%k = %l) : tensor<?x?xT> {
    %a = te.read %A[%i, %k] : S
    %b = te.read %B[%k, %j] : S
    %p = arith.MUL %a, %b : S
    te.yield %p : S
  } combine (%x: S, %y: S) identity [ZERO : S] {
    %s = arith.ADD %x, %y : S
    te.yield %s : S
  }
  te.return %C : tensor<?x?xT>
}
"""


@pytest.fixture
def module_of(ctx):
    def parse(text: str) -> ModuleOp:
        module = Parser(ctx, text).parse_module()
        module.verify()
        return module

    return parse


@pytest.fixture
def pointwise(module_of):
    """Runs scalar operations that map %0, %1, ... to %r over equally long arrays."""

    def run(body: str, types: list[str], result: str, *arrays) -> np.ndarray:
        count = len(arrays[0])
        arguments = ", ".join(f"%A{k}: tensor<{count}x{t}>" for k, t in enumerate(types))
        reads = "\n".join(
            f"%{k} = te.read %A{k}[%i] : {t.replace('ui', 'i')}" for k, t in enumerate(types)
        )
        tensor = f"tensor<{count}x{result}>"
        module = module_of(f"""
        te.func @f({arguments}) -> ({tensor}) {{
          %R = te.compute "R" (%i = {count}) : {tensor} {{
            {reads}
            {body}
            te.yield %r : {result.replace("ui", "i")}
          }}
          te.return %R : {tensor}
        }}""")
        return interpret(module, "f", arrays)[0]

    return run


def random_array(shape, dtype):
    rng = np.random.default_rng(0)
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0, 100, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("sizes", [(1, 1, 1), (7, 7, 7), (13, 3, 5), (0, 3, 2), (3, 0, 2)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "int8"])
def test_matmul_agrees_with_numpy(module_of, sizes, dtype):
    n, m, k = sizes
    integer = np.dtype(dtype).kind in "iu"
    storage = dtype.replace("uint", "ui").replace("int", "i").replace("float", "f")
    words = {
        "xT": f"x{storage}",
        ": S": f": {storage.replace('ui', 'i')}",
        "MUL": "muli" if integer else "mulf",
        "ADD": "addi" if integer else "addf",
        "ZERO": "0" if integer else "0.0",
    }
    text = MATMUL
    for word, replacement in words.items():
        text = text.replace(word, replacement)
    a, b = random_array((n, k), dtype), random_array((k, m), dtype)
    (c,) = interpret(module_of(text), "mm", [a, b], sizes)
    assert c.dtype == dtype
    if integer:
        np.testing.assert_array_equal(c, a @ b)
    else:
        np.testing.assert_allclose(c, a @ b, rtol=1e-5, atol=1e-6)


def test_a_reduction_of_nothing_is_its_identity(module_of):
    module = module_of(MATMUL.replace("ZERO", "3.0").replace("MUL", "mulf").replace("ADD", "addf")
                       .replace("xT", "xf32").replace(": S", ": f32"))  # fmt: skip
    empty = np.zeros((2, 0), np.float32), np.zeros((0, 2), np.float32)
    (c,) = interpret(module, "mm", empty, (2, 2, 0))
    np.testing.assert_array_equal(c, np.full((2, 2), 3.0))
    assert c.flags.writeable


def test_a_fold_is_lexicographic_and_starts_at_init(module_of):
    # acc * 10 + digit spells the order in which the points are visited.
    module = module_of("""
    te.func @f(%A: tensor<2x3xi64>) -> (tensor<2xi64>) {
      %R = te.compute "R" (%i = 2) reduce (%k = 2, %l = 1 to 3) : tensor<2xi64> {
        %a = te.read %A[%k, %l] : i64
        te.yield %a : i64
      } combine (%x: i64, %y: i64) identity [0 : i64] {
        %ten = arith.constant 10 : i64
        %t = arith.muli %x, %ten : i64
        %s = arith.addi %t, %y : i64
        te.yield %s : i64
      } init (%q) {
        %c = arith.constant 7 : i64
        %v = arith.index_cast %q : index to i64
        %s = arith.addi %c, %v : i64
        te.yield %s : i64
      }
      te.return %R : tensor<2xi64>
    }""")
    (result,) = interpret(module, "f", [np.arange(6).reshape(2, 3)])
    np.testing.assert_array_equal(result, [71245, 81245])


def test_argmax_is_a_reduction_of_pairs(module_of):
    module = module_of("""
    te.func @f(%A: tensor<5x7xf32>) -> (tensor<5xi32>, tensor<5xf32>) {
      %I, %V = te.compute "M" (%i = 5) reduce (%k = 7) : tensor<5xi32>, tensor<5xf32> {
        %a = te.read %A[%i, %k] : f32
        %n = arith.index_cast %k : index to i32
        te.yield %n, %a : i32, f32
      } combine (%i0: i32, %v0: f32, %i1: i32, %v1: f32)
          identity [-1 : i32, 0xFF800000 : f32] {
        %keep = arith.cmpf oge, %v0, %v1 : f32
        %i = arith.select %keep, %i0, %i1 : i32
        %v = arith.select %keep, %v0, %v1 : f32
        te.yield %i, %v : i32, f32
      }
      te.return %I, %V : tensor<5xi32>, tensor<5xf32>
    }""")
    a = random_array((5, 7), np.float32)
    a[2] = 1.0  # a tie: the first wins
    indices, values = interpret(module, "f", [a])
    np.testing.assert_array_equal(indices, a.argmax(1))
    np.testing.assert_array_equal(values, a.max(1))


def test_stages_read_each_other_at_affine_subscripts(module_of):
    module = module_of("""
    te.func @f(%n: index, %A: tensor<?xf64>[%n * 2 + 2]) -> (tensor<?xf64>) {
      %B = te.compute "B" (%i = %n * 2 + 1) : tensor<?xf64> {
        %0 = te.read %A[%i] : f64
        %1 = te.read %A[%i + 1] : f64
        %2 = arith.addf %0, %1 : f64
        te.yield %2 : f64
      }
      %C = te.compute "C" (%i = %n) : tensor<?xf64> {
        %0 = te.read %B[%i * 2 - %i mod 2] : f64
        te.yield %0 : f64
      }
      te.return %C : tensor<?xf64>
    }""")
    a = random_array(12, np.float64)
    b = a[1:] + a[:-1]
    (c,) = interpret(module, "f", [a], [5])
    np.testing.assert_array_equal(c, b[[0, 1, 4, 5, 8]])


def test_a_scalar_stage_and_a_strided_argument(module_of):
    module = module_of("""
    te.func @f(%A: tensor<3x2xf32>) -> (tensor<f32>, tensor<3x2xf32>) {
      %R = te.compute "R" () reduce (%i = 3, %j = 2) : tensor<f32> {
        %0 = te.read %A[%i, %j] : f32
        te.yield %0 : f32
      } combine (%x: f32, %y: f32) identity [0.0 : f32] {
        %0 = arith.addf %x, %y : f32
        te.yield %0 : f32
      }
      %S = te.compute "S" (%i = 3, %j = 2) : tensor<3x2xf32> {
        %0 = te.read %R[] : f32
        te.yield %0 : f32
      }
      te.return %R, %S : tensor<f32>, tensor<3x2xf32>
    }""")
    a = np.arange(24, dtype=np.float32).reshape(4, 6)[::-1][:3, ::3]
    total, everywhere = interpret(module, "f", [a])
    assert total.shape == ()
    assert total == a.sum()
    np.testing.assert_array_equal(everywhere, np.full((3, 2), a.sum()))


def test_only_the_taken_branch_is_evaluated(module_of):
    # Padding by a guarded read, around a division that only some points may do.
    module = module_of("""
    te.func @f(%A: tensor<4xi32>) -> (tensor<6xi32>) {
      %R = te.compute "R" (%i = 6) : tensor<6xi32> {
        %j = affine.apply affine_map<(d0) -> (d0 - 1)> (%i)
        %zero = arith.constant 0 : index
        %four = arith.constant 4 : index
        %low = arith.cmpi sge, %j, %zero : index
        %high = arith.cmpi slt, %j, %four : index
        %inside = arith.andi %low, %high : i1
        %r = scf.if %inside -> (i32) {
          %a = te.read %A[%j] : i32
          %none = arith.constant 0 : i32
          %is = arith.cmpi eq, %a, %none : i32
          %q = scf.if %is -> (i32) {
            scf.yield %none : i32
          } else {
            %hundred = arith.constant 100 : i32
            %d = arith.divsi %hundred, %a : i32
            scf.yield %d : i32
          }
          scf.yield %q : i32
        } else {
          %outside = arith.constant -1 : i32
          scf.yield %outside : i32
        }
        te.yield %r : i32
      }
      te.return %R : tensor<6xi32>
    }""")
    (result,) = interpret(module, "f", [np.array([7, 0, -3, 0], np.int32)])
    np.testing.assert_array_equal(result, [-1, 14, 0, -33, 0, -1])


def test_a_gather_takes_its_row_from_a_tensor(module_of):
    module = module_of("""
    te.func @f(%A: tensor<9x4xf32>, %B: tensor<5xui8>) -> (tensor<5x4xf32>) {
      %G = te.compute "G" (%i = 5, %j = 4) : tensor<5x4xf32> {
        %b = te.read %B[%i] : i8
        %w = arith.extui %b : i8 to i64
        %row = arith.index_cast %w : i64 to index
        %a = te.read %A[%row - 192, %j] : f32
        te.yield %a : f32
      }
      te.return %G : tensor<5x4xf32>
    }""")
    a = random_array((9, 4), np.float32)
    rows = np.array([0, 8, 3, 3, 1])
    (result,) = interpret(module, "f", [a, (rows + 192).astype(np.uint8)])
    np.testing.assert_array_equal(result, a[rows])


@pytest.mark.parametrize("row", [0, 1, 4, 5])
def test_a_promise_is_checked(module_of, row):
    module = module_of("""
    te.func @f(%A: tensor<9xf32>, %B: tensor<1xi32>) -> (tensor<1xf32>) {
      %G = te.compute "G" (%i = 1) : tensor<1xf32> {
        %b = te.read %B[%i] : i32
        %near = arith.index_cast %b : i32 to index
        %row = te.bounded %near in %i + 1 to %i + 5
        %a = te.read %A[%row] : f32
        te.yield %a : f32
      }
      te.return %G : tensor<1xf32>
    }""")
    a, rows = random_array((9,), np.float32), np.array([row], np.int32)
    if 1 <= row < 5:
        (result,) = interpret(module, "f", [a, rows])
        np.testing.assert_array_equal(result, a[rows])
        return
    words = f'near is {row}, outside the bounds 1 to 5 that te.bounded promises, in stage "G"'
    with pytest.raises(InterpretError, match=words):
        interpret(module, "f", [a, rows])


INT8 = np.array([-128, -100, -7, -1, 0, 1, 7, 100, 127], np.int8)
PAIRS = [(int(x), int(y)) for x in INT8 for y in INT8]


def wrapped(value: int) -> int:
    return (value + 128) % 256 - 128


INTEGER_MEANINGS = {
    "addi": lambda x, y: x + y,
    "subi": lambda x, y: x - y,
    "muli": lambda x, y: x * y,
    "andi": lambda x, y: x & y,
    "ori": lambda x, y: x | y,
    "xori": lambda x, y: x ^ y,
    "minsi": min,
    "maxsi": max,
    "minui": lambda x, y: min(x % 256, y % 256),
    "maxui": lambda x, y: max(x % 256, y % 256),
    "divsi": lambda x, y: int(x / y),
    "remsi": lambda x, y: x - y * int(x / y),
    "floordivsi": lambda x, y: x // y,
    "ceildivsi": lambda x, y: -(-x // y),
    "divui": lambda x, y: x % 256 // (y % 256),
    "remui": lambda x, y: x % 256 % (y % 256),
    "ceildivui": lambda x, y: -(-(x % 256) // (y % 256)),
    "shli": lambda x, y: x << y,
    "shrsi": lambda x, y: x >> y,
    "shrui": lambda x, y: (x % 256) >> y,
}


@pytest.mark.parametrize("name", INTEGER_MEANINGS)
def test_integer_arithmetic(pointwise, name):
    pairs = PAIRS
    if "div" in name or "rem" in name:
        pairs = [(x, y) for x, y in PAIRS if y != 0 and (x, y) != (-128, -1)]
    if "sh" in name:
        pairs = [(x, y) for x, y in PAIRS if 0 <= y < 8]
    expected = [wrapped(INTEGER_MEANINGS[name](x, y)) for x, y in pairs]
    x, y = np.array(pairs, np.int8).T
    result = pointwise(f"%r = arith.{name} %0, %1 : i8", ["i8", "i8"], "i8", x, y)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize(
    ("predicate", "meaning"),
    [
        ("eq", lambda x, y: x == y),
        ("ne", lambda x, y: x != y),
        ("slt", lambda x, y: x < y),
        ("sle", lambda x, y: x <= y),
        ("sgt", lambda x, y: x > y),
        ("sge", lambda x, y: x >= y),
        ("ult", lambda x, y: x % 256 < y % 256),
        ("ule", lambda x, y: x % 256 <= y % 256),
        ("ugt", lambda x, y: x % 256 > y % 256),
        ("uge", lambda x, y: x % 256 >= y % 256),
    ],
)
def test_integer_comparison(pointwise, predicate, meaning):
    x, y = np.array(PAIRS, np.int8).T
    result = pointwise(f"%r = arith.cmpi {predicate}, %0, %1 : i8", ["i8", "i8"], "i1", x, y)
    np.testing.assert_array_equal(result, [meaning(x, y) for x, y in PAIRS])


@pytest.mark.parametrize(
    ("predicate", "accepted"),
    [
        ("false", ""),
        ("oeq", "="),
        ("ogt", ">"),
        ("oge", ">="),
        ("olt", "<"),
        ("ole", "<="),
        ("one", "<>"),
        ("ord", "<=>"),
        ("ueq", "=?"),
        ("ugt", ">?"),
        ("uge", ">=?"),
        ("ult", "<?"),
        ("ule", "<=?"),
        ("une", "<>?"),
        ("uno", "?"),
        ("true", "<=>?"),
    ],
)
def test_float_comparison(pointwise, predicate, accepted):
    pairs = {"<": (1.0, 2.0), "=": (2.0, 2.0), ">": (3.0, 2.0), "?": (math.nan, 2.0)}
    x, y = np.array(list(pairs.values()), np.float32).T
    result = pointwise(f"%r = arith.cmpf {predicate}, %0, %1 : f32", ["f32", "f32"], "i1", x, y)
    assert "".join(relation for relation, yes in zip(pairs, result, strict=True) if yes) == "".join(
        relation for relation in pairs if relation in accepted
    )


@pytest.mark.parametrize(
    ("cast", "source", "target", "values", "expected"),
    [
        ("extsi", "i8", "i32", [-1, 5], [-1, 5]),
        ("extui", "ui8", "i32", [255, 5], [255, 5]),
        ("extsi", "i1", "i8", [False, True], [0, -1]),
        ("extui", "i1", "i8", [False, True], [0, 1]),
        ("trunci", "i32", "i8", [300, -129], [44, 127]),
        ("index_cast", "i8", "index", [-1, 5], [-1, 5]),
        ("index_castui", "ui8", "index", [255, 5], [255, 5]),
        ("trunci", "i32", "i1", [2, 3], [False, True]),
        ("sitofp", "i8", "f32", [-3, 4], [-3.0, 4.0]),
        ("uitofp", "ui8", "f64", [253, 4], [253.0, 4.0]),
        ("uitofp", "i1", "f32", [False, True], [0.0, 1.0]),
        ("fptosi", "f32", "i32", [-2.9, 2.9], [-2, 2]),
        ("fptoui", "f32", "ui8", [200.7, 0.2], [200, 0]),
        ("extf", "f16", "f32", [0.5, 65504.0], [0.5, 65504.0]),
        ("truncf", "f64", "f32", [0.1, 1e300], [np.float32(0.1), np.inf]),
        ("truncf", "f32", "bf16", [1.00390625, 3.0], [1.0, 3.0]),
        ("bitcast", "f32", "i32", [1.0, -0.0], [0x3F800000, -(2**31)]),
    ],
)
def test_cast(pointwise, cast, source, target, values, expected):
    dtypes = {"i1": np.bool_, "ui8": np.uint8, "bf16": ml_dtypes.bfloat16}
    of = {**dtypes, **{f"i{n}": f"int{n}" for n in (8, 32)}}
    of |= {f"f{n}": f"float{n}" for n in (16, 32, 64)} | {"index": "int64"}
    types = f"{source} to {target}".replace("ui", "i")
    array = np.array(values, of[source])
    result = pointwise(f"%r = arith.{cast} %0 : {types}", [source], target, array)
    assert result.dtype == of[target]
    np.testing.assert_array_equal(result, np.array(expected, of[target]))


MATH = {
    "absf": abs,
    "acos": lambda x: math.acos(x / 4),
    "asin": lambda x: math.asin(x / 4),
    "atan": math.atan,
    "acosh": lambda x: math.acosh(x + 1),
    "asinh": math.asinh,
    "atanh": lambda x: math.atanh(x / 4),
    "cbrt": lambda x: math.copysign(abs(x) ** (1 / 3), x),
    "ceil": math.ceil,
    "cos": math.cos,
    "cosh": math.cosh,
    "erf": math.erf,
    "exp": math.exp,
    "exp2": lambda x: 2**x,
    "expm1": math.expm1,
    "floor": math.floor,
    "log": math.log,
    "log10": math.log10,
    "log1p": math.log1p,
    "log2": math.log2,
    "round": lambda x: math.floor(x + 0.5),
    "roundeven": round,
    "rsqrt": lambda x: x**-0.5,
    "sin": math.sin,
    "sinh": math.sinh,
    "sqrt": math.sqrt,
    "tan": math.tan,
    "tanh": math.tanh,
    "trunc": math.trunc,
}
SCALED = {"acos": "0.25", "asin": "0.25", "atanh": "0.25"}


@pytest.mark.parametrize("name", MATH)
@pytest.mark.parametrize("bits", [32, 64])
def test_math_function(pointwise, name, bits):
    type = f"f{bits}"
    values = np.array([0.25, 0.5, 1.5, 2.5, 3.0], f"float{bits}")
    argument = "%0"
    prepare = ""
    if name in SCALED:
        prepare = f"%c = arith.constant {SCALED[name]} : {type}\n%x = arith.mulf %0, %c : {type}\n"
        argument = "%x"
    if name == "acosh":
        prepare = f"%c = arith.constant 1.0 : {type}\n%x = arith.addf %0, %c : {type}\n"
        argument = "%x"
    result = pointwise(f"{prepare}%r = math.{name} {argument} : {type}", [type], type, values)
    assert result.dtype == values.dtype
    expected = [MATH[name](float(x)) for x in values]
    np.testing.assert_allclose(result, expected, rtol=1e-6 if bits == 32 else 1e-14)


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("arith.divf %0, %1 : f32", [np.inf, -0.5, np.nan]),
        ("arith.maximumf %0, %1 : f32", [1.0, 2.0, np.nan]),
        ("arith.minnumf %0, %1 : f32", [0.0, -1.0, 3.0]),
        ("llvm.frem %0, %1 : f32", [np.nan, -1.0, np.nan]),
        ("math.copysign %0, %1 : f32", [1.0, 1.0, np.nan]),
        ("math.powf %0, %1 : f32", [1.0, 1.0, np.nan]),
    ],
)
def test_float_corners(pointwise, operation, expected):
    x, y = np.array([[1.0, 0.0], [-1.0, 2.0], [np.nan, 3.0]], np.float32).T
    result = pointwise(f"%r = {operation}", ["f32", "f32"], "f32", x, y)
    np.testing.assert_array_equal(result, np.array(expected, np.float32))


def test_narrow_floats_are_storage_and_round_after_each_operation(pointwise):
    for type, dtype in (("f16", np.float16), ("bf16", ml_dtypes.bfloat16)):
        x, y = (random_array(50, np.float32) + k for k in (0, 1))
        x, y = x.astype(dtype), y.astype(dtype)
        body = f"%p = arith.mulf %0, %1 : {type}\n%r = arith.addf %p, %1 : {type}"
        result = pointwise(body, [type, type], type, x, y)
        product = (x.astype(np.float32) * y.astype(np.float32)).astype(dtype)
        expected = (product.astype(np.float32) + y.astype(np.float32)).astype(dtype)
        np.testing.assert_array_equal(result, expected)


def test_booleans_are_one_bit_integers(pointwise):
    x, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.bool_).T
    for name, expected in (("addi", x ^ y), ("muli", x & y), ("maxui", x | y), ("minsi", x | y)):
        result = pointwise(f"%r = arith.{name} %0, %1 : i1", ["i1", "i1"], "i1", x, y)
        np.testing.assert_array_equal(result, expected)


def test_counting_bits(pointwise):
    values = np.array([0, 1, 80, -1], np.int8)
    for name, expected in (
        ("ctlz", [8, 7, 1, 0]),
        ("cttz", [8, 0, 4, 0]),
        ("ctpop", [0, 1, 2, 8]),
        ("absi", [0, 1, 80, 1]),
    ):
        result = pointwise(f"%r = math.{name} %0 : i8", ["i8"], "i8", values)
        np.testing.assert_array_equal(result, expected, name)


def test_the_bits_of_a_truth_value_are_not_counted(pointwise):
    with pytest.raises(InterpretError, match="does not count the bits of an i1"):
        pointwise("%r = math.ctlz %0 : i1", ["i1"], "i1", np.zeros(1, np.bool_))


def test_integer_powers(pointwise):
    x, n = np.array([[3, 4], [-2, 3], [2, -1], [-1, -3], [1, -2], [7, 0]], np.int32).T
    result = pointwise("%r = math.ipowi %0, %1 : i32", ["i32", "i32"], "i32", x, n)
    np.testing.assert_array_equal(result, [81, -8, 0, -1, 1, 1])


def test_integer_products_in_two_halves(module_of):
    module = module_of("""
    te.func @f(%A: tensor<3xi8>) -> (tensor<3xi8>, tensor<3xi8>, tensor<3xi8>) {
      %L, %S, %U = te.compute "R" (%i = 3) : tensor<3xi8>, tensor<3xi8>, tensor<3xi8> {
        %a = te.read %A[%i] : i8
        %l, %s = arith.mulsi_extended %a, %a : i8
        %l2, %u = arith.mului_extended %a, %a : i8
        te.yield %l, %s, %u : i8, i8, i8
      }
      te.return %L, %S, %U : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>
    }""")
    low, signed, unsigned = interpret(module, "f", [np.array([-3, 100, 2], np.int8)])
    np.testing.assert_array_equal(low, [9, wrapped(10000), 4])
    np.testing.assert_array_equal(signed, [0, 10000 >> 8, 0])
    np.testing.assert_array_equal(unsigned, [wrapped(253 * 253 >> 8), 10000 >> 8, 0])


COPY = """
te.func @f(%n: index, %A: tensor<?x4xf32>[%n, 4]) -> (tensor<?x3xf32>) {
  %C = te.compute "C" (%i = %n, %j = 3) : tensor<?x3xf32> {
    %a = te.read %A[%i, %j + 2] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<?x3xf32>
}
"""


def test_a_read_outside_names_stage_point_and_subscript(module_of):
    with pytest.raises(InterpretError) as error:
        interpret(module_of(COPY), "f", [np.zeros((2, 4), np.float32)], [2])
    assert str(error.value) == (
        'subscript 1 of %A is 4, outside its extent 4, in stage "C" at %i = 0, %j = 2'
    )
    assert error.value.op is not None
    assert error.value.op.name == "te.read"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("divsi", [0, 0, 0, -128]),
        ("floordivsi", [0, 0, 0, -128]),
        ("ceildivsi", [0, 0, 0, -128]),
        ("divui", [0, 0, 0, 0]),
        ("ceildivui", [0, 0, 0, 1]),
        ("remsi", [0, 0, 0, 0]),
        ("remui", [0, 0, 0, -128]),
    ],
)
def test_a_division_has_a_result_for_every_divisor(pointwise, name, expected):
    x, y = np.array([4, -3, -128, -128], np.int8), np.array([0, 0, 0, -1], np.int8)
    r = pointwise(f"%r = arith.{name} %0, %1 : i8", ["i8", "i8"], "i8", x, y)
    np.testing.assert_array_equal(r, np.array(expected, np.int8))


def test_an_operation_without_a_meaning_is_refused(pointwise):
    with pytest.raises(InterpretError, match=r"the interpreter knows no operation test\.op"):
        pointwise('%r = "test.op"(%0) : (f32) -> f32', ["f32"], "f32", np.zeros(1, np.float32))


@pytest.mark.parametrize(
    ("entry", "array", "sizes", "message"),
    [
        ("g", np.zeros((2, 4), np.float32), [2], "no te.func @g; those of this module: @f"),
        ("f", np.zeros((2, 4), np.float32), [], "@f takes 1 sizes, got 0"),
        ("f", np.zeros((2, 4), np.float32), [-1], "size %n is -1, which is negative"),
        ("f", np.zeros((2, 5), np.float32), [2], r"%A has shape \(2, 5\), expected \(2, 4\)"),
        ("f", np.zeros((2, 4), np.float64), [2], "%A has dtype float64, expected float32"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(module_of, entry, array, sizes, message):
    with pytest.raises(CallError, match=message):
        interpret(module_of(COPY), entry, [array], sizes)


def test_an_extent_below_0_counts_as_0(module_of):
    shorter = module_of("""
      te.func @f(%n: index, %A: tensor<?xf32>[%n - 2]) -> (tensor<?xf32>) {
        %B = te.compute "B" (%i = %n - 2) : tensor<?xf32> {
          %a = te.read %A[%i] : f32
          te.yield %a : f32
        }
        te.return %B : tensor<?xf32>
      }
    """)
    for n in (0, 2, 5):
        (found,) = interpret(shorter, "f", [np.ones(max(0, n - 2), np.float32)], [n])
        assert found.shape == (max(0, n - 2),)


def test_another_number_of_tensors_is_refused(module_of):
    with pytest.raises(CallError, match="@f takes 1 tensors, got 0"):
        interpret(module_of(COPY), "f", [], [2])
