"""What TVM has and this spelling of it cannot give, and what there is instead."""

from __future__ import annotations

from teloom.frontend.missing_names import missing

_SCRIPT = "text of IR: teloom.compile(text)"
_BODY = "its IR, a module of xDSL: module.ir('loop')"

_OF_TVM = {
    "relay": "operators: teloom.topi",
    "relax": "operators: teloom.topi",
    "script": _SCRIPT,
    "auto_scheduler": "te.auto_schedule(s)",
    "meta_schedule": "te.auto_schedule(s)",
    "rpc": "functions run in this process",
    "micro": "",
    "cuda": "tvm.cpu(0)",
    "rocm": "tvm.cpu(0)",
    "opencl": "tvm.cpu(0)",
    "vulkan": "tvm.cpu(0)",
    "metal": "tvm.cpu(0)",
    "gpu": "tvm.cpu(0)",
    "context": "tvm.device",
    "get_global_func_names": "tvm.get_global_func(name)",
}
_OF_TIR = {
    "Schedule": "te.create_schedule(tensors)",
    "transform": "passes of xDSL: teloom.build(..., passes={'loop': [...]})",
    "analysis": "te.explain(s)",
    "ir_pass": "passes of xDSL: teloom.build(..., passes={'loop': [...]})",
    **dict.fromkeys(
        "For While Allocate BufferStore BufferLoad ProducerStore ProducerLoad ProducerRealize "
        "IfThenElse AttrStmt LetStmt SeqStmt Evaluate AssertStmt Block BlockRealize Prefetch stmt "
        "BufferRealize".split(),
        "IR of xDSL: tvm.lower(s, args).ir('loop')",
    ),
    "expr": "tvm.tir itself",
    "generic": "te",
    **dict.fromkeys("Let Call Ramp Broadcast Shuffle Reduce".split(), ""),
    **dict.fromkeys(
        ("call_llvm_intrin", "call_llvm_pure_intrin"),
        "te.call_intrin(dtype, 'tir.exp', x), and te.call_pure_extern for functions of C",
    ),
}
_OF_TARGET = {
    **dict.fromkeys(
        "cuda rocm opencl metal vulkan webgpu mali bifrost intel_graphics adreno".split(),
        "tvm.target.Target('llvm'), the CPU, and no code for GPUs",
    ),
    **dict.fromkeys(
        "arm_cpu riscv_cpu rasp".split(), "tvm.target.Target('llvm -mcpu=...'), for any CPU"
    ),
    "hexagon": "tvm.target.Target('llvm'), the CPU",
}
_PASSES = "passes of xDSL: PassContext(config={'tir.add_lower_pass': [(0, pass)]})"
_OF_TRANSFORM = dict.fromkeys(
    "Sequential Pass PassInfo PassInstrument module_pass function_pass".split(), _PASSES
)
_OF_TOPI = {
    "cpp": "topi itself: all of it is Python",
}
_OF_IR = {
    "body": _BODY,
    "functions": "get_global_vars(), and module[name]",
    "buffer_map": _BODY,
    "params": _BODY,
    "attrs": _BODY,
    "transform": "tvm.transform",
}
_OF_ARITH = dict.fromkeys(
    "IntSet IntervalSet ModularSet ConstIntBound detect_linear_equation detect_clip_bound".split(),
    "te.infer_bounds(s)",
)
_OF_WALKS = dict.fromkeys(
    "pre_order_visit ir_transform".split(), "te.explain(s), or a pass of xDSL"
)
_OF_MODULE = {
    "import_module": "a dict of programs: tvm.build({'f': ..., 'g': ...})",
    "get_params": "",
}
_OF_CONTRIB = {
    "graph_executor": "functions of arrays: tvm.build",
    "clang": "an intrinsic's code is IR as text, or a call of a C function",
    "mkl": "tvm.contrib.cblas",
    "util": "tvm.contrib.utils",
    "ndk": "",
    "random": "topi.random, and arrays of NumPy",
    "dnnl": "tvm.contrib.cblas",
}
_OF_AUTOTVM = dict.fromkeys(
    "template get_config register_topi_compute register_topi_schedule task tuner measure "
    "apply_history_best".split(),
    "te.auto_schedule(s)",
)
_KNOWN = {
    "tvm": _OF_TVM,
    "tvm.tir": _OF_TIR,
    "tvm.target": _OF_TARGET,
    "tvm.topi": _OF_TOPI,
    "tvm.transform": _OF_TRANSFORM,
    "tvm.ir": _OF_IR,
    "an IRModule": _OF_IR,
    "a module": _OF_MODULE,
    "tvm.contrib": _OF_CONTRIB,
    "tvm.arith": _OF_ARITH,
    "tvm.tir.stmt_functor": _OF_WALKS,
    "tvm.autotvm": _OF_AUTOTVM,
}


def missing_part(owner: str, name: str) -> AttributeError:
    """The error for a program that asks for a missing part of TVM."""
    return missing(owner, name, _KNOWN.get(owner, {}))
