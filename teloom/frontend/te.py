"""The tensor expression language: what a user imports as `from teloom import te`.

Names, argument order and defaults are those of TVM 0.14 to 0.19.
"""

from typing import TYPE_CHECKING, Any

from teloom.frontend.compute.equations import compute
from teloom.frontend.compute.scans import scan
from teloom.frontend.compute.updates import update
from teloom.frontend.expr.expressions import const, infinity, max_value, min_value, size_var
from teloom.frontend.expr.promises import bounded
from teloom.frontend.expr.traces import trace
from teloom.frontend.functions.arithmetic import (
    abs,
    add,
    ceildiv,
    div,
    floordiv,
    floormod,
    fmod,
    indexdiv,
    indexmod,
    multiply,
    popcount,
    power,
    subtract,
    truncdiv,
    truncmod,
)
from teloom.frontend.functions.bits import (
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    clz,
    copysign,
    nextafter,
    reinterpret,
    shift_left,
    shift_right,
)
from teloom.frontend.functions.composed import atan2, exp2, exp10, hypot, ldexp
from teloom.frontend.functions.fixed_point import q_multiply_shift, q_multiply_shift_per_axis
from teloom.frontend.functions.math_functions import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    ceil,
    cos,
    cosh,
    erf,
    exp,
    floor,
    isfinite,
    isinf,
    isnan,
    log,
    log1p,
    log2,
    log10,
    nearbyint,
    round,
    rsqrt,
    sigmoid,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    trunc,
)
from teloom.frontend.functions.named import call_intrin, likely
from teloom.frontend.missing_names import OF_TE, missing
from teloom.frontend.tensor.conditions import if_then_else, select
from teloom.frontend.tensor.reducers import all, any, max, maximum, min, minimum, prod, sum
from teloom.frontend.tensor.reductions import comm_reducer
from teloom.frontend.tensor.scalars import var
from teloom.frontend.tensor.shape_forms import divided_extents, least_over_sizes, same_extents
from teloom.frontend.tensor.specialized import SpecializedCondition
from teloom.frontend.tensor.tags import TagScope, tag_scope
from teloom.frontend.tensor.tensors import (
    BaseComputeOp,
    ComputeOp,
    ExternOp,
    IterVar,
    Operation,
    PlaceholderOp,
    Range,
    ScanOp,
    Tensor,
    TensorSlice,
    placeholder,
    reduce_axis,
)
from teloom.frontend.tensor.updates import UpdateOp
from teloom.lazy import loaded

if TYPE_CHECKING:
    from teloom.frontend import schedule_namespace as schedule
    from teloom.frontend import tensor_namespace as tensor
    from teloom.frontend.auto.auto_schedule import auto_schedule
    from teloom.frontend.call.prim_func import create_prim_func
    from teloom.frontend.expr.parameters import param
    from teloom.frontend.extern import ir_builder
    from teloom.frontend.extern.externs import extern
    from teloom.frontend.extern.ir_functions import extern_primfunc
    from teloom.frontend.extern.pure_calls import call_pure_extern
    from teloom.frontend.extern.statements import call_extern, call_packed
    from teloom.frontend.extern.tensor_intrins import (
        TensorComputeOp,
        TensorIntrin,
        TensorIntrinCall,
        decl_tensor_intrin,
    )
    from teloom.frontend.functions.op_calls import call_op
    from teloom.frontend.gradient.gradients import gradient
    from teloom.frontend.hybrid import hybrid
    from teloom.frontend.hybrid.axes import HybridOp
    from teloom.frontend.report.bounds import infer_bounds
    from teloom.frontend.report.explanation import explain
    from teloom.frontend.schedule.schedules import Schedule, create_schedule
    from teloom.frontend.schedule.stages import Stage
    from teloom.frontend.tensor.buffers import Buffer, decl_buffer
    from teloom.frontend.tensor.layouts import AXIS_SEPARATOR, packed
    from teloom.frontend.tensor.thread_axes import thread_axis

