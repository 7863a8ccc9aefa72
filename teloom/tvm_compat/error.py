"""`tvm.error`: what TVM raises is `teloom.Error` here."""

from teloom.errors import Error

TVMError = InternalError = OpError = Error
