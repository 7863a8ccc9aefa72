"""Devices by TVM's names: the CPU, and those that this machine has no code for."""

from __future__ import annotations

from typing import NamedTuple

from teloom.errors import Error, check_names

CPU = "cpu"
_ALSO_CPU = ("llvm", "c", "stackvm")
_OTHERS = tuple(
    "cuda gpu nvptx rocm opencl cl sdaccel aocl aocl_sw_emu vulkan metal vpi ext_dev hexagon "
    "webgpu hybrid composite test".split()
)
DEVICES = (CPU, *_ALSO_CPU, *_OTHERS)
WITH_CODE = (CPU, "llvm")
"""The names for which there is code."""


class Device(NamedTuple):
    """A device as TVM names it; the only one that exists is the CPU."""

    device_name: str
    device_id: int = 0

    @property
    def exist(self) -> bool:
        """Whether compiled functions run on it."""
        return self.device_name == CPU

    def sync(self) -> None:
        """Nothing: a call returns when it has computed. Source: TVM's Device.sync."""

    def __str__(self) -> str:
        return f"{self.device_name}({self.device_id})"


def device(dev: object, dev_id: int = 0) -> Device:
    """The device with TVM's name, or that of a target: "cpu" and "llvm" are the CPU.

    Raises `teloom.Error` for a name that TVM does not have.

    >>> device("llvm", 0), device("cuda").exist
    (Device(device_name='cpu', device_id=0), False)
    """
    name = str(dev).partition(" ")[0] or repr("")
    check_names("device", [name], DEVICES)
    return Device(CPU if name in _ALSO_CPU else name, dev_id)


def cpu(dev_id: int = 0) -> Device:
    """The CPU. Source: TVM's cpu.

    >>> str(cpu(0))
    'cpu(0)'
    """
    return Device(CPU, dev_id)


def on_cpu(dev: Device | str | None) -> Device:
    """The device, or the CPU if none is given; raises `teloom.Error` for one without code."""
    if dev is None:
        return cpu()
    if not isinstance(dev, Device):
        dev = device(dev)
    if not dev.exist:
        raise Error(f"there is no memory on {dev}: functions run on tvm.cpu(0) only")
    return dev
