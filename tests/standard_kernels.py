"""Standard-level text to a kernel, the way the pipeline ends."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

import ml_dtypes
import numpy as np
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from teloom.analysis.signature import Signature, signature_of
from teloom.backend.call.compiled import compile_llvm
from teloom.backend.call.kernel import Kernel
from teloom.backend.checks.memory_check import MemoryCheck, labels_of, memory_check
from teloom.backend.machine.generators import FAST_CODE, Effort
from teloom.dialects.syntax.upstream_text import UpstreamParser
from teloom.driver.compilation import checked_code
from teloom.driver.lowering import Lowering
from teloom.driver.registry import load_universe
from teloom.driver.runner import Runner
from teloom.passes.llvm.lower_to_llvm import lower_to_llvm
from teloom.switches import sanitizer

BF16 = np.dtype(ml_dtypes.bfloat16)
DTYPES = {
    "i8": np.dtype("int8"),
    "i16": np.dtype("int16"),
    "i32": np.dtype("int32"),
    "i64": np.dtype("int64"),
    "f16": np.dtype("float16"),
    "bf16": BF16,
    "f32": np.dtype("float32"),
    "f64": np.dtype("float64"),
    "i1": np.dtype("bool"),
}


def parse(text: str):
    context = Context()
    for name, factory in (load_universe().all_dialects).items():
        context.register_dialect(name, factory)
    module = UpstreamParser(context, text).parse_module()
    module.verify()
    return module


def compile_text(
    text: str,
    symbols: Mapping[str, int] = MappingProxyType({}),
    effort: Effort = FAST_CODE,
) -> Kernel:
    """A kernel of the first function with a body; its calls are checked before they happen."""
    return compile_standard(parse(text), symbols, effort)


def compile_standard(
    module: ModuleOp,
    symbols: Mapping[str, int] = MappingProxyType({}),
    effort: Effort = FAST_CODE,
) -> Kernel:
    """The same of a module, which becomes LLVM's."""
    function = next(op for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks)
    signature = signature_of(function)
    check = None
    if sanitizer(None):
        check = checked_code(module.clone(), signature, lowering(), symbols=symbols)
    lower_to_llvm(module)
    module.verify()
    kernel = compile_llvm(module, signature, symbols, effort=effort)
    kernel.check = check
    return kernel


def declared(
    sizes: str, arrays: Sequence[str], order: str = "", outputs: Collection[int] = ()
) -> str:
    """The signature of a function with these sizes and arrays, such as `A: float32 (s0)`."""
    symbols = ", ".join(f"s{i}" for i in range(len(sizes.split())))
    texts: list[str] = []
    for number, array in enumerate(arrays):
        name, dtype, shape = array.replace(":", " ").split(maxsplit=2)
        said = f'name = "{name}", dtype = "{dtype}", shape = affine_map<()[{symbols}] -> {shape}>'
        texts.append(f"{{{said}{', output' if number in outputs else ''}}}")
    given = f", order = array<i64: {order}>" if order else ""
    names = ", ".join(f'"{size}"' for size in sizes.split())
    arguments = f"sizes = [{names}], arrays = [{', '.join(texts)}]{given}"
    return f" attributes {{te.signature = {{{arguments}}}}}"


def lowering() -> Lowering:
    """Runs passes, of which a failure says nothing more."""
    return Lowering(Runner(Context(), lambda error, name: error, str))


def check_after(
    module: ModuleOp, signature: Signature, passes: Sequence[ModulePass]
) -> MemoryCheck:
    """Checked code by these passes, of which `check-accesses` is the last."""
    for step in passes:
        step.apply(Context(), module)
    labels = labels_of(module, signature.name)
    lowering().bring(module, "standard", "llvm")
    return memory_check(module, signature, labels)


def elementwise(bodies: Sequence[str], inputs: list[str], output: str, lanes: int = 0) -> Kernel:
    """A kernel in which each body computes %r, for an array of its own, from %x0, %x1 ...

    It does so per element, or per vector of `lanes`. The arrays' length is the one size.
    """
    return compile_text(elementwise_text(bodies, inputs, output, lanes))


def elementwise_text(
    bodies: Sequence[str], inputs: Sequence[str], output: str, lanes: int = 0, name: str = "f"
) -> str:
    """The function that `elementwise` compiles."""
    types = [*inputs, *[output] * len(bodies)]
    first = len(inputs)
    parameters = ", ".join(
        f"%A{i}: memref<?x{type}>{' {llvm.readonly}' if i < first else ''}"
        for i, type in enumerate(types)
    )
    arrays = [f"A{i}: {DTYPES[type].name} (s0)" for i, type in enumerate(types)]
    said = declared("n", arrays, outputs=range(first, len(types)))
    load, store = ("vector.load", "vector.store") if lanes else ("memref.load", "memref.store")

    def access(i: int, type: str) -> str:
        return f"%A{i}[%i] : memref<?x{type}>" + (f", vector<{lanes}x{type}>" if lanes else "")

    loads = "\n".join(f"%x{i} = {load} {access(i, type)}" for i, type in enumerate(inputs))
    loops = "\n".join(
        f"""scf.for %i = %c0 to %n step %step {{
              {loads}
              {body}
              {store} %r, {access(number, output)}
            }}"""
        for number, body in enumerate(bodies, first)
    )
    return f"""
        func.func @{name}(%n: index, {parameters}){said} {{
          %c0 = arith.constant 0 : index
          %step = arith.constant {lanes or 1} : index
          {loops}
          func.return
        }}"""


Typed = tuple[str, np.ndarray]
"""The type of an array's elements in IR, and the array."""


def run(body: str, inputs: list[Typed], output: str, lanes: int) -> np.ndarray:
    """What a body makes of inputs; see `elementwise`."""
    (result,) = run_all([body], inputs, output, lanes)
    return result


def run_all(
    bodies: Sequence[str], inputs: list[Typed], output: str, lanes: int
) -> list[np.ndarray]:
    """What each body makes of inputs, all in one kernel: most of the time goes into making one."""
    results = [np.zeros(len(inputs[0][1]), DTYPES[output]) for _ in bodies]
    kernel = elementwise(bodies, [type for type, _ in inputs], output, lanes)
    kernel(*(values.astype(DTYPES[type], copy=False) for type, values in inputs), *results)
    return results
