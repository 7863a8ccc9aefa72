"""Random hybrid scripts give the same as Python, compiled, scheduled, and written out again."""

from random import Random

import numpy as np
from budget import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st

import teloom
from teloom import te

ROWS, COLUMNS = 4, 3


class Writer:
    """Draws the statements of a script of two inputs, `a` of integers and `x` of floats.

    Integers stay small, so that none wraps. `integers` are names that can be read, and `variables`
    those of them that can be assigned.
    """

    def __init__(self, seed, rows):
        self.random, self.count, self.rows = Random(seed), 0, rows
        self.integers = ["r", "COLUMNS"] if rows else ["COLUMNS"]
        self.variables = []

    def one_of(self, *choices):
        return self.random.choice(choices)

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def integer(self, depth=2):
        kind = self.one_of("number", "name", "element", "sum", "part", "choice")
        if depth == 0 or kind == "number":
            return str(self.random.randint(-3, 5))
        inner = self.integer(depth - 1)
        match kind:
            case "name":
                return self.one_of(*self.integers)
            case "element":
                return f"{self.one_of('a', 't')}[{self.place(depth - 1)}]"
            case "sum":
                operator = self.one_of("+", "-", "*")
                return f"({inner} % 9 {operator} {self.integer(depth - 1)} % 5)"
            case "part":
                function = self.one_of("{} // 3", "min({}, 2)", "max({}, -1)", "abs({})", "-{}")
                return f"({function.format(inner)})"
        return f"({inner} if {self.condition(depth - 1)} else {self.integer(depth - 1)})"

    def place(self, depth):
        return f"({self.integer(depth)}) % ROWS, ({self.integer(depth)}) % COLUMNS"

    def condition(self, depth=1):
        operator = self.one_of("<", "<=", "==", "!=")
        kind = self.one_of("compare", "chain", "shield", "not") if depth else "compare"
        left, right = self.integer(depth), self.integer(depth)
        match kind:
            case "chain":
                return f"0 <= {left} < {right}"
            case "shield":
                at, word = self.one_of(*self.integers), self.one_of("and", "or")
                inside = f"0 <= {at} and {at} < ROWS"
                outside = f"not ({inside})"
                return f"({inside if word == 'and' else outside} {word} a[{at}, 0] {operator} 2)"
            case "not":
                return f"not ({self.condition(depth - 1)})"
        return f"{left} {operator} {right}"

    def block(self, depth):
        known = self.integers, self.variables
        self.integers, self.variables = [*known[0]], [*known[1]]
        lines = [line for _ in range(self.random.randint(1, 3)) for line in self.one(depth)]
        self.integers, self.variables = known
        return ["    " + line for line in lines]

    def one(self, depth):
        kinds = ["store", "float", "new", "change", "assert"]
        kinds += ["for", "if", "while", "const", "buffer"] if depth else []
        kind = self.one_of(*kinds)
        if kind == "change" and not self.variables:
            kind = "store"
        return getattr(self, f"write_{kind}")(depth)

    def write_store(self, depth):
        operator = self.one_of("=", "+=", "-=")
        return [f"{self.one_of('b', 't')}[{self.own_place()}] {operator} {self.integer()} % 50"]

    def own_place(self):
        first = "r" if self.rows else f"({self.integer(1)}) % ROWS"
        return f"{first}, ({self.integer(1)}) % COLUMNS"

    def write_float(self, depth):
        at, value = self.own_place(), f"x[{self.place(1)}]"
        before = f"y[{'r' if self.rows else 0}, 0]"
        return [f"y[{at}] = {self.one_of(f'{value} * 0.5', f'abs({value}) + {before}', value)}"]

    def write_assert(self, depth):
        return [f"assert {self.condition()} or {self.integer()} > -1000"]

    def write_new(self, depth):
        name, value = self.name("v"), self.integer()
        self.integers.append(name)
        self.variables.append(name)
        return [f"{name} = int32({value})", f"{name} = {name} % 100"]

    def write_change(self, depth):
        name, value = self.one_of(*self.variables), self.integer()
        return [f"{name} = ({name} + {value}) % 100"]

    def write_for(self, depth):
        name = self.name("i")
        head = f"for {name} in {self.one_of('range', 'range', 'unroll')}({self.bounds()}):"
        return [head, *self.inside(name, depth)]

    def write_const(self, depth):
        name = self.name("i")
        low = self.random.randint(-1, 1)
        return [f"for {name} in const_range({low}, {low + 2}):", *self.inside(name, depth)]

    def bounds(self):
        end = self.one_of("ROWS", "COLUMNS", f"({self.integer(1)}) % 4")
        return self.one_of("", "1, ", f"({self.integer(1)}) % 2, ") + end

    def inside(self, name, depth):
        self.integers.append(name)
        lines = self.block(depth - 1)
        self.integers.remove(name)
        return lines

    def write_if(self, depth):
        lines = [f"if {self.condition()}:", *self.block(depth - 1)]
        return [*lines, "else:", *self.block(depth - 1)] if self.random.random() < 0.5 else lines

    def write_while(self, depth):
        name = self.name("w")
        head = f"while {name} > 0 and {self.condition()}:"
        self.integers.append(name)
        lines = [f"{name} = {self.one_of('2', '3')}", head, *self.block(depth - 1)]
        return [*lines, f"    {name} -= 1"]

    def write_buffer(self, depth):
        name, at = self.name("m"), f"({self.integer(1)}) % 2"
        return [
            f"{name} = allocate((2,), 'int32')",
            f"{name}[{at}] += {self.integer(1)} % 50",
            f"b[{self.own_place()}] = {name}[0] - {name}[1]",
        ]


