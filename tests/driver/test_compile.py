"""IR of any level as a function, the user's passes among ours, and options of passes."""

import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from budget import each
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, ModuleOp
from xdsl.passes import ModulePass

import teloom
from teloom import te

LEVELS = ["te", "schedule", "loop", "memref", "standard", "llvm"]


@dataclass(frozen=True)
class BiggerPass(ModulePass):
    """Every constant of f32 is `by` more: what nobody would do, but everybody sees."""

    name = "bigger"
    by: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for constant in op.walk():
            if isinstance(constant, arith.ConstantOp) and isinstance(constant.value, FloatAttr):
                old = constant.value
                constant.properties["value"] = FloatAttr(old.value.data + self.by, old.type)


@dataclass(frozen=True)
class ExactPass(ModulePass):
    """Needs a number."""

    name = "exact"
    by: int

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


def schedule(shape=(5, 7)):
    A = te.placeholder(shape, name="A")
    B = te.compute(shape, lambda i, j: A[i, j] * 2, name="B")
    C = te.compute(shape, lambda i, j: B[i, j] + 1, name="C")
    s = te.create_schedule(C)
    s[B].compute_at(s[C], C.op.axis[0])
    s[C].vectorize(s[C].split(C.op.axis[1], factor=4)[1])
    return s, [A, C]


def called(function, shape=(5, 7)) -> np.ndarray:
    a, c = np.arange(35, dtype="float32").reshape(shape), np.zeros(shape, "float32")
    function(a, c)
    return c - 2 * a


@pytest.mark.parametrize(
    ("as_text", "level"), [*((False, level) for level in LEVELS), (True, "te"), (True, "llvm")]
)
def test_every_level(as_text: bool, level: str):
    """`test_sizes_are_found_from_arrays` has the text of each."""
    module = teloom.lower(*schedule(), name="f", level=level)
    text = str(module)
    function = teloom.compile(text if as_text else module)
    assert (called(function) == 1).all()
    assert str(module) == text
    assert function.name == "f"
    assert "llvm.func" in function.source("llvm")


@pytest.mark.parametrize("level", LEVELS)
def test_sizes_are_found_from_arrays(level: str):
    module = teloom.lower(*schedule((te.var("n"), 7)), name="f", level=level)
    assert (called(teloom.compile(str(module))) == 1).all()


@pytest.mark.parametrize(
    ("level", "shape"),
    [
        ("loop", lambda n, m: (5, 5, n)),
        ("memref", lambda n, m: (n, n)),
        ("loop", lambda n, m: (n, m, 3)),
        ("memref", lambda n, m: (2, n, m, n)),
        *((level, lambda n, m: (n + 1, m * 2)) for level in ("loop", "memref")),
    ],
)
def test_parallel_loops_over_sizes_are_taken_back(level: str, shape):
    A = te.placeholder(shape(te.var("n"), te.var("m")), name="A")
    B = te.compute(A.shape, lambda *indices: te.exp(A[indices]), name="B")
    s = te.create_schedule(B)
    te.auto_schedule(s, num_threads=2)
    text = str(teloom.lower(s, [A, B], name="f", level=level))
    assert "parallel" in text
    a = np.random.default_rng(0).random(shape(6, 4), "float32")
    b = np.zeros_like(a)
    teloom.compile(text)(a, b)
    np.testing.assert_allclose(b, np.exp(a), rtol=1e-6)


@pytest.mark.parametrize("level", ["te", *LEVELS[2:]])
def test_how_a_function_is_called_stays(level: str):
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n,), "uint8", name="A")
    C = te.compute((n,), lambda i: A[i] + m.astype("uint8"), name="C")
    s = te.create_schedule(C)
    text = str(teloom.lower(s, [C, m, A], name="f", level=level))
    f = teloom.compile(text)
    c = np.zeros(6, "uint8")
    f(c, 250, np.arange(6, dtype="uint8"))
    assert (c == np.arange(250, 256)).all()
    with pytest.raises(teloom.CallError, match=r"f: argument A has dtype int8, expected uint8"):
        f(c, 250, np.arange(6, dtype="int8"))


def test_strides_stay():
    A = te.placeholder((3, 4), name="A")
    C = te.compute((3, 4), lambda i, j: A[i, j] + 1, name="C")
    columns = te.decl_buffer((3, 4), name="Ab", strides=[1, 3])
    s = te.create_schedule(C)
    f = teloom.compile(str(teloom.lower(s, [A, C], level="standard", binds={A: columns})))
    a, c = np.arange(12, dtype="float32").reshape(4, 3).T, np.zeros((3, 4), "float32")
    f(a, c)
    assert (c == a + 1).all()


