"""`python -m teloom.tvm_compat FILE`: runs a program whose `import tvm` means this spelling."""

import runpy
import sys

from teloom.tvm_compat.install import install

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("python -m teloom.tvm_compat FILE: the program, and its arguments")
    install()
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
