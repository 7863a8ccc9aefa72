"""A compiled function that is called with arrays."""

import ctypes
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import ModuleOp

from teloom.analysis.signature import Argument, Signature
from teloom.backend import cache, jit
from teloom.backend.llvm_text import llvm_text
from teloom.backend.shapes import SizeSolver, shape_text
from teloom.errors import CallError, Error, OutOfMemoryError

SYMBOL_PREFIX = "teloom."
"""What goes before the name of a function in machine code: a kernel called `exp` must
not be taken for the C function that code for `math.exp` calls."""

REMEMBERED_SHAPES = 256
"""How many combinations of shapes a kernel remembers as checked."""


def as_array(value: object) -> np.ndarray[Any, Any] | None:
    """The memory of `value` as an array, never a copy; None if it offers none."""
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__array_interface__"):
        return np.asarray(value, copy=False)
    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)  # pyright: ignore
    return None


Check = Callable[[Sequence[int], Sequence[np.ndarray[Any, Any]], Sequence[int]], None]
"""Looks at a call before it happens: its sizes, its arrays and where these are."""


class Kernel:
    """A function in machine code.

    Call it with what its signature lists: arrays are used where they are, outputs are
    written in place. Wrong arguments raise `CallError`, a temporary buffer that
    cannot be allocated `OutOfMemoryError`. `check`, if there is one, runs before the code.
    """

    check: Check | None = None

    def __init__(self, signature: Signature, code: bytes, symbols: Mapping[str, int], text: str):
        self.signature = signature
        self.code = code
        self._text = text
        symbol = SYMBOL_PREFIX + signature.name
        self._library = jit.Library(code, (symbol,), symbols)
        count = len(signature.sizes)
        types = [ctypes.c_int64] * count + [ctypes.c_void_p] * len(signature.arguments)
        self._entry = ctypes.CFUNCTYPE(ctypes.c_int32, *types)(self._library.address(symbol))
        self._places = [position - count for position in signature.order]
        self._outputs = [i for i, a in enumerate(signature.arguments) if a.output]
        self._sizes_of: dict[tuple[object, ...], tuple[int, ...]] = {}

    def __repr__(self) -> str:
        return f"<teloom kernel {self.signature.name}>"

    def source(self, level: str = "llvm-ir") -> str:
        """The optimised LLVM IR (`llvm-ir`) or the assembly (`asm`) of the kernel."""
        if level == "llvm-ir":
            return self._optimized_text
        if level == "asm":
            return self._assembly
        raise Error(f"a kernel has no level '{level}'; levels: llvm-ir, asm")

    @cached_property
    def _optimized_text(self) -> str:
        return jit.optimized_text(self._text)

    @cached_property
    def _assembly(self) -> str:
        return jit.assembly(self._text)

    def __call__(self, *values: object) -> None:
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
        known = tuple(key)
        sizes = self._sizes_of.get(known)
        if sizes is None:
            sizes = self._check(arrays, values)
            if len(self._sizes_of) >= REMEMBERED_SHAPES:
                self._sizes_of.clear()
            self._sizes_of[known] = sizes
        addresses = self._addresses(arrays)
        if self.check is not None:
            self.check(sizes, arrays, addresses)
        self.run(sizes, addresses)

    def run(self, sizes: Sequence[int], addresses: Sequence[int]) -> None:
        """Runs the code with arguments in machine order, which nothing looks at."""
        if self._entry(*sizes, *addresses):
            raise OutOfMemoryError(
                f"{self.signature.name}: a temporary buffer could not be allocated"
            )

    def _addresses(self, arrays: list[Any]) -> list[int]:
        """Where the arrays are, if that is aligned, writable and apart as it must be."""
        starts: list[int] = []
        ends: list[int] = []
        for number, array in enumerate(arrays):
            start, readonly = array.__array_interface__["data"]
            if start % array.itemsize:
                raise CallError(
                    f"{self._argument(number)} is at address {start:#x}, which is not "
                    f"aligned to its {array.itemsize}-byte elements; copy it"
                )
            if readonly and self.signature.arguments[number].output:
                raise CallError(f"{self._argument(number)} is written, but is read-only")
            starts.append(start)
            ends.append(start + array.nbytes)
        for output in self._outputs:
            start, end = starts[output], ends[output]
            for other in range(len(arrays)):
                if starts[other] < end and start < ends[other] and other != output:
                    self._check_apart(output, other, starts, ends)
        return starts

    def _check_apart(self, output: int, other: int, starts: list[int], ends: list[int]) -> None:
        start = max(starts[output], starts[other])
        shared = min(ends[output], ends[other]) - start
        if shared <= 0:
            return
        raise CallError(
            f"{self._argument(output)} is written, but shares {shared} bytes with "
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
        if not 0 <= size < 2**63:
            raise CallError(f"{self.signature.name}: size {name} is {size}, out of range")
        return size

    def _array(self, place: int, value: object) -> np.ndarray[Any, Any]:
        try:
            array = as_array(value)
        except (ValueError, TypeError, BufferError, RuntimeError) as error:
            raise CallError(f"{self._argument(place)} gives no memory: {error}") from error
        if array is None:
            raise CallError(
                f"{self._argument(place)} is of type {type(value).__name__}, "
                "expected an array (NumPy, array interface or DLPack)"
            )
        return array

    def _check(self, arrays: list[Any], values: tuple[object, ...]) -> tuple[int, ...]:
        """The sizes of a call with arrays of these types and shapes."""
        count = len(self.signature.sizes)
        passed = {
            place + count: operator.index(value)  # pyright: ignore
            for place, value in zip(self._places, values, strict=True)
            if place < 0
        }
        for number, (argument, array) in enumerate(
            zip(self.signature.arguments, arrays, strict=True)
        ):
            self._check_array(number, argument, array)
        return SizeSolver(self.signature, passed).solve([array.shape for array in arrays])

    def _check_array(self, number: int, argument: Argument, array: np.ndarray[Any, Any]) -> None:
        where = self._argument(number)
        if array.dtype.name != argument.dtype:
            raise CallError(f"{where} has dtype {array.dtype.name}, expected {argument.dtype}")
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
        if not array.flags.c_contiguous:
            raise CallError(
                f"{where} is strided: shape {shape_text(array.shape)}, strides "
                f"{shape_text(array.strides)}; use np.ascontiguousarray"
            )


def compile_module(
    module: ModuleOp,
    name: str,
    lower: Callable[[str, str], None],
    read_signature: Callable[[func.FuncOp], Signature],
    checked: Callable[[ModuleOp, Signature], Check] | None = None,
) -> Kernel:
    """Machine code of function `name` of a module from the level `te` down to `memref`.

    `lower` brings the module from its first to its second argument's level. How the
    function is called is read where there are loops first: later levels drop what is no
    attribute of upstream's. There `checked` may make of a copy what runs before the code.
    Raises what those raise, and what `compile_llvm` does.
    """
    lower("schedule", "loop")
    functions = (op for op in module.walk() if isinstance(op, func.FuncOp))
    signature = read_signature(next(op for op in functions if op.sym_name.data == name))
    check = checked(module.clone(), signature) if checked is not None else None
    lower("memref", "llvm")
    kernel = compile_llvm(module, signature)
    kernel.check = check
    return kernel


def compile_llvm(
    module: ModuleOp, signature: Signature, symbols: Mapping[str, int] | None = None
) -> Kernel:
    """Compile a module of the `llvm` dialect for this machine, or take it from the cache.

    `signature` describes the function that is called. The code may call C functions of
    this process and `symbols`, which maps names to addresses.
    Raises `Error` where it calls a function that neither has.
    """
    known = symbols or {}
    called = [
        op.sym_name.data for op in module.ops if isinstance(op, llvm.FuncOp) and not op.body.blocks
    ]
    if missing := jit.missing_symbols(called, known):
        raise Error(
            f"{signature.name} calls {', '.join(missing)}, which this process does not have"
        )
    machine = jit.host()
    text = llvm_text(module, machine.function_attributes(), SYMBOL_PREFIX)
    return Kernel(signature, object_code(text), known, text)


def object_code(text: str) -> bytes:
    """Object code for this machine from LLVM IR text, from the cache if it is there."""
    return _cached(text, jit.host().key(), jit.emit_object)


def _cached(text: str, machine: str, emit: Callable[[str], bytes]) -> bytes:
    key = cache.key_of(text, machine)
    code = cache.load(key)
    if code is None:
        code = emit(text)
        cache.store(key, code)
    return code
