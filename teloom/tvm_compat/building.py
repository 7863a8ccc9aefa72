"""`tvm.lower` and `tvm.build`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from teloom.driver.function import Function
from teloom.errors import Error
from teloom.frontend.call import build as calls
from teloom.frontend.call.sources import programs_of
from teloom.frontend.expr.expressions import Var
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.buffers import AUTO_BROADCAST, Buffer, decl_buffer
from teloom.frontend.tensor.tensors import Tensor
from teloom.tvm_compat.ir import IRModule
from teloom.tvm_compat.runtime.device import DEVICES, Device
from teloom.tvm_compat.runtime.modules import Module
from teloom.tvm_compat.target import Target, target_of
from teloom.tvm_compat.transform import PassContext, sanitizer


def lower(
    inp: Any,
    args: Sequence[Any] | None = None,
    name: str = "main",
    binds: Mapping[Any, Any] | None = None,
    simple_mode: bool = False,
) -> IRModule:
    """The scheduled program as a module with the function `name`; printed, it is its loops.

    What it takes and raises is as in `teloom.lower`. There is one way to lower, so `simple_mode`
    changes nothing. Source: TVM's lower.

    >>> from teloom import te
    >>> A = te.placeholder((4,), name="A")
    >>> B = te.compute((4,), lambda i: A[i] + 1, name="B")
    >>> str(lower(te.create_schedule(B.op), [A, B], simple_mode=True)).count("loop.for")
    1
    """
    if isinstance(inp, IRModule):
        return inp
    module = IRModule(asked=PassContext.current().asked)
    for programs in programs_of(inp, _tensors(args, binds), name, binds):
        for function in programs.functions:
            module.programs[function] = programs
    module.ir()  # what is wrong with a schedule is said here
    return module


schedule_to_module = lower
"""By TVM's name of the step of `lower` that no pass has changed yet."""


def get_binds(
    args: Sequence[Any], compact: bool = False, binds: Mapping[Tensor, Buffer] | None = None
) -> tuple[dict[Tensor, Buffer], list[Any]]:
    """The buffers of all tensors among the arguments, and the arguments with these in their place.

    Where `binds` has none, it is one of any strides if an extent is a size, else, and if it has to
    be `compact`, without gaps. Source: TVM's driver.build_module.get_binds.

    >>> from teloom import te
    >>> A = te.placeholder((te.var("n"), 4), name="A")
    >>> binds, args = get_binds([A])
    >>> args == [binds[A]], binds[A].buffer_type
    (True, 'auto_broadcast')
    """
    found = dict(binds or {})
    for one in args:
        if isinstance(one, Tensor) and one not in found:
            has_sizes = any(isinstance(extent, Var) for extent in one.shape)
            kind = AUTO_BROADCAST if has_sizes and not compact else ""
            found[one] = decl_buffer(one.shape, one.dtype, one.name, buffer_type=kind)
    return found, [found[one] if isinstance(one, Tensor) else one for one in args]


def build(
    inputs: Any,
    args: Sequence[Any] | Target | str | None = None,
    target: Any = None,
    target_host: Any = None,
    name: str = "default_function",
    binds: Mapping[Any, Any] | None = None,
) -> Module:
    """The compiled functions of a schedule, of tensors, of a module, or of a dict of these.

    `target` is a text, a dict or a `tvm.target.Target`; without it, that of the `with` block
    around the call, or "llvm"; behind a module, which has arguments of its own, it may stand in the
    place of these. A dict has programs by the names of their functions, or, as in TVM, a module by
    its target. What is raised is as in `teloom.build`. Source: TVM's build.

    >>> from teloom import te
    >>> A = te.placeholder((4,), name="A")
    >>> B = te.compute((4,), lambda i: A[i] + 1, name="B")
    >>> build(te.create_schedule(B.op), [A, B], "llvm", name="f").entry_name
    'f'
    """
    if isinstance(args, str | Target):
        target, args = target or args, None
    asked = target_of(target).asked
    if target_host is not None:
        target_of(target_host)
    if isinstance(inputs, Mapping):
        inputs = _of_targets(inputs) if all(map(_is_target, inputs)) else IRModule(inputs)
    source = inputs.programs if isinstance(inputs, IRModule) else inputs
    if isinstance(source, Schedule) and args is None:
        raise Error("a schedule needs args: tvm.build(s, [A, B, C])")
    told = inputs.asked if isinstance(inputs, IRModule) else PassContext.current().asked
    found = calls.build(
        source,
        _tensors(args, binds),
        asked,
        name=name,
        binds=binds,
        sanitize=sanitizer(),
        options=told.options,
        passes=told.passes,
    )
    return Module({found.name: found} if isinstance(found, Function) else found)


def _tensors(args: Sequence[Any] | None, binds: Mapping[Any, Any] | None) -> Sequence[Any] | None:
    """The arguments, with tensors in the place of the buffers that are bound to them."""
    if binds is not None and not isinstance(binds, Mapping):
        raise Error(f"binds is {binds!r}, not a dict of buffers by their tensors")
    if args is None or not binds:
        return args
    tensor_of = {id(buffer): tensor for tensor, buffer in binds.items()}
    return [tensor_of.get(id(one), one) for one in args]


def _is_target(key: object) -> bool:
    return isinstance(key, Target | Device) or str(key).partition(" ")[0] in DEVICES


def _of_targets(modules: Mapping[Any, Any]) -> Any:
    """The module of a dict by targets, which all are the CPU."""
    if len(modules) != 1:
        raise Error(f"there are {len(modules)} targets; functions are for one, the CPU")
    ((target, module),) = modules.items()
    target_of(target)
    return module
