"""Gradients, next to differences of the outputs of the same programs."""

from collections.abc import Mapping, Sequence

import numpy as np
from budget import runs_all

import teloom
from teloom import te


def checked(
    outputs: te.Tensor | list[te.Tensor],
    inputs: list[te.Tensor],
    low: float = -2.0,
    data: Mapping[te.Tensor, np.ndarray] | None = None,
    auto: bool = True,
) -> None:
    """Compares gradients of a weighted sum of each output with central differences."""
    rng = np.random.default_rng(0)
    arrays = [rng.uniform(low, 2.0, one.shape) for one in inputs]
    listed = outputs if isinstance(outputs, list) else [outputs]
    Differences(listed, inputs, list(data or {}), auto).check(arrays, list((data or {}).values()))


class Differences:
    """The gradients of outputs of one shape, and the outputs themselves, as programs.

    Those to which the gradients are compared have no schedule. The gradients have one by rules
    unless `auto` is false, for programs whose loops and reads are like those of another test.
    """

    def __init__(
        self,
        outputs: Sequence[te.Tensor],
        inputs: Sequence[te.Tensor],
        data: Sequence[te.Tensor],
        auto: bool = True,
    ):
        head = te.placeholder(outputs[0].shape, "float64", name="H")
        grads = [one for output in outputs for one in te.gradient(output, inputs, head=head)]
        given = [*inputs, *data]
        self.inputs = inputs
        self.outputs = outputs
        self.backward = teloom.build([*given, head, *grads], auto=auto or runs_all())
        self.forward = teloom.build([*given, *outputs], auto=runs_all())

    def check(
        self,
        arrays: Sequence[np.ndarray],
        data: Sequence[np.ndarray] = (),
        shape: Sequence[int] | None = None,
    ) -> None:
        """Compares at `arrays`; `shape` is that of the outputs, where sizes say it."""
        extents = self.outputs[0].shape if shape is None else shape
        weights = np.random.default_rng(1).uniform(0.5, 1.5, extents)
        found = [np.empty(one.shape) for _ in self.outputs for one in arrays]
        self.backward(*arrays, *data, weights, *found)

        def totals() -> np.ndarray:
            values = [np.empty(extents) for _ in self.outputs]
            self.forward(*arrays, *data, *values)
            return np.array([(one * weights).sum() for one in values])

        for number, array in enumerate(arrays):
            for at in list(np.ndindex(array.shape))[:: max(1, array.size // 12)]:
                value, step = array[at], 1e-6
                array[at] = value + step
                above = totals()
                array[at] = value - step
                difference = (above - totals()) / (2 * step)
                array[at] = value
                gradients = [one[at] for one in found[number :: len(arrays)]]
                np.testing.assert_allclose(gradients, difference, 1e-4, 1e-6)
