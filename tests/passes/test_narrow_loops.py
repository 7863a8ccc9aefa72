"""`narrow-loops` changes no result: random conditions over counters and numbers from memory."""

from __future__ import annotations

import operator
from random import Random

import numpy as np
import pytest
from standard_kernels import parse

import teloom

OPERATIONS = {
    "sge": operator.ge,
    "sgt": operator.gt,
    "slt": operator.lt,
    "sle": operator.le,
    "eq": operator.eq,
}
AROUND = 128
"""How many elements in front of the array, and behind it, have to stay as they are."""

NUMBERS = [-(2**63), -3, 0, 1, 2, 4, 6, 2**62, 2**63 - 1]


class Program:
    """Two loops that add to the points at which conditions hold."""

    def __init__(self, random: Random):
        self.random = random
        self.extents = [random.choice([0, 1, 5, 7]) for _ in range(2)]
        self.numbers = [random.choice(NUMBERS) for _ in range(4)]
        self.lines: list[str] = []
        self.asked = [self.condition(number) for number in range(random.randint(1, 4))]

    def condition(self, number: int):
        """A comparison of a counter, or of a number, with a number, in 64 bits or in 8."""
        random = self.random
        word, is_turned = random.choice([*OPERATIONS]), random.random() < 0.3
        left = random.choice(["%i", "%j", random.randrange(4)])
        right, width = random.randrange(4), random.choice([64, 64, 8])
        names = []
        for side, one in (("l", left), ("r", right)):
            name = f"%{side}{number}"
            if isinstance(one, str):
                self.lines.append(f"{name} = arith.index_cast {one} : index to i{width}")
            else:
                self.lines.append(f"{name}w = loop.load %n[{one}] : i64")
                self.lines.append(
                    f"{name} = arith.trunci {name}w : i64 to i8"
                    if width == 8
                    else f"{name} = arith.addi {name}w, %none : i64"
                )
            names.append(name)
        a, b = reversed(names) if is_turned else names
        self.lines.append(f"%c{number} = arith.cmpi {word}, {a}, {b} : i{width}")
        return word, is_turned, left, right, width

    def text(self, name: str) -> str:
        count = len(self.asked)
        joined = [
            f"%d{k} = arith.andi {'%c0' if k == 1 else f'%d{k - 1}'}, %c{k} : i1"
            for k in range(1, count)
        ]
        m, n = self.extents
        lines = "\n".join([*self.lines, *joined])
        return f"""
            func.func @{name}(%N: memref<4xi64>, %A: memref<{max(m * n, 1)}xi32>) {{
              %one = arith.constant 1 : i32
              %n = loop.bind %N [0 : 4] : memref<4xi64>
              %a = loop.bind %A [0 : {max(m * n, 1)}] : memref<{max(m * n, 1)}xi32>
              %none = arith.constant 0 : i64
              loop.for %i = 0 to {m} {{
                loop.for %j = 0 to {n} {{
                  {lines}
                  scf.if {f"%d{count - 1}" if count > 1 else "%c0"} {{
                    %old = loop.load %a[%i * {n} + %j] : i32
                    %new = arith.addi %old, %one : i32
                    loop.store %new, %a[%i * {n} + %j] : i32
                  }}
                }}
              }}
              func.return
            }}
        """

    def expected(self) -> np.ndarray:
        m, n = self.extents
        found = np.zeros(max(m * n, 1), "int32")
        for i, j in np.ndindex(m, n):
            found[i * n + j] += all(self.holds(one, i, j) for one in self.asked)
        return found

    def holds(self, asked, i: int, j: int) -> bool:
        word, is_turned, left, right, width = asked
        sides = [
            np.int64({"%i": i, "%j": j}[one] if isinstance(one, str) else self.numbers[one])
            for one in (left, right)
        ]
        sides = [one.astype("int8") if width == 8 else one for one in sides]
        return bool(OPERATIONS[word](*(reversed(sides) if is_turned else sides)))


@pytest.mark.parametrize("seed", range(4))
def test_random_conditions(seed: int):
    """Twelve programs a time, which are functions of one module; nothing is written beside."""
    programs = [Program(random) for random in [Random(seed)] for _ in range(12)]
    texts = [program.text(f"f{number}") for number, program in enumerate(programs)]
    functions = teloom.build(parse("\n".join(texts)))
    for number, program in enumerate(programs):
        expected = np.pad(program.expected(), AROUND)
        memory = np.zeros_like(expected)
        functions[f"f{number}"](np.array(program.numbers, "int64"), memory[AROUND:-AROUND])
        np.testing.assert_array_equal(memory, expected, err_msg=texts[number])
