"""Compiling again and again takes no more memory."""

import gc
from pathlib import Path

import pytest

from teloom.backend.machine import cpus
from teloom.backend.machine.codegen import machine_code

TEXT = """\
define void @scaled(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %at = getelementptr float, ptr %x, i64 %i
  %old = load float, ptr %at
  %new = fmul float %old, 2.0
  store float %new, ptr %at
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
"""


def resident() -> int:
    """The pages of this process that are in memory, in bytes."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="asks Linux for its memory")
def test_llvm_gives_its_memory_back():
    machine = cpus.host()
    for _ in range(10):
        machine_code.emit_object(TEXT, machine)
    before = resident()
    for _ in range(50):
        machine_code.emit_object(TEXT, machine)
    assert resident() - before < 50 * 20_000
