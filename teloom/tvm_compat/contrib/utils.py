"""`tvm.contrib.utils`: folders for a while."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory


class TempDirectory:
    """A folder that is removed with this object. Source: TVM's contrib.utils.TempDirectory."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory()
        self.temp_dir = self._folder.name

    def relpath(self, name: str) -> str:
        """The path of a file in the folder."""
        return str(Path(self.temp_dir, name))

    def listdir(self) -> list[str]:
        """The names of the files in the folder."""
        return os.listdir(self.temp_dir)

    def remove(self) -> None:
        """Removes the folder now."""
        self._folder.cleanup()


def tempdir() -> TempDirectory:
    """A new folder. Source: TVM's contrib.utils.tempdir."""
    return TempDirectory()
