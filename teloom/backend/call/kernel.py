"""A compiled function that is called with arrays."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isinf
from time import perf_counter
from typing import Any, NamedTuple, NoReturn

import numpy as np

from teloom.analysis.index.limits import LARGEST_SIZE
from teloom.analysis.signature import Argument
from teloom.backend.call import native_calls, region_code, threads, workspace
from teloom.backend.call.array_dtypes import dtype_text
from teloom.backend.call.array_memory import (
    bytes_before,
    bytes_reached,
    element_strides,
    overlaps_itself,
)
from teloom.backend.call.callbacks import External
from teloom.backend.call.guarded_memory import CallArray, guarded
from teloom.backend.call.native_calls import KnownCalls, Prepared
from teloom.backend.call.recipe import Recipe
from teloom.backend.call.shapes import ArrayLayout, SizeSolver, shape_text
from teloom.backend.machine import generators, jit
from teloom.backend.machine.generators import MACHINE_LEVELS
from teloom.dialects.runtime import FIRST_ASSERTION, OUT_OF_MEMORY
from teloom.errors import CallError, Error, KernelError, said_with_kind
from teloom.lazy import loaded

LARGEST_OF_FLOAT16 = 65504.0
"""It is finite in every dtype of floats."""

REMEMBERED_SHAPES = 256
"""The number of combinations of shapes that a kernel remembers as checked."""


def _is_number(value: object) -> bool:
    """Whether `value` is a number; NumPy calls a duration one, too."""
    if isinstance(value, np.generic):  # bfloat16 is none of NumPy's own kinds
        is_number = isinstance(value, np.number | np.bool_) or value.dtype.name == "bfloat16"
        return is_number and not isinstance(value, np.timedelta64)
    return isinstance(value, int | float)


def as_array(value: object) -> np.ndarray[Any, Any] | None:
    """The memory of `value` as an array, never a copy; None if it offers none."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, np.generic):
        return None  # a scalar has an interface, but what is written there is lost
    if hasattr(value, "__array_interface__"):
        return np.asarray(value, copy=False)
    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)  # pyright: ignore
    return None


def _rounded(number: float, dtype: str) -> np.ndarray[Any, Any]:
    """A float in another dtype; raises OverflowError if only infinity is near it there."""
    if abs(number) <= LARGEST_OF_FLOAT16:
        return np.array(number, dtype)
    with np.errstate(over="ignore"):
        rounded = np.array(number, dtype)
    if np.isinf(rounded) and not isinf(number):
        raise OverflowError
    return rounded


class _Checked(NamedTuple):
    """Facts about a call that follow from the layouts of its arrays, whatever their addresses.

    Per array, its elements take `reached` bytes, and its memory starts `before` bytes in front
    of the first one.
    """

    sizes: tuple[int, ...]
    reached: tuple[int, ...]
    before: tuple[int, ...]


Check = Callable[
    [Sequence[int], Sequence[np.ndarray[Any, Any]], Sequence[int], Sequence[int]], None
]
"""Checks a call before it happens. It gets the sizes, the arrays, the addresses of their memory,
and the number of elements of that memory."""