def text_of(seed, rows):
    """A script; with `rows` it is a loop over rows, which is an axis."""
    made = """
    b = output_tensor((ROWS, COLUMNS), "int32")
    y = output_tensor((ROWS, COLUMNS), "float32")
    """
    before = [*made.strip().splitlines(), 't = allocate((ROWS, COLUMNS), "int32")']
    before = ["    " + line.strip() for line in before]
    lines = Writer(seed, rows).block(2)
    if rows:
        lines = ["    for r in range(ROWS):", *("    " + one for one in (before.pop(), *lines))]
    return "\n".join(["def script(a, x):", *before, *lines, "    return b, y", ""])


def run(s, A, X, results, a, x):
    found = np.full((ROWS, COLUMNS), 77, "int32"), np.full((ROWS, COLUMNS), 77, "float32")
    teloom.build(s, [A, X, *results])(a, x, *found)
    return found


def check(text, factor, rows):
    names = {"ROWS": ROWS, "COLUMNS": COLUMNS}
    random = np.random.default_rng(len(text))
    a = random.integers(-3, 6, (ROWS, COLUMNS)).astype("int32")
    x = random.random((ROWS, COLUMNS)).astype("float32")
    A = te.placeholder(a.shape, "int32", name="A")
    X = te.placeholder(x.shape, name="X")
    results = te.hybrid.parse(text, [A, X], names)
    assert len(results[0].op.axis) == rows
    s = te.create_schedule(results[0])
    for axis in results[0].op.axis:
        outer, inner = s[results[0]].split(axis, factor)
        s[results[0]].reorder(inner, outer)
        kind = ("serial", "parallel", "vectorize", "unroll")[factor - 1]
        if kind != "serial":
            getattr(s[results[0]], kind)(inner)
    expected = te.hybrid.HybridModule(text.replace("ROWS", str(ROWS)).replace("COLUMNS", "3"))(a, x)
    written = te.hybrid.build(s, [A, X], results)
    for found in (run(s, A, X, results, a, x), written(a, x)):
        for array, meant in zip(found, expected, strict=True):
            np.testing.assert_allclose(array, meant, rtol=1e-6)


@settings(max_examples=EXAMPLES // 4)
@given(st.integers(0, 2**32), st.booleans(), st.integers(1, 4))
def test_as_python(seed, rows, factor):
    check(text_of(seed, rows), factor, rows)
