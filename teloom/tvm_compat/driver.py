"""`tvm.driver`: `build` and `lower`, and the module that has them in TVM."""

from teloom.tvm_compat import building as build_module
from teloom.tvm_compat.building import build, lower

__all__ = ["build", "build_module", "lower"]
