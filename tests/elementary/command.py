"""The command line of `python -m tests.elementary`."""

import sys

from elementary import exhaustive, fits


def main(arguments: list[str]) -> int:
    """Runs `errors` or `fits`; returns the exit code."""
    match arguments:
        case ["errors", *rest]:
            return exhaustive.main(rest)
        case ["fits"]:
            print("\n".join(fits.lines()))
            return 0
    print("usage: python -m tests.elementary errors [NAME ...] | fits", file=sys.stderr)
    return 2
