"""How LLVM IR spells types, numbers, constants and names."""

import struct

from xdsl.dialects import builtin
from xdsl.dialects import llvm as upstream
from xdsl.ir import Attribute

from teloom.backend.machine.tiles import TYPE
from teloom.dialects.upstream.amx import TileType
from teloom.errors import PassError


def type_text(type: Attribute) -> str:
    """The LLVM spelling of a type of the `llvm` dialect."""
    match type:
        case builtin.IntegerType():
            return f"i{type.width.data}"
        case builtin.Float32Type():
            return "float"
        case builtin.Float64Type():
            return "double"
        case builtin.Float16Type():
            return "half"
        case builtin.BFloat16Type():
            # An integer: LLVM's code for bf16, and for vectors of it, is wrong or missing
            # on some machines. What is computed in bf16 is computed in f32.
            return "i16"
        case builtin.VectorType():
            return f"<{_lanes(type)} x {type_text(type.element_type)}>"
        case upstream.LLVMPointerType():
            space = type.addr_space
            if isinstance(space, builtin.NoneAttr):
                return "ptr"
            return f"ptr addrspace({space.data})"
        case TileType():
            return TYPE
        case upstream.LLVMVoidType():
            return "void"
        case upstream.LLVMArrayType():
            return f"[{type.size.data} x {type_text(type.type)}]"
        case upstream.LLVMStructType():
            return "{ " + ", ".join(map(type_text, type.types)) + " }"
        case _:
            raise PassError(f"LLVM has no type {type}")


def c_type_text(type: Attribute) -> str:
    """The spelling of a type in the signature of a C function, or of an intrinsic of a machine."""
    if isinstance(type, builtin.VectorType):
        return f"<{_lanes(type)} x {c_type_text(type.element_type)}>"
    return "bfloat" if isinstance(type, builtin.BFloat16Type) else type_text(type)


def _lanes(type: builtin.VectorType) -> int:
    if type.get_num_dims() != 1 or type.get_num_scalable_dims():
        raise PassError(f"LLVM IR has no text for {type}: a vector has one axis, of a fixed extent")
    return type.get_shape()[0]


def number_text(value: float, type: Attribute) -> str:
    """A number as LLVM writes it; floats by their bits, so that none is rounded."""
    match type:
        case builtin.IntegerType():
            return str(int(value)) if type != builtin.i1 else ("true" if value else "false")
        case builtin.Float16Type():
            return f"0xH{struct.unpack('<H', struct.pack('<e', value))[0]:04X}"
        case builtin.BFloat16Type():
            return str(_float_bits(value) >> 16 & 0xFFFF)
        case builtin.Float32Type():
            rounded = struct.unpack("<f", struct.pack("<f", value))[0]
            return f"0x{struct.unpack('<Q', struct.pack('<d', rounded))[0]:016X}"
        case builtin.Float64Type():
            return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
        case _:
            raise PassError(f"LLVM has no numbers of type {type}")


def _float_bits(value: float) -> int:
    """The bits of `value` in f32, rounded so that the upper half is the nearest bf16."""
    bits: int = struct.unpack("<I", struct.pack("<f", value))[0]
    return bits if value != value else bits + 0x7FFF + (bits >> 16 & 1)


def constant_text(value: Attribute, type: Attribute) -> str:
    """The operand that stands for an `llvm.mlir.constant`."""
    if isinstance(value, builtin.IntegerAttr | builtin.FloatAttr):
        return number_text(value.value.data, type)
    if not isinstance(value, builtin.DenseIntOrFPElementsAttr) or not isinstance(
        type, builtin.VectorType
    ):
        raise PassError(f"LLVM has no constant {value}")
    element = type.element_type
    name = type_text(element)
    if value.is_splat():
        return f"splat ({name} {number_text(value.get_values()[0], element)})"
    lanes = (f"{name} {number_text(number, element)}" for number in value.get_values())
    return f"<{', '.join(lanes)}>"


def quoted(name: str) -> str:
    """A name of the module, with escapes for characters that LLVM's plain names cannot have."""
    if name.replace(".", "_").replace("$", "_").replace("-", "_").isidentifier():
        return name if name.isascii() else in_quotes(name)
    return in_quotes(name)


def in_quotes(name: str) -> str:
    """A string as LLVM reads it, with its quotes."""
    plain = (chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\{c:02X}" for c in name.encode())
    return '"' + "".join(plain) + '"'
