"""What object code leaves undefined, for every operation, element type and machine."""

import itertools
import re
import struct
from collections.abc import Iterable, Iterator
from functools import cache

import llvmlite.binding as binding
import pytest
from budget import few
from standard_kernels import parse

from teloom.backend.library import wasm_math, wasm_memory
from teloom.backend.machine import compiler_runtime, cpus, jit
from teloom.backend.machine.codegen import machine_code
from teloom.backend.machine.llvm_text import llvm_text
from teloom.dialects.runtime import GIVE, TAKE
from teloom.dialects.target import Target
from teloom.passes.llvm.conversions import arith, math, vector
from teloom.passes.llvm.lower_to_llvm import lower_to_llvm

MACHINES = {
    **{
        cpu: Target("x86_64", cpu)
        for cpu in ("x86-64", "x86-64-v3", "sapphirerapids", "x86-64-v4", "znver4")
    },
    "neoverse-n1": Target("aarch64", "neoverse-n1"),
}

INTEGERS = ["i8", "i16", "i32", "i64"]
FLOATS = ["f16", "bf16", "f32", "f64"]

OF_INTEGERS = (
    "addi andi ceildivsi ceildivui divsi divui floordivsi maxsi maxui minsi minui muli ori remsi "
    "remui shli shrsi shrui subi xori"
).split()
OF_FLOATS = "addf divf maximumf maxnumf minimumf minnumf mulf subf".split()
BITS = "absi ctlz ctpop cttz".split()
TWO_FLOATS = "atan2 copysign powf".split()
OTHERS = {"ipowi", "fpowi", "fma"}
FUNCTIONS = sorted(
    {op.name.removeprefix("math.") for op in math.CONVERSIONS if op.name.startswith("math.")}
    - {*BITS, *TWO_FLOATS, *OTHERS}
)
MOST_OF_A_FUNCTION = 24  # statements, so that registers are enough
REDUCTIONS = {
    **dict.fromkeys("add mul minsi minui maxsi maxui and or xor".split(), INTEGERS),
    **dict.fromkeys("add mul minnumf maxnumf minimumf maximumf".split(), FLOATS),
}


def width(type: str) -> int:
    return int(type.lstrip("bfi"))


# A statement on %x0, %x1 ... that makes %r, the types of these, and the type of that.
Case = tuple[str, list[str], str]


def of_integers() -> Iterator[Case]:
    """Every operation on integers."""
    for type in INTEGERS:
        for op in OF_INTEGERS:
            yield f"arith.{op} %x0, %x1 : {type}", [type] * 2, type
        for op in BITS:
            yield f"math.{op} %x0 : {type}", [type], type
        yield f"arith.cmpi slt, %x0, %x1 : {type}", [type] * 2, "i1"


def of_floats(fast: str = "") -> Iterator[Case]:
    """Every operation on floats, with these flags."""
    for type in FLOATS:
        for op in OF_FLOATS:
            yield f"arith.{op} %x0, %x1{fast} : {type}", [type] * 2, type
        yield f"arith.negf %x0{fast} : {type}", [type], type
        yield f"llvm.frem %x0, %x1 : {type}", [type] * 2, type
        yield f"arith.cmpf olt, %x0, %x1{fast} : {type}", [type] * 2, "i1"


def functions(fast: str = "") -> Iterator[Case]:
    """Every function of floats, with these flags."""
    for type in ["f32"] if fast else FLOATS:
        for op in TWO_FLOATS:
            yield f"math.{op} %x0, %x1{fast} : {type}", [type] * 2, type
        for op in FUNCTIONS:
            yield f"math.{op} %x0{fast} : {type}", [type], type
        yield f"math.fma %x0, %x1, %x2{fast} : {type}", [type] * 3, type
        yield f"math.fpowi %x0, %x1{fast} : {type}, i32", [type, "i32"], type
        yield f"llvm.frem %x0, %x1 : {type}", [type] * 2, type


