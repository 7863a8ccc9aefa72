"""LLVM's metadata that says which lines of the user's program instructions come from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import FileLineColLoc
from xdsl.ir import Operation

from teloom.backend.machine.llvm_ir.metadata import Metadata
from teloom.backend.machine.llvm_ir.spelling import in_quotes
from teloom.locations import location_of

_DWARF, _DEBUG_INFO = 4, 3
"""The versions of DWARF, and of LLVM's metadata for it."""

_NOWHERE = "generated"
"""The file of code that no line of a program says."""


class DebugInfo:
    """The metadata of one module: line tables, without variables and types."""

    def __init__(self, metadata: Metadata):
        self.metadata = metadata
        self._unit: int | None = None

    def function(self, op: upstream.FuncOp) -> Place:
        """What instructions of a function say; debuggers have it by its name in the program."""
        location = location_of(op) or next(
            (found for inner in op.walk() if (found := location_of(inner)) is not None), None
        )
        file, line = self.file(location), _line(location)
        if self._unit is None:
            self._unit = self.metadata.distinct(
                f"!DICompileUnit(language: DW_LANG_C99, file: !{file}, "
                'producer: "Teloom", isOptimized: true, emissionKind: FullDebug)'
            )
        of_type = self.metadata.node("!DISubroutineType(types: !{})")
        function = self.metadata.distinct(
            f"!DISubprogram(name: {in_quotes(op.sym_name.data)}, scope: !{file}, file: !{file}, "
            f"line: {line}, type: !{of_type}, scopeLine: {line}, "
            f"spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !{self._unit})"
        )
        return Place(self, function, file, line)

    def file(self, location: FileLineColLoc | None) -> int:
        """The node of a file."""
        path = Path(_NOWHERE if location is None else location.filename.data)
        return self.metadata.node(
            f"!DIFile(filename: {in_quotes(path.name)}, directory: {in_quotes(str(path.parent))})"
        )

    def named(self) -> Iterator[str]:
        """The lines that name what LLVM looks for."""
        if self._unit is None:
            return
        flags = [
            self.metadata.node(f'!{{i32 2, !"Debug Info Version", i32 {_DEBUG_INFO}}}'),
            self.metadata.node(f'!{{i32 7, !"Dwarf Version", i32 {_DWARF}}}'),
        ]
        yield f"!llvm.dbg.cu = !{{!{self._unit}}}"
        yield f"!llvm.module.flags = !{{{', '.join(f'!{flag}' for flag in flags)}}}"


class Place:
    """Where the instructions of a function come from, one after the other.

    One that says no place comes from where the one before comes from.
    """

    def __init__(self, info: DebugInfo, function: int, file: int, line: int):
        self._info, self.function, self._file = info, function, file
        self._said = self._at(function, line, 0)

    def of(self, op: Operation) -> str:
        """The words behind an instruction of `op`."""
        location = location_of(op)
        if location is not None:
            scope, file = self.function, self._info.file(location)
            if file != self._file:
                scope = self._info.metadata.node(
                    f"!DILexicalBlockFile(scope: !{scope}, file: !{file}, discriminator: 0)"
                )
            self._said = self._at(scope, _line(location), location.column.data)
        return self._said

    def _at(self, scope: int, line: int, column: int) -> str:
        column = min(column, 2**16 - 1)
        node = self._info.metadata.node(
            f"!DILocation(line: {line}, column: {column}, scope: !{scope})"
        )
        return f", !dbg !{node}"


def _line(location: FileLineColLoc | None) -> int:
    return 0 if location is None else location.line.data
