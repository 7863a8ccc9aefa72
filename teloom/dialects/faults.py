"""A fault of a module, at the op that has it."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException


class OpFault(VerifyException):
    """`op` does not verify; xDSL's exception does not tell which op it is."""

    def __init__(self, message: str, op: Operation):
        super().__init__(message)
        self.op = op
