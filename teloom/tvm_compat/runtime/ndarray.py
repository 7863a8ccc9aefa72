"""`tvm.nd`, which is `tvm.runtime.ndarray`: arrays of NumPy with the methods of TVM's NDArray."""

from __future__ import annotations

from typing import Any

import numpy as np

from teloom.backend.call.array_dtypes import BFLOAT16, array_dtype
from teloom.errors import Error
from teloom.frontend.call import arrays
from teloom.tvm_compat.runtime.device import Device, cpu, device, on_cpu

__all__ = ["NDArray", "array", "cpu", "device", "empty"]


_BITS = np.uint16


def as_stored(value: Any, is_short: bool) -> Any:
    """The array; one of uint16 as bfloat16, if that is wanted: NumPy itself has no such dtype.

    >>> as_stored(np.array([0x3F80], "uint16"), True).astype("float32")
    array([1.], dtype=float32)
    """
    is_bits = is_short and isinstance(value, np.ndarray) and value.dtype == _BITS
    return value.view(array_dtype(BFLOAT16)) if is_bits else value


class NDArray(np.ndarray[Any, Any]):
    """An array of NumPy that can also be used as TVM's NDArray."""

    def numpy(self) -> np.ndarray[Any, Any]:
        """A copy of the elements, without these methods; of bfloat16 the bits, as uint16."""
        found = np.array(self, subok=False)
        return found.view(_BITS) if found.dtype.name == BFLOAT16 else found

    asnumpy = numpy

    def copyto(self, target: Any) -> Any:
        """Writes the elements to an array of the same shape, or to a new one on a device.

        Raises `teloom.Error` for an array of another shape or dtype, and for a device that is not
        the CPU.
        """
        if isinstance(target, Device):
            return array(self, target)
        if self.shape != target.shape:
            raise Error(f"an array of shape {self.shape} has no copy in one of {target.shape}")
        if self.dtype != target.dtype:
            raise Error(f"an array of {self.dtype} has no copy in one of {target.dtype}")
        target[...] = self
        return target

    def copyfrom(self, source: Any) -> NDArray:
        """Takes the elements of another array of the same shape; for bfloat16 uint16 are bits."""
        given = as_stored(np.asarray(source), self.dtype.name == BFLOAT16)
        if given.shape != self.shape:
            raise Error(f"an array of shape {self.shape} takes no copy of one of {given.shape}")
        self[...] = given
        return self

    def same_as(self, other: object) -> bool:
        """Whether it is the same array."""
        return self is other

    @property
    def device(self) -> Device:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The CPU: all arrays are in its memory."""
        return cpu()


def array(arr: Any, device: Device | None = None) -> NDArray:
    """A copy of an array, or of nested lists, that begins at a line of the cache.

    Raises `teloom.Error` for another device than the CPU. Source: TVM's nd.array.

    >>> array([1.5, 2]).numpy()
    array([1.5, 2. ])
    """
    given = np.asarray(arr)
    return empty(given.shape, given.dtype, device).copyfrom(given)


def empty(shape: Any, dtype: Any = "float32", device: Device | None = None) -> NDArray:
    """An array that begins at a line of the cache, of elements that are not defined.

    Extents may be constants of te. Raises `teloom.Error` for another device than the CPU.
    Source: TVM's nd.empty.

    >>> empty((2, 3), "int8").shape
    (2, 3)
    """
    on_cpu(device)
    extents = (shape,) if isinstance(shape, int) else tuple(int(extent) for extent in shape)
    return arrays.empty(extents, dtype).view(NDArray)