SIGNED = """
llvm.func @f(%a: !llvm.ptr) -> i32 attributes {te.signature = SIGNATURE} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}
"""
ONE = '{name = "A", dtype = "float32", shape = affine_map<() -> (4)>}'
SQUARE = (
    '{arrays = [{name = "A", dtype = "float32", shape = affine_map<() -> (10)>, '
    'layout = affine_map<(i, j) -> (i, j)>, packed = "left"}]}'
)


@pytest.mark.parametrize(
    ("signature", "words"),
    [
        (f"{{arrays = [{ONE}, {ONE}]}}", "f has 0 sizes and 2 arrays, the function 0 and 1"),
        (f'{{sizes = ["n"], arrays = [{ONE}]}}', "1 sizes and 1 arrays, the function 0 and 1"),
        ('{arrays = [{name = "A"}]}', "te.signature of f is {arrays = [{name = "),
        ('"f"', 'te.signature of f is "f", which is no signature'),
        (SQUARE, 'packed = "left"}]}, which is no signature'),
        (SQUARE.replace('"left"', '"lower"').replace("(10)", "()"), "which is no signature"),
        (SQUARE.replace(' = "left"', ""), "packed}]}, which is no signature"),
        (SQUARE.replace("(i, j)>", "(i floordiv 0, j)>"), "which is no signature"),
        (f"{{arrays = [{ONE}], order = array<i64: 1>}}", "the order of f is [1]; it must name "),
    ],
)
def test_what_is_no_signature(signature: str, words: str):
    with pytest.raises(teloom.Error) as error:
        teloom.compile(SIGNED.replace("SIGNATURE", signature))
    assert words in str(error.value)


def test_machine_code_is_not_checked():
    text = SIGNED.replace("SIGNATURE", f"{{arrays = [{ONE}]}}")
    with pytest.raises(teloom.CallError, match=r"^sanitize=memory needs IR of level standard or "):
        teloom.compile(text, sanitize="memory")


@pytest.mark.parametrize(
    ("level", "given"),
    each(LEVELS[:4], [BiggerPass, BiggerPass(by=2), [BiggerPass(), BiggerPass]]),
)
def test_passes_of_the_users(level: str, given):
    by = sum(getattr(one, "by", 1) for one in (given if isinstance(given, list) else [given]))
    s, args = schedule()
    function = teloom.build(s, args, passes={level: given})
    # Both constants: 2 and 1.
    a = np.ones((5, 7), "float32")
    c = np.zeros_like(a)
    function(a, c)
    assert (c == 2 + 1 + 2 * by).all()
    again = pickle.loads(pickle.dumps(function))
    again(a, c)
    assert (c == 2 + 1 + 2 * by).all()
    other = teloom.compile(teloom.lower(s, args, level="te"), passes={level: given})
    other(a, c)
    assert (c == 2 + 1 + 2 * by).all()


def test_passes_by_name():
    s, args = schedule()
    plain = teloom.lower(s, args, level="standard")
    simpler = teloom.lower(s, args, level="standard", passes={"standard": ["canonicalize", "cse"]})
    assert len(str(simpler)) < len(str(plain))
    assert (called(teloom.build(s, args, passes={"standard": "canonicalize,cse"})) == 1).all()


