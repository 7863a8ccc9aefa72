"""What each kind of expression becomes in an equation's body."""

import inspect

import pytest

import teloom
from teloom import te


def test_affine_subscripts_stay_in_the_read(assert_body):
    assert_body(
        "float32",
        lambda A, i, j: A[(i + j) // 2 % 8, 7 - j],
        "f32",
        "%r = te.read %A[(%i + %j) floordiv 2 mod 8, %j * -1 + 7] : f32",
    )


def test_a_shared_expression_is_computed_once(assert_body):
    def value(A, i, j):
        x = A[i, j] + 1
        return x * x

    assert_body(
        "float32",
        value,
        "f32",
        """%a = te.read %A[%i, %j] : f32
           %one = arith.constant 1.0 : f32
           %x = arith.addf %a, %one : f32
           %r = arith.mulf %x, %x : f32""",
    )


def test_positions_as_values_are_int32(assert_body):
    assert_body(
        "int32",
        lambda A, i, j: A[i, j] + (i * 2 + j) + i,
        "i32",
        """%a = te.read %A[%i, %j] : i32
           %p = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)> (%i, %j)
           %v = arith.index_cast %p : index to i32
           %s = arith.addi %a, %v : i32
           %w = arith.index_cast %i : index to i32
           %r = arith.addi %s, %w : i32""",
    )


def test_a_constant_expression_is_one_constant(assert_body):
    assert_body(
        "int32",
        lambda A, i, j: A[te.const(2) * 3 - 7 // te.const(2), (i - i) + 2],
        "i32",
        "%r = te.read %A[3, 2] : i32",
    )


def test_conditions_on_positions_compare_index_values(assert_body):
    assert_body(
        "float32",
        lambda A, i, j: te.if_then_else(te.all(i >= 1, i + j < 8), A[i - 1, j], 0),
        "f32",
        """%one = arith.constant 1 : index
           %c = arith.cmpi sge, %i, %one : index
           %p = affine.apply affine_map<(d0, d1) -> (d0 + d1)> (%i, %j)
           %eight = arith.constant 8 : index
           %d = arith.cmpi slt, %p, %eight : index
           %both = arith.andi %c, %d : i1
           %r = scf.if %both -> (f32) {
             %a = te.read %A[%i - 1, %j] : f32
             scf.yield %a : f32
           } else {
             %zero = arith.constant 0.0 : f32
             scf.yield %zero : f32
           }""",
    )


def test_a_value_of_one_branch_is_not_used_in_the_other(assert_body):
    def value(A, i, j):
        shared = A[i, j] * 2
        return te.if_then_else(i < j, shared + 1, te.if_then_else(i < 1, shared, 0))

    assert_body(
        "float32",
        value,
        "f32",
        """%c = arith.cmpi slt, %i, %j : index
           %r = scf.if %c -> (f32) {
             %a = te.read %A[%i, %j] : f32
             %two = arith.constant 2.0 : f32
             %x = arith.mulf %a, %two : f32
             %one = arith.constant 1.0 : f32
             %y = arith.addf %x, %one : f32
             scf.yield %y : f32
           } else {
             %one_1 = arith.constant 1 : index
             %d = arith.cmpi slt, %i, %one_1 : index
             %z = scf.if %d -> (f32) {
               %a2 = te.read %A[%i, %j] : f32
               %two2 = arith.constant 2.0 : f32
               %x2 = arith.mulf %a2, %two2 : f32
               scf.yield %x2 : f32
             } else {
               %zero = arith.constant 0.0 : f32
               scf.yield %zero : f32
             }
             scf.yield %z : f32
           }""",
    )


def test_a_value_of_both_branches_is_computed_before_them(assert_body):
    def value(A, i, j):
        shared = A[i, j] * 2
        return te.if_then_else(i < j, shared + 1, te.if_then_else(i < 1, shared, -shared))

    assert_body(
        "float32",
        value,
        "f32",
        """%c = arith.cmpi slt, %i, %j : index
           %a = te.read %A[%i, %j] : f32
           %two = arith.constant 2.0 : f32
           %x = arith.mulf %a, %two : f32
           %r = scf.if %c -> (f32) {
             %one = arith.constant 1.0 : f32
             %y = arith.addf %x, %one : f32
             scf.yield %y : f32
           } else {
             %one_1 = arith.constant 1 : index
             %d = arith.cmpi slt, %i, %one_1 : index
             %z = scf.if %d -> (f32) {
               scf.yield %x : f32
             } else {
               %m = arith.negf %x : f32
               scf.yield %m : f32
             }
             scf.yield %z : f32
           }""",
    )


def test_a_chain_of_conditions_is_as_long_as_it_was_written(assert_body):
    """Both branches of each use the value of the one before."""
    A = te.placeholder((8,), name="A")

    def chain(i):
        value = A[i]
        for each in range(40):
            value = te.if_then_else(A[i] > each, value + 1, value * 2)
        return value

    B = te.compute((8,), chain, name="B")
    assert str(te.create_schedule(B).module).count("scf.if") == 40


def test_a_value_before_a_branch_is_used_in_it(assert_body):
    def value(A, i, j):
        shared = A[i, j]
        return te.if_then_else(shared > 0, shared, te.const(0, "float32"))

    assert_body(
        "float32",
        value,
        "f32",
        """%a = te.read %A[%i, %j] : f32
           %zero = arith.constant 0.0 : f32
           %c = arith.cmpf ogt, %a, %zero : f32
           %r = scf.if %c -> (f32) {
             scf.yield %a : f32
           } else {
             scf.yield %zero : f32
           }""",
    )


def test_select_computes_both(assert_body):
    assert_body(
        "float32",
        lambda A, i, j: te.select(i == j, A[i, j], A[j, i]),
        "f32",
        """%c = arith.cmpi eq, %i, %j : index
           %a = te.read %A[%i, %j] : f32
           %b = te.read %A[%j, %i] : f32
           %r = arith.select %c, %a, %b : f32""",
    )


def test_a_gather_keeps_its_affine_part(assert_body):
    assert_body(
        "int32",
        lambda A, i, j: A[A[i, j] + i, j],
        "i32",
        """%b = te.read %A[%i, %j] : i32
           %p = arith.index_cast %b : i32 to index
           %r = te.read %A[%p + %i, %j] : i32""",
    )


def test_an_unsigned_subscript_is_widened_without_sign(assert_body):
    assert_body(
        "uint8",
        lambda A, i, j: A[A[i, j], j],
        "ui8",
        """%b = te.read %A[%i, %j] : i8
           %wide = arith.extui %b : i8 to i64
           %p = arith.index_cast %wide : i64 to index
           %r = te.read %A[%p, %j] : i8""",
    )


def test_a_narrow_subscript_wraps_as_its_dtype_does(assert_body):
    assert_body(
        "int8",
        lambda A, i, j: A[A[i, j] + 1, j],
        "i8",
        """%b = te.read %A[%i, %j] : i8
           %one = arith.constant 1 : i8
           %next = arith.addi %b, %one : i8
           %p = arith.index_cast %next : i8 to index
           %r = te.read %A[%p, %j] : i8""",
    )


def test_a_clamped_subscript_is_clamped_as_index(assert_body):
    assert_body(
        "float32",
        lambda A, i, j: A[te.min(te.max(i - 1, 0), 7), j],
        "f32",
        """%p = affine.apply affine_map<(d0) -> (d0 - 1)> (%i)
           %zero = arith.constant 0 : index
           %q = arith.maxsi %p, %zero : index
           %seven = arith.constant 7 : index
           %c = arith.minsi %q, %seven : index
           %r = te.read %A[%c, %j] : f32""",
    )


def test_a_clamped_position_is_compared_as_index(assert_body):
    assert_body(
        "float32",
        lambda A, i, j: te.if_then_else(te.max(i - 1, 0) * 2 < j, A[i, j], 0.0),
        "f32",
        """%p = affine.apply affine_map<(d0) -> (d0 - 1)> (%i)
           %zero = arith.constant 0 : index
           %q = arith.maxsi %p, %zero : index
           %t = affine.apply affine_map<(d0) -> (d0 * 2)> (%q)
           %is_less = arith.cmpi slt, %t, %j : index
           %r = scf.if %is_less -> (f32) {
             %a = te.read %A[%i, %j] : f32
             scf.yield %a : f32
           } else {
             %z = arith.constant 0.0 : f32
             scf.yield %z : f32
           }""",
    )


@pytest.mark.parametrize(
    ("dtype", "operation"),
    [
        ("int8", "arith.floordivsi"),
        ("uint8", "arith.divui"),
    ],
)
def test_the_operation_carries_the_sign(assert_body, dtype: str, operation: str):
    assert_body(
        dtype,
        lambda A, i, j: A[i, j] // A[j, i],
        {"int8": "i8", "uint8": "ui8"}[dtype],
        f"""%a = te.read %A[%i, %j] : i8
            %b = te.read %A[%j, %i] : i8
            %r = {operation} %a, %b : i8""",
    )


@pytest.mark.parametrize(("dtype", "type"), [("float16", "f16"), ("bfloat16", "bf16")])
def test_narrow_floats_compute_in_their_own_dtype(assert_body, dtype: str, type: str):
    assert_body(
        dtype,
        lambda A, i, j: A[i, j] * A[j, i],
        type,
        f"""%a = te.read %A[%i, %j] : {type}
            %b = te.read %A[%j, %i] : {type}
            %r = arith.mulf %a, %b : {type}""",
    )


def test_integer_power_is_repeated_squaring(assert_body):
    assert_body(
        "int32",
        lambda A, i, j: A[i, j] ** 5,
        "i32",
        """%a = te.read %A[%i, %j] : i32
           %five = arith.constant 5 : i32
           %b = arith.muli %a, %a : i32
           %c = arith.muli %b, %b : i32
           %r = arith.muli %a, %c : i32""",
    )


def test_the_square_of_a_float_is_a_product(assert_body):
    assert_body(
        "float32",
        lambda A, i, j: A[i, j] ** 2,
        "f32",
        """%a = te.read %A[%i, %j] : f32
           %two = arith.constant 2.0 : f32
           %r = arith.mulf %a, %a : f32""",
    )


def test_sizes_are_arguments(assert_ir):
    n, m = te.var("n"), te.size_var("m")
    A = te.placeholder((n, 8 * m), name="A")
    B = te.compute((n + 1, n // 2), lambda i, j: A[0, 0] * (i + m), name="B")
    assert_ir(
        B,
        """
        te.func @main(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m * 8])
            -> (tensor<?x?xf32>) {
          %B = te.compute "B" (%i = %n + 1, %j = %n floordiv 2) : tensor<?x?xf32> {
            %a = te.read %A[0, 0] : f32
            %p = affine.apply affine_map<(d0, d1) -> (d0 + d1)> (%i, %m)
            %v = arith.index_cast %p : index to i32
            %f = arith.sitofp %v : i32 to f32
            %r = arith.mulf %a, %f : f32
            te.yield %r : f32
          }
          te.return %B : tensor<?x?xf32>
        }""",
    )


def test_tensors_without_axes(assert_ir):
    a = te.placeholder((), name="a")
    b = te.compute((), lambda: a() * 2 + a, name="b")
    assert_ir(
        b,
        """
        te.func @main(%a: tensor<f32>) -> (tensor<f32>) {
          %b = te.compute "b" () : tensor<f32> {
            %x = te.read %a[] : f32
            %two = arith.constant 2.0 : f32
            %y = arith.mulf %x, %two : f32
            %z = te.read %a[] : f32
            %r = arith.addf %y, %z : f32
            te.yield %r : f32
          }
          te.return %b : tensor<f32>
        }""",
    )


def test_names_are_unique_and_valid():
    A = te.placeholder((4,), name="in put")
    B = te.compute((4,), lambda i: A[i] + 1, name="T")
    C = te.compute((4,), lambda i: B[i] + 1, name="T")
    D = te.compute((4,), lambda i: C[i] + 1, name="2nd")
    schedule = te.create_schedule(D)
    assert [stage.name for stage in schedule.stages] == ["in put", "T", "T_1", "2nd"]
    text = str(schedule)
    assert "%in_put: tensor<4xf32>" in text
    assert '%_2nd = te.compute "2nd"' in text


def test_where_an_equation_was_written():
    A = te.placeholder((4,), name="A")
    line = inspect.stack()[0].lineno + 1
    B = te.compute((4,), lambda i: A[i], name="B")
    compute = next(op for op in te.create_schedule(B).module.walk() if op.name == "te.compute")
    assert str(compute.location) == f'loc("{__file__}":{line}:1)'


def test_an_extent_must_be_affine():
    n = te.var("n")
    A = te.placeholder((n, n), name="A")
    with pytest.raises(teloom.Error, match=r"extent \(n \* n\) of 'F' is not affine"):
        te.create_schedule(te.compute((n * n,), lambda i: A[i // n, i % n], name="F"))


def test_the_text_of_a_large_expression_is_short():
    total = te.var("n")
    for _ in range(3000):
        total = total + 1
    assert str(total).startswith("((((((((")
    assert "... + ..." in str(total)
    assert len(str(total)) < 80


def test_a_thousand_terms():
    def value(A, i, j):
        total = A[i, j]
        for _ in range(1000):
            total = total + 1
        return total

    A = te.placeholder((8, 8), name="A")
    B = te.compute((8, 8), lambda i, j: value(A, i, j))
    kinds = [op.name for op in te.create_schedule(B).module.walk()]
    assert kinds.count("arith.addf") == 1000
