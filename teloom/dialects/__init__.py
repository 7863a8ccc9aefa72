"""What the IR can say: the dialects of Teloom, one file or folder each, and what they share."""

from collections.abc import Callable
from importlib import import_module

from xdsl.ir import Dialect

# dialect name -> (module of teloom.dialects, constant)
_DIALECTS: dict[str, tuple[str, str]] = {
    "te": ("te", "Te"),
    "schedule": ("schedule", "Schedule"),
    "loop": ("loop", "Loop"),
    "shadow": ("shadow", "Shadow"),
    "affine": ("upstream.affine", "Affine"),
    "arith": ("upstream.arith", "Arith"),
    "memref": ("upstream.memref", "MemRef"),
    "vector": ("upstream.vector", "Vector"),
    "amx": ("upstream.amx", "Amx"),
    "linalg": ("upstream.linalg", "Linalg"),
    "llvm": ("upstream.llvm", "LLVM"),
}


def get_all_dialects() -> dict[str, Callable[[], Dialect]]:
    """Factories of Teloom's dialects by name; a dialect is imported when it is built.

    `affine`, `arith`, `linalg`, `memref`, `vector` and `llvm` are xDSL's, with what these lack of
    upstream's.
    """

    def factory(module: str, constant: str) -> Callable[[], Dialect]:
        return lambda: getattr(import_module(f"teloom.dialects.{module}"), constant)

    return {name: factory(*place) for name, place in _DIALECTS.items()}