def test_options_of_passes():
    told = {"vectorize-loops": {"bytes": 16}}
    A = te.placeholder((64,), name="A")
    C = te.compute((64,), lambda i: A[i] + 1, name="C")
    s = te.create_schedule(C)
    s[C].vectorize(C.op.axis[0])
    assert "vector<4xf32>" in str(teloom.lower(s, [A, C], level="standard", options=told))
    assert "vector<4xf32>" in teloom.build(s, [A, C], options=told).source("standard")
    module = teloom.lower(s, [A, C], level="te")
    assert "vector<4xf32>" in teloom.compile(module, options=told).source("standard")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"passes": {"lop": ["cse"]}}, "no level 'lop'; levels: te, schedule, loop, memref, "),
        ({"passes": {"loop": ["css"]}}, "passes: no pass named 'css'; did you mean 'cse'?"),
        ({"passes": {"loop": [3]}}, "3 is no pass; a pass is a text such as 'cse', a class, an "),
        ({"passes": {"loop": {"cse": {}}}}, "{'cse': {}} is no list of passes; options are in tex"),
        ({"passes": {"loop": None}}, "None is no pass; a pass is a text such as 'cse', a class, "),
        ({"passes": {"loop": 3}}, "3 is no pass; a pass is a text such as 'cse', a class, an obj"),
        (
            {"passes": {"loop": ExactPass}},
            "cannot make the pass ExactPass: TypeError: ExactPass.__init__() missing 1 required "
            "positional argument: 'by'; give an object",
        ),
        ({"options": {"vectorise-loops": {}}}, "no pass 'vectorise-loops' has options"),
        (
            {"options": {"convert-memref-to-ptr": {"lower_func": True}}},
            "options are those of Teloom's own passes; those of 'convert-memref-to-ptr' are "
            "written with it: passes={'LEVEL': 'convert-memref-to-ptr{option=value}'}",
        ),
        ({"options": {"vectorize-loops": {"byte": 3}}}, "no option of vectorize-loops named byte"),
        (
            {"passes": ["cse"]},
            "passes is ['cse']; it has passes by level, such as {'loop': ['cse']}",
        ),
        (
            {"options": ["a"]},
            "options is ['a']; it has options by pass, such as {'vectorize-loops'",
        ),
        ({"options": {"dce": "a=3"}}, "the options of 'dce' are 'a=3'; they are a dict, such as"),
        (
            {"options": {"vectorize-loops": {"bytes": "x"}}},
            "option bytes of vectorize-loops is 'x'; it is of type int | None",
        ),
    ],
)
def test_what_there_is_not(asked, words: str):
    s, args = schedule()
    module = teloom.lower(s, args, level="loop")
    for make in (
        lambda: teloom.compile(module, **asked),
        lambda: teloom.build(s, args, **asked),
        lambda: teloom.lower(s, args, **asked),
    ):
        with pytest.raises(teloom.Error) as error:
            make()
        assert words in str(error.value)


TWO = """
func.func @f(%a: memref<4xf32>) {
  func.return
}
func.func @g(%a: memref<4xf32>) {
  func.return
}
"""

UNORDERED = """
func.func @f(%a: memref<4xi32>) {
  %i = arith.constant 0 : index
  %x = arith.constant 0 : i32
  memref.store %x, %a[%i] : memref<4xi32>
  func.return
}
"""


SCHEDULED = """te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %0 = te.read %A[%i] : f32
    te.yield %0 : f32
  }
  te.return %B : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  %outer, %inner = schedule.split %i factor 4
}
"""


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (3, "3 is no module; give a builtin.module, or its text"),
        ("func.func @f(", "text:1:"),
        (TWO, "which function is meant must be said, by --entry or name=; there are: @"),
        ("builtin.module {\n}", "the IR has no function with a body"),
        ("", "the IR has no function with a body"),
        ("shift.mlir", "'shift.mlir' looks like a path; give the text of the file"),
        ("func.func @f() {\n  func.retrun\n}", "text:2:3: error: no operation named 'func.retrun'"),
        ("func.func @f() {\n  memref.dealloc %a : memref<f32>\n}", "text:2:18: error: value %a"),
        (SCHEDULED.replace("factor 4", "factor 0"), "split of axis i by factor 0"),
        (SCHEDULED.replace("[%i]", "[%i + 9]"), 'text:3: stage "B" at [7] reads A[16]'),
        ("llvm.func @f() {\n  llvm.return\n}", "@f is an llvm.func, which does not say what its "),
    ],
)
def test_what_is_no_module_to_compile(given, words: str):
    with pytest.raises(teloom.Error) as error:
        teloom.compile(given)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_ir_that_does_not_verify_is_refused():
    module = teloom.compile(UNORDERED)._program.module.clone()
    store = next(op for op in module.walk() if op.name == "memref.store")
    index = next(op for op in module.walk() if op.name == "arith.constant")
    index.detach()
    store.parent.insert_op_after(index, store)
    with pytest.raises(teloom.Error, match=r"memref.store uses %i, which is not defined there"):
        teloom.compile(module)


def test_functions_that_others_call_are_not_meant():
    text = """func.func private @twice(%x: f32) -> f32 {
  %0 = arith.addf %x, %x : f32
  func.return %0 : f32
}
func.func @f(%a: memref<4xf32>) {
  loop.for %i = 0 to 4 {
    %0 = memref.load %a[%i] : memref<4xf32>
    %1 = func.call @twice(%0) : (f32) -> f32
    memref.store %1, %a[%i] : memref<4xf32>
  }
  func.return
}
"""
    teloom.compile(text)(a := np.arange(4, dtype="float32"))
    np.testing.assert_array_equal(a, [0, 2, 4, 6])
