"""`python -m tests.replay`: the text at every level of every program, now and after a change.

See docs/testing.md.
"""

import sys
from importlib import import_module
from pathlib import Path

if __name__ == "__main__":
    root = Path(__file__).parents[2]
    sys.path[:0] = [str(root / "tests"), str(root)]
    sys.exit(import_module("replay.command").main(sys.argv[1:]))
