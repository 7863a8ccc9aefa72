"""The stages of the `schedule` dialect (level 2): equations and externs with their schedules."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    DenseArrayBase,
    FusedLoc,
    IndexType,
    IntegerAttr,
    LocationAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    i32,
)
from xdsl.ir import (
    Attribute,
    Operation,
    Region,
    SSAValue,
)
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsTerminator,
)
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.affine.constraints import (
    ConditionOp,
    Conjunction,
    pack_condition,
    parse_condition,
)
from teloom.dialects.bodies.equation import (
    Equation,
    parse_parts,
    print_parts,
    verify_equation,
)
from teloom.dialects.bodies.extern import Extern, no_lane
from teloom.dialects.bodies.preorder import first_of, ops_of
from teloom.dialects.bodies.update import Update
from teloom.dialects.loop import KINDS, LoopKind, LoopKindAttr
from teloom.dialects.schedule.commands.modes import Mode, parse_mode, print_mode, wrong_modes
from teloom.dialects.schedule.commands.sharing import (
    Align,
    Aligns,
    aligns,
    parse_sharing,
    print_sharing,
    wrong_aligns,
)
from teloom.dialects.schedule.numbers import NUMBER, NumberAttr
from teloom.dialects.schedule.relations import (
    AXIS,
    CommandOp,
    RelationOp,
    axis_name,
    axis_names,
    verify_distinct,
)
from teloom.dialects.syntax.attributes_behind import attributes_behind
from teloom.dialects.syntax.boxes import pack_box, parse_box, print_box
from teloom.dialects.syntax.stage_header import (
    AxisBounds,
    StageHeader,
    parse_result_types,
    print_header,
    scalar_type,
    verify_axes,
    verify_header,
)
from teloom.dialects.syntax.storage import USUAL_STORAGE, StorageAttr, parse_storage
from teloom.dialects.upstream.arith import i64_attribute

INDEX = IndexType()


@irdl_op_definition
@attributes_behind
class StageOp(IRDLOperation):
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
    tensors = var_result_def(TensorType)
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
        assert isinstance(last, EquationOp | Update | Extern)
        return last

    @property
    def equation(self) -> EquationOp:
        """The equation of a stage that is no update and no extern."""
        assert isinstance(self.definition, EquationOp)
        return self.definition

    @property
    def update(self) -> Update | None:
        """The update of a stage; None if an equation or an extern defines it."""
        return self.definition if isinstance(self.definition, Update) else None

    @property
    def extern(self) -> Extern | None:
        """The opaque body of a stage; None if an equation or an update defines it."""
        return self.definition if isinstance(self.definition, Extern) else None

    @property
    def order(self) -> OrderOp:
        found = first_of(self.body.block, OrderOp)
        if found is None:  # a stage inside is verified first
            raise VerifyException("a stage has one schedule.order, found 0")
        return found

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


_SAID = StringAttr("schedule.order")
"""The fused location of an order whose commands stand at several places."""


@irdl_op_definition
@attributes_behind
class OrderOp(IRDLOperation):
    """The leaf axes of a stage from the outermost loop to the innermost, with their kinds.

    ```mlir
    te.func @ones() -> (tensor<4x8xf32>) {
      %A = schedule.stage "A" (%i = 4, %j = 8) : tensor<4x8xf32> {
        schedule.order %j parallel, %i vectorized
        schedule.equation (%p, %q) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<4x8xf32>
    }
    ```

    Shape: one kind per axis; serial is not printed.
    Refused: another number of kinds, the same axis twice.
    Like: `leaf_iter_vars` of TVM.
    """

    name = "schedule.order"

    axes = var_operand_def(AXIS)
    kinds = prop_def(ArrayAttr[LoopKindAttr])

    traits = traits_def(HasParent(StageOp))

    def __init__(self, axes: Sequence[SSAValue], kinds: Sequence[LoopKind]):
        Operation.__init__(  # of plain operands: what else a constructor takes takes longer
            self, operands=axes, properties={"kinds": ArrayAttr([KINDS[kind] for kind in kinds])}
        )

    @property
    def leaves(self) -> list[tuple[SSAValue, LoopKind]]:
        """(axis, kind) from the outermost to the innermost."""
        return [(axis, kind.data) for axis, kind in zip(self.axes, self.kinds, strict=True)]

    @property
    def commands(self) -> list[LocationAttr]:
        """The locations of the commands that decide the order, and then the kind of each axis."""
        match self.location:
            case FusedLoc(locations=ArrayAttr(data=said), metadata=metadata) if metadata == _SAID:
                return [*said]  # pyright: ignore
            case location:
                return [location] * (1 + len(self.axes))

    def set_commands(self, said: Sequence[LocationAttr]) -> None:
        """Sets `commands`: a refusal shows the line of the command that is to blame."""
        is_one = len({*said}) == 1
        self.location = said[0] if is_one else FusedLoc(ArrayAttr(said), _SAID)

    def command_apart(self, axis: SSAValue) -> LocationAttr:
        """The location of the command that decides how iterations of an axis follow each other.

        For iterations at the same time, that is the command of the kind; else that of the order.
        """
        leaves = self.leaves
        number = next(number for number, (leaf, _) in enumerate(leaves) if leaf is axis)
        return self.commands[0 if leaves[number][1].one_after_another else 1 + number]

    def verify_(self) -> None:
        if len(self.kinds) != len(self.axes):
            raise VerifyException(f"{len(self.kinds)} kinds for {len(self.axes)} axes")
        verify_distinct(self.axes, "order")

    @classmethod
    def parse(cls, parser: Parser) -> OrderOp:
        axes: list[SSAValue] = []
        kinds: list[LoopKind] = []
        words = [kind.value for kind in LoopKind]

        def parse_axis() -> None:
            axes.append(affine.parse_operand(parser))
            word = parser.parse_optional_keyword_in(words)
            kinds.append(LoopKind(word) if word is not None else LoopKind.SERIAL)

        if parser.parse_optional_keyword("none") is None:
            parser.parse_comma_separated_list(parser.Delimiter.NONE, parse_axis)
        return OrderOp(axes, kinds)

    def print(self, printer: Printer) -> None:
        def print_axis(leaf: tuple[SSAValue, LoopKind]) -> None:
            printer.print_operand(leaf[0])
            if leaf[1] is not LoopKind.SERIAL:
                printer.print_string(f" {leaf[1].value}")

        printer.print_string(" " if self.axes else " none")
        printer.print_list(self.leaves, print_axis)


@irdl_op_definition
@attributes_behind
class BoundsOp(IRDLOperation):
    """What the bounds region of the stage's equation yields; inserted by `infer-bounds`.

    Ranges and guards are over these values where bounds of reduce axes depend on data.

    ```mlir
    te.func @sums(%P: tensor<5xi32>, %A: tensor<9xf32>) -> (tensor<4xf32>) {
      %S = schedule.stage "S" (%i = 4) reduce (%k = 9) : tensor<4xf32> {
        schedule.order %i, %k
        %first, %end = schedule.bounds %k
        schedule.region [0 : 4]
        schedule.range %i = 0 to 4
        schedule.range %k = %first to %end
        schedule.equation (%p, %q) {
          %a = te.read %A[%q] : f32
          te.yield %a : f32
        } combine (%x: f32, %y: f32) identity [0.0 : f32] {
          %s = arith.addf %x, %y : f32
          te.yield %s : f32
        } bounds %q (%r) {
          %0 = te.read %P[%r] : i32
          %1 = te.read %P[%r + 1] : i32
          %2 = arith.index_cast %0 : i32 to index
          %3 = arith.index_cast %1 : i32 to index
          te.yield %2, %3 : index, index
        }
      }
      te.return %S : tensor<4xf32>
    }
    ```

    Shape: two index values per axis, in the order of the equation's bounds.
    Refused: other axes than those of which the equation says bounds.
    Like: the bounds of `scf.for`.
    """

    name = "schedule.bounds"

    axes = var_operand_def(AXIS)
    values = var_result_def(INDEX)

    traits = traits_def(HasParent(StageOp))

    def __init__(self, axes: Sequence[SSAValue]):
        super().__init__(operands=[axes], result_types=[[INDEX] * (2 * len(axes))])
        for number, value in enumerate(self.values):
            name = axes[number // 2].name_hint
            value.name_hint = name and f"{name}.{'end' if number % 2 else 'first'}"

    def verify_(self) -> None:
        stage = self.parent_op()
        assert isinstance(stage, StageOp)
        if list(self.axes) != stage.data_bounded_axes:
            raise VerifyException(
                f"bounds of {axis_names(self.axes)}, but the equation says those of "
                f"{axis_names(stage.data_bounded_axes)}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> BoundsOp:
        return BoundsOp(
            parser.parse_comma_separated_list(
                parser.Delimiter.NONE, lambda: parser.parse_operand(AXIS)
            )
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.axes, printer.print_operand)


@irdl_op_definition
@attributes_behind
class RangeOp(IRDLOperation):
    """The range of an axis, over the axes of the loops around it; inserted by `infer-bounds`.

    ```mlir
    te.func @ones(%n: index) -> (tensor<?xf32>) {
      %A = schedule.stage "A" (%i = %n) : tensor<?xf32> {
        %io, %ii = schedule.split %i factor 8
        schedule.order %io, %ii
        schedule.range %io = 0 to %n ceildiv 8
        schedule.range %ii = 0 to min(8, %io * -8 + %n)
        schedule.equation (%p) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<?xf32>
    }
    ```

    Shape: from the maximum of the lower bounds to the minimum of the upper bounds, the end
    excluded.
    Refused: a map that does not fit its operands.
    Like: the result of TVM's InferBound.
    """

    name = "schedule.range"

    axis = operand_def(AXIS)
    operands_ = var_operand_def()
    lower = prop_def(AffineMapAttr)
    upper = prop_def(AffineMapAttr)

    traits = traits_def(HasParent(StageOp))

    def __init__(
        self,
        axis: SSAValue,
        lower: Sequence[AffineExpr],
        upper: Sequence[AffineExpr],
        values: Sequence[SSAValue],
    ):
        """Bounds are expressions of `values`, which are axes and sizes."""
        packed, operands = affine.pack([*lower, *upper], values)
        exprs = packed.data.results
        Operation.__init__(
            self,
            operands=[axis, *operands],
            properties={
                "lower": affine.map_of(exprs[: len(lower)], operands),
                "upper": affine.map_of(exprs[len(lower) :], operands),
            },
        )

    def verify_(self) -> None:
        for map in (self.lower.data, self.upper.data):
            if not map.results or map.num_dims != len(self.operands_):
                raise VerifyException("the bounds' maps do not fit their operands")

    @classmethod
    def parse(cls, parser: Parser) -> RangeOp:
        axis = affine.parse_operand(parser)
        parser.parse_punctuation("=")
        operands = affine.OperandList()
        lower = affine.parse_bound(parser, operands, "max")
        parser.parse_keyword("to")
        upper = affine.parse_bound(parser, operands, "min")
        return RangeOp(axis, lower, upper, operands.values)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.axis)
        printer.print_string(" = ")
        affine.print_bound(printer, self.lower.data.results, self.operands_, "max")
        printer.print_string(" to ")
        affine.print_bound(printer, self.upper.data.results, self.operands_, "min")


@irdl_op_definition
@attributes_behind
class ValueOp(IRDLOperation):
    """The value of a consumed axis, over the axes that replaced it; inserted by `infer-bounds`.

    ```mlir
    te.func @ones() -> (tensor<9xf32>) {
      %A = schedule.stage "A" (%i = 9) : tensor<9xf32> {
        %io, %ii = schedule.split %i factor 3
        schedule.order %io, %ii
        schedule.region [0 : 9]
        schedule.range %io = 0 to 3
        schedule.range %ii = 0 to 3
        schedule.value %i = %io * 3 + %ii
        schedule.equation (%p) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<9xf32>
    }
    ```

    Shape: an affine expression of axes and sizes. A consumed root axis without a value is computed
    from its relation: an extent in it is symbolic, so its value is not affine.
    Refused: a leaf axis.
    Like: the relations of TVM's stages, solved for the root.
    """

    name = "schedule.value"

    axis = operand_def(AXIS)
    operands_ = var_operand_def()
    map = prop_def(AffineMapAttr)

    traits = traits_def(HasParent(StageOp))

    def __init__(self, axis: SSAValue, value: AffineExpr, values: Sequence[SSAValue]):
        """`value` is an expression of `values`, which are axes and sizes."""
        map, operands = affine.pack([value], values)
        Operation.__init__(self, operands=[axis, *operands], properties={"map": map})

    def verify_(self) -> None:
        stage = self.parent_op()
        assert isinstance(stage, StageOp)
        if self.axis in stage.order.axes:
            raise VerifyException(f"{axis_name(self.axis)} is a leaf axis")
        if len(self.map.data.results) != 1 or self.map.data.num_dims != len(self.operands_):
            raise VerifyException("the value's map does not fit its operands")

    @classmethod
    def parse(cls, parser: Parser) -> ValueOp:
        axis = affine.parse_operand(parser)
        parser.parse_punctuation("=")
        operands = affine.OperandList()
        value = affine.parse_expr(parser, operands)
        return ValueOp(axis, value, operands.values)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.axis)
        printer.print_string(" = ")
        affine.print_expr(printer, self.map.data.results[0], self.operands_)


@irdl_op_definition
@attributes_behind
class RegionOp(IRDLOperation):
    """The box of a stage's elements that is stored; inserted by `infer-bounds`.

    ```mlir
    te.func @ones() -> (tensor<4x8xf32>) {
      %A = schedule.stage "A" (%i = 4, %j = 8) : tensor<4x8xf32> {
        schedule.order %i, %j
        schedule.region [0 : 4, 0 : 8]
        schedule.range %i = 0 to 4
        schedule.range %j = 0 to 8
        schedule.equation (%p, %q) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<4x8xf32>
    }
    ```

    The ranges and guards of the stage run through exactly the elements that its readers need
    (`exact`, not printed), through a convex `hull` of them, or through all of a `box`.

    Shape: (offset : extent) per data axis, in elements, over enclosing axes and sizes.
    Refused: another number of pairs than data axes.
    Like: the bounds of TVM's ProducerRealize.
    """

    name = "schedule.region"

    operands_ = var_operand_def()
    offsets = prop_def(AffineMapAttr)
    extents = prop_def(AffineMapAttr)
    mode = prop_def(StringAttr)

    traits = traits_def(HasParent(StageOp))

    def __init__(
        self,
        box: Sequence[tuple[AffineExpr, AffineExpr]],
        values: Sequence[SSAValue],
        mode: Mode = Mode.EXACT,
    ):
        """`box` holds (offset, extent) per data axis, over `values`."""
        operands, offsets, extents = pack_box(box, values)
        Operation.__init__(
            self,
            operands=operands,
            properties={"offsets": offsets, "extents": extents, "mode": StringAttr(mode)},
        )

    def verify_(self) -> None:
        stage = self.parent_op()
        assert isinstance(stage, StageOp)
        if self.mode.data not in list(Mode):
            raise VerifyException(f"mode {self.mode.data} is none of {', '.join(Mode)}")
        for map in (self.offsets.data, self.extents.data):
            if map.num_dims != len(self.operands_):
                raise VerifyException("the region's maps do not fit their operands")
            if len(map.results) != stage.data_axis_count:
                raise VerifyException(
                    f"{len(map.results)} pairs for {stage.data_axis_count} data axes"
                )

    @classmethod
    def parse(cls, parser: Parser) -> RegionOp:
        word = parser.parse_optional_keyword_in(list(Mode))
        mode = Mode(word) if word is not None else Mode.EXACT
        operands = affine.OperandList()
        box = parse_box(parser, operands)
        return RegionOp(box, operands.values, mode)

    def print(self, printer: Printer) -> None:
        printer.print_string(" " if self.mode.data == Mode.EXACT else f" {self.mode.data} ")
        print_box(printer, self.offsets, self.extents, self.operands_)


@irdl_op_definition
@attributes_behind
class GuardOp(ConditionOp):
    """A condition for an instance to run, beyond the ranges of its axes; by `infer-bounds`.

    ```mlir
    te.func @ones() -> (tensor<9xf32>) {
      %A = schedule.stage "A" (%i = 9) : tensor<9xf32> {
        %io, %ii = schedule.split %i factor 4
        schedule.order %ii, %io
        schedule.range %ii = 0 to 4
        schedule.range %io = 0 to 3
        schedule.guard (%io * -4 - %ii + 8 >= 0)
        schedule.equation (%p) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<9xf32>
    }
    ```

    Shape: alternatives over axes and sizes, one of which must hold. Of several guards all must
    hold.
    Refused: no constraint.
    Like: `affine.if`.
    """

    name = "schedule.guard"

    traits = traits_def(HasParent(StageOp))

    def __init__(self, alternatives: Sequence[Conjunction], values: Sequence[SSAValue]):
        """The condition is an expression of `values`."""
        operands, constraints, counts = pack_condition(alternatives, values)
        super().__init__(
            operands=[operands],
            properties={"constraints": constraints, "counts": counts},
        )

    def verify_(self) -> None:
        self.verify_condition()

    @classmethod
    def parse(cls, parser: Parser) -> GuardOp:
        operands = affine.OperandList()
        return GuardOp(parse_condition(parser, operands), operands.values)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.print_condition(printer)


@irdl_op_definition
@attributes_behind
class PromisedOp(ConditionOp):
    """A condition on sizes that a schedule promises, and that each call checks; by `infer-bounds`.

    ```mlir
    te.func @ones(%n: index) -> (tensor<?xf32>) {
      %A = schedule.stage "A" (%i = %n) : tensor<?xf32> {
        schedule.bounded %i from 0 extent 32
        schedule.order %i
        schedule.region [0 : 32]
        schedule.range %i = 0 to %n
        schedule.promised (%n * -1 + 32 >= 0)
        schedule.equation (%p) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<?xf32>
    }
    ```

    Shape: alternatives over sizes, one of which must hold, and what a call says of which none does.
    Refused: no constraint.
    Like: `require` of Halide.
    """

    name = "schedule.promised"

    words = opt_prop_def(StringAttr)

    traits = traits_def(HasParent(StageOp))

    def __init__(
        self, alternatives: Sequence[Conjunction], words: str | None, sizes: Sequence[SSAValue]
    ):
        """The condition is over `sizes`."""
        operands, constraints, counts = pack_condition(alternatives, sizes)
        said = None if words is None else StringAttr(words)
        super().__init__(
            operands=[operands],
            properties={"constraints": constraints, "counts": counts, "words": said},
        )

    def verify_(self) -> None:
        self.verify_condition()

    @classmethod
    def parse(cls, parser: Parser) -> PromisedOp:
        operands = affine.OperandList()
        condition = parse_condition(parser, operands)
        words = parser.parse_optional_str_literal()
        return PromisedOp(condition, words, operands.values)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.print_condition(printer)
        if self.words is not None:
            printer.print_string(" ")
            printer.print_string_literal(self.words.data)


@irdl_op_definition
@attributes_behind
class EquationOp(Equation):
    """The equation of a stage: the regions of its `te.compute`, unchanged.

    ```mlir
    te.func @ones() -> (tensor<4xf32>) {
      %A = schedule.stage "A" (%i = 4) : tensor<4xf32> {
        schedule.order %i
        schedule.equation (%p) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<4xf32>
    }
    ```

    Shape: one index argument per root axis, one yielded scalar per result of the stage.
    Refused: what `te.compute` refuses.
    Like: the body of `linalg.generic`.
    """

    name = "schedule.equation"

    traits = traits_def(IsTerminator(), HasParent(StageOp))

    def verify_(self) -> None:
        stage = self.parent_op()
        assert isinstance(stage, StageOp)
        verify_equation(
            self,
            len(stage.root_axes),
            stage.data_axis_count,
            [scalar_type(tensor.type) for tensor in stage.tensors],
        )

    @classmethod
    def parse(cls, parser: Parser) -> EquationOp:
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN,
            lambda: parser.parse_argument(expect_type=False).resolve(INDEX),
        )
        return EquationOp(parse_parts(parser, arguments))

    def print(self, printer: Printer) -> None:
        printer.print_string(" (")
        printer.print_list(self.body.block.args, printer.print_operand)
        printer.print_string(")")
        print_parts(printer, self)
