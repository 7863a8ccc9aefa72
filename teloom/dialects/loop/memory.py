"""`loop.memory`: the limit and the alignment of a memory that only some targets have."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    traits_def,
)
from xdsl.traits import HasParent, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.syntax.scopes import is_tagged, verify_scope

LEAST_ALIGNMENT = 8
"""In bytes: the alignment of the widest elements."""


@irdl_op_definition
class MemoryOp(IRDLOperation):
    """The limit and the alignment of the memory of a tagged scope.

    `limit` is the number of bytes of one copy of the memory; without it, there is no limit.
    Buffers begin at multiples of `alignment` bytes; without it, of as many as the cache lines
    and vectors of the target want.

    ```mlir
    loop.memory "global.vtcm" limit 131072 alignment 128
    loop.memory "local.scratch" limit 4096
    ```

    Shape: both in bytes; one per scope and module.
    Refused: an unknown scope or one without a tag, neither a limit nor an alignment, a limit
    below 1, an alignment that is no power of two from 8 on, a second one of a scope.
    Like: `MemoryInfo` of TVM, whose `max_num_bits` is the limit and whose `max_simd_bits`
    the alignment, in bits.
    """

    name = "loop.memory"

    sym_name = prop_def(StringAttr)
    limit = opt_prop_def(IntegerAttr.constr(type=i64))
    alignment = opt_prop_def(IntegerAttr.constr(type=i64))

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(SymbolOpInterface(), HasParent(ModuleOp))

    assembly_format = "$sym_name (`limit` $limit^)? (`alignment` $alignment^)? attr-dict"

    def __init__(self, scope: str, limit: int | None = None, alignment: int | None = None):
        super().__init__(
            properties={
                "sym_name": StringAttr(scope),
                "limit": None if limit is None else IntegerAttr(limit, i64),
                "alignment": None if alignment is None else IntegerAttr(alignment, i64),
            }
        )

    @property
    def scope(self) -> str:
        return self.sym_name.data

    def verify_(self) -> None:
        verify_scope(self.scope)
        if not is_tagged(self.scope):
            raise VerifyException(
                f'scope "{self.scope}" has no tag: only of a memory with one, as '
                f'"{self.scope}.vtcm", a limit and an alignment can be said'
            )
        if self.limit is None and self.alignment is None:
            raise VerifyException(f'memory "{self.scope}" has neither a limit nor an alignment')
        if self.limit is not None and self.limit.value.data < 1:
            raise VerifyException(
                f'memory "{self.scope}" with limit {self.limit.value.data}: it must hold at '
                "least 1 byte"
            )
        if self.alignment is not None and not _is_boundary(self.alignment.value.data):
            raise VerifyException(
                f'memory "{self.scope}" with alignment {self.alignment.value.data}: it must be '
                f"a power of two from {LEAST_ALIGNMENT} on"
            )


def _is_boundary(bytes: int) -> bool:
    return bytes >= LEAST_ALIGNMENT and not bytes & (bytes - 1)


def memories_in(module: ModuleOp) -> list[MemoryOp]:
    """The memories that a module declares."""
    return [op for op in module.ops if isinstance(op, MemoryOp)]
