"""What the buffers of an extern are in its body."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue

from teloom.errors import Error
from teloom.frontend.expr.expressions import Expr, Var, walk
from teloom.frontend.tensor.buffers import Buffer


class BufferValues:
    """The memory of each buffer, and the strides and offsets that are found there.

    `positions` are the `index` values of sizes and axes; those of vars that stand for what is found
    are added where an expression uses them.
    """

    def __init__(self, owner: str, positions: dict[Expr, SSAValue]):
        self._owner = owner
        self._positions = positions
        self._values: dict[Buffer, SSAValue] = {}
        self._metadata: dict[Buffer, memref.ExtractStridedMetaDataOp] = {}
        self._found: dict[Var, tuple[Buffer, int]] = {}

    def add(self, buffer: Buffer, value: SSAValue) -> None:
        """The memory of a buffer is `value`."""
        for position, one in enumerate([buffer.elem_offset, *buffer.strides]):
            if isinstance(one, Var):
                self._note(one, buffer, position)
        self._values[buffer] = value

    def _note(self, var: Var, buffer: Buffer, position: int) -> None:
        """Notes that a var stands for the offset of a buffer, or for the stride at `position`."""
        if var in self._found:
            raise Error(
                f"{var} of buffer {buffer.name!r} stands for something else already, in "
                f"{self._found[var][0].name!r}; what is found needs a te.var of its own"
            )
        self._found[var] = buffer, position

    def named(self) -> dict[str, SSAValue]:
        """The memory of each buffer, by the buffer's name."""
        return {buffer.name: value for buffer, value in self._values.items()}

    def value(self, buffer: Buffer) -> SSAValue:
        """The memory of a buffer; raises `teloom.Error` for one that the body does not see."""
        if buffer not in self._values:
            raise Error(f"{buffer.name!r} is no buffer of {self._owner!r}")
        return self._values[buffer]

    def metadata(self, buffer: Buffer) -> memref.ExtractStridedMetaDataOp:
        """Where the elements of a buffer lie in its memory."""
        if buffer not in self._metadata:
            value = self.value(buffer)
            op = self._metadata[buffer] = memref.ExtractStridedMetaDataOp(value)
            made = value.owner
            assert isinstance(made, Operation)
            assert made.parent is not None
            made.parent.insert_op_after(op, made)
        return self._metadata[buffer]

    def find(self, expr: Expr) -> None:
        """Gives the strides and offsets that an expression names their values."""
        for part in walk((expr,)):
            if isinstance(part, Var) and part in self._found:
                buffer, position = self._found[part]
                metadata = self.metadata(buffer)
                self._positions[part] = [metadata.offset, *metadata.strides][position]
