"""Ops on vectors of our `arith` dialect stay what they are when they are cloned."""

import pytest
from standard_kernels import parse
from xdsl.dialects import arith as upstream

from teloom.dialects.upstream.arith import LANEWISE

OPS = {
    "cmpf": "arith.cmpf oeq, %x, %x : {}",
    "negf": "arith.negf %x : {}",
    "extf": "arith.extf %x : {} to {wide}",
}


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("type", ["f32", "vector<8xf32>"])
def test_clones(op: str, type: str):
    text = OPS[op].format(type, wide=type.replace("f32", "f64"))
    module = parse(f"func.func @f(%x: {type}) {{\n  %r = {text}\n  func.return\n}}")
    clone = module.clone()
    clone.verify()
    kinds = [[part.__class__ for part in one.walk()] for one in (module, clone)]
    assert kinds[0] == kinds[1]
    assert (LANEWISE[upstream.CmpfOp] in kinds[1]) == (op == "cmpf" and "vector" in type)
