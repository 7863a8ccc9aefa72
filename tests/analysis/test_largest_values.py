"""The largest values of index expressions are those of running through the iterations."""

from collections.abc import Iterator

import pytest
from analysis.index_nests import seeds
from standard_kernels import parse
from xdsl.dialects import func
from xdsl.dialects.affine import ApplyOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.index.largest_values import Iterations, Largest, Unknown
from teloom.dialects import loop

SIZES = range(6)


class Nest:
    """Loops over i and j, bounded by n, with a condition; the innermost has expressions."""

    def __init__(self, ends: tuple[str, str, str], condition: str, exprs: list[str]):
        self.ends, self.condition, self.exprs = ends, condition, exprs
        body = "\n".join(
            f"%e{k} = affine.apply affine_map<(d0, d1, d2) -> ({expr})> (%n, %i, %j)"
            for k, expr in enumerate(named(expr, "d0", "d1", "d2") for expr in exprs)
        )
        end, first, last = (named(one, "%n", "%i", "%j") for one in ends)
        self.module: ModuleOp = parse(f"""
            func.func @f(%n: index) {{
              loop.for %i = 0 to {end} {{
                loop.for %j = {first} to {last} {{
                  loop.if ({named(condition, "%n", "%i", "%j")} >= 0) {{
                    {body}
                  }}
                }}
              }}
              func.return
            }}""")
        self.function = next(op for op in self.module.ops if isinstance(op, func.FuncOp))

    def largest(self, is_known=lambda value: True) -> tuple[list[SSAValue], list[Largest]]:
        values = [op.result for op in self.module.walk() if isinstance(op, ApplyOp)]
        block = values[0].owner.parent  # pyright: ignore
        assert isinstance(block, Block)
        forms = AffineIndexForms()
        iterations = Iterations(block, self.function.body.block, is_known)
        return iterations.largest([forms.of(value) for value in values])

    def values(self, n: int) -> Iterator[tuple[int, ...]]:
        """Those of the expressions at each iteration, by Python."""
        end, first, last = self.ends
        for i in range(at(end, n)):
            for j in range(at(first, n, i), at(last, n, i)):
                if at(self.condition, n, i, j) >= 0:
                    yield tuple(at(expr, n, i, j) for expr in self.exprs)


def named(expr: str, n: str, i: str, j: str) -> str:
    return expr.translate({ord(old): new for old, new in zip("nij", (n, i, j), strict=True)})


def at(expr: str, n: int, i: int = 0, j: int = 0) -> int:
    return eval(expr, {"n": n, "i": i, "j": j})


def said(found: list[Largest], n: int) -> list[tuple[int, ...]]:
    """The values of each of the pieces whose case this is."""

    def holds(piece: Largest) -> bool:
        return any(
            all(expr.eval([n], []) == 0 for expr in case.equalities)
            and all(expr.eval([n], []) >= 0 for expr in case.inequalities)
            for case in piece.when
        )

    return [tuple(expr.eval([n], []) for expr in piece.values) for piece in found if holds(piece)]


def test_as_by_running_through_all_iterations():
    known = nothing = 0
    for chosen in seeds(80):

        def linear(*names: str, chosen=chosen) -> str:
            terms = [f"{name} * {chosen.randint(-2, 2)}" for name in names]
            return " + ".join([*terms, str(chosen.randint(-2, 4))])

        ends = (linear("n"), linear("n", "i"), linear("n", "i"))
        exprs = [linear("n", "i", "j") for _ in range(chosen.randint(1, 2))]
        nest = Nest(ends, linear("i", "j"), exprs)
        try:
            values, found = nest.largest()
        except Unknown:
            continue
        known += 1
        for n in SIZES:
            run = [*nest.values(n)]
            greatest = [tuple(map(max, zip(*run, strict=True)))] if run else []
            if values:
                assert said(found, n) == greatest, (nest.module, n)
                nothing += not run
            elif run:
                assert said(found, 0) == greatest
    assert known > 25
    assert nothing > 10


def test_a_triangle():
    n, found = Nest(("n", "i", "n"), "0", ["j - i", "j"]).largest()
    assert len(n) == 1
    assert [said(found, size) for size in range(4)] == [[], [(0, 0)], [(1, 1)], [(2, 2)]]


def test_nothing_is_said_of_two_that_are_not_largest_at_once():
    with pytest.raises(Unknown):
        Nest(("n", "0", "n"), "0", ["i", "j - i"]).largest()


def test_nothing_is_said_where_a_size_is_not_known():
    with pytest.raises(Unknown):
        Nest(("n", "0", "n"), "0", ["i"]).largest(lambda value: False)


def test_nothing_is_said_in_what_is_no_loop():
    module = parse("""
        func.func @f(%n: index, %b: i1) {
          scf.if %b {
            %e = affine.apply affine_map<(d0) -> (d0)> (%n)
          }
          func.return
        }""")
    function = next(op for op in module.ops if isinstance(op, func.FuncOp))
    (apply,) = (op for op in module.walk() if isinstance(op, ApplyOp))
    assert apply.parent is not None
    with pytest.raises(Unknown):
        Iterations(apply.parent, function.body.block, lambda value: True)
    assert not any(isinstance(op, loop.ForOp) for op in module.walk())
