"""`load`: functions of a library that `export` has written, called with arrays."""

from __future__ import annotations

import ctypes
import hashlib
import os
import tempfile
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import ref

from teloom.analysis.signature import Signature
from teloom.backend.call.kernel import Kernel
from teloom.backend.call.recipe import Recipe
from teloom.backend.call.threads import threads_of_call
from teloom.backend.library import whole_files
from teloom.backend.library.c_signature import CFunction
from teloom.backend.library.contents import Contents
from teloom.backend.library.entry_code import direct
from teloom.backend.library.runtime import LOOKED, OPENMP, OPENMP_FUNCTIONS
from teloom.backend.machine import cpus, openmp
from teloom.driver.function import CALLED_WITH, until_known
from teloom.errors import Error
from teloom.frontend.kinds import checked_kind


class LibraryFunction:
    """A function of a library. Call it with arrays, in the order given to `build`.

    A call is checked as that of the function that was exported.
    """

    if TYPE_CHECKING:

        def __call__(self, *arrays: object) -> None: ...
    else:
        __slots__ = ("__call__", "__dict__", "__weakref__")

    def __init__(self, kernel: Kernel, path: Path):
        self.kernel, self.path = kernel, path
        self.__call__ = partial(until_known, kernel, ref(self))
        self.__signature__ = CALLED_WITH

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.kernel.signature.name

    @property
    def signature(self) -> Signature:
        """Its parameters."""
        return self.kernel.signature

    def bind(self, *arrays: object) -> Callable[[], None]:
        """A function without arguments that makes this call, as often as it is called."""
        return self.kernel.bind(*arrays)

    def __reduce__(self) -> tuple[object, ...]:
        return _of_library, (str(self.path), self.name)

    def __repr__(self) -> str:
        return f"LibraryFunction({self.name}, {self.path})"


def load(path: str | os.PathLike[str]) -> LibraryFunction | dict[str, LibraryFunction]:
    """The function of a shared library that `export` has written; of several, by their names.

    Calls are checked as those of the functions that were exported. Parallel loops run on the
    threads of this process, as many as `num_threads` and the environment say. The file must stay
    as it is while it is loaded.

    Raises `teloom.Error` for a file that is not there, damaged, of another program or another
    version of the format, or for a CPU that this machine is not.
    """
    checked_kind(path, str | os.PathLike, "path of load", "a text or a path")
    functions = _loaded(Path(path).absolute())
    if len(functions) == 1:
        return next(iter(functions.values()))
    return functions


def _of_library(path: str, name: str) -> LibraryFunction:
    return _loaded(Path(path))[name]


def _loaded(file: Path) -> dict[str, LibraryFunction]:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise Error(f"cannot read {file}: {error.strerror}") from None
    here = cpus.host()
    whole_files.check(str(file), data, here.architecture)
    contents = Contents.of(str(file), data)
    _check_cpu(file, contents.needs, here.features.split(","))
    try:
        library = _linked(file, data)
        _share_openmp(library)
        return {
            one.name: LibraryFunction(_kernel(one, library), file) for one in contents.functions
        }
    except (OSError, AttributeError, ValueError) as error:
        raise Error(f"cannot load {file}: {error}") from None


_libraries: dict[Path, dict[bytes, ctypes.CDLL]] = {}
"""What this process has linked of each file, by the digest of what stood there."""


def _linked(file: Path, data: bytes) -> ctypes.CDLL:
    """The library of a file that holds `data`.

    The system knows libraries by the names of their files. One that is written again under the name
    of one that is linked would be taken for that: it is linked from a copy.
    """
    place, digest = file.resolve(), hashlib.sha256(data).digest()
    linked = _libraries.setdefault(place, {})
    if digest not in linked:
        linked[digest] = _linked_copy(file, data) if linked else ctypes.CDLL(str(place))
    return linked[digest]


def _linked_copy(file: Path, data: bytes) -> ctypes.CDLL:
    with tempfile.NamedTemporaryFile(prefix=f"{file.stem}-", suffix=file.suffix) as copy:
        copy.write(data)
        copy.flush()
        return ctypes.CDLL(copy.name)


def _check_cpu(file: Path, needs: Sequence[Sequence[str]], there: Sequence[str]) -> None:
    missing = [[name for name in names if f"+{name}" not in there] for names in needs]
    if all(missing):
        least = min(missing, key=len)
        raise Error(f"{file} needs a CPU with {', '.join(least)}, which this machine lacks")


class _Linked:
    """A library of the system, as a kernel asks for addresses."""

    codes = ()

    def __init__(self, library: ctypes.CDLL, name: str):
        self._library, self._name = library, name

    def address(self, _: str) -> int:
        """The address of the function that checks nothing."""
        function = getattr(self._library, direct(self._name))
        return ctypes.cast(function, ctypes.c_void_p).value or 0


def _kernel(function: CFunction, library: ctypes.CDLL) -> Kernel:
    signature, assertions = function.signature, function.assertions
    recipe = Recipe(signature, cpus.host(), (), (), False, False, False, assertions)
    return Kernel(recipe, _Linked(library, function.name), _no_text)


def _no_text() -> str:
    raise Error("a function of a library has no source; export keeps machine code only")


@ctypes.CFUNCTYPE(ctypes.c_int32)
def _threads() -> int:
    return threads_of_call(None)


@cache
def _openmp() -> list[int]:
    """The functions of the OpenMP runtime of this process that a library looks for."""
    runtime = openmp.runtime()
    if runtime is None:
        return [0] * len(OPENMP_FUNCTIONS)
    own = {"omp_get_max_threads": ctypes.cast(_threads, ctypes.c_void_p).value or 0}
    return [own.get(name) or getattr(runtime, name) for name in OPENMP_FUNCTIONS]


def _share_openmp(library: ctypes.CDLL) -> None:
    """Lets a library use the OpenMP of this process: two of them would fight for its cores."""
    table = (ctypes.c_void_p * len(OPENMP_FUNCTIONS)).in_dll(library, OPENMP)
    for number, address in enumerate(_openmp()):
        table[number] = address
    ctypes.c_int32.in_dll(library, LOOKED).value = 1
