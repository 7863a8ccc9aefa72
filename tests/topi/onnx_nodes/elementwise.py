"""ONNX's operators on elements, by those of topi."""

from functools import partial, reduce
from typing import Any

from onnx import helper
from topi.onnx_nodes.cases import Adapter, NodeCase

from teloom import te, topi
from teloom.topi import nn


def unary(operator: Any) -> Adapter:
    return lambda case: operator(case.tensor(0))


def binary(operator: Any) -> Adapter:
    return lambda case: operator(case.tensor(0), case.tensor(1))


def folded(operator: Any) -> Adapter:
    """A number of operands, from one on."""
    return lambda case: reduce(operator, case.tensors())


def mean(case: NodeCase) -> te.Tensor:
    return reduce(topi.add, case.tensors()) / len(case.inputs)


def dtype_named(case: NodeCase, attribute: str) -> str:
    """The dtype that an attribute names by ONNX's number."""
    return str(helper.tensor_dtype_to_np_dtype(case.attribute(attribute)))


def shifted(case: NodeCase) -> te.Tensor:
    shift = topi.left_shift if case.attribute("direction") == "LEFT" else topi.right_shift
    return shift(case.tensor(0), case.tensor(1))


def remainder(case: NodeCase) -> te.Tensor:
    operator = topi.mod if case.attribute("fmod", 0) else topi.floor_mod
    return operator(case.tensor(0), case.tensor(1))


def power(case: NodeCase) -> te.Tensor:
    base, exponent = case.tensor(0), case.tensor(1)
    return topi.cast(topi.power(base, exponent), base.dtype)


def clip(case: NodeCase) -> te.Tensor:
    x = case.tensor(0)
    if case.has(1) or case.has(2):
        low = case.value(1, te.min_value(x.dtype))
        return topi.clip(x, low, case.value(2, te.max_value(x.dtype)))
    return topi.identity(x)


def is_infinite(case: NodeCase) -> te.Tensor:
    x = case.tensor(0)
    sign = topi.logical_or(
        topi.logical_and(x > 0, bool(case.attribute("detect_positive", 1))),
        topi.logical_and(x < 0, bool(case.attribute("detect_negative", 1))),
    )
    return topi.logical_and(topi.isinf(x), sign)


def elu(x: te.Tensor, alpha: float) -> te.Tensor:
    return topi.where(x > 0, x, (topi.exp(x) - 1) * alpha)


def selu(case: NodeCase) -> te.Tensor:
    alpha = case.attribute("alpha", 1.6732632423543772)
    return elu(case.tensor(0), alpha) * case.attribute("gamma", 1.0507009873554805)


def celu(case: NodeCase) -> te.Tensor:
    x, alpha = topi.cast(case.tensor(0), "float32"), case.attribute("alpha", 1.0)
    below = topi.minimum((topi.exp(x / alpha) - 1) * alpha, 0.0)
    return topi.cast(topi.maximum(x, 0.0) + below, case.tensor(0).dtype)


def hard_sigmoid(x: te.Tensor, alpha: float, beta: float) -> te.Tensor:
    return topi.clip(x * alpha + beta, 0, 1)


def softplus(x: te.Tensor) -> te.Tensor:
    return topi.log(topi.exp(-topi.abs(x)) + 1.0) + topi.maximum(x, 0.0)


def gelu(case: NodeCase) -> te.Tensor:
    x = case.tensor(0)
    if case.attribute("approximate", "none") == "tanh":
        inner = (x + x * x * x * 0.044715) * 0.7978845608028654
        return x * (topi.tanh(inner) + 1.0) * 0.5
    return x * (topi.erf(x * 0.7071067811865476) + 1.0) * 0.5


def shrink(case: NodeCase) -> te.Tensor:
    x, bias, bound = case.tensor(0), case.attribute("bias", 0.0), case.attribute("lambd", 0.5)
    small = topi.where(x < -bound, x + bias, 0.0)
    return topi.where(x > bound, x - bias, small)


def swish(case: NodeCase) -> te.Tensor:
    x = case.tensor(0)
    return x * topi.sigmoid(x * case.attribute("alpha", 1.0))


