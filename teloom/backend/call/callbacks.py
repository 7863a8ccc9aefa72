"""External functions that compiled code calls: C functions by address, and Python functions."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from teloom.backend.call.array_dtypes import array_dtype

SUCCEEDED, RAISED = 0, 1
"""The status that a callback returns to compiled code."""


class External(Protocol):
    """An external function in this process; it lives as long as this object."""

    @property
    def address(self) -> int:
        """The address of its code."""
        ...


@dataclass(frozen=True)
class CtypesFunction:
    """A C function, as a ctypes object."""

    function: Any

    @property
    def address(self) -> int:
        address = ctypes.cast(self.function, ctypes.c_void_p).value
        assert address is not None
        return address


@dataclass(frozen=True)
class ArrayParameter:
    """An array parameter of a callback: an address, then extents and strides in elements."""

    dtype: str
    rank: int
    writable: bool

    def __post_init__(self) -> None:
        """Raises `teloom.Error` if NumPy lacks the dtype."""
        array_dtype(self.dtype)

    @property
    def types(self) -> list[Any]:
        return [ctypes.c_void_p, *[ctypes.c_int64] * (2 * self.rank)]

    def value(self, raw: Sequence[int]) -> np.ndarray[Any, Any]:
        address, extents, strides = raw[0], raw[1 : 1 + self.rank], raw[1 + self.rank :]
        return np.asarray(_Memory(address, extents, strides, self)).view(array_dtype(self.dtype))


@dataclass(frozen=True)
class NumberParameter:
    """A number parameter of a callback."""

    type: Any

    @property
    def types(self) -> list[Any]:
        return [self.type]

    def value(self, raw: Sequence[Any]) -> Any:
        return raw[0]


Parameter = ArrayParameter | NumberParameter

ADDRESS = NumberParameter(ctypes.c_void_p)


def is_address(parameter: Parameter) -> bool:
    """Whether a function gets the address of memory, and no more."""
    return parameter == ADDRESS


class _Memory:
    """Memory at an address, with NumPy's array interface."""

    def __init__(
        self,
        address: int,
        extents: Sequence[int],
        strides: Sequence[int],
        parameter: ArrayParameter,
    ):
        width = array_dtype(parameter.dtype).itemsize
        self.__array_interface__ = {
            "version": 3,
            "data": (address, not parameter.writable),
            "shape": tuple(extents),
            "strides": tuple(stride * width for stride in strides),
            "typestr": f"|u{width}" if width == 1 else f"=u{width}",
        }


_raised: dict[int, BaseException] = {}
"""What callbacks raised last, by thread. Threads of OpenMP are none of Python's: what is local to
such a thread is gone when a callback returns."""


def take_error() -> BaseException | None:
    """The exception that a callback last raised in this thread; a second call gives None."""
    return _raised.pop(threading.get_ident(), None)


class Callback:
    """A Python function that compiled code calls with arrays and numbers.

    Arrays are valid during the call only; those that are inputs are read-only. The result of the
    function is dropped. If it raises, the calling code gets the status `RAISED`. Two that call one
    function with the same parameters are equal.
    """

    def __init__(self, function: Callable[..., object], parameters: Sequence[Parameter]):
        self.function = function
        self.parameters = parameters
        types = [type for parameter in parameters for type in parameter.types]
        self._entry = ctypes.CFUNCTYPE(ctypes.c_int32, *types)(self._call)

    @property
    def address(self) -> int:
        return CtypesFunction(self._entry).address

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Callback):
            return NotImplemented
        return self.function is other.function and self.parameters == other.parameters

    def __hash__(self) -> int:
        return hash((id(self.function), *self.parameters))

    def _call(self, *raw: Any) -> int:
        try:
            self.function(*self._values(raw))
        except BaseException as error:  # machine code has no exceptions; the kernel raises it again
            _raised[threading.get_ident()] = error
            return RAISED
        return SUCCEEDED

    def _values(self, raw: Sequence[Any]) -> list[Any]:
        values: list[Any] = []
        for parameter in self.parameters:
            count = len(parameter.types)
            values.append(parameter.value(raw[:count]))
            raw = raw[count:]
        return values


def addresses(externals: Mapping[str, External]) -> dict[str, int]:
    """The addresses of the functions, by their names in the code."""
    return {name: external.address for name, external in externals.items()}
