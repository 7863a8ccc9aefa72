"""The stages of a `te.func` as operations: each is a stage of the program that takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import StringAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from teloom.analysis.dtypes import dtype_of
from teloom.analysis.stages.queries import result_extents
from teloom.dialects import te
from teloom.dialects.bodies.preorder import preorder
from teloom.errors import Error
from teloom.frontend.expr.expressions import Expr, Var, as_expr
from teloom.frontend.expr.of_affine import expr_of
from teloom.frontend.tensor.shape_forms import same_extents, shown_extents
from teloom.frontend.tensor.tensors import ExternOp, IterVar, Range, Tensor, region_of

Definition = te.ComputeOp | te.UpdateOp | te.ExternOp | te.ScanOp


class FunctionStage(ExternOp):
    """The tensors of one stage of a `te.func`; `ir` is its op.

    `values` are what the op takes of the function: tensors, which are its `inputs`, then sizes,
    which are its `numbers`.
    """

    def __init__(
        self,
        ir: Definition,
        tensors: Mapping[SSAValue, Tensor],
        sizes: Mapping[SSAValue, Var],
        tag: str,
        attrs: dict[str, Any] | None,
    ):
        taken = dict.fromkeys(value for op in preorder(ir) for value in op.operands)
        read = [value for value in taken if value in tensors]
        used = [value for value in taken if value in sizes]
        inputs, numbers = [region_of(tensors[one]) for one in read], [sizes[one] for one in used]
        super().__init__(ir.stage_name.data, inputs, [], [], "", numbers, tag, attrs)
        self.ir, self.values = ir, [*read, *used]
        axes = _axes(ir, sizes)
        count = len(ir.axes) if isinstance(ir, te.ScanOp) else ir.data_axes.value.data
        self.axis, self.reduce_axis = axes[:count], axes[count:]
        entry = ir.parent_op()
        assert isinstance(entry, te.FuncOp)
        shapes = [_exprs(result_extents(entry, one), entry.sizes, sizes) for one in ir.tensors]
        self.runs_over_elements = all(len(shape) == count for shape in shapes)
        self._outputs = tuple(
            Tensor(self, number, shape, _dtype(result))
            for number, (result, shape) in enumerate(zip(ir.tensors, shapes, strict=True))
        )

    @property
    def steps(self) -> list[Definition]:
        """The stages inside of a scan."""
        inside = self.ir.body.block.ops if isinstance(self.ir, te.ScanOp) else ()
        return [op for op in inside if isinstance(op, Definition)]

    def emitted(self, values: Sequence[SSAValue], names: Mapping[str, str]) -> Definition:
        """The op over `values` in the place of what it takes, with other names of stages."""
        made = self.ir.clone(dict(zip(self.values, values, strict=True)))
        for op in preorder(made):
            if isinstance(op, Definition):
                op.stage_name = StringAttr(names[op.stage_name.data])
        return made


def stages_of_function(
    function: te.FuncOp,
    inputs: Sequence[Tensor],
    name: str | None = None,
    tag: str = "",
    attrs: dict[str, Any] | None = None,
) -> list[Tensor]:
    """The results of a function for `inputs`, each stage of it as an operation.

    `name` is that of the stage of the first result. Raises `teloom.Error` for other inputs than
    those that the function has, and for what is scheduled.
    """
    said = function.sym_name.data
    if len(inputs) != len(function.tensors):
        raise Error(f"{said} has {len(function.tensors)} tensors as arguments, got {len(inputs)}")
    sizes = _bound_sizes(function, inputs)
    for position, given in enumerate(inputs):
        extents = _exprs(function.shape_of(position), function.sizes, sizes)
        dtype = _dtype(function.tensors[position])
        if dtype != given.dtype or not same_extents(extents, given.extents):
            raise Error(
                f"{given.name} is {given.dtype} of the shape [{shown_extents(given.extents)}], but "
                f"argument {position} of {said} is {dtype} of [{shown_extents(extents)}]"
            )
    tensors: dict[SSAValue, Tensor] = dict(zip(function.tensors, inputs, strict=True))
    for op in function.body.block.ops:
        if isinstance(op, Definition):
            stage = FunctionStage(op, tensors, sizes, tag, attrs)
            tensors.update(zip(op.tensors, stage.outputs, strict=True))
        elif not isinstance(op, te.ReturnOp):
            raise Error(f"{said} holds {op.name}; its stages must not be scheduled yet")
    results = [tensors[value] for value in function.return_op.values]
    if name is not None:
        results[0].op.name = name
    return results


def _bound_sizes(function: te.FuncOp, inputs: Sequence[Tensor]) -> dict[SSAValue, Var]:
    """The size of the program that each size of a function is: an extent of an input."""
    found: dict[SSAValue, Var] = {}
    for position, given in enumerate(inputs):
        for extent, there in zip(function.shape_of(position), given.extents, strict=False):
            if not isinstance(extent, AffineDimExpr):
                continue
            size = function.sizes[extent.position]
            if not isinstance(there, Var):
                raise Error(
                    f"size {size.name_hint} of {function.sym_name.data} would be {there}, an "
                    f"extent of {given.name}, but must be a te.var: write it for these extents"
                )
            found.setdefault(size, there)
    for size in function.sizes:
        if size not in found:
            raise Error(
                f"size {size.name_hint} of {function.sym_name.data} is no extent of a tensor that "
                "it gets, so its value is not known"
            )
    return found


def _exprs(
    exprs: Sequence[AffineExpr], values: Sequence[SSAValue], known: Mapping[SSAValue, Expr]
) -> tuple[Expr, ...]:
    return tuple(as_expr(expr_of(one, values, known)) for one in exprs)


def _axes(ir: Definition, sizes: Mapping[SSAValue, Expr]) -> list[IterVar]:
    """The axes of a stage; the bounds of each may be over the axes before it."""
    values = [*ir.bounds.operands]
    known, found = dict(sizes), list[IterVar]()
    for number, (value, pair) in enumerate(zip(_named(ir), ir.bounds.pairs(), strict=True)):
        lower, upper = _exprs(pair, values, known)
        axis = IterVar(value.name_hint or f"i{number}", Range(lower, upper - lower))
        found.append(axis)
        values.append(value)
        known[value] = axis
    return found


def _named(ir: Definition) -> Sequence[SSAValue]:
    """The values that name the axes of a stage."""
    if isinstance(ir, te.ComputeOp):
        return ir.body.block.args[: len(ir.bounds.pairs())]
    return ir.axes


def _dtype(tensor: SSAValue) -> str:
    assert isinstance(tensor.type, TensorType)
    return dtype_of(tensor.type.get_element_type())
