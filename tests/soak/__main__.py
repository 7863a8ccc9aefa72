"""`python -m tests.soak`: many random pairs of a program and a schedule, in processes of their own.

See docs/testing.md.
"""

import sys
from importlib import import_module
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    sys.exit(import_module("soak.command").main(sys.argv[1:]))
