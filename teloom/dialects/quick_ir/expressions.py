"""Affine expressions, without a generator for each of their parts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from xdsl.ir.affine import AffineBinaryOpExpr, AffineConstantExpr, AffineDimExpr, AffineExpr

from teloom.dialects.quick_ir.replaced import is_method_of, put

put(AffineExpr, "constant", staticmethod(lru_cache(1024, typed=True)(AffineConstantExpr)))
put(AffineExpr, "dimension", staticmethod(lru_cache(1024)(AffineDimExpr)))


@is_method_of(AffineBinaryOpExpr)
def dfs(self: AffineBinaryOpExpr) -> Iterator[AffineExpr]:
    pending: list[AffineExpr] = [self]
    while pending:
        part = pending.pop()
        yield part
        if type(part) is AffineBinaryOpExpr:
            pending += (part.rhs, part.lhs)


@is_method_of(AffineExpr)
def used_dims(self: AffineExpr) -> set[int]:
    if type(self) is AffineDimExpr:
        return {self.position}
    if type(self) is not AffineBinaryOpExpr:
        return set()
    return {part.position for part in self.dfs() if type(part) is AffineDimExpr}
