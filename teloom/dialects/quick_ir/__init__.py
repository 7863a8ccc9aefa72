"""xDSL's IR in fewer steps: methods that building an operator calls some thousand times.

Each does what xDSL's own does, which asks for each part by a property or a view, and checks what
cannot be wrong: whether an op without regions is around the block that it is put into. That is a
seventh of a build. They rely on the inside of xDSL, whose minor version is fixed; `XDSL` has what
they replace, and the tests compare both.
"""

from teloom.dialects.quick_ir import (  # noqa: F401  # each puts its methods in the place of xDSL's
    assembly_formats,
    attributes,
    classes,
    copies,
    expressions,
    fields,
    links,
    verification,
)
from teloom.dialects.quick_ir.making import segments
from teloom.dialects.quick_ir.replaced import XDSL

__all__ = ["XDSL", "segments"]
