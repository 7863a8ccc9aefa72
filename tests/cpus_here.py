"""Which CPUs' code this machine can run."""

from teloom.backend.machine import cpus, generators
from teloom.errors import Error


def runs_here(name: str) -> bool:
    try:
        generators.check_runs_here(cpus.target(name))
    except Error:
        return False
    return True
