"""What functions say of themselves and of their arguments."""

from collections.abc import Mapping, Sequence

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import DictionaryAttr
from xdsl.ir import Attribute, BlockArgument, SSAValue

NOALIAS, READONLY, ALIGN = "llvm.noalias", "llvm.readonly", "llvm.align"
"""Attributes of a buffer argument: no other one has a byte in common with it, nothing writes to it,
its address is a multiple of so many bytes."""


def is_public(function: func.FuncOp) -> bool:
    """Whether others than the module call a function."""
    return function.sym_visibility is None or function.sym_visibility.data == "public"


def said_of_arguments(function: func.FuncOp | llvm.FuncOp) -> Sequence[DictionaryAttr]:
    """The attributes of each argument of a function."""
    if function.arg_attrs:
        return function.arg_attrs.data
    return [DictionaryAttr({})] * len(function.function_type.inputs)


def said_of(value: SSAValue) -> Mapping[str, Attribute]:
    """The attributes of a value that is an argument of a function; none of another one."""
    function = value.owner.parent_op()
    if not isinstance(value, BlockArgument) or not isinstance(function, func.FuncOp):
        return {}
    if value.block is not function.body.blocks.first:
        return {}
    return said_of_arguments(function)[value.index].data
