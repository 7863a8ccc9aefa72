"""`python -m teloom`: the same as the command `teloom`."""

import sys

from teloom.tools.main import main

if __name__ == "__main__":
    sys.exit(main())
