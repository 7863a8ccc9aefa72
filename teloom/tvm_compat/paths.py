"""The modules of TVM by the paths that programs import them by."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from teloom.frontend import te
from teloom.tvm_compat import (
    contrib,
    driver,
    error,
    ir,
    runtime,
    target,
    testing,
    tir,
    topi,
    transform,
)

_FILES = {
    "te": "operation",
    "tir": "expr op stmt buffer function",
    "ir": "base expr function module",
    "target": "target",
    "topi": topi.FILES,
    "topi.nn": "batch_matmul batch_to_space_nd bitserial_conv2d bitserial_dense bnn "
    "conv1d conv1d_transpose conv2d conv2d_transpose conv3d conv3d_transpose correlation "
    "deformable_conv2d dense depth_to_space depthwise_conv2d dilate elemwise fifo_buffer "
    "flatten group_norm instance_norm layer_norm local_response_norm loss lstm mapping pad "
    "pixel_shuffle pooling prelu qnn rms_norm softmax space_to_batch_nd space_to_depth sparse "
    "upsampling",
    "topi.image": "dilation2d grid_sample resize",
    "topi.vision": "nms reorg",
    "topi.vision.rcnn": "proposal roi_align roi_pool",
    "topi.vision.ssd": "multibox",
    "topi.sparse": "csrmm csrmv dense",
    "topi.random": "kernel",
}
"""TVM's files in a package that has all their names, too: they are the package here."""


def name_modules(prefix: str) -> None:
    """Makes imports of the parts of TVM, behind `prefix`, give these modules in this process.

    >>> name_modules("teloom.tvm_compat")
    >>> from teloom.tvm_compat.topi.nn.conv2d import conv2d_nchw
    """
    sys.modules.update({f"{prefix}.{name}": one for name, one in _modules().items()})


def _modules() -> dict[str, ModuleType]:
    """The modules by their paths in TVM."""
    operators: Any = topi
    found: dict[str, ModuleType] = {
        "contrib": contrib,
        "contrib.cblas": contrib.cblas,
        "contrib.sparse": contrib.sparse,
        "driver": driver,
        "driver.build_module": driver.build_module,
        "error": error,
        "ir": ir,
        "ir.transform": transform,
        "nd": runtime.ndarray,
        "runtime": runtime,
        "runtime.module": runtime.modules,
        "runtime.ndarray": runtime.ndarray,
        "target": target,
        "te": te,
        "te.hybrid": te.hybrid,
        "te.schedule": te.schedule,
        "te.tensor": te.tensor,
        "testing": testing,
        "tir": tir,
        "tir.ir_builder": tir.ir_builder,
        "topi": topi,
        "topi.generic": topi.generic,
        "topi.nn.utils": topi.nn_utils,
        "topi.random": topi.random,
        "topi.utils": topi.utils,
        "topi.vision.rcnn": operators.vision.rcnn,
        "topi.vision.ssd": operators.vision.ssd,
        "topi.x86": topi.x86,
        "transform": transform,
    }
    for name in ("image", "nn", "signal", "sparse", "tag", "vision"):
        found[f"topi.{name}"] = getattr(operators, name)
    files = {f"{of}.{file}": found[of] for of, names in _FILES.items() for file in names.split()}
    return {**files, **found}
