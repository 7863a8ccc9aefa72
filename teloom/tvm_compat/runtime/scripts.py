"""`tvm.te.hybrid.runtime`: the names that scripts know, as functions of Python."""

from teloom.frontend.hybrid.functions import IN_PYTHON as HYBRID_GLOBALS

__all__ = ["HYBRID_GLOBALS"]
