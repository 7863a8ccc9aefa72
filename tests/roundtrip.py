"""Checks that IR survives printing and parsing; `// RUN: TELOOM_ROUNDTRIP %s | filecheck %s`."""

import sys
from contextlib import redirect_stdout
from difflib import unified_diff
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from teloom.tools import opt


def main(args: list[str] | None = None) -> int:
    """Prints the file's IR if its custom and generic forms read back as the same text; else 1."""
    (path,) = sys.argv[1:] if args is None else args
    status, pretty = _print(Path(path))
    if status != 0:
        return status
    with TemporaryDirectory() as folder:
        printed = Path(folder, "pretty.mlir")
        printed.write_text(pretty)
        # The generic form is that of what the custom form reads back as: it shows a loss of either.
        status, generic = _print(printed, "--print-op-generic")
        printed.write_text(generic if status == 0 else pretty)
        status, again = _print(printed)
        if status != 0 or again != pretty:
            printed.write_text(pretty)
            custom_status, custom = _print(printed)
            if custom_status == 0 and _same("the custom form", pretty, custom):
                _same("the generic form", pretty, again)
            return 1
    print(pretty, end="")
    return 0


def _print(path: Path, *options: str) -> tuple[int, str]:
    output = StringIO()
    with redirect_stdout(output):
        status = opt.main([str(path), "--split-input-file", *options])
    return status, output.getvalue()


def _same(form: str, expected: str, found: str) -> bool:
    if expected == found:
        return True
    difference = unified_diff(
        expected.splitlines(), found.splitlines(), "printed", "printed again", lineterm=""
    )
    print(f"{form} does not read back as what was printed:", *difference, sep="\n", file=sys.stderr)
    return False


if __name__ == "__main__":
    sys.exit(main())
