"""What the IR can say: the dialects of Teloom, one file each."""

from collections.abc import Callable

from xdsl.ir import Dialect


def get_all_dialects() -> dict[str, Callable[[], Dialect]]:
    """Factories of Teloom's dialects by name; a dialect is imported when it is built."""

    def get_te() -> Dialect:
        from teloom.dialects.te import Te

        return Te

    def get_schedule() -> Dialect:
        from teloom.dialects.schedule import Schedule

        return Schedule

    def get_loop() -> Dialect:
        from teloom.dialects.loop import Loop

        return Loop

    def get_arith() -> Dialect:
        from teloom.dialects.arith import Arith

        return Arith

    def get_llvm() -> Dialect:
        from teloom.dialects.llvm import LLVM

        return LLVM

    return {
        "te": get_te,
        "schedule": get_schedule,
        "loop": get_loop,
        "arith": get_arith,
        "llvm": get_llvm,
    }
