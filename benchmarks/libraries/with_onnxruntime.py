"""onnxruntime: a program as one graph, with its results written into arrays that are there."""

import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from workloads import aligned

from libraries import Program, Runner, Task

VERSION = onnxruntime.__version__

KINDS = {
    "float32": TensorProto.FLOAT,
    "int32": TensorProto.INT32,
    "int64": TensorProto.INT64,
}

Nodes = list  # of onnx.NodeProto


def graph(nodes, feeds: dict[str, np.ndarray], constants: dict[str, np.ndarray], threads: int):
    """A session whose output is `out`, with its inputs bound."""
    model = helper.make_model(
        helper.make_graph(
            nodes,
            "program",
            [
                helper.make_tensor_value_info(name, KINDS[array.dtype.name], array.shape)
                for name, array in feeds.items()
            ],
            [helper.make_tensor_value_info("out", TensorProto.FLOAT, None)],
            [
                helper.make_tensor(name, KINDS[array.dtype.name], array.shape, array.ravel())
                for name, array in constants.items()
            ],
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=9,
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    binding = session.io_binding()
    for name, array in feeds.items():
        binding.bind_cpu_input(name, array)
    (result,) = session.run(None, feeds)
    out = onnxruntime.OrtValue.ortvalue_from_numpy(aligned(result))
    binding.bind_ortvalue_output("out", out)
    return lambda: session.run_with_iobinding(binding), lambda: out.numpy()


def program(make, read=lambda result: result) -> Program:
    """`make` gives nodes, inputs and constants; `read` the result in the layout of the example."""

    def prepare(task: Task) -> Runner:
        nodes, feeds, constants = make(*task.inputs)
        run, result = graph(nodes, feeds, constants, task.threads)
        return Runner(run, lambda _: read(result()))

    return prepare


def node(kind: str, *inputs: str, out: str = "out", **attributes):
    return helper.make_node(kind, inputs, [out], **attributes)


def matmul(a, b):
    return [node("MatMul", "a", "b")], {"a": a, "b": b}, {}


def dense(a, b, bias):
    nodes = [
        node("Gemm", "a", "b", "bias", out="sum"),
        node("Relu", "sum"),
    ]
    return nodes, {"a": a, "b": b, "bias": bias}, {}


def conv2d(a, w):
    image = np.ascontiguousarray(a.transpose(2, 0, 1)[None])
    weights = np.ascontiguousarray(w.transpose(3, 2, 0, 1))
    return [node("Conv", "a", "w", pads=[1] * 4)], {"a": image}, {"w": weights}


def depthwise(a, w):
    image = np.ascontiguousarray(a.transpose(2, 0, 1)[None])
    weights = np.ascontiguousarray(w.transpose(2, 0, 1)[:, None])
    nodes = [node("Conv", "a", "w", pads=[1] * 4, group=a.shape[-1])]
    return nodes, {"a": image}, {"w": weights}


def softmax(x):
    return [node("Softmax", "x", axis=1)], {"x": x}, {}


def layer_norm(x, gamma, beta):
    nodes = [node("LayerNormalization", "x", "gamma", "beta", axis=-1, epsilon=1e-5)]
    return nodes, {"x": x}, {"gamma": gamma, "beta": beta}


def row_sum(x):
    nodes = [node("ReduceSum", "x", "axes", keepdims=0)]
    return nodes, {"x": x}, {"axes": np.array([1])}


def six_ops(x, y):
    nodes = [
        node("Mul", "x", "y", out="product"),
        node("Add", "product", "x", out="total"),
        node("Mul", "total", "two", out="twice"),
        node("Sub", "twice", "y", out="less"),
        node("Abs", "less", out="size"),
        node("Mul", "size", "half"),
    ]
    return nodes, {"x": x, "y": y}, {"two": np.float32([2]), "half": np.float32([0.5])}


def attention(q, k, v):
    nodes = [
        node("Transpose", "k", out="columns", perm=[0, 2, 1]),
        node("MatMul", "q", "columns", out="products"),
        node("Mul", "products", "scale", out="scores"),
        node("Softmax", "scores", out="shares", axis=-1),
        node("MatMul", "shares", "v"),
    ]
    return nodes, {"q": q, "k": k, "v": v}, {"scale": np.float32([q.shape[-1] ** -0.5])}


def transpose(x):
    return [node("Transpose", "x", perm=[1, 0])], {"x": x}, {}


def channels_last(result):
    return result[0].transpose(1, 2, 0)


PROGRAMS: dict[str, Program] = {
    "matmul": program(matmul),
    "gemv": program(matmul),
    "dense": program(dense),
    "conv2d": program(conv2d, channels_last),
    "depthwise": program(depthwise, channels_last),
    "softmax": program(softmax),
    "layer_norm": program(layer_norm),
    "row_sum": program(row_sum),
    "six_ops": program(six_ops),
    "attention": program(attention),
    "transpose": program(transpose),
}