def of_any_type() -> Iterator[Case]:
    """Every cast from a type to another, and the choice of a value."""
    for type in (*INTEGERS, *FLOATS):
        yield f"arith.select %x0, %x1, %x2 : {type}", ["i1", type, type], type
    kinds: list[tuple[str, str, str]] = []
    for one, other in itertools.combinations(INTEGERS, 2):
        kinds += (("extsi", one, other), ("extui", one, other), ("trunci", other, one))
    for one, other in itertools.product(FLOATS, repeat=2):
        if width(one) < width(other):
            kinds += (("extf", one, other), ("truncf", other, one))
    for integer, float in itertools.product(INTEGERS, FLOATS):
        kinds += (("sitofp", integer, float), ("uitofp", integer, float))
        kinds += (("fptosi", float, integer), ("fptoui", float, integer))
        if width(integer) == width(float):
            kinds += (("bitcast", integer, float), ("bitcast", float, integer))
    for type in (*INTEGERS, "i1"):
        for cast in ("index_cast", "index_castui"):
            kinds += ((cast, type, "index"), (cast, "index", type))
    for op, source, target in kinds:
        yield f"arith.{op} %x0 : {source} to {target}", [source], target


def reductions() -> Iterator[Case]:
    """Every fold of the lanes of a vector."""
    for kind, types in REDUCTIONS.items():
        for type in types:
            yield f"vector.reduction <{kind}>, %x0 : vector<4x{type}> into {type}", [type], type


def powers() -> Iterator[Case]:
    """Powers, and functions that LLVM makes others of where an operand or flags allow it."""
    for type in INTEGERS:
        yield f"math.ipowi %x0, %x1 : {type}", [type] * 2, type
    for type in ("f32", "f64"):
        yield f"math.fpowi %x0, %x1 fastmath<fast> : {type}, i32", [type, "i32"], type
        for made in (
            f"%p = arith.sitofp %x1 : i32 to {type}",
            f"%p = arith.constant 7.0 : {type}",
            f"%p = arith.constant 0.5 : {type}",
            f"%p = arith.constant 0.3333333333333333 : {type}",
        ):
            statement = f"{made}\n%r = math.powf %x0, %p fastmath<fast> : {type}"
            yield statement, [type, "i32"], type
        ten = f"%t = arith.constant 10.0 : {type}\n%r = math.powf %t, %x0 fastmath<fast> : {type}"
        yield ten, [type], type
        yield (
            f"%n = arith.sitofp %x0 : i32 to {type}\n%r = math.exp2 %n fastmath<fast> : {type}",
            ["i32"],
            type,
        )
        both = f"%s = math.sin %x0 : {type}\n%c = math.cos %x0 : {type}"
        yield f"{both}\n%r = arith.addf %s, %c : {type}", [type], type


def wide(type: str, lanes: int) -> str:
    return f"vector<{lanes}x{type}>" if lanes else type


def lanewise(statement: str, lanes: int) -> str:
    """The same on vectors."""
    head, _, types = statement.rpartition(" : ")
    if "arith.constant" in head:
        name, value = head.split(" = arith.constant ")
        return f"{name} = arith.constant dense<{value}> : {wide(types, lanes)}"
    types = re.sub(r"\w+\d+|index", lambda type: wide(type[0], lanes), types)
    mask = f"{wide('i1', lanes)}, " if "arith.select" in head else ""
    return f"{head} : {mask}{types}"


def part(number: int, case: Case, lanes: int) -> str:
    """The body of a function that does this once, with numbers of its own from the arrays."""
    statement, inputs, output = case
    reduces = statement.startswith("vector.reduction")
    if not statement.startswith("%"):
        statement = f"%r = {statement}"
    if lanes and not reduces:
        statement = "\n".join(lanewise(line, lanes) for line in statement.split("\n"))
    loads = [
        f"%x{i} = vector.load %A{i}[%z] : memref<?x{type}>, {wide(type, lanes)}"
        if lanes
        else f"%x{i} = memref.load %A{i}[%z] : memref<?x{type}>"
        for i, type in enumerate(inputs)
    ]
    last = len(inputs)
    store = (
        f"vector.store %r, %A{last}[%z] : memref<?x{output}>, {wide(output, lanes)}"
        if lanes and not reduces
        else f"memref.store %r, %A{last}[%z] : memref<?x{output}>"
    )
    body = "\n".join((f"%z = arith.constant {64 * number} : index", *loads, statement, store))
    return re.sub(r"%([a-z]\d*)", rf"%\1_{number}", body)


