"""Machine code, from LLVM IR text or from the cache, linked into this process."""

import contextlib
import ctypes
import itertools
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property

import llvmlite.binding as binding

from teloom.backend.machine import cache as disk
from teloom.backend.machine import cpus, perf_map
from teloom.backend.machine.generators import (
    FAST_CODE,
    Effort,
    check_runs_here,
    key_of,
    part_of_work,
    target_machine,
)
from teloom.backend.machine.tiles import have_tiles
from teloom.dialects.target import Target
from teloom.errors import Error
from teloom.lazy import loaded
from teloom.switches import debug_info

_library_numbers = itertools.count()


@cache
def _compiler() -> binding.LLJIT:
    # What is linked finds the functions of C in this process: with glibc, some of them are in
    # a library of its own, which Python need not have loaded for all to see.
    with contextlib.suppress(OSError):
        ctypes.CDLL("libm.so.6", mode=ctypes.RTLD_GLOBAL)
    return binding.create_lljit_compiler(target_machine(cpus.host()))


class Library:
    """Object code placed in this process; its functions live as long as it does."""

    def __init__(
        self, codes: Sequence[bytes], exports: tuple[str, ...], symbols: Mapping[str, int]
    ):
        """Links the objects `codes`.

        They may call each other, what the process provides, and `symbols`, by their addresses.
        Raises `Error` where a function that they call is missing.
        """
        self.codes = tuple(codes)
        builder = binding.JITLibraryBuilder().add_current_process()
        for code in codes:
            builder.add_object_img(code)
        for name in exports:
            builder.export_symbol(name)
        for name, address in symbols.items():
            builder.import_symbol(name, address)
        number = next(_library_numbers)
        try:
            with part_of_work("link", 3):
                self._tracker = builder.link(_compiler(), f"teloom{number}")
        except RuntimeError as error:
            raise Error(f"cannot link {', '.join(exports)}: {error}") from error
        if debug_info() and exports:
            perf_map.add(codes[0], exports[0], self.address)

    def address(self, name: str) -> int:
        """The address of an exported function."""
        return self._tracker[name]


def object_key(text: str, machine: Target, effort: Effort = FAST_CODE) -> str:
    """The key in the cache of the code of LLVM IR text."""
    return disk.key_of(text, key_of(machine, effort))


def found(
    keys: Sequence[str], exports: tuple[str, ...], symbols: Mapping[str, int]
) -> Library | None:
    """The code in the cache under keys of `object_key`; None if one is not there, or damaged."""
    return _linked_if_there([*map(disk.load, keys)], exports, symbols)


def _linked_if_there(
    codes: Sequence[bytes | None], exports: tuple[str, ...], symbols: Mapping[str, int]
) -> Library | None:
    there = [code for code in codes if code is not None]
    if len(there) < len(codes):
        return None
    try:
        return Library(there, exports, symbols)
    except Error:
        return None  # Not what belongs under these keys, whatever it is.


def linked(
    texts: Sequence[str],
    exports: tuple[str, ...],
    symbols: Mapping[str, int],
    machine: Target | None = None,
    effort: Effort = FAST_CODE,
) -> Library:
    """The linked code of texts of LLVM IR, with the functions `exports` of the first of them.

    What the cache has of them is not compiled again. The code is made for `machine`, or for what
    TELOOM_CPU says, and may call what `Library` says.
    Raises `Error` where a function that it calls is missing, or this machine cannot run it.
    """
    machine = machine or cpus.asked()
    check_runs_here(machine, have_tiles(texts))
    keys = [object_key(text, machine, effort) for text in texts]
    known = [*map(disk.load, keys)]
    if (library := _linked_if_there(known, exports, symbols)) is not None:
        return library
    if None not in known:
        known = [None] * len(keys)
    missing = {key: text for key, text, code in zip(keys, texts, known, strict=True) if not code}
    objects = loaded("teloom.backend.machine.codegen.machine_code", "objects")
    made = dict(zip(missing, objects([*missing.values()], machine, effort), strict=True))
    codes = [code or made[key] for key, code in zip(keys, known, strict=True)]
    library = Library(codes, exports, symbols)
    for key, code in made.items():
        disk.store(key, code)
    return library


def declarations(functions: Mapping[str, str]) -> str:
    """The text that declares C functions, by their names and types: result, then arguments."""
    parts = ((name, *type.split(" ", 1)) for name, type in functions.items())
    return "\n".join(f"declare {result} @{name}{takes}" for name, result, takes in parts)


def addresses(functions: Iterable[str]) -> dict[str, int]:
    """The addresses of functions of CPython or C; raises `AttributeError` for an unknown one."""
    found = ((name, getattr(ctypes.pythonapi, name)) for name in functions)
    return {name: ctypes.cast(one, ctypes.c_void_p).value or 0 for name, one in found}


class OwnFunctions:
    """Functions of ours, from LLVM IR text; their code is made when it is first asked for."""

    def __init__(
        self,
        text: str,
        names: tuple[str, ...],
        needs: Iterable[str] = (),
        effort: Effort = FAST_CODE,
    ):
        """Of `text`, the functions `names`; it may call those of CPython or C in `needs`."""
        self.names = names
        self._text, self._needs, self._effort = text, needs, effort
        self._linking = threading.Lock()

    def addresses(self) -> dict[str, int]:
        """Their addresses in this process, by their names."""
        with self._linking:
            return {name: self._library.address(name) for name in self.names}

    @cached_property
    def _library(self) -> Library:
        return linked([self._text], self.names, addresses(self._needs), effort=self._effort)


def missing_symbols(names: Sequence[str], symbols: Mapping[str, int]) -> list[str]:
    """Those of the C functions `names` that neither the process nor `symbols` has."""
    others = [name for name in names if name not in symbols]
    process = ctypes.CDLL(None) if others else None
    return [name for name in others if not hasattr(process, name)]
