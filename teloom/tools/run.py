"""`teloom-run`: runs a function of an IR file, at any level, on given or random arrays."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from xdsl.dialects import llvm

from teloom.analysis.signature import (
    SIGNATURE,
    Argument,
    Entry,
    Signature,
    signature_of,
)
from teloom.backend.call.kernel import Kernel
from teloom.backend.interpreter.equations import InterpretError, interpret
from teloom.backend.machine.cpus import target
from teloom.dialects import te
from teloom.driver.compilation import compile_module
from teloom.driver.diagnostics import (
    tidy,
)
from teloom.driver.entry import find_entry, is_checked, only_entries
from teloom.driver.lowering import Lowering
from teloom.driver.reading.source_file import SourceFile
from teloom.driver.schedule_file import put_schedule
from teloom.errors import CallError, check_names
from teloom.passes.schedule.expand_sequences import ExpandSequencesPass
from teloom.tools.exit_code import telling_mistakes
from teloom.tools.run_arrays import (
    Call,
    as_declared,
    bind,
    for_code,
    load,
    machine_signature,
    store,
)
from teloom.tools.run_options import parse_options
from teloom.tools.timing import time_in_turns

TOLERANCES = {"float16": 1e-2, "bfloat16": 1e-1, "float32": 1e-5, "float64": 1e-12}
"""The tolerance of a compiled result, relative to the largest one: sums may be reordered."""


def compile_entry(
    source: SourceFile, entry: Entry, signature: Signature, sanitize: str | None = None
) -> Kernel:
    """Compiles the function from its level down to machine code; changes the module.

    Raises `CallError` if the accesses of machine code are to be checked.
    """
    checked = is_checked(entry, sanitize)
    # The signature of a tensor program is known at level `loop`, where its layouts are.
    naming = signature_of if isinstance(entry, te.FuncOp) else lambda function: signature
    lowering = Lowering(source.runner())
    names = [signature.name]
    module = only_entries(source.module, names)
    (kernel,) = compile_module(module, names, lowering, naming, checked=checked)
    return kernel


def run(options: argparse.Namespace) -> int:
    """Runs the function as the options ask. Returns 1 if compared results differ, else 0."""
    source = SourceFile(options.file)
    if options.cpu is not None:
        source.change(target(options.cpu).put)
    Lowering(source.runner()).bring(source.module, "te", "te")
    if options.schedule:
        source.change(partial(put_schedule, path=options.schedule))
    if options.parameter:
        bound = tuple(f"{name}={value}" for name, value in options.parameter.items())
        source.runner().run(source.module, [ExpandSequencesPass(bound)])
    entry = find_entry(source.module, options.entry)
    given = {name: load(path) for name, path in options.input.items()}
    if isinstance(entry, llvm.FuncOp) and SIGNATURE not in entry.attributes:
        signature = machine_signature(entry, given)
    else:
        signature = signature_of(entry)
    results = [argument.name for argument in signature.arguments if argument.output]
    check_names("result", options.output, results)
    says_results = isinstance(entry, te.FuncOp) or SIGNATURE in entry.attributes
    call = bind(signature, options.size, given, options.random, says_results)

    interpreted: list[np.ndarray] = []
    if options.interpret or options.compare:
        interpreted = _interpret(source, entry, signature, call)
    if options.interpret:
        repeat, found = partial(_interpret, source, entry, signature, call), interpreted
    else:
        kernel = compile_entry(source, entry, signature, options.sanitize)
        if isinstance(entry, te.FuncOp):
            call = for_code(call, signature, kernel.signature)
        repeat, found = partial(_call, kernel, call), _call(kernel, call)

    named = dict(zip(results, found, strict=True))
    for name, path in options.output.items():
        store(path, named[name])
    if options.print or not (options.output or options.compare or options.time):
        for name, array in named.items():
            print(f"{name}: {array.dtype} {array.shape}\n{array}")
    agree = not options.compare or compare(named, interpreted)
    if options.time:
        taken = time_in_turns({"run": repeat}, options.time)["run"]
        best, middle = taken.best * 1e3, taken.median * 1e3
        print(f"best {best:.3f} ms, median {middle:.3f} ms of {options.time} runs")
    return 0 if agree else 1


def _interpret(
    source: SourceFile, entry: Entry, signature: Signature, call: Call
) -> list[np.ndarray]:
    if not isinstance(entry, te.FuncOp):
        raise CallError(f"only te.func can be interpreted; @{entry.sym_name.data} is {entry.name}")
    arguments = zip(signature.arguments, call.arrays, strict=True)
    inputs = [array for argument, array in arguments if not argument.output]
    try:
        return interpret(source.module, entry.sym_name.data, inputs, call.sizes)
    except InterpretError as error:
        raise source.mistake(error, error.op) from None


def _call(kernel: Kernel, call: Call) -> list[np.ndarray]:
    """The results of the kernel, in copies: it may read its outputs."""
    signature = kernel.signature
    arguments = zip(signature.arguments, call.arrays, strict=True)
    arrays = [
        as_declared(_result(argument, array, call.sizes), argument, call.sizes)
        if argument.output
        else array
        for argument, array in arguments
    ]
    values = [*call.sizes, *arrays]
    kernel(*(values[place] for place in signature.order))
    return [a for argument, a in zip(signature.arguments, arrays, strict=True) if argument.output]


def _result(argument: Argument, array: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """A copy, or zeros if a layout gives the result another shape than the equation has."""
    if argument.shape is None:
        return array.copy()
    shape = argument.shape_at(sizes)
    return array.copy() if shape == array.shape else np.zeros(shape, array.dtype)


def compare(found: Mapping[str, np.ndarray], expected: Sequence[np.ndarray]) -> bool:
    """Prints how far results are from the interpreter's. Returns False if that is too far.

    Integers must be equal, floats within `TOLERANCES` of the largest result.
    """
    agree = True
    for (name, array), reference in zip(found.items(), expected, strict=True):
        if array.shape != reference.shape:
            print(f"{name}: not compared, for its layout gives it the shape {array.shape}")
            agree = False
            continue
        wide, wide_reference = array.astype(np.float64), reference.astype(np.float64)
        differs = ~((array == reference) | (np.isnan(wide) & np.isnan(wide_reference)))
        if not differs.any():
            print(f"{name}: equal to the interpreter's")
            continue
        with np.errstate(invalid="ignore"):
            distance = np.where(differs, np.abs(wide - wide_reference), 0.0)
        distance = np.where(np.isnan(distance), np.inf, distance)
        worst = np.unravel_index(distance.argmax(), distance.shape)
        largest = np.abs(wide_reference[np.isfinite(wide_reference)]).max(initial=0.0)
        allowed = TOLERANCES.get(array.dtype.name, 0.0) * largest
        place = ", ".join(str(subscript) for subscript in worst)
        print(
            f"{name}: differs from the interpreter's by at most {distance[worst]:.3g}, "
            f"at [{place}]: {array[worst]!s} instead of {reference[worst]!s}; "
            f"allowed is {allowed:.3g}"
        )
        agree &= bool(distance[worst] <= allowed)
    return agree


def main(argv: list[str] | None = None) -> int:
    """Runs the tool with these arguments, or those of the command line; returns its exit code."""
    options = parse_options(argv)
    with telling_mistakes("teloom-run", tidy) as end:
        end.code = run(options)
    return end.code


if __name__ == "__main__":
    sys.exit(main())
