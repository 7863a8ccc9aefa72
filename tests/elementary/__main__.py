"""`python -m tests.elementary`: errors of elementary functions, and their polynomials.

See docs/testing.md.
"""

import sys
from importlib import import_module
from pathlib import Path

if __name__ == "__main__":
    root = Path(__file__).parents[2]
    sys.path[:0] = [str(root / "tests"), str(root)]
    sys.exit(import_module("elementary.command").main(sys.argv[1:]))
