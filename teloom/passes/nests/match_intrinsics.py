"""Pass `match-intrinsics`: tensorized loops get the code of their intrinsic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.intrinsics.equations import Differs, Windows, windows_of
from teloom.analysis.intrinsics.read_boxes import check_read_whole
from teloom.analysis.intrinsics.tiles import TileLoops, data_axes_of, extents_of
from teloom.analysis.stages.queries import all_stages, box_of, is_reduce, name_of
from teloom.dialects import schedule, te
from teloom.dialects.affine.operands import OperandList
from teloom.dialects.affine.polynomials import Polynomial, to_expr
from teloom.dialects.bodies.box_buffers import number
from teloom.dialects.bodies.extern import ExternParts
from teloom.dialects.schedule import IntrinsicPart
from teloom.errors import ScheduleError, did_you_mean, placed
from teloom.progress import reached
from teloom.remarks import remark

INDEX = IndexType()
ONE = AffineExpr.constant(1)


@dataclass(frozen=True)
class MatchIntrinsicsPass(ModulePass):
    """Put the code of intrinsics in the place of the loops that are tensorized.

    What the loops compute is compared with the equation of the intrinsic: the extents of a tile,
    the ops, and the subscripts of reads. Then the code gets the boxes that the tile touches, and
    the condition under which a tile is whole. Where it is not, the loops run. A remark says so of
    a stage that is shorter than a tile.

    Order: after `infer-bounds`, which says how far the loops in a tile run; before `build-loops`,
    which writes the code beside them.

    Example: `match-intrinsics`
    ```mlir
    te.intrinsic @negate4 (%x: tensor<4xf32>) {
      %z = te.compute "z" (%i = 4) : tensor<4xf32> {
        %0 = te.read %x[%i] : f32
        %1 = arith.negf %0 : f32
        te.yield %1 : f32
      }
      %body = te.extern "body" (%out: tensor<4xf32>) {
        %a = te.buffer %x[0 : 4] : memref<4xf32, strided<[1], offset: ?>>
        %c = te.buffer %out[0 : 4] : memref<4xf32, strided<[1], offset: ?>>
        %0 = arith.constant 0 : index
        %v = vector.load %a[%0] : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>
        %w = arith.negf %v : vector<4xf32>
        vector.store %w, %c[%0] : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>
      }
    }
    te.func @negate(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
      %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
        %io, %ii = schedule.split %i factor 4
        schedule.order %io, %ii
        schedule.region [0 : %n]
        schedule.range %io = 0 to %n ceildiv 4
        schedule.range %ii = 0 to min(4, %n - %io * 4)
        schedule.value %i = %io * 4 + %ii
        schedule.tensorized %ii by @negate4
        schedule.equation (%p) {
          %a = te.read %A[%p] : f32
          %b = arith.negf %a : f32
          te.yield %b : f32
        }
      }
      te.return %C : tensor<?xf32>
    }
    ```
    becomes
    ```mlir
    te.func @negate(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
      %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
        %io, %ii = schedule.split %i factor 4
        schedule.order %io, %ii
        schedule.region [0 : %n]
        schedule.range %io = 0 to %n ceildiv 4
        schedule.range %ii = 0 to min(4, %n - %io * 4)
        schedule.value %i = %io * 4 + %ii
        schedule.code fills %ii from [%ii = 0] when (%n - %io * 4 - 4 >= 0)
            (%p) (%out: tensor<?xf32>[%n]) {
          %a = te.buffer %A[%p : 4] : memref<4xf32, strided<[1], offset: ?>>
          %c = te.buffer %out[%p : 4] : memref<4xf32, strided<[1], offset: ?>>
          %0 = arith.constant 0 : index
          %v = vector.load %a[%0] : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>
          %w = arith.negf %v : vector<4xf32>
          vector.store %w, %c[%0] : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>
        }
        schedule.equation (%p) {
          %a = te.read %A[%p] : f32
          %b = arith.negf %a : f32
          te.yield %b : f32
        }
      }
      te.return %C : tensor<?xf32>
    }
    ```
    Refused: `match-intrinsics`
    ```mlir
    te.intrinsic @negate4 (%x: tensor<4xf32>) {
      %z = te.compute "z" (%i = 4) : tensor<4xf32> {
        %0 = te.read %x[%i] : f32
        %1 = arith.negf %0 : f32
        te.yield %1 : f32
      }
      %body = te.extern "body" (%out: tensor<4xf32>) {
      }
    }
    te.func @double(%A: tensor<8xf32>) -> (tensor<8xf32>) {
      %C = schedule.stage "C" (%i = 8) : tensor<8xf32> {
        %io, %ii = schedule.split %i factor 4
        schedule.order %io, %ii
        schedule.region [0 : 8]
        schedule.range %io = 0 to 2
        schedule.range %ii = 0 to 4
        schedule.value %i = %io * 4 + %ii
        schedule.tensorized %ii by @negate4
        schedule.equation (%p) {
          %a = te.read %A[%p] : f32
          %b = arith.addf %a, %a : f32
          te.yield %b : f32
        }
      }
      te.return %C : tensor<8xf32>
    }
    ```
    with "it computes addf(A[p], A[p]) where @negate4 computes negf(x[i])"
    """

    name = "match-intrinsics"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        intrinsics = {one.sym_name.data: one for one in op.ops if isinstance(one, te.IntrinsicOp)}
        functions = [one for one in op.ops if isinstance(one, te.FuncOp)]
        stages = [stage for func in functions for stage in all_stages(func)]
        for done, stage in enumerate(stages):
            reached("match-intrinsics", done, len(stages))
            for asked in schedule.tensorized_in(stage):
                with placed(asked):
                    _tensorize(asked, intrinsics)
        for intrinsic in intrinsics.values():
            Rewriter.erase_op(intrinsic)


def _tensorize(asked: schedule.TensorizedOp, intrinsics: dict[str, te.IntrinsicOp]) -> None:
    name = asked.intrinsic.root_reference.data
    refused = f'cannot tensorize axis {schedule.axis_name(asked.axis)} of "{name_of(asked.stage)}"'
    if name not in intrinsics:
        raise ScheduleError(
            f"{refused}: no te.intrinsic is named @{name} (intrinsics: "
            f"{', '.join(intrinsics) or 'none'})" + did_you_mean(name, intrinsics),
            asked,
        )
    if not asked.stage.ranges:
        raise ScheduleError(f"{refused}: it has no ranges; run infer-bounds first", asked)
    try:
        matched = _Matched(asked, intrinsics[name])
        short = matched.loops.too_short(intrinsics[name])
        codes = [] if short else matched.codes()
    except Differs as differs:
        raise ScheduleError(f"{refused} by @{name}: {differs}", asked) from None
    if short:
        remark(f"loops run in the place of @{name}: {short}", asked)
    for code in codes:
        code.location = asked.location
        Rewriter.insert_op(code, InsertPoint.before(asked))
    Rewriter.erase_op(asked)


class _Matched:
    """A tensorized stage and its intrinsic, which compute the same in a tile."""

    def __init__(self, asked: schedule.TensorizedOp, intrinsic: te.IntrinsicOp):
        self.asked, self.stage, self.intrinsic = asked, asked.stage, intrinsic
        check_read_whole(intrinsic)
        self.loops = TileLoops(self.stage, asked.axis)
        self.positions, self.windows = self._found()

    def _found(self) -> tuple[list[int], Windows]:
        """The first way in which the axes of a tile are those of the intrinsic."""
        first: Differs | None = None
        starts = self.loops.first_points()
        for positions in self.loops.positions(self.intrinsic):
            try:
                return positions, windows_of(self.stage.equation, self.intrinsic, positions, starts)
            except Differs as differs:
                first = first or differs
        assert first is not None
        raise first

    def codes(self) -> list[schedule.CodeOp]:
        """The code that replaces the loops, and their init part if that is apart."""
        body, reset, update = (self.intrinsic.code(form) for form in te.Form)
        around = [leaf for leaf in self.loops.outer if is_reduce(leaf)]
        if not around:
            if body is not None:
                return [self._code(IntrinsicPart.FILLS, [body])]
            if reset is None or update is None:
                raise Differs("it has no body, and no reset to go before its update")
            return [self._code(IntrinsicPart.FILLS, [reset, update])]
        if update is None:
            raise Differs(
                f"it has no update, and {schedule.axis_names(around)}, around it, reduces; give it "
                "a body, a reset and an update, or tensorize an axis outside of that"
            )
        codes = [self._code(IntrinsicPart.UPDATES, [update])]
        if reset is not None and not self.stage.equation.has_init:
            codes.insert(0, self._code(IntrinsicPart.RESETS, [reset]))
        return codes

    def _code(self, part: IntrinsicPart, externs: Sequence[te.ExternOp]) -> schedule.CodeOp:
        is_init = part is IntrinsicPart.RESETS
        if (
            part is IntrinsicPart.FILLS
            and self.stage.equation.is_reduction
            and self.stage.equation.has_init
        ):
            raise Differs("the stage starts from its init, and the intrinsic from an identity")
        extents = extents_of(self.intrinsic)
        count = data_axes_of(self.intrinsic) if is_init else len(extents)
        tile = self.loops.tile(self.positions[:count], extents[:count], is_init)
        parts = self._parts(externs, self.stage.data_axis_count if is_init else None)
        return schedule.CodeOp(
            part, self.asked.axis, tile.starts, tile.condition, tile.values, parts
        )

    def _parts(self, externs: Sequence[te.ExternOp], count: int | None) -> ExternParts:
        """The code of externs, one behind the other, for the tensors of the stage."""
        roots = self.stage.root_axes[:count]
        block = Block(arg_types=[INDEX for _ in roots])
        for axis, old in zip(block.args, self.stage.equation.body.block.args, strict=False):
            axis.name_hint = old.name_hint
        axes = list(block.args)
        outputs = [block.insert_arg(tensor.type, len(block.args)) for tensor in self.stage.tensors]
        builder = Builder(InsertPoint.at_end(block))
        for extern in externs:
            self._copy(extern, axes, outputs, builder)
        boxes = [box_of(tensor) for tensor in self.stage.tensors]
        shapes = [tuple(extent for _, extent in box) for box, _ in boxes]
        return ExternParts.of(shapes, boxes[0][1], Region(block))

    def _copy(
        self,
        extern: te.ExternOp,
        axes: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        builder: Builder,
    ) -> None:
        """Copies the ops of an extern; its buffers become those of the tile."""
        results = dict(zip(extern.outputs, outputs, strict=True))
        for old, new in zip(extern.outputs, outputs, strict=True):
            new.name_hint = new.name_hint or old.name_hint
        known: dict[SSAValue, SSAValue] = {}
        for op in extern.body.block.ops:
            if not isinstance(op, te.BufferOp):
                builder.insert(op.clone(known))
                continue
            if op.tensor in results:
                buffer = self._buffer(op, results[op.tensor], self._filled(op, axes), axes)
            else:
                window = self.windows[op.tensor]
                buffer = self._buffer(op, window.tensor, window.begins, axes)
            known[op.buffer] = builder.insert(buffer).buffer

    def _filled(self, op: te.BufferOp, axes: Sequence[SSAValue]) -> list[Polynomial]:
        """Where the tile begins in a result of the stage: at its first point."""
        return [Polynomial.of(axis) for axis in axes[: self.stage.data_axis_count]]

    def _buffer(
        self,
        op: te.BufferOp,
        tensor: SSAValue,
        begins: Sequence[Polynomial],
        axes: Sequence[SSAValue],
    ) -> te.BufferOp:
        """The memory of a box of a tensor, passed where the intrinsic takes a buffer."""
        arguments = self.stage.equation.body.block.args
        values = dict(zip(arguments, axes, strict=False))
        operands = OperandList()
        offsets, extents = op.offsets.data.results, op.extents.data.results
        left_out = len(begins) - len(offsets)
        box = [
            (to_expr(begin, lambda one: operands.dim(values.get(one, one))), ONE)
            for begin in begins
        ]
        for axis, (offset, extent) in enumerate(zip(offsets, extents, strict=True), left_out):
            box[axis] = (box[axis][0] + offset, extent)
        factor, aligned = number(op.factor), number(op.aligned)
        buffer = te.BufferOp(
            tensor,
            box,
            operands.values,
            op.buffer.type,
            aligned if aligned > 1 else None,
            factor if factor > 1 else None,
        )
        buffer.location = op.location
        buffer.buffer.name_hint = op.buffer.name_hint
        return buffer
