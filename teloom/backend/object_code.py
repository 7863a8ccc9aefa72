"""Object code for this machine, compiled or from the cache."""

from teloom.backend import cache, jit


def object_code(text: str) -> bytes:
    """Object code for this machine from LLVM IR text, from the cache if it is there."""
    key = cache.key_of(text, jit.target().key())
    code = cache.load(key)
    if code is None:
        code = jit.emit_object(text)
        cache.store(key, code)
    return code
