"""Random numbers, which follow from the state of a generator: what belongs here draws some.

Each returns the generator's next state first. A state is used once: the same state gives the same
numbers. Names and argument order are those of TVM 0.14, and so are the numbers, where they are a
multiple of four.
"""

from teloom.topi.random.distributions import multinomial, normal, uniform
from teloom.topi.random.generator import threefry_generate, threefry_split

__all__ = [
    "multinomial",
    "normal",
    "threefry_generate",
    "threefry_split",
    "uniform",
]
