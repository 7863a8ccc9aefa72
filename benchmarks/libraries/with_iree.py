"""IREE: what JAX makes of a program before it optimizes, compiled for this CPU."""

import iree.compiler as compiler
import iree.runtime as runtime
import jax
from iree.compiler import version

from libraries import Program, Runner, Task
from libraries.with_jax import FUNCTIONS

VERSION = version.VERSION


def compiled(function) -> Program:
    def prepare(task: Task) -> Runner:
        exported = jax.export.export(jax.jit(function))(*task.inputs)
        binary = compiler.compile_str(
            exported.mlir_module_serialized,
            target_backends=["llvm-cpu"],
            input_type="stablehlo",
            extra_args=["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3"],
        )
        config = runtime.Config("local-sync" if task.threads == 1 else "local-task")
        context = runtime.SystemContext(config=config)
        module = runtime.VmModule.copy_buffer(context.instance, binary)
        context.add_vm_module(module)
        run = context.modules[module.name].main
        arrays = [runtime.asdevicearray(config.device, array) for array in task.inputs]
        return Runner(lambda: run(*arrays), lambda result: result.to_host())

    return prepare


PROGRAMS: dict[str, Program] = {name: compiled(run) for name, run in FUNCTIONS.items()}
