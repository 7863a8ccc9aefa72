"""Lowered loops: the arithmetic of affine expressions."""

import numpy as np
import pytest
from loop_kernels import compile_loops


@pytest.mark.parametrize("divisor", [1, 2, 3, 7, 8, 10])
def test_division_rounds_down_also_below_zero(divisor: int):
    kernel = compile_loops(f"""
        func.func @divide(%A: memref<40xi64> {{llvm.readonly}}, %B: memref<120xi64>) {{
          %a = loop.bind %A [0 : 40] : memref<40xi64>
          %b = loop.bind %B [0 : 3, 0 : 40] : memref<120xi64>
          loop.for %i = 0 to 40 {{
            %v = loop.load %a[%i] : i64
            %x = arith.index_cast %v : i64 to index
            %f = affine.apply affine_map<(d0) -> (d0 floordiv {divisor})> (%x)
            %c = affine.apply affine_map<(d0) -> (d0 ceildiv {divisor})> (%x)
            %m = affine.apply affine_map<(d0) -> (d0 mod {divisor})> (%x)
            %f_ = arith.index_cast %f : index to i64
            %c_ = arith.index_cast %c : index to i64
            %m_ = arith.index_cast %m : index to i64
            loop.store %f_, %b[0, %i] : i64
            loop.store %c_, %b[1, %i] : i64
            loop.store %m_, %b[2, %i] : i64
          }}
          func.return
        }}""")
    values = np.arange(-20, 20)
    results = np.zeros(120, "i8")
    kernel(values, results)
    floor, ceiling, rest = results.reshape(3, 40)
    np.testing.assert_array_equal(floor, values // divisor)
    np.testing.assert_array_equal(ceiling, -(-values // divisor))
    np.testing.assert_array_equal(rest, values % divisor)