class Kernel:
    """A function in machine code.

    Call it with the arguments that its signature lists. Arrays are used in place, outputs are
    written in place. Wrong arguments raise `CallError`, and a lack of memory for temporary
    buffers `OutOfMemoryError`. A `check`, if there is one, runs in front of the code; then a
    write out of bounds raises `WrongAccessError`. Parallel loops run on as many threads as
    `num_threads` and the environment say; Python's lock is released meanwhile.
    """

    check: Check | None = None

    def __init__(
        self,
        recipe: Recipe,
        library: jit.Library,
        text: Callable[[], str],
        externals: Sequence[External] = (),
    ):
        """`text` gives the LLVM IR of the code."""
        self.recipe = recipe
        self.signature = signature = recipe.signature
        self._library = library
        self.codes = library.codes
        self._externals = externals  # keeps them alive for the code
        self.text = text
        self._sources: dict[str, str] = {}
        count = len(signature.sizes)
        pointers = len(signature.arguments) + recipe.allocates
        types = [ctypes.c_int64] * count + [ctypes.c_void_p] * pointers
        address = library.address(recipe.symbol)
        entry = ctypes.CFUNCTYPE(ctypes.c_int32, *types)(address)
        self.num_threads: int | None = None
        self._entry: Callable[..., int] = entry
        if recipe.is_parallel:
            self._entry = partial(workspace.run_on, self._threads, entry)
        elif recipe.allocates:
            self._entry = partial(workspace.run, entry)
        self._known_calls = KnownCalls(
            signature,
            address,
            recipe.allocates,
            bool(externals),
            (lambda: threads.Known(self.num_threads)) if recipe.is_parallel else None,
        )
        self._places = [position - count for position in signature.order]
        self._outputs = [i for i, a in enumerate(signature.arguments) if a.output]
        self._with_offset = {i for i, a in enumerate(signature.arguments) if a.placement.has_offset}
        self._checked: dict[tuple[object, ...], _Checked] = {}

    def _threads(self) -> int:
        return threads.threads_of_call(self.num_threads)

    def __repr__(self) -> str:
        return f"<teloom kernel {self.signature.name}>"

    def source(self, level: str = "llvm-ir") -> str:
        """The optimised LLVM IR (`llvm-ir`) or the assembly (`asm`) of the kernel."""
        if level not in MACHINE_LEVELS:
            raise Error(f"a kernel has no level '{level}'; levels: {', '.join(MACHINE_LEVELS)}")
        if level not in self._sources:
            text_at = loaded("teloom.backend.machine.codegen.machine_code", "text_at")
            self._sources[level] = text_at(level, self.text(), self.recipe.machine)
        return self._sources[level]

    def __call__(self, *values: object) -> None:
        call, checked = self._prepared(values)
        if self.check is not None:
            self._run_checked(self.check, checked, call)
            return
        start = perf_counter()
        self.run(call.sizes, call.addresses)
        self._known_calls.add(call, values, perf_counter() - start)

    @property
    def knows_calls(self) -> bool:
        """Whether machine code would make a call that has been made before."""
        return bool(self._known_calls.records)

    def builtin(self) -> Callable[..., None]:
        """The kernel as a built-in function, where there can be one, and else as it is.

        A call with arrays of NumPy, of layouts that it knows from earlier calls, runs no Python.
        """
        if not native_calls.are_possible():
            return self
        return native_calls.calling(self, self._known_calls, self._fail)

    def __reduce__(self) -> NoReturn:
        raise Error(
            f"a call of {self.signature.name} cannot be pickled: it is bound to arrays and to "
            "machine code of this process; pickle the function that it was made of"
        )

    def bind(self, *values: object) -> Callable[[], None]:
        """A function without arguments that makes this call, with the checks done here."""
        call, _ = self._prepared(values)
        if self.check is not None:
            return partial(self, *values)
        run = partial(self._run_again, call)
        if not native_calls.are_possible():
            return run
        return native_calls.bound(run, self._known_calls, call, self._fail)

    def _run_again(self, call: Prepared) -> None:
        self.run(call.sizes, call.addresses)

    def _prepared(self, values: tuple[object, ...]) -> tuple[Prepared, _Checked]:
        """A call with these values. Raises `CallError` for one that must not be made."""
        places = self._places
        if len(values) != len(places):
            raise CallError(self._wrong_count(len(values)))
        arrays: list[Any] = [None] * len(self.signature.arguments)
        key: list[object] = []
        for place, value in zip(places, values, strict=True):
            if place < 0:
                key.append(self._size(place, value))
                continue
            if type(value) is not np.ndarray:
                value = self._array(place, value)
            arrays[place] = value
            key += (value.dtype, value.shape, value.strides)
            if place in self._with_offset:
                key.append(bytes_before(value))
        known = tuple(key)
        checked = self._checked.get(known)
        if checked is None:
            checked = self._check(arrays, values)
            if len(self._checked) >= REMEMBERED_SHAPES:
                self._checked.clear()
            self._checked[known] = checked
        addresses = self._addresses(arrays, checked)
        return Prepared(known, checked.sizes, arrays, addresses, checked.reached), checked

    def _run_checked(self, check: Check, checked: _Checked, call: Prepared) -> None:
        """Runs the check, then the code, both on guarded copies."""
        arguments = self.signature.arguments
        given = [
            CallArray(
                self._argument(number),
                array,
                call.addresses[number],
                checked.before[number],
                checked.reached[number],
                arguments[number].placement.alignment,
                arguments[number].output,
            )
            for number, array in enumerate(call.arrays)
        ]
        lengths = [(one.before + one.reached) // one.array.itemsize for one in given]
        with guarded(given) as (copies, starts):
            check(checked.sizes, copies, starts, lengths)
            self.run(checked.sizes, starts)

    def run(self, sizes: Sequence[int], addresses: Sequence[int]) -> None:
        """Runs the code with unchecked arguments in machine order."""
        if status := self._entry(*sizes, *addresses):
            self._fail(status)

    def _fail(self, status: int) -> None:
        raise self._failure(status)

    def _failure(self, status: int) -> BaseException:
        """The exception for a call that has returned this status."""
        name = self.signature.name
        if status in (OUT_OF_MEMORY, region_code.INTERRUPTED):
            return workspace.failure(name)
        message = self.recipe.assertions[status - FIRST_ASSERTION]
        cause = workspace.take_raised()
        if cause is None:
            return KernelError(f"{name}: {message}")
        if not isinstance(cause, Exception):
            return cause  # such as KeyboardInterrupt
        failure = KernelError(f"{name}: {message}: {said_with_kind(cause)}")
        failure.__cause__ = cause
        return failure

    def _addresses(self, arrays: list[Any], checked: _Checked) -> list[int]:
        """The addresses of the arrays' memory; refuses what is misaligned, read-only or aliased."""
        starts: list[int] = []
        ends: list[int] = []
        memory: list[int] = []
        for number, array in enumerate(arrays):
            start, readonly = array.__array_interface__["data"]
            argument = self.signature.arguments[number]
            if start % array.itemsize:
                raise CallError(
                    f"{self._argument(number)} is at address {start:#x}, which is not "
                    f"aligned to its {array.itemsize}-byte elements; copy it"
                )
            if readonly and argument.output:
                raise CallError(f"{self._argument(number)} is written, but is read-only")
            starts.append(start)
            ends.append(start + checked.reached[number])
            memory.append(start - checked.before[number])
            if memory[number] % argument.placement.alignment:
                raise CallError(
                    f"{self._argument(number)} has memory at address {memory[number]:#x}, which "
                    f"is not aligned to {argument.placement.alignment} bytes; copy it there, or "
                    "declare less data_alignment"
                )
        for output in self._outputs:
            start, end = starts[output], ends[output]
            for other in range(len(arrays)):
                if starts[other] < end and start < ends[other] and other != output:
                    self._check_apart(output, other, arrays, starts, ends)
        return memory

    def _check_apart(
        self, output: int, other: int, arrays: list[Any], starts: list[int], ends: list[int]
    ) -> None:
        start = max(starts[output], starts[other])
        shared = f"{min(ends[output], ends[other]) - start} bytes"
        if not (arrays[output].flags.c_contiguous and arrays[other].flags.c_contiguous):
            # Their byte ranges overlap, but rows of one may lie between rows of the other.
            if not np.shares_memory(arrays[output], arrays[other]):
                return
            shared = "memory"
        raise CallError(
            f"{self._argument(output)} is written, but shares {shared} with "
            f"argument {self.signature.arguments[other].name}; pass a copy of one"
        )

    def _argument(self, number: int) -> str:
        return f"{self.signature.name}: argument {self.signature.arguments[number].name}"

    def _wrong_count(self, given: int) -> str:
        sizes, arguments = self.signature.sizes, self.signature.arguments
        names = [
            arguments[place].name if place >= 0 else sizes[place + len(sizes)]
            for place in self._places
        ]
        return (
            f"{self.signature.name} takes {len(names)} arguments ({', '.join(names)}), got {given}"
        )

    def _size(self, place: int, value: object) -> int:
        name = self.signature.sizes[place + len(self.signature.sizes)]
        try:
            size = operator.index(value)  # pyright: ignore
        except TypeError:
            raise CallError(
                f"{self.signature.name}: size {name} is {value!r}, expected an integer"
            ) from None
        if not 0 <= size <= LARGEST_SIZE:
            raise CallError(
                f"{self.signature.name}: size {name} is {size}; sizes go from 0 to {LARGEST_SIZE}"
            )
        return size

    def _array(self, place: int, value: object) -> np.ndarray[Any, Any]:
        argument = self.signature.arguments[place]
        if _is_number(value) and argument.is_number:
            return self._number(place, value, argument.dtype)
        if isinstance(value, np.ndarray) and isinstance(value, np.ma.MaskedArray):
            raise CallError(
                f"{self._argument(place)} is a masked array, and compiled code takes no masks; "
                "pass what its filled() gives, or its data"
            )
        try:
            array = as_array(value)
        except (ValueError, TypeError, BufferError, RuntimeError) as error:
            reason = str(error).partition("\n")[0]
            raise CallError(f"{self._argument(place)} gives no memory: {reason}") from error
        if array is None:
            wanted = "a number or an array" if argument.is_number else "an array"
            raise CallError(
                f"{self._argument(place)} is of type {type(value).__name__}, "
                f"expected {wanted} (NumPy, array interface or DLPack)"
            )
        return array

    def _number(self, place: int, value: object, dtype: str) -> np.ndarray[Any, Any]:
        """A number as an array without axes, which it must fit; a float is rounded."""
        try:
            if not dtype.startswith(("float", "bfloat")):
                number = bool(value) if isinstance(value, np.bool_) else value
                return np.array(operator.index(number), dtype)  # pyright: ignore
            return _rounded(float(value), dtype)  # pyright: ignore
        except (TypeError, OverflowError):
            raise CallError(f"{self._argument(place)} is {value!r}, which is no {dtype}") from None

    def _check(self, arrays: list[Any], values: tuple[object, ...]) -> _Checked:
        """Checks a call with arrays of these layouts, and gives the facts that follow."""
        count = len(self.signature.sizes)
        passed = {
            place + count: operator.index(value)  # pyright: ignore
            for place, value in zip(self._places, values, strict=True)
            if place < 0
        }
        layouts = [self._layout(number, array) for number, array in enumerate(arrays)]
        return _Checked(
            SizeSolver(self.signature, passed).solve(layouts),
            tuple(map(bytes_reached, arrays)),
            tuple(one.offset * array.itemsize for one, array in zip(layouts, arrays, strict=True)),
        )

    def _layout(self, number: int, array: np.ndarray[Any, Any]) -> ArrayLayout:
        """The layout of an array in memory; raises `CallError` if it cannot be this argument."""
        where, argument = self._argument(number), self.signature.arguments[number]
        self._check_array(number, argument, array)
        offset = 0
        if number in self._with_offset:
            offset, rest = divmod(bytes_before(array), array.itemsize)
            if rest:
                raise CallError(
                    f"{where} begins {bytes_before(array)} bytes behind its memory's start, "
                    f"no multiple of its {array.itemsize}-byte elements"
                )
        if argument.placement.strides is None:
            return ArrayLayout(array.shape, (), offset)
        try:
            strides = element_strides(array)
        except ValueError as error:
            raise CallError(f"{where} has {error}; pass a copy") from None
        if argument.output and overlaps_itself(array):
            raise CallError(
                f"{where} is written, but two of its elements share an address: "
                f"shape {shape_text(array.shape)}, strides {shape_text(array.strides)}"
            )
        return ArrayLayout(array.shape, strides, offset)

    def _check_array(self, number: int, argument: Argument, array: np.ndarray[Any, Any]) -> None:
        where = self._argument(number)
        if array.dtype.name != argument.dtype:
            raise CallError(
                f"{where} has dtype {dtype_text(array.dtype)}, expected {argument.dtype}"
            )
        if not array.dtype.isnative:
            raise CallError(
                f"{where} has the byte order of another machine; "
                "use array.astype(array.dtype.newbyteorder('='))"
            )
        rank = 1 if argument.shape is None else len(argument.shape)
        if array.ndim != rank:
            raise CallError(
                f"{where} has {array.ndim} axes, shape {shape_text(array.shape)}, "
                f"expected {rank} axes"
            )
        if argument.placement.strides is None and not array.flags.c_contiguous:
            declare = "" if argument.placement.layout else ", or declare strides"
            raise CallError(
                f"{where} is strided: shape {shape_text(array.shape)}, strides "
                f"{shape_text(array.strides)}; use np.ascontiguousarray{declare}"
            )


def kernels_found(
    recipes: Sequence[Recipe], externals: Mapping[str, External], text: Callable[[], str]
) -> list[Kernel] | None:
    """The kernels of recipes that share their code, if the cache has it.

    Raises `Error` as `compiled.kernels_of` does.
    """
    generators.check_runs_here(recipes[0].machine, recipes[0].has_tiles)
    known, exports = symbols_of(recipes, externals, {}), tuple(one.symbol for one in recipes)
    library = jit.found(recipes[0].codes, exports, known)
    if library is None:
        return None
    return [Kernel(one, library, text, one.externals(externals)) for one in recipes]


def symbols_of(
    recipes: Sequence[Recipe], externals: Mapping[str, External], others: Mapping[str, int]
) -> dict[str, int]:
    """The addresses of what the code of kernels calls; raises `Error` where there is none."""
    known: dict[str, int] = {}
    for recipe in recipes:
        known |= recipe.symbols(externals)
    known |= others
    for recipe in recipes:
        if missing := jit.missing_symbols(recipe.called, known):
            raise Error(
                f"{recipe.signature.name} calls {', '.join(missing)}, which this process does not "
                "have"
            )
    return known
