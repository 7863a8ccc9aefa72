"""Programs that are compiled: a module, and what is asked of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp

from teloom.analysis.signature import Entry, Signature, signature_of
from teloom.backend.call.callbacks import External
from teloom.backend.call.kernel import Kernel, kernels_found
from teloom.backend.machine.generators import made_for
from teloom.dialects.target import Target
from teloom.driver.entry import only_entries
from teloom.driver.lowering import Lowering, Steps
from teloom.driver.program_cache import key_of, known, remember
from teloom.driver.runner import runner_of
from teloom.lazy import loaded
from teloom.remarks import heard

Called = Mapping[str, Sequence[str] | None]
"""Functions of a module, each with the user's names of its arguments, in the order of the call.

Without them the names are those of the IR.
"""


class Program(NamedTuple):
    """A module, how it is lowered, whether accesses are checked, and what its code may call."""

    module: ModuleOp
    steps: Steps
    checked: bool = False
    externals: Mapping[str, External] = MappingProxyType({})

    def only(self, name: str) -> Program:
        """The program without other functions that callers call."""
        module = only_entries(self.module, [name])
        if module is self.module:
            return self
        there = {op.sym_name.data for op in module.ops if isinstance(op, Entry)}
        externals = {key: one for key, one in self.externals.items() if key in there}
        return self._replace(module=module, externals=externals)

    def kernels(self, functions: Called) -> list[Kernel]:
        """Functions of the module in machine code, or from the cache if it has them.

        They are compiled together, but with checks, which are of one function each.
        """
        if self.checked:
            each = functions.items()
            return [self.only(name)._compiled({name: names})[0] for name, names in each]
        kernels = self._replace(module=only_entries(self.module, functions))._compiled(functions)
        if len(kernels) > 1:
            for kernel in kernels:
                kernel.text = self.only(kernel.signature.name).machine_text
        return kernels

    def _compiled(self, functions: Called) -> list[Kernel]:
        key = None if self.checked else key_of(self.module, functions, self.steps)
        if (entry := known(key)) is not None:
            found = kernels_found(entry.recipes, self.externals, self.machine_text)
            if found is not None:
                entry.repeat_remarks(self.module)
                return found

        def naming(function: Entry) -> Signature:
            signature, names = signature_of(function), functions[function.sym_name.data]
            return signature if names is None else signature.named(names)

        module, lowering = self.on_machine(), self.lowering(functions)
        with heard() as said:
            kernels = loaded("teloom.driver.compilation", "compile_module")(
                module, [*functions], lowering, naming, self.externals, self.checked
            )
        remember(key, [kernel.recipe for kernel in kernels], self.module, said)
        return kernels

    def at_level(self, level: str) -> ModuleOp:
        """The program at a level of `lower`."""
        module = self.on_machine()
        self.lowering().bring(module, "te", level)
        return module

    def on(self, machine: Target) -> Program:
        """The program for another machine."""
        module = self.module.clone()
        machine.put(module)
        return self._replace(module=module)

    def machine_text(self) -> str:
        """The LLVM IR of the program, before it is optimised."""
        return loaded("teloom.backend.call.compiled", "machine_text")(self.at_level("llvm"))

    def on_machine(self) -> ModuleOp:
        """A copy of the module that says for which machine: if it names none, for this one.

        The module itself does not: where a function is unpickled, it is for the machine there.
        """
        module = self.module.clone()
        made_for(module).put(module)
        return module

    def lowering(self, functions: Collection[str] = ()) -> Lowering:
        """How the program is lowered; the user's passes have to leave these functions in it."""
        return Lowering(runner_of(lambda: str(self.module)), self.steps, functions)
