"""Nests of stages: an anchor, and what is computed in its loops."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from teloom.frontend.auto import folds, pointwise
from teloom.frontend.auto.axes.changed_axes import ChangedAxes, changed_axes
from teloom.frontend.auto.dots import grouped_rule
from teloom.frontend.auto.facts import EquationFacts, are_independent, bytes_of, extent_of
from teloom.frontend.auto.plan import AnchorNest, nest_of
from teloom.frontend.auto.reductions import TileRule, schedule_panels
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.auto.threads import factors
from teloom.frontend.auto.tiles import has_few_terms
from teloom.frontend.tensor.tensors import IterVar, Tensor


class NestRule:
    """Schedules an anchor and its members."""

    def __init__(self, rules: ScheduleWriter, nest: AnchorNest):
        self.rules, self.nest = rules, nest
        self.anchor = nest.anchor
        self.stage = rules.s[nest.anchor.op]
        self.tiled = next(filter(self._is_tiled, nest.members), None)
        self.rows: list[tuple[EquationFacts, IterVar]] = []
        """The members of which rows slide, and the loop that computes them."""

    def schedule(self) -> None:
        panels = self.rules.panels.get(self.anchor.op)
        if panels is not None:
            contiguous = self.anchor.contiguous_axis
            schedule_panels(self.rules, self.stage, panels, contiguous)
        elif self.anchor.op.reduce_axis:
            self._reduction()
        elif not self.nest.members:
            pointwise.schedule_alone(self.rules, self.stage, self.anchor)
        elif not self._groups_with_members():
            self._with_members()

    def _is_tiled(self, member: EquationFacts) -> bool:
        """Whether a member is computed in tiles, whose epilogue is the anchor."""
        if not self.nest.is_epilogue_of(member):
            return False
        machine, is_alone = self.rules.machine, len(self.nest.members) == 1
        folded = folds.folded_by_lanes(member, machine)
        return folded is None or (is_alone and folds.shares_rows(member, machine))

    def _reduction(self) -> None:
        """Schedules a reduction as the anchor: its stage copies tiles, or folds lanes."""
        tensor = self.anchor.op.outputs[0]
        if self.anchor.op in self.rules.factored:
            parts = factors.factor(self.rules, self.anchor)
            for equation in (*parts, *self.nest.members):
                NestRule(self.rules, nest_of(equation)).schedule()
            return
        folded = folds.folded_by_lanes(self.anchor, self.rules.machine)
        rule: TileRule | None = None
        at_rows: Sequence[EquationFacts] = ()
        if folded is not None:
            fold = folds.fold_lanes(self.rules, self.anchor, folded)
            self.rules.share(self.stage, fold.around, self.anchor.total)
            folds.fold_with_others(self.rules, self.anchor, fold, None)
            if fold.around and fold.block is not None:
                at_rows = self._folds_of_rows()
                for member in at_rows:
                    self._member(member, fold.around[-1], fold.around[-1])
                    words = f"at the rows of {self.anchor.op.name}, which reads them again"
                    self.rules.say(self.rules.s[member.op], words)
        elif self.anchor.op.axis:
            product, changed = self._over_other_axes(self.anchor)
            inside = self._accumulators(tensor, changed)
            beside = {one.op for one in self.nest.members if self._is_read_here(one)}
            found = grouped_rule(self.rules, product, inside, self.stage, beside)
            rule = found or TileRule(self.rules, product, inside, self.stage, changed=changed)
            if has_few_terms(product, self.rules.machine):
                pointwise.stream(self.rules, self.stage, self.anchor)
            rule.schedule(len(product.op.axis) if self.rules.threads_pay(self.anchor.total) else 0)
        for member in self.nest.members:
            if member not in at_rows:
                self._beside_tiles(member, rule)

    def _folds_of_rows(self) -> list[EquationFacts]:
        """The members that fold the rows that the anchor folds, which then reads them in a cache.

        What reads such a member is the anchor, or one of them.
        """
        machine, found = self.rules.machine, list[EquationFacts]()
        large = {one for one in self.anchor.tensors if bytes_of(one) > machine.second_cache}
        for member in reversed(self.nest.members):
            is_of_rows = self.nest.is_epilogue_of(member) and not large.isdisjoint(member.tensors)
            if is_of_rows and folds.folded_by_lanes(member, machine) is not None:
                if all(one in found for one in self.nest.readers_of(member)):
                    found.append(member)
        return found

    @property
    def _most_work(self) -> int:
        """The work of the largest stage in the nest."""
        return max(one.total for one in (self.anchor, *self.nest.members))

    def _is_read_here(self, member: EquationFacts) -> bool:
        """Whether a member may be computed in the loops of the anchor, which alone reads it."""
        return not member.op.reduce_axis and self.nest.is_read_by_anchor_alone(member)

    def _beside_tiles(self, member: EquationFacts, rule: TileRule | None) -> None:
        """Places what a reduction reads: in its loops if nothing runs twice, or before it.

        Nothing is computed between two loops that threads share.
        """
        at: IterVar | None = None
        is_inside = self._is_read_here(member) and member.op not in self.rules.panels
        for number, loop in rule.loops.items() if rule is not None and is_inside else ():
            if not self.nest.follows_alone(member, number):
                break
            at = loop if extent_of(loop) > 1 else at
        if rule is None or at is None or at in rule.shared[:-1]:
            NestRule(self.rules, nest_of(member)).schedule()
            return
        stage = self.rules.s[member.op]
        stage.compute_at(self.stage, at)
        rule.vectorize_read(stage, member.op.outputs[0])
        self.rules.say(stage, f"computed for each {at.name}, for which it is read")

    def _over_other_axes(self, product: EquationFacts) -> tuple[EquationFacts, ChangedAxes | None]:
        """The equation of a reduction in tiles, and the axes that it has then, if it has others."""
        others = any(one is not product for one in self.nest.members)
        found = None if others else changed_axes(self.rules, product, self.anchor)
        if found is None:
            return product, None
        self.rules.say(self.rules.s[product.op], found.said)
        return found.model, found

    def _accumulators(self, tensor: Tensor, changed: ChangedAxes | None = None) -> Tensor:
        """The stage that is computed in tiles; the stage of `tensor` becomes a copy of it."""
        s = self.rules.s
        if changed is not None:
            changed.write(s[tensor])
        return s.cache_write([*tensor.op.outputs], "global")[0]

    def _groups_with_members(self) -> bool:
        """Schedules tiles of groups of products, if the machine adds these to a lane.

        The other members are what the tiles alone read: it is computed before them.
        """
        nest, tiled = self.nest, self.tiled
        others = [one for one in nest.members if one is not tiled]
        if tiled is None or not others or not all(map(self._is_read_in_tiles, others)):
            return False
        beside = {one.op for one in others}
        rule = grouped_rule(self.rules, tiled, tiled.op.outputs[0], self.stage, beside)
        if rule is not None:
            rule.schedule(len(nest.order) if self.rules.threads_pay(self._most_work) else 0)
            for member in others:
                NestRule(self.rules, nest_of(member)).schedule()
        return rule is not None

    def _is_read_in_tiles(self, member: EquationFacts) -> bool:
        """Whether a member is read by what is computed in tiles, and by nothing else."""
        is_read_by_anchor = member in self.nest.read_by(self.anchor)
        is_read_alone = self.nest.readers_of(member) == [self.tiled]
        return not member.op.reduce_axis and is_read_alone and not is_read_by_anchor

    def _with_members(self) -> None:
        nest = self.nest
        members = {one: depth for one, depth in nest.members.items() if one is not self.tiled}
        strip: IterVar | None = None
        outside = min(filter(None, members.values()), default=len(nest.order))
        if self.tiled is not None:
            lead = nest.order[: max(members.values(), default=0)]
            loops = self._tiles(self.tiled, lead, outside)
        else:
            strip, loops = self._strips()
            pointwise.stream(self.rules, self.stage, self.anchor)
            *before, _ = loops.values()
            self.rules.share(self.stage, [*before, strip][:outside], self._most_work)
        in_strips = self._in_strips() if strip is not None else set()
        for member, depth in members.items():
            innermost = strip if depth == nest.depth else None
            around = [loops[number] for number in nest.order[:depth] if number in loops]
            if member in in_strips:
                around.append(strip)
            if around:
                self._member(member, around[-1], innermost)
            else:
                NestRule(self.rules, nest_of(member)).schedule()

    def _tiles(self, tiled: EquationFacts, lead: Sequence[int], outside: int) -> dict[int, IterVar]:
        """Tiles of a member, with the anchor as their epilogue; the loops around a tile.

        Other members are in loops of `lead`, inside of the outermost `outside`.
        """
        folded = folds.folded_by_lanes(tiled, self.rules.machine)
        if folded is not None:
            loops = folds.fold_for(self.rules, tiled, self.stage, folded)
            self.rules.share(self.stage, [*loops.values()], self._most_work)
            return loops
        tensor = tiled.op.outputs[0]
        product, changed = self._over_other_axes(tiled)
        if changed is not None:
            copy, tensor = tensor, self._accumulators(tensor, changed)
            self.rules.s[copy].compute_inline()
        found = None if lead else grouped_rule(self.rules, product, tensor, self.stage)
        rule = found or TileRule(self.rules, product, tensor, self.stage, lead, changed=changed)
        rule.schedule(outside if self.rules.threads_pay(self._most_work) else 0)
        return rule.loops

    def _strips(self) -> tuple[IterVar, dict[int, IterVar]]:
        """Strips of the axis around the innermost members, and the loops around each."""
        nest, inside = self.nest, "what they read in their loops"
        axes = [self.stage.op.axis[number] for number in nest.order]
        rows = pointwise.STRIP if any(map(nest.slides, nest.members)) else self._rows_together
        strip, loops = self.rules.divide_into_strips(self.stage, axes, nest.depth, rows, inside)
        return strip, dict(zip(nest.order, loops, strict=False))

    @cached_property
    def _rows_together(self) -> int:
        """The rows of a strip: as many as its folds fold together."""
        machine = self.rules.machine
        members = filter(self.nest.is_innermost, self.nest.members)
        lanes_fold = (one for one in members if folds.folded_by_lanes(one, machine) is not None)
        return min((folds.rows_together(one, machine) for one in lanes_fold), default=folds.ROWS)

    def _in_strips(self) -> set[EquationFacts]:
        """The reductions that need no single rows: they are computed strip by strip."""
        nest = self.nest
        found: set[EquationFacts] = set()
        for member in reversed(nest.members):
            is_row = not member.op.reduce_axis or nest.slides(member)
            if nest.members[member] == nest.depth and not is_row:
                if all(one in found for one in nest.read_by(member) if nest.is_innermost(one)):
                    found.add(member)
        return found

    def _member(self, member: EquationFacts, at: IterVar, strip: IterVar | None) -> None:
        """Computes a member in a loop of the anchor: one of the strips if there are any there."""
        rules, tensor = self.rules, member.op.outputs[0]
        folded = folds.folded_by_lanes(member, rules.machine)
        if folded is not None:
            stage = rules.s[tensor]
            stage.compute_at(self.stage, at)
            if at is strip and folds.rows_together(member, rules.machine) == self._rows_together:
                fold = folds.fold_lanes(rules, member, folded)
                folds.fold_with_others(rules, member, fold, at)
            else:
                stage.vectorize(folded)
        elif member.op.reduce_axis and self._has_several(member):
            inside = self._accumulators(tensor)
            copy = rules.s[tensor]
            copy.compute_at(self.stage, at)
            TileRule(rules, member, inside, copy, is_inside=True).schedule()
        else:
            self._single(member, at, strip)

    def _has_several(self, member: EquationFacts) -> bool:
        """Whether several elements are computed in an iteration around a member."""
        return len(member.op.axis) > self.nest.members[member]

    def _single(self, member: EquationFacts, at: IterVar, strip: IterVar | None) -> None:
        """Schedules a member in its own order: no reduction, or one of single elements."""
        stage = self.rules.s[member.op]
        slides = self.nest.slides(member)
        self.rules.compute_rows(stage, self.stage, at, strip if slides else None)
        if self._has_several(member):
            stage.vectorize(stage.op.axis[-1])
            if slides:
                self._compute_with_others(member, at)

    def _compute_with_others(self, member: EquationFacts, at: IterVar) -> None:
        """Computes a row in the pass over another one that reads the same, if there is one."""
        s, shape = self.rules.s, [*map(extent_of, member.op.axis)]
        stage = s[member.op]
        for other, place in self.rows:
            first = s[other.op]
            is_like = place is at and [*map(extent_of, other.op.axis)] == shape
            reads_same = not {*other.tensors}.isdisjoint(member.tensors)
            if is_like and reads_same and are_independent(first.op, stage.op, s.result_now):
                stage.compute_with(first, first.op.axis[-1])
                self.rules.say(stage, f"in the pass over {first.name}, which reads the same")
                return
        self.rows.append((member, at))
