"""Machine code for this machine, compiled or from the cache, placed in this process."""

from collections.abc import Mapping

from teloom.backend.machine import cache, cpus, jit
from teloom.dialects.target import Target
from teloom.errors import Error


def placed(
    text: str,
    exports: tuple[str, ...],
    symbols: Mapping[str, int],
    machine: Target | None = None,
    effort: jit.Effort = jit.FAST_CODE,
) -> jit.Library:
    """The code of LLVM IR text, with the functions `exports`, from the cache if it is there.

    It is made for `machine`, or for what TELOOM_CPU says, and may call what `jit.Library` says.
    Raises `Error` where a function that it calls is missing, or this machine cannot run it.
    """
    machine = machine or cpus.asked()
    jit.check_runs_here(machine)
    key = cache.key_of(text, jit.key_of(machine, effort))
    code = cache.load(key)
    if code is not None:
        try:
            return jit.Library(code, exports, symbols)
        except Error:
            pass  # Not what belongs under this key, whatever it is: compiled again, and replaced.
    code = jit.emit_object(text, machine, effort)
    library = jit.Library(code, exports, symbols)
    cache.store(key, code)
    return library
