"""Files that are written together: all of them, or none."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from teloom.errors import Error


def write_all(files: Mapping[Path, bytes]) -> list[Path]:
    """Writes files, and gives their paths; what ends in `.so` can be run.

    Raises `teloom.Error` where one cannot be written; then none has changed.
    """
    aside: dict[Path, str] = {}
    try:
        for file, data in files.items():
            handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
            aside[file] = name
            with os.fdopen(handle, "wb") as opened:
                opened.write(data)
            os.chmod(name, 0o755 if file.suffix == ".so" else 0o644)
        for file, name in aside.items():
            os.replace(name, file)
    except OSError as error:
        for name in aside.values():
            Path(name).unlink(missing_ok=True)
        raise Error(f"cannot write {next(iter(files))}: {error.strerror}") from None
    return [*files]