def cast_like(case: NodeCase) -> te.Tensor:
    return topi.cast(case.tensor(0), str(case.outputs[0].dtype))


def repeated_prelu(case: NodeCase) -> te.Tensor:
    x, slope = case.tensor(0), case.tensor(1)
    return topi.where(x > 0, x, x * slope)


ELEMENTWISE: dict[str, Adapter] = {
    "Abs": unary(topi.abs),
    "Acos": unary(topi.acos),
    "Acosh": unary(topi.acosh),
    "Add": binary(topi.add),
    "And": binary(topi.logical_and),
    "Asin": unary(topi.asin),
    "Asinh": unary(topi.asinh),
    "Atan": unary(topi.atan),
    "Atanh": unary(topi.atanh),
    "Binarizer": lambda case: topi.cast(
        case.tensor(0) > case.attribute("threshold", 0.0), "float32"
    ),
    "BitCast": lambda case: topi.reinterpret(case.tensor(0), dtype_named(case, "to")),
    "BitShift": shifted,
    "BitwiseAnd": binary(topi.bitwise_and),
    "BitwiseNot": unary(topi.bitwise_not),
    "BitwiseOr": binary(topi.bitwise_or),
    "BitwiseXor": binary(topi.bitwise_xor),
    "Cast": cast_like,
    "CastLike": cast_like,
    "Ceil": unary(topi.ceil),
    "Celu": celu,
    "Clip": clip,
    "Cos": unary(topi.cos),
    "Cosh": unary(topi.cosh),
    "Div": binary(topi.divide),
    "Elu": lambda case: elu(case.tensor(0), case.attribute("alpha", 1.0)),
    "Equal": binary(topi.equal),
    "Erf": unary(topi.erf),
    "Exp": unary(topi.exp),
    "Floor": unary(topi.floor),
    "Gelu": gelu,
    "Greater": binary(topi.greater),
    "GreaterOrEqual": binary(topi.greater_equal),
    "HardSigmoid": lambda case: hard_sigmoid(
        case.tensor(0), case.attribute("alpha", 0.2), case.attribute("beta", 0.5)
    ),
    "HardSwish": lambda case: case.tensor(0) * hard_sigmoid(case.tensor(0), 1 / 6, 0.5),
    "Identity": unary(topi.identity),
    "IsInf": is_infinite,
    "IsNaN": unary(topi.isnan),
    "LeakyRelu": lambda case: nn.leaky_relu(case.tensor(0), case.attribute("alpha", 0.01)),
    "Less": binary(topi.less),
    "LessOrEqual": binary(topi.less_equal),
    "Log": unary(topi.log),
    "Max": folded(topi.maximum),
    "Mean": mean,
    "Min": folded(topi.minimum),
    "Mish": lambda case: case.tensor(0) * topi.tanh(softplus(case.tensor(0))),
    "Mod": remainder,
    "Mul": binary(topi.multiply),
    "Neg": unary(topi.negative),
    "Not": unary(topi.logical_not),
    "Or": binary(topi.logical_or),
    "PRelu": repeated_prelu,
    "Pow": power,
    "Reciprocal": unary(partial(topi.divide, 1.0)),
    "Relu": unary(nn.relu),
    "Round": unary(topi.round),
    "Selu": selu,
    "Shrink": shrink,
    "Sigmoid": unary(topi.sigmoid),
    "Sign": unary(topi.sign),
    "Sin": unary(topi.sin),
    "Sinh": unary(topi.sinh),
    "Softplus": unary(softplus),
    "Softsign": lambda case: case.tensor(0) / (topi.abs(case.tensor(0)) + 1.0),
    "Sqrt": unary(topi.sqrt),
    "Sub": binary(topi.subtract),
    "Sum": lambda case: topi.elemwise_sum(case.tensors()),
    "Swish": swish,
    "Tan": unary(topi.tan),
    "Tanh": unary(topi.tanh),
    "ThresholdedRelu": lambda case: topi.where(
        case.tensor(0) > case.attribute("alpha", 1.0), case.tensor(0), 0.0
    ),
    "Where": lambda case: topi.where(case.tensor(0), case.tensor(1), case.tensor(2)),
    "Xor": binary(topi.logical_xor),
}
