"""How operators are compared with NumPy: many in one program, interpreted and compiled."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret

Given = Mapping[te.Tensor, np.ndarray]
Wanted = Sequence[tuple[te.Tensor, Any]]

TOLERANCE = {"float16": 4e-3, "bfloat16": 2e-2, "float32": 2e-5, "float64": 1e-12}
"""Of relative differences: a few roundings of each operation."""


def agree(found: np.ndarray, tensor: te.Tensor, expected: Any) -> None:
    """The tensor has NumPy's dtype, unless that is wider, its shape and its numbers."""
    wanted = np.asarray(expected)
    assert found.shape == wanted.shape, tensor
    kind = "f" if "float" in tensor.dtype else found.dtype.kind
    assert kind == wanted.dtype.kind or (wanted.dtype.kind in "iu" and kind in "iu"), tensor
    if kind == "f":
        tolerance = TOLERANCE[tensor.dtype]
        values = found.astype("float64"), wanted.astype("float64")
        np.testing.assert_allclose(*values, rtol=tolerance, atol=tolerance, err_msg=str(tensor))
    else:
        np.testing.assert_array_equal(found, wanted, err_msg=str(tensor))


def outputs_of(wanted: Wanted) -> list[te.Tensor]:
    return [tensor for tensor, _ in wanted]


def compare_interpreted(given: Given, wanted: Wanted) -> None:
    """In the reference interpreter, where every read is checked; sizes are constant."""
    s = te.create_schedule(outputs_of(wanted))
    arrays = [given[tensor] for tensor in s.program.tensors if tensor in given]
    tensors = [one for op in s.outputs for one in op.outputs]
    found = dict(zip(tensors, interpret(s.module, "main", arrays), strict=True))
    for tensor, expected in wanted:
        agree(found[tensor], tensor, expected)


def compiled(given: Sequence[te.Tensor], outputs: Sequence[te.Tensor]) -> Callable[..., Any]:
    """The program as machine code: from arrays to a list of arrays of the given shapes."""
    f = teloom.build(te.create_schedule([*outputs]), [*given, *outputs])

    def run(arrays: Sequence[np.ndarray], shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
        results = [np.zeros(shape, one.dtype) for shape, one in zip(shapes, outputs, strict=True)]
        f(*arrays, *results)
        return results

    return run


def compare_compiled(given: Given, wanted: Wanted) -> None:
    """As machine code, each access of which is checked."""
    run = compiled([*given], outputs_of(wanted))
    results = run([*given.values()], [np.shape(expected) for _, expected in wanted])
    for found, (tensor, expected) in zip(results, wanted, strict=True):
        agree(found, tensor, expected)


@pytest.fixture(scope="session")
def interpreted() -> Callable[[Given, Wanted], None]:
    return compare_interpreted


@pytest.fixture
def both() -> Callable[[Given, Wanted], None]:
    """Interpreted and compiled."""

    def compare(given: Given, wanted: Wanted) -> None:
        compare_interpreted(given, wanted)
        compare_compiled(given, wanted)

    return compare


@pytest.fixture
def symbolic() -> Callable[..., None]:
    """One program of symbolic sizes, compiled once, at several sizes.

    `make(sizes)` gives the placeholders, and operators of them with NumPy's function of their
    arrays; `cases` are the sizes.
    """

    def compare(make: Callable[..., Any], names: str, cases: Sequence[Sequence[int]]) -> None:
        variables = [te.var(name) for name in names.split()]
        given, wanted = make(*variables)
        run = compiled(given, outputs_of(wanted))
        rng = np.random.default_rng(0)
        for case in cases:
            sizes: dict[str, Any] = dict(zip(map(str, variables), case, strict=True))
            arrays = [
                rng.normal(size=[int(sizes.get(str(extent), extent)) for extent in one.shape])
                for one in given
            ]
            arrays = [array.astype(one.dtype) for array, one in zip(arrays, given, strict=True)]
            expected = [reference(*arrays) for _, reference in wanted]
            found = run(arrays, [np.shape(one) for one in expected])
            for one, (tensor, _), reference in zip(found, wanted, expected, strict=True):
                agree(one, tensor, reference)

    return compare


@pytest.fixture
def compile_once() -> Callable[..., Callable[..., list[np.ndarray]]]:
    """`compile_once(given, outputs)`: `compiled`, for arrays that a test makes itself."""
    return compiled


@pytest.fixture
def refuses() -> Callable[[Callable[[], object], str], None]:
    """`refuses(make, words)`: it is refused at its definition, with these words."""

    def check(make: Callable[[], object], words: str) -> None:
        with pytest.raises(teloom.Error) as error:
            make()
        assert words in str(error.value)

    return check
