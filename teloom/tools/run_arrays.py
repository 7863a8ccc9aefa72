"""The sizes and arrays of a call by `teloom-run`: given, from files, or random."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.layouts import Region, physical_box
from teloom.analysis.signature import (
    Argument,
    Signature,
    symbols_of,
    takes_workspace,
)
from teloom.backend.call.array_dtypes import array_dtype, dtype_text
from teloom.backend.call.array_memory import element_strides, laid_out
from teloom.backend.call.shapes import ArrayLayout, SizeSolver
from teloom.dialects.syntax.argument_names import argument_names
from teloom.dialects.syntax.layouts import LayoutAttr
from teloom.dialects.syntax.placements import USUAL, row_major
from teloom.dialects.upstream.functions import READONLY, said_of_arguments
from teloom.errors import CallError, check_names

LARGEST_INTEGER = 9  # of random integers: small, so that sums of products do not wrap


class Call(NamedTuple):
    """The values of a signature's sizes and arguments, in machine order."""

    sizes: tuple[int, ...]
    arrays: list[np.ndarray]


def load(path: str) -> np.ndarray:
    """The array in a `.npy` file; raises `CallError` if there is none."""
    try:
        array = np.load(path, allow_pickle=False)
    except OSError as error:
        raise CallError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, EOFError):
        raise CallError(f"{path} is no .npy file of numbers") from None
    if not isinstance(array, np.ndarray):  # an archive of several
        raise CallError(f"{path} is no .npy file but an .npz archive; save one array by itself")
    return array


def store(path: str, array: np.ndarray) -> None:
    """Writes a `.npy` file of exactly this name."""
    try:
        with open(path, "wb") as file:
            np.save(file, array)
    except OSError as error:
        raise CallError(f"{path} cannot be written: {error.strerror or error}") from None


def machine_signature(entry: llvm.FuncOp, given: Mapping[str, np.ndarray]) -> Signature:
    """The signature of machine code, whose types only distinguish sizes from pointers.

    The rest follows from the given arrays, so all of them must be given. Arrays that the code
    does not mark `llvm.readonly` are results.
    """
    types = entry.function_type.inputs.data
    names = argument_names(entry)
    if takes_workspace(entry):
        names.pop()
    count = sum(isinstance(type, IntegerType) for type in types)
    attributes = said_of_arguments(entry)
    arguments = []
    for name, known in zip(names[count:], attributes[count : len(names)], strict=True):
        if name not in given:
            raise CallError(
                f"machine code does not say what {name} is; give it with --input {name}=FILE.npy"
            )
        shape = tuple(AffineExpr.constant(extent) for extent in given[name].shape)
        written = READONLY not in known.data
        arguments.append(Argument(name, given[name].dtype.name, shape, written))
    sizes = tuple(names[:count])
    return Signature(entry.sym_name.data, sizes, tuple(arguments), tuple(range(len(names))))


def bind(
    signature: Signature,
    sizes: Mapping[str, int],
    given: Mapping[str, np.ndarray],
    seed: int | None,
    says_results: bool = True,
) -> Call:
    """All sizes and arrays of a call. Outputs that are not given are zeros at first.

    Inputs that are not given are random, from `seed`. Where the program does not say which arrays
    are its results, all may be both, and are drawn if there is a seed. Raises `CallError` for
    names that the signature does not have, and for sizes and inputs that stay unknown.
    """
    check_names("size", sizes, signature.sizes)
    check_names("argument", given, [argument.name for argument in signature.arguments])
    values = _solve(signature, sizes, given)
    arrays = []
    for position, argument in enumerate(signature.arguments):
        array = given.get(argument.name)
        if array is None:
            shape = _shape(argument, values)
            try:
                is_result = argument.output and (says_results or seed is None)
                array = _new_array(argument, shape, seed, position, is_result)
            except (MemoryError, ValueError):  # NumPy raises either of them
                raise CallError(
                    f"{argument.name} of shape {shape} does not fit in memory"
                ) from None
        arrays.append(as_declared(_of_dtype(array, argument), argument, values))
    return Call(values, arrays)


def as_declared(array: np.ndarray, argument: Argument, sizes: Sequence[int]) -> np.ndarray:
    """A copy of `array` with the strides, offset and alignment that `argument` declares.

    Without such a declaration it is `array` itself. If strides put several elements at one
    address, the last one is stored there. Raises `teloom.CallError` for one that memory is too
    small for.
    """
    placement = argument.placement
    if placement == USUAL:
        return array
    strides = row_major(array.shape)
    if placement.strides is not None:
        strides = tuple(stride.eval([], sizes) for stride in placement.strides)
    offset = placement.offset.eval([], sizes)
    try:
        return laid_out(array, strides, offset, placement.alignment)
    except (MemoryError, ValueError):  # NumPy raises either of them
        raise CallError(
            f"{argument.name} of shape {array.shape}, with strides {strides} and offset {offset}, "
            "does not fit in memory"
        ) from None


def for_code(call: Call, program: Signature, code: Signature) -> Call:
    """The call of a program as compiled code takes it: inputs with a layout are rearranged."""
    arrays = list(call.arrays)
    for number, (declared, taken) in enumerate(zip(program.arguments, code.arguments, strict=True)):
        layout = taken.placement.layout
        if layout is not None and not taken.output:
            assert declared.shape is not None
            array = _physical(arrays[number], declared.shape, layout, call.sizes)
            arrays[number] = as_declared(array, taken, call.sizes)
    return Call(call.sizes, arrays)


