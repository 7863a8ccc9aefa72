"""`te.extern_primfunc`: tensors that a function of IR fills, which the user wrote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from teloom.analysis.dtypes import scalar_type
from teloom.dialects import te
from teloom.driver.reading.parsed_text import given_text, without_places
from teloom.errors import Error, check_names
from teloom.frontend.expr import dtypes
from teloom.frontend.extern.externs import checked_region, extern, listed
from teloom.frontend.extern.te_functions import stages_of_function
from teloom.frontend.tensor.tensors import Tensor


def extern_primfunc(input_tensors: object, primfunc: object, **kwargs: Any) -> Any:
    """The tensor that a function of IR fills from others, or a list of several.

    `primfunc` is a `func.func` over memrefs, or a `te.func`: as text, as an op, or in a module that
    has no other one with a body.

    A `func.func` is one stage. Its arguments are a buffer for each of `input_tensors`, which may be
    boxes of tensors, then one for each output. It fills these, and depends on nothing else.
    `kwargs` are arguments of `te.extern`: `name`, which is that of the function unless it is given,
    `tag`, `attrs`, the `shape` of outputs whose types do not say it, and their `dtype`, for an
    unsigned one.

    Of a `te.func`, as `create_prim_func` makes one, each stage becomes one of the program, and is
    scheduled like others. It gets whole tensors; its sizes are `te.var`s, which are extents of
    these. `kwargs` are `name`, of the stage of the first result, `tag` and `attrs`.

    Raises `teloom.Error` where these rules are broken, and for IR that does not verify.
    Source: TVM's te.extern_primfunc.

    >>> from teloom import te
    >>> A = te.placeholder((4,), name="A")
    >>> te.extern_primfunc([A], '''
    ... func.func @backwards(%a: memref<4xf32>, %b: memref<4xf32>) {
    ...   loop.for %i = 0 to 4 {
    ...     %last = affine.apply affine_map<(d0) -> (3 - d0)> (%i)
    ...     %0 = memref.load %a[%last] : memref<4xf32>
    ...     memref.store %0, %b[%i] : memref<4xf32>
    ...   }
    ...   func.return
    ... }''')
    Tensor(shape=[4], dtype=float32, name=backwards)
    """
    function = _function(primfunc)
    if isinstance(function, te.FuncOp):
        check_names(f"argument for {function.sym_name.data}", kwargs, ["name", "tag", "attrs"])
        results = stages_of_function(function, _whole(input_tensors, function), **kwargs)
        return results if len(results) > 1 else results[0]
    name = kwargs.pop("name", function.sym_name.data)
    regions = [checked_region(one, name) for one in listed(input_tensors)]
    outputs = _buffer_types(function, len(regions))[len(regions) :]
    shapes = kwargs.pop("shape", None) or [_shape(type, name) for type in outputs]
    kinds = kwargs.pop("dtype", None) or [_dtype(type.element_type, name) for type in outputs]
    return extern(shapes, regions, lambda ins, outs: function, name, kinds, **kwargs)


def _whole(inputs: object, function: te.FuncOp) -> list[Tensor]:
    """The inputs of a `te.func`, which are whole tensors."""
    found = listed(inputs)
    for one in found:
        if not isinstance(one, Tensor):
            raise Error(
                f"{one!r} is no input of {function.sym_name.data}: a te.func gets whole tensors"
            )
    return found


def _function(given: object) -> func.FuncOp | te.FuncOp:
    """The function that is meant, checked, and not shared with what was given."""
    if isinstance(given, str):
        given = without_places(given_text(given, "text"), "text")
    if isinstance(given, func.FuncOp | te.FuncOp):
        return _verified(given)
    if not isinstance(given, ModuleOp):
        raise Error(f"{given!r} is no func.func and no te.func: give one, a module of one, or text")
    ops = [op for op in given.ops if not (isinstance(op, func.FuncOp) and op.is_declaration)]
    if len(ops) != 1 or not isinstance(ops[0], func.FuncOp | te.FuncOp):
        found = ", ".join(op.name for op in ops) or "nothing"
        raise Error(f"extern_primfunc wants one func.func or te.func with a body, got {found}")
    return _verified(ops[0])


def _verified(function: func.FuncOp | te.FuncOp) -> func.FuncOp | te.FuncOp:
    try:
        function.verify()
    except VerifyException as error:
        raise Error(f"{function.sym_name.data} does not verify: {error}") from None
    if len(function.body.blocks) != 1:
        raise Error(f"the body of {function.sym_name.data} has {len(function.body.blocks)} blocks")
    return function.clone()


def _buffer_types(function: func.FuncOp, inputs: int) -> list[MemRefType]:
    name, types = function.sym_name.data, [*function.function_type.inputs]
    if function.function_type.outputs.data:
        raise Error(f"{name} returns values; an extern fills buffers that it gets")
    if len(types) <= inputs:
        raise Error(
            f"{name} has {len(types)} arguments for {inputs} inputs and at least one output"
        )
    found = [type for type in types if isinstance(type, MemRefType)]
    for type in types:
        if not isinstance(type, MemRefType):
            raise Error(f"an argument of {name} is {type}, and no memref; it gets buffers")
    return found


def _shape(type: MemRefType, name: str) -> Sequence[int]:
    if DYNAMIC_INDEX in type.get_shape():
        raise Error(f"an output of {name} is {type}, which does not say its shape; give shape=")
    return type.get_shape()


def _dtype(element: Attribute, name: str) -> str:
    """The dtype of elements; of integers, the signed one."""
    known = [name for name in dtypes.DTYPES if scalar_type(name) == element]
    if not known:
        raise Error(f"an output of {name} has elements of {element}, which no dtype is")
    return known[0]
