"""The programs of `examples/` in C, in one source: what NumPy computes.

All of `tests/programs` run through C, too, beside LLVM's code, with the plugin `through_c`.
"""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from c_functions import call, library, needs_compiler
from standard_kernels import lowering

import teloom
from teloom import te
from teloom.backend.c.source import VECTOR_FORMS
from teloom.driver.translate.c_code import c_code

EXAMPLES = Path(__file__).parents[3] / "examples"

SIZES = {
    "matmul": (45, 67, 33),
    "gemv": (45, 67),
    "blur": (45, 67),
    "blur_integers": (45, 67),
    "harris": (45, 67),
    "depthwise": (9, 11, 20),
    "softmax": (5, 37),
    "layer_norm": (5, 37),
    "row_sum": (5, 37),
    "six_ops": (100,),
    "transpose": (45, 67),
    "dot_tiles_bf16": (5, 64, 12),
}
"""Those with external functions are left out, and those whose loops others have."""


@needs_compiler
@pytest.mark.parametrize("form", VECTOR_FORMS)
def test_examples(form: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    names = list(SIZES) if form == "extension" else ["matmul", "softmax", "dot_tiles_bf16"]
    examples = {name: import_module(name).EXAMPLE for name in names}
    programs = {name: one.program(*SIZES[name]) for name, one in examples.items()}
    module = teloom.lower(programs, level="te", target="x86-64-v4")
    found = library(c_code(module, lowering(), form))
    for name, example in examples.items():
        inputs = example.arrays(np.random.default_rng(0), *SIZES[name])
        expected = example.numpy(*inputs)
        result = np.zeros_like(expected)
        assert call(found, name, [], [*inputs, result]) == 0
        wide = expected.astype("float64")
        atol = example.rtol * float(np.abs(wide).max())
        np.testing.assert_allclose(result.astype("float64"), wide, example.rtol, atol, err_msg=name)


def test_arguments_go_by_the_names_that_the_user_gave():
    first, second = (te.placeholder((4,), "float32", name=name) for name in ("x_1", "x_2"))
    made = te.compute((4,), lambda i: first[i] - second[i], name="int")
    source = teloom.build([first, second, made], name="less").source("c")
    head = (
        "int32_t less(const float *restrict x_1, const float *restrict x_2, float *restrict int_)"
    )
    assert f"{head};" in source
    assert f"{head} {{" in source
    assert "x_2: float32 [4]" in source
