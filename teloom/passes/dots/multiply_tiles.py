"""Pass `multiply-tiles`: products of matrices become those of tiles, in registers of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, bf16, f32, i8, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from teloom.analysis.index.extents import lower_bounds, upper_bounds
from teloom.analysis.tile_products import Matrix, TileProduct, TileSide, tile_product
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.target import Target, target_of
from teloom.dialects.tile_registers import MOST_ROWS, TILES
from teloom.dialects.upstream import amx
from teloom.passes.code.code_motion import can_compute_before, compute_before
from teloom.passes.code.index_code import IndexCode
from teloom.passes.code.loop_code import loop_between
from teloom.passes.code.rewriting import of_kind, rewrite


class _Writer:
    """Writes the code of a product; each tile has as many groups of terms as `steps`."""

    def __init__(self, found: TileProduct, steps: int, count: Polynomial):
        self.found, self.steps, self.count = found, steps, count
        self.factor, self.sum = (bf16, f32) if found.kinds[0].is_float else (i8, i32)
        self.rows, self.columns = found.blocks

    def write(self, code: IndexCode) -> None:
        found = self.found
        parts = [*product(self.rows, self.columns)]
        sums = [self._first(code, *part) for part in parts]
        sums = self._loops(code, found.around, sums, {})
        for (rows, columns), tile in zip(parts, sums, strict=True):
            at, stride = self._place(code, found.sums, rows.first * found.sums.row + columns.first)
            code.insert(amx.TileStoreOp(found.sums.buffer, [at], tile, stride))

    def _first(self, code: IndexCode, rows: TileSide, columns: TileSide) -> SSAValue:
        """What a tile of sums begins with."""
        sums, type = self.found.sums, amx.TileType(rows.count, columns.count, self.sum)
        if self.found.zeros is not None:
            return code.emit(amx.TileZeroOp(type))
        return self._load(code, sums, rows.first * sums.row + columns.first, type)

    def _loops(
        self,
        code: IndexCode,
        loops: Sequence[loop.ForOp],
        sums: Sequence[SSAValue],
        now: dict[SSAValue, SSAValue],
    ) -> Sequence[SSAValue]:
        """Writes loops that hand their sums on; `now` are their counters, by those of the nest."""
        first, *others = loops or [None]
        lower, upper = Polynomial.constant(0), self.count
        if first is not None:
            lower, upper = lower_bounds(first)[0], upper_bounds(first)[0]
        ends = [code.of(_at(bound, now)) for bound in (lower, upper)]
        body = Block(arg_types=[loop.INDEX, *(one.type for one in sums)])
        counter, *carried = body.args
        inside = IndexCode(body.add_op)
        if first is None:
            counter.name_hint = "step"
            results = self._step(inside, counter, carried, now)
        else:
            counter.name_hint = first.induction_variable.name_hint
            now = now | {first.induction_variable: counter}
            results = self._loops(inside, others, carried, now)
        body.add_op(scf.YieldOp(*results))
        made = scf.ForOp(*ends, code.constant(1), [*sums], Region(body))
        code.insert(made)
        return made.results

    def _step(
        self,
        code: IndexCode,
        counter: SSAValue,
        sums: Sequence[SSAValue],
        now: dict[SSAValue, SSAValue],
    ) -> Sequence[SSAValue]:
        """Adds the products of some groups of terms, a tile of each factor at a time."""
        terms, done = self.steps * self.found.group, Polynomial.of(counter).times(self.steps)
        left, right = (
            one._replace(first=_at(one.first, now) + done.times(one.step))
            for one in (self.found.left, self.found.right)
        )

        def of_left(rows: TileSide) -> SSAValue:
            type = amx.TileType(rows.count, terms, self.factor)
            return self._load(code, left, rows.first * left.row, type)

        def of_right(columns: TileSide) -> SSAValue:
            type = amx.TileType(self.steps, columns.count * self.found.group, self.factor)
            by_steps = right._replace(row=right.step)
            return self._load(code, by_steps, columns.first * self.found.group, type)

        results = [*sums]
        is_by_columns = len(self.rows) <= len(self.columns)
        kept = [of_left(one) for one in self.rows] if is_by_columns else []
        kept = kept or [of_right(one) for one in self.columns]
        for number, part in enumerate(self.columns if is_by_columns else self.rows):
            met = of_right(part) if is_by_columns else of_left(part)
            for other, tile in enumerate(kept):
                row, column = (other, number) if is_by_columns else (number, other)
                factors = (tile, met) if is_by_columns else (met, tile)
                at = row * len(self.columns) + column
                results[at] = code.emit(self._product(*factors, results[at]))
        return results

    def _product(self, left: SSAValue, right: SSAValue, sums: SSAValue) -> Operation:
        if self.found.kinds[0].is_float:
            return amx.TileMulFOp(left, right, sums)
        unsigned = (one.unsigned for one in self.found.kinds)
        return amx.TileMulIOp(left, right, sums, *unsigned)

    def _load(self, code: IndexCode, matrix: Matrix, behind: int, type: Attribute) -> SSAValue:
        at, stride = self._place(code, matrix, behind)
        return code.emit(amx.TileLoadOp(matrix.buffer, [at], type, stride))

    def _place(self, code: IndexCode, matrix: Matrix, behind: int) -> tuple[SSAValue, SSAValue]:
        """Where a tile begins, and how far its rows are apart."""
        at = code.of(matrix.first + Polynomial.constant(behind))
        return at, code.constant(matrix.row)


def _at(form: Polynomial, now: dict[SSAValue, SSAValue]) -> Polynomial:
    for old, new in now.items():
        form = form.substitute(old, Polynomial.of(new))
    return form


def _settled(found: TileProduct) -> TileProduct | None:
    """A product with as many loops around it as leave all known before; None where nothing is."""
    for one in (found, found.alone):
        if all(can_compute_before(value, one.outermost) for value in one.values):
            return one
    return None


@dataclass
class MultiplyTiles(RewritePattern):
    """A nest that adds products becomes tiles, where the target multiplies such."""

    target: Target
    may_flush: bool

    @of_kind
    def match_and_rewrite(self, op: loop.ForOp, rewriter: PatternRewriter) -> None:
        found = tile_product(op, self.target, self.may_flush)
        if found is None:
            return
        (extent, *others) = (one.as_constant() for one in found.groups)
        steps = MOST_ROWS if extent is None or others else min(MOST_ROWS, extent)
        if steps < 1:
            return
        is_whole = extent is not None and not others and extent % steps == 0
        found = _settled(found if is_whole else found.alone)
        if found is None:
            return
        outermost = found.outermost
        for value in found.values:
            compute_before(value, outermost)
        code = IndexCode.before(outermost)
        count = code.smallest(found.groups).floordiv(steps)
        _Writer(found, steps, count).write(code)
        if found.zeros is not None:
            rewriter.erase(found.zeros)
        if is_whole:
            rewriter.erase(outermost)
        else:
            self._leave(found.op, count.times(steps), rewriter)

    def _leave(self, op: loop.ForOp, done: Polynomial, rewriter: PatternRewriter) -> None:
        """Leaves the loop with the groups of terms behind the first ones."""
        (lower,) = lower_bounds(op)
        # A negative number of groups has a negative number of steps.
        lowers = [lower + done, *([lower] if done.as_constant() is None else [])]
        rest = loop_between(lowers, upper_bounds(op), op.detach_region(op.body), op.kind.data)
        rest.location = op.location
        rest.attributes.update(op.attributes)
        rewriter.replace(op, rest)


@dataclass(frozen=True)
class MultiplyTilesPass(ModulePass):
    """Multiply matrices in the registers for tiles that a target has: AMX of x86-64.

    A tile of a product is a vectorized loop over columns in one over rows that is unrolled, or
    vectorized, too; both have constant extents. In them is a loop over a group of terms, which is
    as long as 4 bytes: 4 numbers of 8 bits or 2 of bf16; around them one over groups. A row of the
    left factor has its terms side by side, the right one those of a group and then its columns. So
    products of 16 x 16 elements with 64 bytes of terms are one instruction each, and the sums stay
    in registers for all terms, those of loops around, too. Zeros that are stored right before are
    not stored.

    Sums of bytes are exact, and wrap. Those of bf16 are in another order, and take subnormal
    numbers for 0. Groups that fill no step are left, as are all loops where sums and factors need
    more than the 8 registers, or the target has none: then `vectorize-loops` makes vectors of them.

    Order: after `storage-flatten`, which makes strides visible; before `vectorize-loops`.

    Options:
        flush: subnormal numbers may count as 0: bf16, too, is multiplied so.

    Example: `multiply-tiles`
    ```mlir
    module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" =
        #dlti.target_device_spec<"features" = "+amx-int8,+amx-tile">>} {
      func.func @product(%A: memref<2048xi8>, %B: memref<2048xi8>, %C: memref<256xi32>) {
        loop.for %g = 0 to 32 {
          loop.for %i = 0 to 16 vectorized {
            loop.for %j = 0 to 16 vectorized {
              loop.for %k = 0 to 4 {
                %0 = affine.apply affine_map<(g, i, k) -> (i * 128 + g * 4 + k)> (%g, %i, %k)
                %a = memref.load %A[%0] : memref<2048xi8>
                %1 = affine.apply affine_map<(g, j, k) -> (g * 64 + j * 4 + k)> (%g, %j, %k)
                %b = memref.load %B[%1] : memref<2048xi8>
                %x = arith.extsi %a : i8 to i32
                %y = arith.extsi %b : i8 to i32
                %p = arith.muli %x, %y : i32
                %2 = affine.apply affine_map<(i, j) -> (i * 16 + j)> (%i, %j)
                %c = memref.load %C[%2] : memref<256xi32>
                %d = arith.addi %c, %p : i32
                memref.store %d, %C[%2] : memref<256xi32>
              }
            }
          }
        }
        func.return
      }
    }
    ```
    becomes
    ```mlir
    module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" =
        #dlti.target_device_spec<"features" = "+amx-int8,+amx-tile">>} {
      func.func @product(%A: memref<2048xi8>, %B: memref<2048xi8>, %C: memref<256xi32>) {
        %first = arith.constant 0 : index
        %row = arith.constant 16 : index
        %sums = amx.tile_load %C[%first], %row : memref<256xi32> into !amx.tile<16x16xi32>
        %begin = arith.constant 0 : index
        %end = arith.constant 2 : index
        %one = arith.constant 1 : index
        %all = scf.for %step = %begin to %end step %one iter_args(%s = %sums)
            -> (!amx.tile<16x16xi32>) {
          %0 = affine.apply affine_map<(d0) -> (d0 * 64)> (%step)
          %1 = arith.constant 128 : index
          %a = amx.tile_load %A[%0], %1 : memref<2048xi8> into !amx.tile<16x64xi8>
          %2 = affine.apply affine_map<(d0) -> (d0 * 1024)> (%step)
          %3 = arith.constant 64 : index
          %b = amx.tile_load %B[%2], %3 : memref<2048xi8> into !amx.tile<16x64xi8>
          %t = amx.tile_muli %a, %b, %s
              : !amx.tile<16x64xi8>, !amx.tile<16x64xi8>, !amx.tile<16x16xi32>
          scf.yield %t : !amx.tile<16x16xi32>
        }
        %4 = arith.constant 0 : index
        %5 = arith.constant 16 : index
        amx.tile_store %C[%4], %all, %5 : memref<256xi32>, !amx.tile<16x16xi32>
        func.return
      }
    }
    ```
    """

    name = "multiply-tiles"

    flush: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        if target.has(TILES):
            rewrite(op, [MultiplyTiles(target, self.flush)])