__all__ = [
    "AXIS_SEPARATOR",
    "BaseComputeOp",
    "Buffer",
    "ComputeOp",
    "ExternOp",
    "HybridOp",
    "IterVar",
    "Operation",
    "PlaceholderOp",
    "Range",
    "ScanOp",
    "Schedule",
    "SpecializedCondition",
    "Stage",
    "TagScope",
    "Tensor",
    "TensorComputeOp",
    "TensorIntrin",
    "TensorIntrinCall",
    "TensorSlice",
    "UpdateOp",
    "abs",
    "acos",
    "acosh",
    "add",
    "all",
    "any",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "auto_schedule",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "bounded",
    "call_extern",
    "call_intrin",
    "call_op",
    "call_packed",
    "call_pure_extern",
    "ceil",
    "ceildiv",
    "clz",
    "comm_reducer",
    "compute",
    "const",
    "copysign",
    "cos",
    "cosh",
    "create_prim_func",
    "create_schedule",
    "decl_buffer",
    "decl_tensor_intrin",
    "div",
    "divided_extents",
    "erf",
    "exp",
    "exp2",
    "exp10",
    "explain",
    "extern",
    "extern_primfunc",
    "floor",
    "floordiv",
    "floormod",
    "fmod",
    "gradient",
    "hybrid",
    "hypot",
    "if_then_else",
    "indexdiv",
    "indexmod",
    "infer_bounds",
    "infinity",
    "ir_builder",
    "isfinite",
    "isinf",
    "isnan",
    "ldexp",
    "least_over_sizes",
    "likely",
    "log",
    "log1p",
    "log2",
    "log10",
    "max",
    "max_value",
    "maximum",
    "min",
    "min_value",
    "minimum",
    "multiply",
    "nearbyint",
    "nextafter",
    "packed",
    "param",
    "placeholder",
    "popcount",
    "power",
    "prod",
    "q_multiply_shift",
    "q_multiply_shift_per_axis",
    "reduce_axis",
    "reinterpret",
    "round",
    "rsqrt",
    "same_extents",
    "scan",
    "schedule",
    "select",
    "shift_left",
    "shift_right",
    "sigmoid",
    "sin",
    "sinh",
    "size_var",
    "sqrt",
    "subtract",
    "sum",
    "tag_scope",
    "tan",
    "tanh",
    "tensor",
    "thread_axis",
    "trace",
    "trunc",
    "truncdiv",
    "truncmod",
    "update",
    "var",
]


_NEEDS_IR = {
    "auto.auto_schedule": ("auto_schedule",),
    "call.prim_func": ("create_prim_func",),
    "expr.parameters": ("param",),
    "extern.pure_calls": ("call_pure_extern",),
    "extern.externs": ("extern",),
    "extern.ir_functions": ("extern_primfunc",),
    "extern.statements": ("call_extern", "call_packed"),
    "extern.tensor_intrins": (
        "TensorComputeOp",
        "TensorIntrin",
        "TensorIntrinCall",
        "decl_tensor_intrin",
    ),
    "functions.op_calls": ("call_op",),
    "gradient.gradients": ("gradient",),
    "hybrid.axes": ("HybridOp",),
    "report.bounds": ("infer_bounds",),
    "report.explanation": ("explain",),
    "schedule.schedules": ("Schedule", "create_schedule"),
    "schedule.stages": ("Stage",),
    "tensor.buffers": ("Buffer", "decl_buffer"),
    "tensor.layouts": ("AXIS_SEPARATOR", "packed"),
    "tensor.thread_axes": ("thread_axis",),
}
"""By module: names that are loaded when they are first used, with the dialects of IR."""

_LAZY: dict[str, tuple[str, str | None]] = {
    "schedule": ("schedule_namespace", None),
    "tensor": ("tensor_namespace", None),
    "hybrid": ("hybrid.hybrid", None),
    "ir_builder": ("extern.ir_builder", None),
    **{name: (module, name) for module, names in _NEEDS_IR.items() for name in names},
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _LAZY:
            raise missing("te", name, OF_TE)
        module, attribute = _LAZY[name]
        value = globals()[name] = loaded(f"teloom.frontend.{module}", attribute)
        return value


def __dir__() -> list[str]:
    return __all__
