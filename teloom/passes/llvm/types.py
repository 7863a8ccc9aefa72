"""The machine types of values of the upstream dialects."""

from functools import cache

from xdsl.dialects import builtin
from xdsl.dialects.builtin import ArrayAttr, IntAttr, VectorType, i1, i8, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute

from teloom.errors import PassError
from teloom.passes.expected_level import refuse_unless_flat

POINTER = LLVMPointerType()


def machine_type(type: Attribute) -> Attribute:
    """The type of a value of `type` in the `llvm` dialect.

    Raises `PassError` for a type that the machine does not have.
    """
    if isinstance(type, builtin.IndexType):
        return i64
    if isinstance(type, VectorType):
        if len(type.shape) != 1:
            raise PassError(f"cannot lower {type}: only vectors of one axis")
        return like(type, i64) if isinstance(type.element_type, builtin.IndexType) else type
    if not isinstance(type, builtin.MemRefType):
        return type
    # The space of a buffer says how it was scheduled; on a CPU all are one memory.
    refuse_unless_flat(type)
    return POINTER


def element_type(type: Attribute) -> Attribute:
    """The type of one lane of a value of `type`."""
    return type.element_type if isinstance(type, VectorType) else type


def like(shape: Attribute, element: Attribute) -> Attribute:
    """`element`, or the vector of it that has as many lanes as `shape`."""
    return _vector(element, shape.shape) if isinstance(shape, VectorType) else element


@cache
def _vector(element: Attribute, shape: ArrayAttr[IntAttr]) -> VectorType:
    return VectorType(element, shape)


def memory_type(type: Attribute) -> Attribute:
    """The type that stands in memory for values of the machine type `type`."""
    if element_type(type) == i1:
        return like(type, i8)
    return type


def is_short_float(type: Attribute) -> bool:
    """Whether a lane of `type` is a float of 16 bits."""
    return isinstance(element_type(type), builtin.Float16Type | builtin.BFloat16Type)


def is_set(flag: Attribute | None) -> bool:
    """Whether a boolean attribute is there and true."""
    return isinstance(flag, builtin.IntegerAttr) and flag != builtin.BoolAttr.from_bool(False)