def _physical(
    array: np.ndarray, shape: Sequence[AffineExpr], layout: LayoutAttr, sizes: Sequence[int]
) -> np.ndarray:
    """The elements of a tensor at their physical coordinates, and zeros between them."""
    dims = [AffineExpr.dimension(k) for k in range(len(sizes))]
    extents = [extent.replace_dims_and_symbols((), dims) for extent in shape]
    box = physical_box(Region(extents, len(sizes)), layout)
    spans = [max(0, extent.eval(sizes, ())) for _, extent in box]
    edge = layout.edge_of(spans) if layout.triangle else 0
    if layout.triangle:
        spans[-2:] = [max(spans[-2:])] * 2
    laid = np.zeros(spans, array.dtype)
    positions = list(np.indices(array.shape))
    places = (
        expr.eval(positions, ()) - first.eval(sizes, ())  # pyright: ignore
        for expr, (first, _) in zip(layout.exprs, box, strict=True)
    )
    laid[tuple(places)] = array
    if not layout.triangle:
        return laid
    rows, columns = np.triu_indices(edge) if layout.is_upper else np.tril_indices(edge)
    return laid[..., rows, columns]


def _solve(
    signature: Signature, sizes: Mapping[str, int], given: Mapping[str, np.ndarray]
) -> tuple[int, ...]:
    passed = {signature.sizes.index(name): value for name, value in sizes.items()}
    usual = [replace(argument, placement=USUAL) for argument in signature.arguments]
    shown = tuple(argument for argument in usual if argument.name in given)
    known = set(passed)
    for argument in shown:
        extents = argument.shape if argument.shape is not None else (None,)
        if len(extents) != given[argument.name].ndim:
            raise CallError(
                f"{argument.name} has {given[argument.name].ndim} axes, expected {len(extents)}"
            )
        known |= _symbols(argument.shape or ())
    free = set().union(*(_symbols(one.placement.expressions) for one in signature.arguments))
    free -= known.union(*(_symbols(argument.shape or ()) for argument in usual))
    for position, name in enumerate(signature.sizes):
        if position not in known | free:
            raise CallError(f"the size {name} is not known; give it with --size {name}=N")
    solver = SizeSolver(
        Signature(signature.name, signature.sizes, shown, ()), passed | dict.fromkeys(free, 0)
    )
    values = solver.solve([ArrayLayout(given[argument.name].shape) for argument in shown])
    return _with_placements(signature, values, free, given) if free else values


def _with_placements(
    signature: Signature, sizes: Sequence[int], free: set[int], given: Mapping[str, np.ndarray]
) -> tuple[int, ...]:
    """`sizes`, with those in `free` solved from strides: of given arrays, else row-major ones."""
    known = {k: size for k, size in enumerate(sizes) if k not in free}
    solver = SizeSolver(signature, known)
    for argument in sorted(signature.arguments, key=lambda one: one.name not in given):
        array = given.get(argument.name)
        shape = _shape(argument, sizes)
        strides = row_major(shape) if array is None else element_strides(array)
        layout = ArrayLayout(shape, strides, 0)
        for expression, value in layout.of_placement(argument):
            solver.take(expression, value, argument.name)
    return tuple(solver.values.get(k, 0) for k in range(len(sizes)))


def _symbols(expressions: Sequence[AffineExpr]) -> set[int]:
    return set().union(*map(symbols_of, expressions))


def _shape(argument: Argument, sizes: Sequence[int]) -> tuple[int, ...]:
    if argument.shape is None:
        name = argument.name
        raise CallError(f"the length of {name} is not known; give it with --input {name}=FILE.npy")
    return argument.shape_at(sizes)


def _new_array(
    argument: Argument,
    shape: tuple[int, ...],
    seed: int | None,
    position: int,
    is_result: bool,
) -> np.ndarray:
    name = argument.name
    if is_result:
        return np.zeros(shape, array_dtype(argument.dtype))
    if seed is None:
        raise CallError(f"no values for {name}; give --input {name}=FILE.npy or --random SEED")
    # Seeded by position: an input from a file does not change the other inputs.
    rng = np.random.default_rng([seed, position])
    if argument.dtype == "bool":
        return rng.integers(2, size=shape).astype(bool)
    if argument.dtype.startswith(("int", "uint")):
        return rng.integers(LARGEST_INTEGER, size=shape, endpoint=True).astype(argument.dtype)
    return rng.uniform(-1, 1, shape).astype(array_dtype(argument.dtype))


def _of_dtype(array: np.ndarray, argument: Argument) -> np.ndarray:
    """The array, contiguous; a `.npy` file keeps the bits of bfloat16, but not its name."""
    if argument.dtype == "bfloat16" and array.dtype == "V2":
        array = array.view(array_dtype("bfloat16"))
    if array.dtype.name != argument.dtype:
        raise CallError(
            f"{argument.name} has dtype {dtype_text(array.dtype)}, expected {argument.dtype}; "
            f'convert it with array.astype("{argument.dtype}")'
        )
    return np.ascontiguousarray(array, array.dtype.newbyteorder("=")).reshape(array.shape)
