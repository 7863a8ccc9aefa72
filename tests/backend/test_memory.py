"""Buffers, loops, branches and vectors in machine code."""

import os
from pathlib import Path

import numpy as np
import pytest
from standard_kernels import compile_text, parse

import teloom
from teloom.errors import OutOfMemoryError, PassError
from teloom.passes.llvm.lower_to_llvm import lower_to_llvm

SIZES = [0, 1, 7, 16, 33]


@pytest.mark.parametrize(
    ("type", "dtype"),
    [
        ("i1", "bool"),
        ("i8", "int8"),
        ("i16", "int16"),
        ("i32", "int32"),
        ("i64", "int64"),
        ("index", "int64"),
        ("f16", "float16"),
        ("f32", "float32"),
        ("f64", "float64"),
    ],
)
def test_every_element_type_is_copied_through_a_temporary_buffer(type, dtype):
    kernel = compile_text(f"""
        func.func @copy(%n: index, %A: memref<?x{type}> {{llvm.readonly}}, %B: memref<?x{type}>) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %T = memref.alloc(%n) : memref<?x{type}>
          scf.for %i = %c0 to %n step %c1 {{
            %a = memref.load %A[%i] : memref<?x{type}>
            memref.store %a, %T[%i] : memref<?x{type}>
          }}
          scf.for %i = %c0 to %n step %c1 {{
            %a = memref.load %T[%i] : memref<?x{type}>
            memref.store %a, %B[%i] : memref<?x{type}>
          }}
          memref.dealloc %T : memref<?x{type}>
          func.return
        }}""")
    for n in SIZES:
        a = (np.random.default_rng(0).integers(0, 2, n) * 3).astype(dtype)
        kernel(n, a, b := np.zeros_like(a))
        np.testing.assert_array_equal(a, b)


def test_booleans_in_memory_are_zero_or_one():
    kernel = compile_text("""
        func.func @flags(%A: memref<4xi8> {llvm.readonly}, %B: memref<4xi1>) {
          %c0 = arith.constant 0 : index
          %z = arith.constant dense<0> : vector<4xi8>
          %a = vector.load %A[%c0] : memref<4xi8>, vector<4xi8>
          %t = llvm.icmp "sgt" %a, %z : vector<4xi8>
          vector.store %t, %B[%c0] : memref<4xi1>, vector<4xi1>
          func.return
        }""")
    a = np.array([5, -5, 0, 127], "int8")
    kernel(a, b := np.zeros(4, bool))
    assert b.view("uint8").tolist() == [1, 0, 0, 1]


def test_loops_carry_values_and_branches_yield_them():
    kernel = compile_text("""
        func.func @f(%n: index, %A: memref<?xi64> {llvm.readonly}, %B: memref<2xi64>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %zero = arith.constant 0 : i64
          %even, %odd = scf.for %i = %c0 to %n step %c1
              iter_args(%e = %zero, %o = %zero) -> (i64, i64) {
            %a = memref.load %A[%i] : memref<?xi64>
            %bit = arith.trunci %a : i64 to i1
            %e2, %o2 = scf.if %bit -> (i64, i64) {
              %s = arith.addi %o, %a : i64
              scf.yield %e, %s : i64, i64
            } else {
              %s = arith.addi %e, %a : i64
              scf.yield %s, %o : i64, i64
            }
            scf.yield %e2, %o2 : i64, i64
          }
          memref.store %even, %B[%c0] : memref<2xi64>
          memref.store %odd, %B[%c1] : memref<2xi64>
          func.return
        }""")
    a = np.arange(-3, 30)
    kernel(len(a), a, b := np.zeros(2, "int64"))
    assert b.tolist() == [a[a % 2 == 0].sum(), a[a % 2 == 1].sum()]


def test_a_while_loop_runs_until_its_condition_fails():
    kernel = compile_text("""
        func.func @collatz(%A: memref<1xi64> {llvm.readonly}, %B: memref<1xi64>) {
          %c0 = arith.constant 0 : index
          %zero = arith.constant 0 : i64
          %one = arith.constant 1 : i64
          %two = arith.constant 2 : i64
          %three = arith.constant 3 : i64
          %start = memref.load %A[%c0] : memref<1xi64>
          %last, %steps = scf.while (%x = %start, %k = %zero) : (i64, i64) -> (i64, i64) {
            %go = arith.cmpi ne, %x, %one : i64
            scf.condition(%go) %x, %k : i64, i64
          } do {
          ^body(%x: i64, %k: i64):
            %bit = arith.trunci %x : i64 to i1
            %triple = arith.muli %x, %three : i64
            %up = arith.addi %triple, %one : i64
            %down = arith.divsi %x, %two : i64
            %next = arith.select %bit, %up, %down : i64
            %k2 = arith.addi %k, %one : i64
            scf.yield %next, %k2 : i64, i64
          }
          memref.store %steps, %B[%c0] : memref<1xi64>
          func.return
        }""")
    kernel(np.array([27]), b := np.zeros(1, "int64"))
    assert b[0] == 111


