"""The modules of TVM by the paths that programs import them by."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from operator import attrgetter
from types import ModuleType
from typing import Any

from teloom.tvm_compat.topi import FILES

_INNER = (
    "_ffi.base contrib.cblas contrib.cudnn contrib.nvcc contrib.pickle_memoize contrib.sparse "
    "driver.build_module runtime.ndarray te.hybrid te.schedule te.tensor testing.marks "
    "tir.ir_builder tir.stmt_functor topi.generic topi.image topi.nn topi.random topi.signal "
    "topi.sparse topi.tag topi.testing topi.utils topi.vision topi.vision.rcnn topi.vision.ssd "
    "topi.x86"
)
"""Modules inside of parts, which have their names here, too."""

_ELSEWHERE = {
    "ir.container": "ir",
    "ir.transform": "transform",
    "runtime.module": "runtime.modules",
    "te.hybrid.runtime": "runtime.scripts",
    "topi.nn.utils": "topi.nn_utils",
}
"""Modules that have other names here."""

_FILES = {
    "te": "operation",
    "tir": "expr op stmt buffer function",
    "ir": "base expr function module",
    "target": "target",
    "topi": FILES,
    "topi.nn": "batch_matmul batch_norm batch_to_space_nd bitserial_conv2d bitserial_dense bnn "
    "conv1d conv1d_transpose conv2d conv2d_transpose conv3d conv3d_transpose correlation "
    "deformable_conv2d dense depth_to_space depthwise_conv2d dilate elemwise fifo_buffer "
    "flatten group_norm instance_norm layer_norm local_response_norm loss lstm mapping pad "
    "pixel_shuffle pooling prelu qnn rms_norm softmax space_to_batch_nd space_to_depth sparse "
    "upsampling",
    "topi.generic": "default injective nn search sort",
    "topi.x86": "batch_matmul conv2d conv3d dense injective nn pooling reduction",
    "topi.image": "dilation2d grid_sample resize",
    "topi.vision": "nms reorg",
    "topi.vision.rcnn": "proposal roi_align roi_pool",
    "topi.vision.ssd": "multibox",
    "topi.sparse": "csrmm csrmv dense",
    "topi.random": "kernel",
}
"""TVM's files in a package that has all their names, too: they are the package here."""


def name_modules(tvm: Any, prefix: str) -> None:
    """Makes imports behind `prefix` give the parts of `tvm`, this spelling, in this process.

    >>> from teloom import tvm_compat
    >>> name_modules(tvm_compat, "teloom.tvm_compat")
    >>> from teloom.tvm_compat.topi.nn.conv2d import conv2d_nchw
    """
    modules = _modules(tvm)
    sys.modules.update({f"{prefix}.{path}": one for path, one in modules.items()})
    for path, one in modules.items():
        package, _, name = path.rpartition(".")
        if package:
            _let_import_from(modules[package], name, one)


def _let_import_from(package: ModuleType, name: str, module: ModuleType) -> None:
    """Makes `from package import name`, and `import package.name as ...`, give a module.

    Where a package has no such name, Python looks for a module of its own name and this one.
    """
    own = f"{package.__name__}.{name}"
    is_there = hasattr(package, name) or (hasattr(package, "__path__") and find_spec(own))
    if not is_there:
        sys.modules[own] = module


def _modules(tvm: Any) -> dict[str, ModuleType]:
    """The modules by their paths in TVM."""
    parts = {name: getattr(tvm, name) for name in tvm.__all__}
    found = {name: one for name, one in parts.items() if isinstance(one, ModuleType)}
    places = {path: path for path in _INNER.split()} | _ELSEWHERE
    found |= {path: attrgetter(place)(tvm) for path, place in places.items()}
    files = {f"{of}.{file}": found[of] for of, names in _FILES.items() for file in names.split()}
    return {**files, **found}
