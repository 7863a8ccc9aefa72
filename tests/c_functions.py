"""C sources as functions in this process, by the system's compiler."""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

COMPILER = shutil.which("cc")

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler, cc")

STRICT = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic")
"""Every warning is a mistake of ours."""


def library(text: str, *flags: str) -> ctypes.CDLL:
    """The functions of a source, which has to compile without a warning."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "source.c"), Path(folder, "source.so")
        source.write_text(text)
        assert COMPILER is not None
        command = [COMPILER, *STRICT, "-fPIC", "-shared", *flags, str(source), "-o", str(made)]
        result = subprocess.run([*command, "-lm"], capture_output=True, text=True, check=False)
        assert result.returncode == 0, f"{result.stderr[:3000]}\n{text[:20000]}"
        return ctypes.CDLL(str(made))


def call(found: ctypes.CDLL, name: str, sizes: Sequence[int], arrays: Sequence[np.ndarray]) -> int:
    """Calls a function with sizes and arrays in the order of the machine; gives its status."""
    function = getattr(found, name)
    function.restype = ctypes.c_int32
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
    return function(*map(ctypes.c_int64, sizes), *pointers)
