"""`schedule.stage` (level 2): equations, updates and externs with their schedules."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    i32,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.bodies.extern import Extern, no_lane
from teloom.dialects.bodies.preorder import first_of, is_of, ops_of
from teloom.dialects.bodies.update import Update
from teloom.dialects.loop import LoopKind
from teloom.dialects.schedule.commands.modes import parse_mode, print_mode, wrong_modes
from teloom.dialects.schedule.commands.sharing import (
    Align,
    Aligns,
    aligns,
    parse_sharing,
    print_sharing,
    wrong_aligns,
)
from teloom.dialects.schedule.numbers import NUMBER, NumberAttr
from teloom.dialects.schedule.relations import AXIS, CommandOp, RelationOp, axis_name, axis_names
from teloom.dialects.schedule.stages.equation import EquationOp
from teloom.dialects.schedule.stages.inferred import (
    BoundsOp,
    GuardOp,
    PromisedOp,
    RangeOp,
    RegionOp,
    ValueOp,
)
from teloom.dialects.schedule.stages.order import OrderOp
from teloom.dialects.schedule.stages.parent_stage import ParentStage
from teloom.dialects.syntax.attributes_behind import attributes_behind
from teloom.dialects.syntax.stage_header import (
    AxisBounds,
    StageHeader,
    parse_result_types,
    print_header,
    verify_axes,
    verify_header,
)
from teloom.dialects.syntax.storage import USUAL_STORAGE, StorageAttr, parse_storage
from teloom.dialects.upstream.arith import i64_attribute

INDEX = IndexType()

_IS_UPDATE, _IS_EXTERN = is_of((Update,)), is_of((Extern,))
_IS_DEFINITION = is_of((EquationOp, Update, Extern))


@irdl_op_definition
@attributes_behind
class StageOp(ParentStage):
    """An equation, update or extern with its schedule: relations, order, stages in it, and ranges.

    The region's arguments are the root axes, as handles. The region holds, in this order: the
    relations that make other axes (`schedule.split`, `schedule.fuse`), `schedule.order`, the
    ranges once they are inferred, the states of a recurrence, the stages that are computed at an
    axis of this one, and the equation, the update or the extern.

    `at %axis` is the axis of the enclosing stage in whose loop this one is computed; without it
    the stage is at the root. `stored at %axis`, or `stored at root`, is the loop further out in
    which its elements live; without it they live where they are computed. A `#loop.storage`
    follows, whose axes are the data axes. `infer-bounds` completes its scope and fold factors.
    `mode "hull"` and `budget 1000` set how `infer-bounds` computes the region. `reassociated by`
    names a command by which the equation folds in another order than the program said.

    `sharing 2` says that its two outermost loops are those of the stage in front of it, at the same
    place; `align [none, start]` how its iterations lie in them.

    ```mlir
    te.func @double(%A: tensor<20xf32>) -> (tensor<20xf32>) {
      %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
        %io, %ii = schedule.split %i factor 8
        schedule.order %io, %ii vectorized
        %B = schedule.stage "B" at %io stored at root in "local" (%j = 20) : tensor<20xf32> {
          schedule.order %j
          schedule.equation (%p) {
            %a = te.read %A[%p] : f32
            te.yield %a : f32
          }
        }
        schedule.equation (%q) {
          %b = te.read %B[%q] : f32
          %c = arith.addf %b, %b : f32
          te.yield %c : f32
        }
      }
      te.return %C : tensor<20xf32>
    }
    ```

    Shape: every result has one dimension per data axis, of that axis's extent; those of an
    extern have any shape.
    Refused: an order that is not exactly the axes no relation consumes, an axis of storage that
    is none of the data axes, a place of storage that is not around the stage; more shared loops
    than leaves, or of other kinds.
    Like: a stage of TVM's Schedule.
    """

    name = "schedule.stage"

    tensors = var_result_def(TensorType)
    stage_name = prop_def(StringAttr)
    lowers = prop_def(AffineMapAttr)
    uppers = prop_def(AffineMapAttr)
    domain = opt_prop_def(AffineSetAttr)
    data_axes = prop_def(IntegerAttr)
    storage = prop_def(StorageAttr, default_value=USUAL_STORAGE)
    stored_at_root = opt_prop_def(UnitAttr)
    mode = opt_prop_def(StringAttr)
    reassociated = opt_prop_def(StringAttr)
    budget = opt_prop_def(NUMBER)
    sharing = opt_prop_def(Aligns)
    sizes = var_operand_def(INDEX)
    at = opt_operand_def(AXIS)
    stored_at = opt_operand_def(AXIS)
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        stage_name: str,
        bounds: AxisBounds,
        data_axes: int,
        at: SSAValue | None,
        body: Region,
        result_types: Sequence[Attribute],
    ):
        super().__init__(
            operands=[bounds.operands, at, None],
            properties={
                "stage_name": StringAttr(stage_name),
                "lowers": bounds.lowers,
                "uppers": bounds.uppers,
                "domain": bounds.domain,
                "data_axes": i64_attribute(data_axes),
                "storage": USUAL_STORAGE,
            },
            regions=[body],
            result_types=[result_types],
        )

    @property
    def bounds(self) -> AxisBounds:
        return AxisBounds(self.lowers, self.uppers, self.sizes, self.domain)

    @property
    def root_axes(self) -> Sequence[SSAValue]:
        return self.body.block.args

    @property
    def data_axis_count(self) -> int:
        return self.data_axes.value.data

    @property
    def definition(self) -> EquationOp | Update | Extern:
        """The equation, update or extern, which defines the values of the tensors."""
        last = self.body.block.last_op
        assert _IS_DEFINITION[type(last)]
        return last  # pyright: ignore

    @property
    def equation(self) -> EquationOp:
        """The equation of a stage that is no update and no extern."""
        assert isinstance(self.definition, EquationOp)
        return self.definition

    @property
    def update(self) -> Update | None:
        """The update of a stage; None if an equation or an extern defines it."""
        last = self.definition
        return last if _IS_UPDATE[type(last)] else None  # pyright: ignore

    @property
    def extern(self) -> Extern | None:
        """The opaque body of a stage; None if an equation or an update defines it."""
        last = self.definition
        return last if _IS_EXTERN[type(last)] else None  # pyright: ignore

    @property
    def order(self) -> OrderOp:
        found = first_of(self.body.block, OrderOp)
        if found is None:  # a stage inside is verified first
            raise VerifyException("a stage has one schedule.order, found 0")
        return found

    @property
    def leaf_axes(self) -> Sequence[SSAValue]:
        return self.order.axes

    @property
    def has_own_loops(self) -> bool:
        """Whether its loops are those of its root axes, serial and in their order."""
        return self.order.leaves == [(axis, LoopKind.SERIAL) for axis in self.root_axes]

    @property
    def relations(self) -> list[RelationOp]:
        """The relations, in the order in which they were applied."""
        return ops_of(self.body.block, RelationOp)

    @property
    def attached(self) -> list[StageOp]:
        """The stages that are computed at an axis of this one, in order."""
        return ops_of(self.body.block, StageOp)

    @property
    def enclosing(self) -> StageOp | None:
        """The stage in whose loop this one is computed."""
        parent = self.parent_op()
        return parent if isinstance(parent, StageOp) else None

    @property
    def inferred(self) -> list[Operation]:
        """The ops that `infer-bounds` inserted."""
        kinds = (BoundsOp, RegionOp, RangeOp, ValueOp, GuardOp, PromisedOp)
        return ops_of(self.body.block, *kinds)

    @property
    def data_bounded_axes(self) -> list[SSAValue]:
        """The root axes whose bounds the equation takes from data."""
        if not isinstance(self.definition, EquationOp):
            return []
        return [self.root_axes[position] for position in self.definition.data_bounded]

    @property
    def bounds_from_data(self) -> BoundsOp | None:
        """The bounds that depend on data, as values for ranges and guards, once they are asked."""
        return first_of(self.body.block, BoundsOp)

    @property
    def region(self) -> RegionOp | None:
        """The box that is stored, once it is inferred."""
        return first_of(self.body.block, RegionOp)

    @property
    def ranges(self) -> dict[SSAValue, RangeOp]:
        """The ranges by axis, once they are inferred."""
        return {op.axis: op for op in ops_of(self.body.block, RangeOp)}

    @property
    def values(self) -> dict[SSAValue, ValueOp]:
        """The values of consumed axes by axis, once they are inferred."""
        return {op.axis: op for op in ops_of(self.body.block, ValueOp)}

    @property
    def guards(self) -> list[GuardOp]:
        """The guards, all of which must hold."""
        return ops_of(self.body.block, GuardOp)

    @property
    def promises(self) -> list[PromisedOp]:
        """What the schedule promises of sizes, once it is inferred."""
        return ops_of(self.body.block, PromisedOp)

    @property
    def is_stored_elsewhere(self) -> bool:
        """Whether the stage is stored further out than it is computed."""
        return self.stored_at is not None or self.stored_at_root is not None

    @property
    def shared(self) -> list[Align]:
        """How it lies in the loops that it shares with the stage in front, outermost first."""
        return [Align(word.data) for word in self.sharing or ()]

    def set_shared(self, words: Sequence[Align]) -> None:
        """Sets the loops that it shares with the stage in front of it."""
        self.properties.pop("sharing", None)
        if words:
            self.properties["sharing"] = aligns(words)

    def set_at(self, axis: SSAValue | None) -> None:
        """Sets where the stage is computed; the caller moves the op itself."""
        self._set_operands(self.sizes, axis, self.stored_at)

    def set_stored_at(self, axis: SSAValue | None) -> None:
        """Sets where the stage is stored: in the loop of an axis, or at the root."""
        self._set_operands(self.sizes, self.at, axis)
        self.properties.pop("stored_at_root", None)
        if axis is None:
            self.properties["stored_at_root"] = UnitAttr()

    def set_storage(self, storage: StorageAttr) -> None:
        """Sets how the stage is stored."""
        self.properties["storage"] = storage

    def set_mode(self, mode: StringAttr | None, budget: NumberAttr | None) -> None:
        """Sets how the region is computed; None changes nothing."""
        given = {"mode": mode, "budget": budget}
        self.properties |= {name: value for name, value in given.items() if value is not None}

    def set_reassociated(self, command: str) -> None:
        """Says which command has made it fold in another order than the program says."""
        self.properties["reassociated"] = StringAttr(command)

    def set_bounds(self, bounds: AxisBounds) -> None:
        """Sets the bounds of the root axes; the caller changes the axes themselves."""
        self.properties["lowers"] = bounds.lowers
        self.properties["uppers"] = bounds.uppers
        self.domain = bounds.domain
        self._set_operands(bounds.operands, self.at, self.stored_at)

    def _set_operands(
        self, sizes: Sequence[SSAValue], at: SSAValue | None, stored_at: SSAValue | None
    ) -> None:
        places = [[] if axis is None else [axis] for axis in (at, stored_at)]
        self.operands = [*sizes, *places[0], *places[1]]
        segments = [len(sizes), *map(len, places)]
        self.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, segments)

    def verify_(self) -> None:
        last = self.body.block.last_op
        if not isinstance(last, EquationOp | Update | Extern):
            raise VerifyException(
                "the region must end in schedule.equation, schedule.update or schedule.extern"
            )
        if not isinstance(last, Extern):
            types = [tensor.type for tensor in self.tensors]
            verify_header(self.bounds, self.data_axis_count, types)
        else:
            verify_axes(self.bounds, self.data_axis_count)
            self._verify_extern()
        if self.domain is not None and isinstance(last, Extern):
            raise VerifyException("only the axes of an equation or an update have a domain")
        for message in wrong_modes(self.mode, self.budget):
            raise VerifyException(message)
        self.storage.verify_axes(self.data_axis_count)
        axes = self.body.block.args
        if [axis.type for axis in axes] != [AXIS] * len(self.lowers.data.results):
            raise VerifyException("the region needs one axis per bound")
        for op in self.body.block.ops:
            if isinstance(op, CommandOp) and not isinstance(op, RelationOp):
                raise VerifyException(f"{op.name} is a command: it stands in a schedule.sequence")
        orders = ops_of(self.body.block, OrderOp)
        if len(orders) != 1:
            raise VerifyException(f"a stage has one schedule.order, found {len(orders)}")
        self._verify_leaves(orders[0])
        if (self.at is not None) != (self.enclosing is not None):
            raise VerifyException(
                "a stage inside another needs `at` an axis of it, one at the root none"
            )
        if self.at is not None and self.enclosing is not None:
            if self.at not in self.enclosing.order.axes:
                raise VerifyException(
                    f"is at {axis_name(self.at)}, which is no leaf axis of stage "
                    f'"{self.enclosing.stage_name.data}"'
                )
        self._verify_stored_at()
        self._verify_shared()

    def _verify_shared(self) -> None:
        if self.sharing is None:
            return
        for message in wrong_aligns(self.sharing):
            raise VerifyException(message)
        count, front = len(self.sharing), self.prev_op
        if not isinstance(front, StageOp) or front.at is not self.at:
            raise VerifyException("shares loops, but no stage at the same place is in front of it")
        pairs = [stage.order.leaves[:count] for stage in (front, self)]
        if not count or not all(len(leaves) == count for leaves in pairs):
            raise VerifyException(
                f'shares {count} loops with "{front.stage_name.data}"; the leaf axes are '
                f"{axis_names(self.order.axes)}, and there {axis_names(front.order.axes)}"
            )
        for (own, kind), (other, other_kind) in zip(*reversed(pairs), strict=True):
            if kind is not other_kind:
                raise VerifyException(
                    f"shares the loop of {axis_name(own)}, which is {kind.value}, with that of "
                    f"{axis_name(other)}, which is {other_kind.value}"
                )

    def _verify_stored_at(self) -> None:
        around = self.enclosing
        while around is not None and self.stored_at not in around.order.axes:
            around = around.enclosing
        if self.stored_at is not None and around is None:
            raise VerifyException(
                f'stage "{self.stage_name.data}" is stored at {axis_name(self.stored_at)}, '
                "which is no leaf axis of a stage around it"
            )
        if self.stored_at is not None and self.stored_at_root is not None:
            raise VerifyException("a stage is stored at one place, not at an axis and the root")

    def _verify_extern(self) -> None:
        """A point of an extern is no element, so it has no place in memory.

        It can be a lane if its code is scalar.
        """
        assert self.extern is not None
        has_lanes = any(kind is LoopKind.VECTORIZED for _, kind in self.order.leaves)
        if has_lanes and (inner := no_lane(self.extern)) is not None:
            raise VerifyException(
                f"an axis of an extern with a {inner.name} cannot be vectorized: it is no scalar "
                "code"
            )
        storage = self.storage
        of_elements = {
            "an alignment": storage.alignments,
            "a fold": storage.folds,
            "a layout": storage.own_layout is not None and self.root_axes,
        }
        for what, is_given in of_elements.items():
            if is_given:
                raise VerifyException(f"{what} of an extern, whose points are no elements")

    def _verify_leaves(self, order: OrderOp) -> None:
        is_data = dict.fromkeys(self.root_axes, False)  # for each leaf
        is_data |= dict.fromkeys(self.root_axes[: self.data_axis_count], True)
        for relation in self.relations:
            for axis in relation.operands:
                if axis not in is_data:
                    raise VerifyException(f"{relation.name} of {axis_name(axis)}, which is no leaf")
            if len({is_data[axis] for axis in relation.operands}) > 1:
                names = axis_names(relation.operands)
                raise VerifyException(f"{relation.name} of a data axis and a reduce axis: {names}")
            of_data = all([is_data.pop(axis) for axis in relation.consumed])
            is_data |= dict.fromkeys(relation.results, of_data)
        if set(order.axes) != set(is_data) or len(order.axes) != len(is_data):
            raise VerifyException(
                f"the order names {axis_names(order.axes)}, the leaf axes are {axis_names(is_data)}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> StageOp:
        at = stored_at = mode = budget = reassociated = None
        shared: list[Align] = []
        stored_at_root = False
        storage = USUAL_STORAGE

        def parse_place() -> None:
            nonlocal at, stored_at, stored_at_root, storage, mode, budget, reassociated, shared
            if parser.parse_optional_keyword("at"):
                at = affine.parse_operand(parser)
            shared = parse_sharing(parser)
            if parser.parse_optional_keyword("stored"):
                parser.parse_keyword("at")
                stored_at_root = parser.parse_optional_keyword("root") is not None
                stored_at = None if stored_at_root else affine.parse_operand(parser)
            storage = parse_storage(parser)
            mode, budget = parse_mode(parser)
            if parser.parse_optional_keyword("reassociated"):
                parser.parse_keyword("by")
                reassociated = parser.parse_str_literal(" as command")

        header = StageHeader.parse(parser, after_name=parse_place)
        parser.parse_punctuation(":")
        types = parse_result_types(parser)
        body = parser.parse_region([name.resolve(AXIS) for name in header.axes])
        stage = StageOp(header.stage_name, header.bounds, header.data_axes, at, body, types)
        if stored_at_root or stored_at is not None:
            stage.set_stored_at(stored_at)
        stage.set_storage(storage)
        stage.set_mode(mode, budget)
        if reassociated is not None:
            stage.set_reassociated(reassociated)
        stage.set_shared(shared)
        return stage

    def print(self, printer: Printer) -> None:
        def print_place() -> None:
            if self.at is not None:
                printer.print_string(" at ")
                printer.print_operand(self.at)
            print_sharing(printer, self.shared)
            if self.stored_at_root is not None:
                printer.print_string(" stored at root")
            if self.stored_at is not None:
                printer.print_string(" stored at ")
                printer.print_operand(self.stored_at)
            self.storage.print_clauses(printer)
            print_mode(printer, self.mode, self.budget)
            if self.reassociated is not None:
                printer.print_string(" reassociated by ")
                printer.print_string_literal(self.reassociated.data)

        print_header(
            printer,
            self.stage_name.data,
            self.body.block.args,
            self.data_axis_count,
            self.bounds,
            after_name=print_place,
        )
        printer.print_string(" : ")
        printer.print_list(self.tensors, lambda t: printer.print_attribute(t.type))
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
