"""Machine code for another CPU than this machine's."""

from itertools import pairwise

import numpy as np
import pytest
from standard_kernels import compile_text, run

from teloom.backend.machine import jit
from teloom.errors import Error

SKYLAKE = jit.Target(
    "x86_64-unknown-linux-gnu", "skylake", ",".join(f"+{name}" for name in sorted(jit._V3))
)
ARM = jit.Target("aarch64-unknown-linux-gnu", "neoverse-n1", "+fp-armv8")

ON_X86 = pytest.mark.skipif(
    not jit.host().triple.startswith("x86_64"), reason="the names are those of x86-64"
)


def test_an_unknown_cpu():
    with pytest.raises(Error, match=r"^TELOOM_CPU is 'i386'; it must be one of x86-64, x86-64-v2,"):
        jit.named_target("i386", SKYLAKE)


def test_a_cpu_that_can_more_than_this_machine():
    lacks = "avx512bw, avx512cd, avx512dq, avx512f, avx512vl"
    with pytest.raises(Error, match=f"^TELOOM_CPU is 'x86-64-v4', but this machine lacks {lacks}$"):
        jit.named_target("x86-64-v4", SKYLAKE)


def test_a_machine_that_has_no_names():
    with pytest.raises(Error, match=r"^TELOOM_CPU is 'x86-64'; it must be unset on aarch64$"):
        jit.named_target("x86-64", ARM)


def test_each_name_needs_more_than_the_one_before():
    needed = list(jit.CPUS["x86_64"].values())
    assert all(less < more for less, more in pairwise(needed))


def test_the_environment_says_it(monkeypatch):
    monkeypatch.delenv("TELOOM_CPU", raising=False)
    assert jit.target() == jit.host()
    monkeypatch.setenv("TELOOM_CPU", "nonsense")
    with pytest.raises(Error, match=r"^TELOOM_CPU is 'nonsense'; it must be "):
        compile_text("func.func @f() { func.return }")


@ON_X86
@pytest.mark.parametrize("lanes", [0, 16])
def test_code_without_fused_multiplication_and_short_floats(monkeypatch, lanes):
    monkeypatch.setenv("TELOOM_CPU", "x86-64")
    a = np.linspace(-3, 3, 16).astype("float16")
    of = f"vector<{lanes}xf16>" if lanes else "f16"
    body = f"%s = arith.addf %x0, %x0 : {of}\n%r = math.fma %s, %x0, %x0 : {of}"
    wide = a.astype("float32")
    expected = ((wide + wide) * wide + wide).astype("float16")
    np.testing.assert_allclose(run(body, [("f16", a)], "f16", lanes), expected, rtol=1e-3)


@ON_X86
def test_the_cache_keeps_them_apart(monkeypatch):
    monkeypatch.delenv("TELOOM_CPU", raising=False)
    keys = {jit.target().key()}
    monkeypatch.setenv("TELOOM_CPU", "x86-64")
    keys.add(jit.target().key())
    assert len(keys) == 2
