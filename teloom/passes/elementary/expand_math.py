"""Pass `expand-math`: elementary functions become calls of functions of arithmetic."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

from xdsl.context import Context
from xdsl.dialects import arith, func, math, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, ModuleOp, VectorType
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from teloom.dialects.bodies.around import ops_around
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.target import target_of
from teloom.dialects.upstream.llvm import ELEMENTARY
from teloom.passes.elementary.accuracy import FUNCTIONS, NAMES, Level, checked_level
from teloom.passes.elementary.powers import power_of
from teloom.passes.elementary.writing import Writer


@dataclass
class _Functions:
    """The elementary functions of a module, each written once."""

    module: ModuleOp
    level: Level
    written: dict[tuple[type[Operation], Attribute, float | None], str | None] = field(
        default_factory=dict
    )

    def expand(self, op: Operation) -> None:
        """Makes an elementary function a call of one of the module."""
        key = (type(op), op.results[0].type, _exponent(op))
        if key not in self.written:
            self.written[key] = self._write(*key)
        if name := self.written[key]:
            Rewriter.replace_op(op, func.CallOp(name, op.operands, op.result_types))

    def _write(self, op: type[Operation], type: Attribute, exponent: float | None) -> str | None:
        """Adds a function to the module; returns its name, or None where the library stays."""
        element, lanes = type, ""
        if isinstance(type, VectorType):
            if len(type.shape) != 1:
                return None
            element, lanes = type.element_type, f"x{type.get_shape()[0]}"
        function = FUNCTIONS[NAMES[op]]
        format = function.computed_in(str(element), self.level)
        if format is None:
            return None
        name, formula = f"teloom_{NAMES[op]}_{element}{lanes}", function.formula_at(self.level)
        of_number = None if exponent is None else power_of(exponent, format, self.level)
        if of_number is not None:
            name, formula = f"{name}_{exponent:g}", of_number
        name = self._free(name.translate(_IN_NAMES))
        writer = Writer(op, type, formula, format, target_of(self.module))
        self.module.body.block.add_op(writer.write(name, function.beyond))
        return name

    def _free(self, name: str) -> str:
        """The name, with `_`s behind it until no function has it."""
        there = {op.sym_name.data for op in self.module.ops if isinstance(op, func.FuncOp)}
        return next(free for more in count() if (free := name + "_" * more) not in there)


_IN_NAMES = str.maketrans({"-": "m", ".": "p"})


def _exponent(op: Operation) -> float | None:
    """The number that a power has as its exponent, if it has one."""
    if not isinstance(op, math.PowFOp):
        return None
    owner = op.rhs.owner
    if isinstance(owner, vector.BroadcastOp):
        owner = owner.source.owner
    if not isinstance(owner, arith.ConstantOp):
        return None
    value = owner.value
    if isinstance(value, DenseIntOrFPElementsAttr):
        values = {*value.iter_values()}
        return values.pop() if len(values) == 1 else None
    return value.value.data if isinstance(value, FloatAttr) else None


def _is_written(op: Operation) -> bool:
    """Whether an op is in a function of this pass."""
    functions = (around for around in ops_around(op) if isinstance(around, func.FuncOp))
    return any(ELEMENTARY in function.attributes for function in functions)


@dataclass(frozen=True)
class ExpandMathPass(ModulePass):
    """Replace elementary functions by calls of functions that compute them by arithmetic.

    The module gets one function for each elementary function, type and number of lanes that it
    uses: a use is one operation, a scalar and a lane are computed alike. `lower-to-llvm` has them
    inlined wherever they are called, and contracts nothing in them. What is left to the C library,
    and how far each result may be off, says the table in `teloom/passes/elementary/accuracy.py`.

    Order: after `vectorize-loops`, whose lanes call functions of vectors; after `reserve-memory`,
    for which a call may allocate; before `lower-scf`, which makes blocks of branches.

    Options:
        level: "precise", at most about one ulp from the exact result, "default" or "fast".

    Example: `expand-math{level=fast}`
    ```mlir
    func.func @power(%x: f32) -> f32 {
      %y = math.exp %x : f32
      func.return %y : f32
    }
    ```
    becomes
    ```mlir
    func.func @power(%x: f32) -> f32 {
      %y = func.call @teloom_exp_f32(%x) : (f32) -> f32
      func.return %y : f32
    }
    func.func private @teloom_exp_f32(%0: f32) -> f32 attributes {teloom.elementary} {
      %1 = arith.constant 89.4159851 : f32
      %2 = arith.cmpf ogt, %0, %1 : f32
      %3 = arith.select %2, %1, %0 : f32
      %4 = arith.constant 1.44269502 : f32
      %5 = arith.constant 1262485630 : i32
      %6 = arith.bitcast %5 : i32 to f32
      %7 = math.fma %3, %4, %6 fastmath<contract> : f32
      %8 = arith.bitcast %5 : i32 to f32
      %9 = arith.subf %7, %8 : f32
      %10 = arith.constant -0.693145752 : f32
      %11 = math.fma %9, %10, %3 fastmath<contract> : f32
      %12 = arith.constant -1.42860677e-06 : f32
      %13 = math.fma %9, %12, %11 fastmath<contract> : f32
      %14 = arith.bitcast %7 : f32 to i32
      %15 = arith.constant 23 : i32
      %16 = arith.shli %14, %15 : i32
      %17 = arith.bitcast %16 : i32 to f32
      %18 = arith.constant 0.0166246668 : f32
      %19 = arith.constant 0.0837838128 : f32
      %20 = math.fma %18, %13, %19 fastmath<contract> : f32
      %21 = arith.constant 0.333342433 : f32
      %22 = math.fma %20, %13, %21 fastmath<contract> : f32
      %23 = arith.constant 0.999984384 : f32
      %24 = math.fma %22, %13, %23 fastmath<contract> : f32
      %25 = arith.constant 2.000000e+00 : f32
      %26 = math.fma %24, %13, %25 fastmath<contract> : f32
      %27 = math.fma %26, %13, %25 fastmath<contract> : f32
      %28 = arith.mulf %27, %17 : f32
      %29 = arith.constant -86.6433945 : f32
      %30 = arith.cmpf olt, %0, %29 : f32
      %31 = arith.constant 0.000000e+00 : f32
      %32 = arith.select %30, %31, %28 : f32
      func.return %32 : f32
    }
    ```
    Refused: `expand-math{level=quick}`
    ```mlir
    func.func @power(%x: f32) -> f32 {
      %y = math.exp %x : f32
      func.return %y : f32
    }
    ```
    with "no level 'quick' of functions; levels: precise, default, fast"
    """

    name = "expand-math"

    level: str = "default"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = _Functions(op, checked_level(self.level))
        for found in ops_in(op, *NAMES):
            if not _is_written(found):
                functions.expand(found)
