"""Shared libraries of objects, as `tvm.contrib.cc` makes them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from teloom.backend.library.linking import linker
from teloom.backend.machine import cpus
from teloom.errors import Error


def create_shared(
    output: str | os.PathLike[str],
    objects: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    options: Sequence[str] | None = None,
    cc: str | None = None,
) -> None:
    """Links objects as a shared library, by the compiler `cc`, or the linker that is found.

    Raises `teloom.Error` if that fails. Source: TVM's contrib.cc.create_shared.
    """
    listed = [objects] if isinstance(objects, str | os.PathLike) else [*objects]
    command = [cc, "-shared"] if cc else linker(cpus.host().architecture)
    parts = [*command, "-o", output, *listed, *(options or ()), "-lm"]
    done = subprocess.run(parts, capture_output=True, text=True)
    if done.returncode:
        raise Error(f"{command[0]} could not link {output}: {done.stderr.strip()}")
