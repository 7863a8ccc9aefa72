"""`schedule.remap`: a relation that replaces axes by affine functions of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, prop_def, var_operand_def, var_result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine.fold import over_dims
from teloom.dialects.schedule.relations import AXIS, RelationOp, axis_names, verify_distinct
from teloom.dialects.syntax.layouts import verify_quasi_affine


@irdl_op_definition
class RemapOp(RelationOp):
    """Replaces axes by quasi-affine functions of them, from which their values follow.

    The values of the replaced axes are the inverse of the map, which isl finds. Coordinates that
    the map leaves out, as the odd ones of `d0 * 2`, do not run.

    ```mlir
    schedule.sequence @diagonals on @f {
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      %d, %p = schedule.remap %i, %j by affine_map<(d0, d1)[s0] -> (d0 + d1 + s0, d1)>
    }
    ```

    Shape: as many axes as the map has results; they take the place of the outermost of those
    that they replace, in their order. Coordinates count from the starts of these. Symbol k is
    size k of the function.
    Refused: no axis, the same axis twice, a map over another number of axes, without results,
    or with a divisor that is no positive constant; by `apply-schedule`, more symbols than the
    function has sizes, an axis that is no leaf or has a kind, a data axis with a reduce axis, a
    map that is not injective on the axes, with two instances as witness, and one whose inverse is
    no single expression.
    Like: `transform_block_layout` of TVM, `set_schedule` of Tiramisu.
    """

    name = "schedule.remap"

    SLANTS: ClassVar[bool] = True

    args = var_operand_def(AXIS)
    map = prop_def(AffineMapAttr)
    remapped = var_result_def(AXIS)

    def __init__(self, args: Sequence[SSAValue], map: AffineMapAttr):
        made = [AXIS] * len(map.data.results)
        super().__init__(operands=[args], properties={"map": map}, result_types=[made])

    @property
    def consumed(self) -> Sequence[SSAValue]:
        return self.args

    @property
    def last_size(self) -> int:
        return self.map.data.num_symbols - 1

    def verify_(self) -> None:
        super().verify_()
        if not self.args:
            raise VerifyException("remap needs at least one axis")
        verify_distinct(self.args, "remap")
        map = self.map.data
        of = f"remap of axes {axis_names(self.args)} by {map}"
        if map.num_dims != len(self.args):
            raise VerifyException(f"{of}: the map needs {len(self.args)} dimensions")
        if not map.results or len(map.results) != len(self.remapped):
            raise VerifyException(
                f"{of}: the map has {len(map.results)} results, for {len(self.remapped)} axes"
            )
        for expr in map.results:
            verify_quasi_affine(expr)

    def exprs(self) -> Sequence[AffineExpr]:
        """The results of the map over the consumed axes, and then the sizes of the function."""
        return tuple(over_dims(self.map.data))

    @classmethod
    def parse(cls, parser: Parser) -> RemapOp:
        args = parser.parse_comma_separated_list(
            parser.Delimiter.NONE,
            lambda: parser.resolve_operand(parser.parse_unresolved_operand(), AXIS),
        )
        parser.parse_keyword("by")
        place = parser.pos
        map = parser.parse_attribute()
        if not isinstance(map, AffineMapAttr):
            parser.raise_error(f"a remap is by an affine_map, not {map}", place, parser.pos)
        remap = RemapOp(args, map)
        remap.attributes.update(parser.parse_optional_attr_dict())
        return remap

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.args, printer.print_operand)
        printer.print_string(" by ")
        printer.print_attribute(self.map)
        printer.print_op_attributes(self.attributes)
