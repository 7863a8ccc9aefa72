"""`tvm.contrib.cc`: shared libraries of objects."""

from teloom.tvm_compat.runtime.shared_libraries import create_shared

__all__ = ["create_shared"]
