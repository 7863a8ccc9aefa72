"""PyTorch, operator by operator, without gradients."""

import torch
from torch.nn import functional

from libraries import Program, Runner, Task

VERSION = torch.__version__


def channels_first(a):
    return a.permute(2, 0, 1)[None].contiguous(memory_format=torch.channels_last)


def conv2d(a, w):
    image, weights = channels_first(a), w.permute(3, 2, 0, 1).contiguous()
    return lambda: functional.conv2d(image, weights, padding=1)


def depthwise(a, w):
    image, weights = channels_first(a), w.permute(2, 0, 1)[:, None].contiguous()
    return lambda: functional.conv2d(image, weights, padding=1, groups=a.shape[-1])


def into(function):
    """A function that writes into a tensor which is there."""

    def prepared(*arguments):
        out = function(*arguments)
        return lambda: function(*arguments, out=out)

    return prepared


def each_time(function):
    return lambda *arguments: lambda: function(*arguments)


def program(prepared, read=lambda result: result) -> Program:
    def prepare(task: Task) -> Runner:
        torch.set_num_threads(task.threads)
        with torch.inference_mode():
            run = prepared(*map(torch.from_numpy, task.inputs))

        def once():
            with torch.inference_mode():
                return run()

        return Runner(once, lambda result: read(result).numpy())

    return prepare


PROGRAMS: dict[str, Program] = {
    "matmul": program(into(torch.matmul)),
    "gemv": program(into(torch.mv)),
    "dense": program(each_time(lambda a, b, bias: torch.addmm(bias, a, b).relu_())),
    "conv2d": program(conv2d, lambda result: result[0].permute(1, 2, 0)),
    "depthwise": program(depthwise, lambda result: result[0].permute(1, 2, 0)),
    "softmax": program(each_time(lambda x: functional.softmax(x, dim=1))),
    "layer_norm": program(
        each_time(lambda x, gamma, beta: functional.layer_norm(x, gamma.shape, gamma, beta, 1e-5))
    ),
    "row_sum": program(each_time(lambda x: x.sum(1))),
    "six_ops": program(each_time(lambda x, y: ((x * y + x) * 2 - y).abs_() * 0.5)),
    "attention": program(each_time(functional.scaled_dot_product_attention)),
    "transpose": program(each_time(lambda x: x.t().contiguous())),
}
