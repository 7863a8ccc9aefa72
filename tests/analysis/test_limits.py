"""No index value is larger than the limit of it, at the largest and the least sizes."""

from itertools import product

from analysis.index_nests import seeds, value_at
from standard_kernels import parse
from xdsl.dialects import func
from xdsl.ir import SSAValue

from teloom.analysis.index.limits import LARGEST_SIZE, most, most_of
from teloom.analysis.index.values import index_value
from teloom.dialects.affine import polynomials

ENDS = (-LARGEST_SIZE, -1, 0, 1, LARGEST_SIZE)
"""A counter is as large as a size, and may be negative."""

UNKNOWN = 2**63


def computed(body: str) -> tuple[tuple[SSAValue, ...], list[SSAValue]]:
    """The two sizes that a function takes, and the values in it."""
    module = parse(f"func.func @f(%n: index, %m: index, %t: i32) {{\n{body}\nfunc.return\n}}")
    function = next(op for op in module.ops if isinstance(op, func.FuncOp))
    return function.body.block.args[:2], [
        one for op in function.body.block.ops for one in op.results
    ]


OPS = ("addi", "subi", "muli", "maxsi", "minsi", "remsi")


def test_values_of_operations():
    known = 0
    for chosen in seeds(60):
        names = ["%n", "%m", "%c0", "%c1"]
        lines = [f"%c{k} = arith.constant {chosen.randint(-9, 9)} : index" for k in range(2)]
        for number in range(chosen.randint(1, 5)):
            a, b = chosen.choice(names), chosen.choice(names)
            lines.append(f"%v{number} = arith.{chosen.choice(OPS)} {a}, {b} : index")
            names.append(f"%v{number}")
        arguments, values = computed("\n".join(lines))
        for value in values:
            limit = most(value)
            if limit >= UNKNOWN:
                continue
            known += 1
            for at in product(ENDS, repeat=2):
                given = dict(zip(arguments, at, strict=True))
                number = index_value(value, given.get)
                assert number is None or abs(number) <= limit, (str(value.owner), at)
    assert known > 100


def test_limits_of_single_operations():
    lines = {
        "arith.addi %n, %m : index": 2 * LARGEST_SIZE,
        "arith.subi %n, %m : index": 2 * LARGEST_SIZE,
        "arith.maxsi %n, %m : index": LARGEST_SIZE,
        "arith.divsi %n, %m : index": LARGEST_SIZE,
        "arith.constant -7 : index": 7,
        "arith.index_cast %t : i32 to index": 2**31,
        "affine.apply affine_map<(d0, d1) -> (d0 * 3 - d1 + 5)> (%n, %m)": 4 * LARGEST_SIZE + 5,
        # A product of sizes may wrap: nothing is known of it, as of what is no sum of these.
        "arith.muli %n, %m : index": UNKNOWN,
        "arith.andi %n, %m : index": UNKNOWN,
    }
    _, values = computed("\n".join(f"%v{k} = {line}" for k, line in enumerate(lines)))
    assert [most(value) for value in values] == list(lines.values())


def test_values_of_polynomials():
    for chosen in seeds(60):
        a, b, c, d = (chosen.randint(-9, 9) for _ in range(4))
        divisor = chosen.choice([2, 3, 8])
        expr = (
            f"d0 * {a} + (d0 * {b} + d1 * {c} + {d}) floordiv {divisor} * {chosen.randint(-3, 3)}"
        )
        line = f"%v = affine.apply affine_map<(d0, d1) -> ({expr})> (%n, %m)"
        arguments, (value,) = computed(line)
        (form,) = polynomials.of_exprs(value.owner.map.data.results, value.owner.operands)  # pyright: ignore
        for at in product(ENDS, repeat=2):
            given = dict(zip(arguments, at, strict=True))
            assert abs(value_at(form, given)) <= most_of(form) == most(value)
