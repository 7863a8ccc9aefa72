"""Which objects are equal, and of which class one is."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Iterator
from typing import Protocol

from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.ir.core import _IRNode
from xdsl.irdl import IRDLOperation

from teloom.dialects.quick_ir.replaced import put

# Equal is what is the same.

for node in SSAValue, _IRNode, IRDLOperation:
    put(node, "__hash__", object.__hash__)
    put(node, "__eq__", object.__eq__)

# An instance of a class is what is made of it or its subclasses: xDSL registers no others.


class _Plain(type(Protocol)):
    """The class of classes of IR. One of them can be a protocol's and an abstract class's, too."""

    __instancecheck__ = ABCMeta.__instancecheck__
    __subclasscheck__ = ABCMeta.__subclasscheck__


put(_Plain, "__instancecheck__", type.__instancecheck__)
put(_Plain, "__subclasscheck__", type.__subclasscheck__)


def _with_subclasses(kind: type) -> Iterator[type]:
    yield kind
    for one in kind.__subclasses__():
        yield from _with_subclasses(one)


for base in Attribute, SSAValue, _IRNode, AffineExpr:
    for kind in _with_subclasses(base):
        if type(kind) is ABCMeta:
            kind.__class__ = _Plain  # pyright: ignore
