"""`tvm.error`, which is `tvm._ffi.base`, too: what TVM raises is `teloom.Error` here."""

import sys

from teloom.errors import Error

TVMError = InternalError = OpError = Error

base = sys.modules[__name__]
"""By the path of TVM's file."""
