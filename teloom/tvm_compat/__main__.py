"""`python -m teloom.tvm_compat FILE ...`: runs a program whose `import tvm` means this spelling.

What follows FILE are the arguments of the program.
"""

import os
import runpy
import sys

from teloom.tvm_compat.install import install

if __name__ == "__main__":
    if sys.argv[1:2] in ([], ["-h"], ["--help"]):
        sys.exit(__doc__)
    install()
    sys.argv = sys.argv[1:]
    if not os.path.isfile(sys.argv[0]):
        sys.exit(f"python -m teloom.tvm_compat: error: there is no file {sys.argv[0]}")
    sys.path.insert(0, os.path.dirname(os.path.realpath(sys.argv[0])))  # as Python does
    runpy.run_path(sys.argv[0], run_name="__main__")