def functions_of(cases: Iterable[tuple[Case, int]]) -> Iterator[str]:
    """Functions for all of these: one for those of the same types, as many as a few dozen."""
    of_types: dict[tuple[str, ...], list[str]] = {}
    for number, (case, lanes) in enumerate(cases):
        _, inputs, output = case
        of_types.setdefault((*inputs, output), []).append(part(number, case, lanes))
    for types, parts in of_types.items():
        parameters = ", ".join(f"%A{i}: memref<?x{type}>" for i, type in enumerate(types))
        for first in range(0, len(parts), MOST_OF_A_FUNCTION):
            body = "\n".join(parts[first : first + MOST_OF_A_FUNCTION])
            name = f"@{'_'.join(types)}_{first}"
            yield f"func.func {name}({parameters}) {{\n{body}\nfunc.return\n}}"


def cases() -> Iterator[tuple[Case, int]]:
    """Everything, with the number of lanes of a vector, or 0."""
    yield from itertools.product((*of_integers(), *of_floats(), *of_any_type()), [0, 4])
    yield from itertools.product((*functions(), *powers()), [0, 2])
    yield from itertools.product(reductions(), [4])
    fast = " fastmath<fast>"
    yield from itertools.product((*of_floats(fast), *functions(fast)), [0])


@cache
def everything() -> str:
    """LLVM IR of all of it."""
    module = parse("\n".join(functions_of(cases())))
    lower_to_llvm(module)
    return llvm_text(module)


def undefined(code: bytes) -> set[str]:
    """The symbols that an object file of ELF64 leaves undefined."""
    (sections_at,) = struct.unpack_from("<Q", code, 0x28)
    entry_size, count = struct.unpack_from("<HH", code, 0x3A)
    sections = [
        struct.unpack_from("<IIQQQQIIQQ", code, sections_at + number * entry_size)
        for number in range(count)
    ]
    found: set[str] = set()
    for _, kind, _, _, offset, size, strings, *_ in sections:
        if kind != 2:  # SHT_SYMTAB
            continue
        names_at = sections[strings][4]
        for at in range(offset + 24, offset + size, 24):
            name, _, _, section = struct.unpack_from("<IBBH", code, at)
            start = names_at + name
            if section == 0:
                found.add(code[start : code.index(b"\0", start)].decode())
    return found


def test_every_operation_is_here():
    text = "\n".join(case[0] for case, _ in cases())
    known = {**arith.CONVERSIONS, **math.CONVERSIONS}
    for op in known:
        assert f"{op.name} " in text or op.name == "arith.constant", op.name
    for kind in (*vector.INTEGER_REDUCTIONS, *vector.FLOAT_SELECTIONS, *vector.FLOAT_FOLDS):
        assert f"<{kind.value}>" in text


@pytest.mark.parametrize("machine", few([*MACHINES], 3))
def test_no_object_calls_what_we_do_not_provide(machine):
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    found = undefined(machine_code.emit_object(everything(), MACHINES[machine]))
    assert "expf" in found
    assert found - compiler_runtime.C_FUNCTIONS - {*compiler_runtime.OWN.names, TAKE, GIVE} == set()


def test_wasm_calls_what_its_modules_have():
    """All but the error function, which `expand-math` writes wherever it is called."""
    asked = cpus.target("wasm32-simd128")
    code = machine_code.assembly(everything(), asked)
    called = set(re.findall(r"^\tcall\t(\w+)$", code, re.MULTILINE))
    own = wasm_math.code() + wasm_memory.CODE + compiler_runtime.CODE
    there = set(re.findall(r"^define \w+ @(\w+)\(", own, re.MULTILINE))
    assert called & {"fma", "sinf"} == {"fma", "sinf"}
    assert called - there - {TAKE, GIVE} == {"erf", "erff"}


def test_the_process_has_the_functions_of_c():
    assert jit.missing_symbols(sorted(compiler_runtime.C_FUNCTIONS), {}) == []
