"""Machine code for this machine, compiled or from the cache, placed in this process."""

from collections.abc import Mapping

from teloom.backend.machine import cache, jit
from teloom.errors import Error


def placed(text: str, exports: tuple[str, ...], symbols: Mapping[str, int]) -> jit.Library:
    """The code of LLVM IR text, with the functions `exports`, from the cache if it is there.

    It may call what `jit.Library` says. Raises `Error` where a function that it calls is missing.
    """
    key = cache.key_of(text, jit.target().key())
    code = cache.load(key)
    if code is not None:
        try:
            return jit.Library(code, exports, symbols)
        except Error:
            pass  # Not what belongs under this key, whatever it is: compiled again, and replaced.
    code = jit.emit_object(text)
    library = jit.Library(code, exports, symbols)
    cache.store(key, code)
    return library
