"""Integers stay in their ranges, and arithmetic that is said not to wrap does not."""

from collections.abc import Iterator, Sequence
from itertools import product

from analysis.index_nests import nest, random_bounds, random_expr, seeds
from standard_kernels import parse
from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.value_ranges import ValueRanges, values_of
from teloom.passes.loops.lower_loops import LowerLoopsPass

LEAST, MOST = values_of(IndexType())

OPERATORS = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.FloorDivSIOp: lambda a, b: a // b,
    arith.ShRSIOp: lambda a, b: a >> b,
    arith.AndIOp: lambda a, b: a & b,
}


def lowered(bounds, exprs) -> ModuleOp:
    """The arithmetic of expressions in loops with these constant bounds."""
    module = nest(bounds, exprs)
    LowerLoopsPass().apply(Context(), module)
    return module


def results(module: ModuleOp, bounds) -> Iterator[tuple[SSAValue, Sequence[int], int]]:
    """Each value in each iteration, with its operands, and what it is before it wraps."""
    loops = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    for at in product(*(range(first, end) for first, end in bounds)):
        known = dict(zip((op.body.block.args[0] for op in loops), at, strict=True))
        for op in module.walk():
            operands = [known.get(one, 0) for one in op.operands]
            if isinstance(op, arith.ConstantOp):
                number = op.value.value.data
            elif type(op) in OPERATORS:
                number = OPERATORS[type(op)](*operands)
            else:
                continue
            yield op.results[0], operands, number
            known[op.results[0]] = (number - LEAST) % 2**64 + LEAST


def flags_of(op: Operation) -> list[str]:
    flags = op.properties.get("overflowFlags")
    return sorted(flags.data) if isinstance(flags, arith.IntegerOverflowAttr) else []


def test_values_are_in_their_ranges_and_do_not_wrap():
    unsigned = 0
    for chosen in seeds(60):
        bounds = random_bounds(chosen, 2)
        factor = chosen.choice([1, 1, 2**30, 2**58, 2**61])
        module = lowered(bounds, [random_expr(chosen, 2) * factor, random_expr(chosen, 2)])
        ranges = ValueRanges()
        for value, operands, number in results(module, bounds):
            low, high = ranges.of(value)
            wraps = not LEAST <= number <= MOST
            assert wraps or low <= number <= high
            flags = flags_of(value.owner)
            assert not (wraps and flags)
            if "nuw" in flags:
                assert min(number, *operands) >= 0
                unsigned += 1
    assert unsigned > 1000


def test_sums_of_small_loops_never_wrap():
    i, j = AffineExpr.dimension(0), AffineExpr.dimension(1)
    module = lowered([(0, 8), (0, 4)], [i * 16 + j * 4 + 3, i - j])
    found = [flags_of(op) for op in module.walk() if type(op) in OPERATORS]
    assert found == [["nsw", "nuw"]] * 4 + [["nsw"]]


def test_what_may_wrap_is_not_said_to_be_exact():
    i = AffineExpr.dimension(0)
    module = lowered([(0, 8)], [i * 2**60, i * 2**60 + 1])
    assert [flags_of(op) for op in module.walk() if type(op) in OPERATORS] == [
        ["nsw", "nuw"],
        ["nsw", "nuw"],
    ]
    module = lowered([(0, 9)], [i * 2**60, i * 2**60 + 1])
    assert not any(flags_of(op) for op in module.walk())


def test_integers_of_other_types_and_sizes():
    module = parse("""
        func.func @f(%n: index, %b: i8) {
          %c = arith.constant 100 : i8
          %s = arith.addi %b, %c : i8
          %m = arith.constant 7 : index
          %r = arith.remui %n, %m : index
          func.return
        }""")
    (function,) = module.ops
    n, b = function.body.block.args
    c, s, _, r = (op.results[0] for op in list(function.body.block.ops)[:4])
    ranges = ValueRanges()
    assert ranges.of(b) == ranges.of(s) == (-128, 127)
    assert ranges.of(c) == (100, 100)
    assert ranges.of(r) == (0, 6)
    assert ranges.overflow_flags(arith.AddiOp, b, c) == ()
    assert ranges.overflow_flags(arith.SubiOp, r, r) == ("nsw",)
    assert ranges.overflow_flags(arith.AddiOp, r, r) == ("nsw", "nuw")
    assert ranges.overflow_flags(arith.AddiOp, n, r) == ()
    ranges.is_size(n)
    assert ranges.overflow_flags(arith.AddiOp, b, c) == ()


def test_long_chains():
    """They may be deeper than Python's stack."""
    steps = "\n".join(f"%c{k + 1} = arith.addi %c{k}, %one : index" for k in range(5000))
    module = parse(f"""
        func.func @f() {{
          %one = arith.constant 1 : index
          %c0 = arith.constant 0 : index
          {steps}
          func.return
        }}""")
    last = list(next(iter(module.ops)).body.block.ops)[-2].results[0]
    assert ValueRanges().of(last) == (5000, 5000)