def test_a_branch_with_both_edges_to_one_block_keeps_both_values():
    kernel = compile_text("""
        func.func @f(%A: memref<1xi64> {llvm.readonly}, %B: memref<1xi64>) {
          %c0 = arith.constant 0 : index
          %x = arith.constant 10 : i64
          %y = arith.constant 20 : i64
          %a = memref.load %A[%c0] : memref<1xi64>
          %bit = arith.trunci %a : i64 to i1
          cf.cond_br %bit, ^end(%x : i64), ^end(%y : i64)
        ^end(%r: i64):
          memref.store %r, %B[%c0] : memref<1xi64>
          func.return
        }""")
    for value, expected in ((1, 10), (0, 20)):
        kernel(np.array([value]), b := np.zeros(1, "int64"))
        assert b[0] == expected


def test_a_stack_buffer_in_a_loop_does_not_grow_the_stack():
    kernel = compile_text("""
        func.func @f(%n: index, %B: memref<1xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %zero = arith.constant 0.0 : f32
          %one = arith.constant 1.0 : f32
          memref.store %zero, %B[%c0] : memref<1xf32>
          scf.for %i = %c0 to %n step %c1 {
            %t = memref.alloca() : memref<4096xf32>
            %at = arith.remsi %i, %n : index
            memref.store %one, %t[%c1] : memref<4096xf32>
            %v = memref.load %t[%c1] : memref<4096xf32>
            %s = memref.load %B[%c0] : memref<1xf32>
            %r = arith.addf %s, %v : f32
            memref.store %r, %B[%c0] : memref<1xf32>
          }
          func.return
        }""")
    kernel(100_000, b := np.zeros(1, "float32"))
    assert b[0] == 100_000


ALLOCATIONS = """
    func.func @big(%n: index, %B: memref<1xf64>) {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1.0 : f64
      %S = memref.alloc() : memref<100000xf64>
      memref.store %one, %S[%c0] : memref<100000xf64>
      %shift = arith.constant 23 : index
      %count = arith.shli %n, %shift : index
      %T = memref.alloc(%count) : memref<?xf64>
      memref.store %one, %T[%c0] : memref<?xf64>
      %s = memref.load %S[%c0] : memref<100000xf64>
      %t = memref.load %T[%c0] : memref<?xf64>
      %r = arith.addf %s, %t : f64
      memref.store %r, %B[%c0] : memref<1xf64>
      memref.dealloc %S : memref<100000xf64>
      memref.dealloc %T : memref<?xf64>
      func.return
    }"""


def test_a_failed_allocation_is_an_error_and_no_crash():
    kernel = compile_text(ALLOCATIONS)
    for n in (2**38, 2**39, 2**40, 2**40 - 1, 2**23):
        with pytest.raises(OutOfMemoryError, match=r"big needs \d+ bytes or more for temporary"):
            kernel(n, np.zeros(1))
    assert issubclass(OutOfMemoryError, (teloom.Error, MemoryError))
    kernel(1, b := np.zeros(1))
    assert b[0] == 2


