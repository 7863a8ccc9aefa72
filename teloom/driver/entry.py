"""The function that `teloom-run` calls: where it is, and what it takes and gives."""

from dataclasses import replace
from difflib import get_close_matches

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import IntegerType, ModuleOp, Signedness, TensorType
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.signature import Argument, Signature, dtype_of, signature_of
from teloom.dialects import schedule, te
from teloom.dialects.bodies.extern import Extern
from teloom.errors import CallError

Entry = te.FuncOp | func.FuncOp | llvm.FuncOp


def find_entry(module: ModuleOp, name: str | None) -> Entry:
    """The function of that name, or without one the only function with a body.

    Raises `CallError` where there is none, or more than one.
    """
    functions = {op.sym_name.data: op for op in module.walk() if isinstance(op, Entry)}
    functions = {key: op for key, op in functions.items() if op.body.blocks}
    known = ", ".join(f"@{key}" for key in functions) or "none"
    if name is None:
        if len(functions) != 1:
            raise CallError(f"--entry NAME must say which function to run; there are: {known}")
        return next(iter(functions.values()))
    if name not in functions:
        close = get_close_matches(name, functions, n=1)
        hint = f"did you mean @{close[0]}?" if close else f"there are: {known}"
        raise CallError(f"no function @{name}; {hint}")
    return functions[name]


def entry_signature(entry: Entry) -> Signature | None:
    """What the function takes, then what it gives; None for machine code, which does not say."""
    if isinstance(entry, te.FuncOp):
        return _te_signature(entry)
    if isinstance(entry, func.FuncOp):
        return text_signature(entry)
    return None


def argument_names(entry: Entry) -> list[str]:
    """The arguments' names in the text; one without a name is `arg0`, `arg1`, ... by position."""
    arguments = enumerate(entry.body.blocks[0].args)
    return [argument.name_hint or f"arg{position}" for position, argument in arguments]


def text_signature(entry: func.FuncOp) -> Signature:
    """What the function takes, with the names that it gives in the text."""
    signature = signature_of(entry)
    names = argument_names(entry)
    count = len(signature.sizes)
    arguments = zip(signature.arguments, names[count:], strict=True)
    renamed = tuple(replace(argument, name=name) for argument, name in arguments)
    return replace(signature, sizes=tuple(names[:count]), arguments=renamed)


def _te_signature(entry: te.FuncOp) -> Signature:
    taken: set[str] = set()
    sizes = tuple(_unique(size, "size", taken) for size in entry.sizes)
    symbols = [AffineExpr.symbol(position) for position in range(len(sizes))]

    def over_symbols(expression: AffineExpr) -> AffineExpr:
        return expression.replace_dims_and_symbols(symbols, [])

    def argument(value: SSAValue, extents: tuple[AffineExpr, ...], output: bool) -> Argument:
        name = _unique(value, "result" if output else "arg", taken)
        placement = entry.placement_of(len(arguments)).over(over_symbols)
        shape = tuple(map(over_symbols, extents))
        return Argument(name, _dtype(value.type), shape, output, placement)

    arguments: list[Argument] = []
    for position, tensor in enumerate(entry.tensors):
        arguments.append(argument(tensor, entry.shape_of(position), False))
    for value in entry.return_op.values:
        arguments.append(argument(value, _result_extents(entry, value), True))
    places = range(len(sizes), len(sizes) + len(arguments))
    return Signature(entry.sym_name.data, sizes, tuple(arguments), tuple(places))


def _result_extents(entry: te.FuncOp, value: SSAValue) -> tuple[AffineExpr, ...]:
    """The extents of a returned tensor; dimension k stands for size k."""
    stage = value.owner
    sizes = list(entry.sizes)
    extern = stage.extern if isinstance(stage, schedule.StageOp) else stage
    if isinstance(extern, Extern):
        dims = [AffineExpr.dimension(sizes.index(operand)) for operand in extern.sizes]
        assert isinstance(value, OpResult)
        shape = extern.shape_of(value.index)
        return tuple(extent.replace_dims_and_symbols(dims, []) for extent in shape)
    if not isinstance(stage, te.ComputeOp | te.ScanOp | schedule.StageOp):
        return entry.shape_of(list(entry.tensors).index(value))
    assert isinstance(value.type, TensorType)
    dims = [AffineExpr.dimension(sizes.index(operand)) for operand in stage.bounds.operands]
    uppers = stage.bounds.uppers.data.results[: value.type.get_num_dims()]
    return tuple(upper.replace_dims_and_symbols(dims, []) for upper in uppers)


def _dtype(type: Attribute) -> str:
    assert isinstance(type, TensorType)
    element = type.get_element_type()
    if isinstance(element, IntegerType) and element.signedness.data is Signedness.UNSIGNED:
        return f"u{dtype_of(element)}"
    return dtype_of(element)


def _unique(value: SSAValue, default: str, taken: set[str]) -> str:
    """The name of a value, with a number behind it where the name is taken."""
    stem = value.name_hint or default
    name, count = stem, 0
    while name in taken:
        count += 1
        name = f"{stem}_{count}"
    taken.add(name)
    return name