def held() -> int:
    """The address space that this process holds, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def test_a_failed_allocation_frees_what_the_function_held():
    kernel = compile_text(ALLOCATIONS.replace("100000", "4000000"))
    before = held()
    for _ in range(50):
        with pytest.raises(OutOfMemoryError):
            kernel(2**39, np.zeros(1))
    assert held() - before < 5 * 32_000_000


def test_a_failure_in_a_called_function_reaches_the_caller():
    kernel = compile_text(
        ALLOCATIONS.replace("@big(", "private @big(").replace(
            "func.func private",
            """func.func @outer(%n: index, %B: memref<1xf64>) {
                 func.call @big(%n, %B) : (index, memref<1xf64>) -> ()
                 func.return
               }
               func.func private""",
        )
    )
    with pytest.raises(OutOfMemoryError, match="outer needs "):
        kernel(2**39, np.zeros(1))
    kernel(1, b := np.zeros(1))
    assert b[0] == 2


def test_a_private_function_returns_a_value():
    kernel = compile_text("""
        func.func @f(%B: memref<1xf32>) {
          %c0 = arith.constant 0 : index
          %x = arith.constant 3.0 : f32
          %y = func.call @square(%x) : (f32) -> f32
          memref.store %y, %B[%c0] : memref<1xf32>
          func.return
        }
        func.func private @square(%x: f32) -> f32 {
          %y = arith.mulf %x, %x : f32
          func.return %y : f32
        }""")
    kernel(b := np.zeros(1, "float32"))
    assert b[0] == 9


REDUCTIONS = {
    "i32": {
        "add": 10,
        "mul": -60,
        "minsi": -2,
        "maxsi": 6,
        "minui": 1,
        "maxui": -2,
        "and": -2 & 1 & 6 & 5,
        "or": -1,
        "xor": -2 ^ 1 ^ 6 ^ 5,
    },
    "f32": {"add": 10, "mul": -60, "minnumf": -2, "maxnumf": 6, "minimumf": -2, "maximumf": 6},
}
"""What each makes of -2, 1, 6, 5."""

COMBINE = {
    "add": np.add,
    "mul": np.multiply,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "minui": lambda x, y: min(x % 2**32, y),
    "maxui": lambda x, y: x if x < 0 else max(x, y),
}


@pytest.mark.parametrize("type", REDUCTIONS)
@pytest.mark.parametrize("start", [False, True])
def test_reductions_of_a_vector(type, start):
    """All kinds in one kernel."""
    acc, number = ", %s" if start else "", "7.0" if type == "f32" else "7"
    kinds = REDUCTIONS[type]
    stores = "\n".join(
        f"""%c{k} = arith.constant {k} : index
          %r{k} = vector.reduction <{kind}>, %a{acc} : vector<4x{type}> into {type}
          memref.store %r{k}, %B[%c{k}] : memref<{len(kinds)}x{type}>"""
        for k, kind in enumerate(kinds)
    )
    kernel = compile_text(f"""
        func.func @f(%A: memref<4x{type}> {{llvm.readonly}}, %B: memref<{len(kinds)}x{type}>) {{
          %zero = arith.constant 0 : index
          %s = arith.constant {number} : {type}
          %a = vector.load %A[%zero] : memref<4x{type}>, vector<4x{type}>
          {stores}
          func.return
        }}""")
    dtype = "float32" if type == "f32" else "int32"
    kernel(np.array([-2, 1, 6, 5], dtype), b := np.zeros(len(kinds), dtype))
    for (kind, expected), found in zip(kinds.items(), b, strict=True):
        extreme = np.minimum if kind.startswith("min") else np.maximum
        combine = COMBINE.get(kind, extreme)
        assert found == (combine(expected, 7) if start else expected), kind


def test_a_float_sum_keeps_the_order_of_its_terms():
    kernel = compile_text("""
        func.func @f(%A: memref<4xf32> {llvm.readonly}, %B: memref<1xf32>) {
          %c0 = arith.constant 0 : index
          %a = vector.load %A[%c0] : memref<4xf32>, vector<4xf32>
          %r = vector.reduction <add>, %a : vector<4xf32> into f32
          memref.store %r, %B[%c0] : memref<1xf32>
          func.return
        }""")
    kernel(np.array([1, 1e8, -1e8, 1], "float32"), b := np.zeros(1, "float32"))
    assert b[0] == 1


@pytest.mark.parametrize(("type", "dtype"), [("f32", "float32"), ("i32", "int32"), ("i1", "bool")])
def test_masks_cut_off_the_rest_of_an_array(type, dtype):
    zero = {"f32": "0.0", "i32": "0", "i1": "false"}[type]
    kernel = compile_text(f"""
        func.func @f(%n: index, %A: memref<?x{type}> {{llvm.readonly}}, %B: memref<?x{type}>) {{
          %c0 = arith.constant 0 : index
          %c16 = arith.constant 16 : index
          %z = arith.constant dense<{zero}> : vector<16x{type}>
          scf.for %i = %c0 to %n step %c16 {{
            %left = arith.subi %n, %i : index
            %m = vector.create_mask %left : vector<16xi1>
            %a = vector.maskedload %A[%i], %m, %z
                : memref<?x{type}>, vector<16xi1>, vector<16x{type}> into vector<16x{type}>
            vector.maskedstore %B[%i], %m, %a
                : memref<?x{type}>, vector<16xi1>, vector<16x{type}>
          }}
          func.return
        }}""")
    for n in SIZES:
        a = (np.arange(n) % 3).astype(dtype)
        room = np.full(n + 32, 9).astype(dtype)
        kernel(n, a, room)
        np.testing.assert_array_equal(room[:n], a)
        np.testing.assert_array_equal(room[n:], np.full(32, 9).astype(dtype))


def test_lanes_gather_what_their_mask_has():
    kernel = compile_text("""
        func.func @f(%k: index, %A: memref<?xf64> {llvm.readonly},
                     %I: memref<4xindex> {llvm.readonly}, %M: memref<4xi1> {llvm.readonly},
                     %B: memref<4xf64>) {
          %c0 = arith.constant 0 : index
          %at = vector.load %I[%c0] : memref<4xindex>, vector<4xindex>
          %m = vector.load %M[%c0] : memref<4xi1>, vector<4xi1>
          %b = vector.load %B[%c0] : memref<4xf64>, vector<4xf64>
          %a = vector.gather %A[%k] [%at], %m, %b
              : memref<?xf64>, vector<4xindex>, vector<4xi1>, vector<4xf64> into vector<4xf64>
          vector.store %a, %B[%c0] : memref<4xf64>, vector<4xf64>
          func.return
        }""")
    at, mask = np.array([5, -3, 2**60, 0]), np.array([True, True, False, True])
    kernel(3, np.arange(9.0), at, mask, b := np.full(4, 0.5))
    np.testing.assert_array_equal(b, [8, 0, 0.5, 3])


def test_lanes_are_taken_put_and_reordered():
    kernel = compile_text("""
        func.func @f(%k: index, %A: memref<4xf32> {llvm.readonly}, %B: memref<4xf32>) {
          %c0 = arith.constant 0 : index
          %a = vector.load %A[%c0] : memref<4xf32>, vector<4xf32>
          %first = vector.extract %a[0] : f32 from vector<4xf32>
          %chosen = vector.extract %a[%k] : f32 from vector<4xf32>
          %b = vector.insert %chosen, %a [0] : f32 into vector<4xf32>
          %c = vector.insert %first, %b [%k] : f32 into vector<4xf32>
          %d = vector.shuffle %c, %c [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
          %s = vector.broadcast %first : f32 to vector<4xf32>
          %r = vector.fma %d, %s, %d : vector<4xf32>
          vector.store %r, %B[%c0] : memref<4xf32>, vector<4xf32>
          func.return
        }""")
    a = np.array([2, 3, 5, 7], "float32")
    kernel(2, a, b := np.zeros(4, "float32"))
    np.testing.assert_array_equal(b, 3 * a[[3, 0, 1, 2]])


def test_a_called_c_function_of_this_process():
    kernel = compile_text("""
        func.func private @hypot(f64, f64) -> f64
        func.func @f(%B: memref<1xf64>) {
          %c0 = arith.constant 0 : index
          %x = arith.constant 3.0 : f64
          %y = arith.constant 4.0 : f64
          %r = func.call @hypot(%x, %y) : (f64, f64) -> f64
          memref.store %r, %B[%c0] : memref<1xf64>
          func.return
        }""")
    kernel(b := np.zeros(1))
    assert b[0] == 5


def test_a_missing_c_function_is_named():
    with pytest.raises(teloom.Error, match="f calls no_such_function, which this process"):
        compile_text("""
            func.func private @no_such_function()
            func.func @f() {
              func.call @no_such_function() : () -> ()
              func.return
            }""")


def test_a_kernel_may_have_the_name_of_a_c_function():
    kernel = compile_text("""
        func.func @exp(%B: memref<1xf64>) {
          %c0 = arith.constant 0 : index
          %x = memref.load %B[%c0] : memref<1xf64>
          %r = math.exp %x : f64
          memref.store %r, %B[%c0] : memref<1xf64>
          func.return
        }""")
    kernel(b := np.zeros(1))
    assert b[0] == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "func.func @f() { %t = memref.alloca() : memref<200000xf64> func.return }",
            "the function needs 1600000 bytes of stack, more than 1048576; use memref.alloc",
        ),
        (
            """func.func @teloom_give(%A: memref<4xf32>) {
              memref.dealloc %A : memref<4xf32> func.return
            }""",
            "function teloom_give has the name of a C function that the code calls; rename it",
        ),
        (
            "func.func @f(%n: index) { %t = memref.alloca(%n) : memref<?xf32> func.return }",
            "memref.alloca of memref<\\?xf32> has a size unknown at compile time; use memref.alloc",
        ),
        (
            "func.func @f(%a: f32) -> f32 { func.return %a : f32 }",
            "public function f has a result; write it to a buffer",
        ),
        (
            """func.func @f() { func.return }
            func.func private @g(%a: f32) -> f32 {
              %t = memref.alloc() : memref<4xf32> func.return %a : f32
            }""",
            "memref.alloc stands in a function with results, which cannot report that it failed",
        ),
        (
            'func.func @f() { "test.op"() : () -> () func.return }',
            "cannot lower test.op",
        ),
        (
            "func.func @f(%a: memref<4xf32, strided<[2]>>) { func.return }",
            "memref<4xf32, strided<\\[2\\]>> is not flat: .* declared with one and without a",
        ),
        (
            "func.func @f(%a: vector<2x2xf32>) { func.return }",
            "cannot lower vector<2x2xf32>: only vectors of one axis",
        ),
    ],
)
def test_lowering_refuses(text, words):
    with pytest.raises(PassError, match=words):
        lower_to_llvm(parse(text))
