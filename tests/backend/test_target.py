"""What is known of CPUs, and machine code for another one than this machine's."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from standard_kernels import compile_text, run

import teloom
from teloom import te
from teloom.backend.machine import cpus, generators
from teloom.backend.machine.codegen import machine_code
from teloom.dialects.target import Target
from teloom.errors import Error

ON_X86 = pytest.mark.skipif(
    cpus.host().architecture != "x86_64", reason="the names are those of x86-64"
)


def test_an_unknown_cpu():
    with pytest.raises(Error, match=r"^no CPU 'znver33'; CPUs: native, x86-64, .*'znver3'\?$"):
        cpus.target("znver33")


def test_a_cpu_that_can_more_than_this_machine(monkeypatch):
    monkeypatch.setattr(cpus, "host", lambda: replace(cpus.target("skylake")))
    lacks = "avx512bf16, avx512bw, avx512cd, avx512dq, avx512f, avx512vl, avx512vnni"
    with pytest.raises(Error, match=f"^code for znver4 needs {lacks}, which this machine lacks$"):
        generators.check_runs_here(cpus.target("znver4"))
    with pytest.raises(
        Error, match=r"^code for neoverse-n1 is of aarch64, and this machine of x86"
    ):
        generators.check_runs_here(Target("aarch64", "neoverse-n1"))
    generators.check_runs_here(cpus.target("haswell"))


def test_each_level_needs_more_than_the_one_before():
    needed = list(cpus.LEVELS.values())
    assert all(less < more for less, more in pairwise(needed))


@pytest.mark.parametrize(
    ("name", "vector", "registers"),
    [("x86-64", 16, 16), ("x86-64-v3", 32, 16), ("znver3", 32, 16), ("sapphirerapids", 64, 32)],
)
def test_registers(name: str, vector: int, registers: int):
    found = cpus.target(name)
    assert (found.vector_bytes, found.vector_registers) == (vector, registers)
    assert (found.name, found.alignment) == (name, 64)


def test_caches_as_linux_describes_them(tmp_path: Path):
    said = [("Data", "1", "48K"), ("Instruction", "1", "32K"), ("Unified", "2", "2048K")]
    for number, (kind, level, size) in enumerate(said):
        (tmp_path / f"index{number}").mkdir()
        lines = {"type": kind, "level": level, "size": size, "coherency_line_size": "64"}
        for name, text in lines.items():
            (tmp_path / f"index{number}" / name).write_text(f"{text}\n")
    (tmp_path / "index3").mkdir()
    assert cpus._caches(tmp_path) == [(1, 48 * 1024, 64), (2, 2048 * 1024, 64)]
    assert cpus._caches(tmp_path / "nowhere") == []


def test_the_environment_says_it(monkeypatch):
    monkeypatch.delenv("TELOOM_CPU", raising=False)
    assert cpus.asked() == cpus.host()
    monkeypatch.setenv("TELOOM_CPU", "nonsense")
    with pytest.raises(Error, match=r"^TELOOM_CPU: no CPU 'nonsense'; CPUs: "):
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


def test_the_cache_keeps_them_apart():
    here = cpus.host()
    others = [cpus.target("x86-64"), cpus.target("skylake"), replace(here, vector_bytes=128)]
    keys = {generators.key_of(one) for one in (here, *others)}
    keys.add(generators.key_of(here, generators.SOON_MADE))
    assert len(keys) == 5


# Programs


def row(n: int = 64) -> tuple[te.Schedule, list[te.Tensor]]:
    A = te.placeholder((n,), name="A")
    C = te.compute((n,), lambda i: A[i] + 1, name="C")
    s = te.create_schedule(C)
    s[C].vectorize(C.op.axis[0])
    return s, [A, C]


@pytest.mark.parametrize(
    ("target", "vector"),
    [
        ("cpu", "vector<16xf32>"),
        ("llvm", "vector<16xf32>"),
        ("x86-64", "vector<4xf32>"),
        ("haswell", "vector<8xf32>"),
        (Target(vector_bytes=8), "vector<2xf32>"),
    ],
)
def test_passes_count_with_the_vectors_of_a_target(target: str | Target, vector: str):
    text = str(teloom.lower(*row(), level="standard", target=target))
    assert vector in text
    assert ("dlti" in text) == (target not in ("cpu", "llvm"))


@ON_X86
def test_code_for_a_target():
    f = teloom.build(*row(), target="x86-64")
    assert "dlti.target_system_spec" in f.source("te")
    assert "ymm" not in f.source("asm")
    c = np.zeros(64, "float32")
    f(np.ones(64, "float32"), c)
    assert (c == 2).all()
    again = teloom.compile(f.source("memref"))
    assert "ymm" not in again.source("asm")
    assert "vector<4xf32>" in again.source("standard")


def test_a_target_beside_that_of_the_text():
    text = str(teloom.lower(*row(), level="loop", target="x86-64"))
    assert "vector<8xf32>" in teloom.compile(text, target=Target(vector_bytes=32)).source(
        "standard"
    )
    assert "vector<4xf32>" in teloom.compile(text).source("standard")


def test_no_such_target():
    with pytest.raises(Error, match=r"^no target 'add_one'; targets: cpu, llvm, native, x86-64, "):
        teloom.build(*row(), "add_one")


@pytest.mark.parametrize("asked", ["", " ", 3])
def test_a_target_that_is_no_name(asked: str):
    s, args = row()
    text = str(teloom.lower(*row(), level="loop"))
    for request in (
        lambda: teloom.build(s, args, asked),
        lambda: teloom.lower(s, args, target=asked),
        lambda: teloom.compile(text, target=asked),
        lambda: te.explain(s, "cost", asked),
        lambda: te.explain(s, "maps", asked),
        lambda: te.auto_schedule(s, asked),
        lambda: teloom.build(s, args).export("never.o", asked),
    ):
        with pytest.raises(Error, match=f"^no target {asked!r}; targets: cpu, llvm, native, "):
            request()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"vector_bytes": 48}, "vector_bytes 48 of a target is no power of two"),
        ({"vector_registers": 0}, "vector_registers of a target cannot be 0; such as 32"),
        ({"caches": ("32K",)}, r"caches of a target cannot be \('32K',\); such as \(\)"),
        ({"caches": (-1,)}, r"caches of a target cannot be \(-1,\); such as \(\)"),
        ({"stack_bytes": 2**63}, f"stack_bytes of a target cannot be {2**63}; such as 1048576"),
        ({"cpu": 3}, "cpu of a target cannot be 3; such as ''"),
        (
            {"architecture": "vax"},
            "no architecture 'vax'; architectures: x86_64, aarch64, riscv64, wasm32",
        ),
        (
            {"architecture": "x86_64", "cpu": "znver33"},
            r"LLVM makes no x86_64 code for a CPU 'znver33'; it does for haswell or znver4; "
            r"did you mean 'znver3'\?",
        ),
        ({"cpu": "nope"}, "LLVM makes no code for a CPU 'nope'; it does for .*"),
        (
            {"architecture": "x86_64", "cpu": "pentium4"},
            "LLVM makes no x86_64 code for a CPU 'pentium4'; it does for haswell or znver4",
        ),
        (
            {"architecture": "x86_64", "cpu": "x86-64", "tune": "nope"},
            "LLVM makes no x86_64 code for a CPU 'nope'; it does for haswell or znver4",
        ),
        (
            {"architecture": "x86_64", "cpu": "x86-64", "features": "garbage"},
            "no extension 'garbage' of a target; such as [+]avx2 or -fma",
        ),
        (
            {"architecture": "x86_64", "cpu": "x86-64", "features": "+avx2,"},
            "no extension '' of a target; such as [+]avx2 or -fma",
        ),
        (
            {"architecture": "x86_64", "features": "+avx2,-avx3"},
            r"LLVM makes no x86_64 code with or without an extension 'avx3'; it does with [+]avx2 "
            r"or -fma; did you mean 'avx'\?",
        ),
        (
            {"features": "+nofeature"},
            "LLVM makes no code with or without an extension 'nofeature'; it does with .*",
        ),
        (
            {"architecture": "x86_64", "cpu": "x86-64", "features": "-sse2"},
            "LLVM makes no x86_64 code without the extension 'sse2'",
        ),
        (
            {"architecture": "riscv64", "cpu": "generic-rv64", "features": "+d,+zvl256b"},
            "the extension 'zvl256b' is of vectors; add [+]v to those of the target",
        ),
    ],
)
def test_what_no_target_is(given: dict[str, object], words: str):
    with pytest.raises(Error, match=f"^{words}$"):
        Target(**given)  # pyright: ignore


@ON_X86
@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("llvm -mattr=-avx3", r"with or without an extension 'avx3'; .* did you mean 'avx'\?$"),
        ("llvm -mcpu=znver3 -mattr=+avx512g", r"extension 'avx512g'; .*'avx512.'\?$"),
        ("llvm -mcpu=znver3 -mattr=-64bit", r"without the extension '64bit'$"),
    ],
)
def test_extensions_that_llvm_lacks(asked: str, words: str, tmp_path: Path):
    with pytest.raises(Error, match=words):
        teloom.build(*row(), target=asked)
    with pytest.raises(Error, match=words):
        teloom.build(*row()).export(tmp_path / "f.o", [asked])


@ON_X86
def test_an_extension_that_is_taken_away():
    """The level has it, so the code is told that the machine does not."""
    text = (
        "define float @f(float %x) {\n%y = call float @llvm.fma.f32(float %x, float %x, float %x)"
    )
    text += "\nret float %y\n}\ndeclare float @llvm.fma.f32(float, float, float)\n"
    for options, fused in (("", True), (" -mattr=-fma", False)):
        machine = cpus.target_asked(f"llvm -mcpu=x86-64-v3{options}")
        assert machine is not None
        assert ("vfmadd" in machine_code.assembly(text, machine)) == fused


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ('"cpu" = "nope"', "LLVM makes no x86_64 code for a CPU 'nope'"),
        ('"cpu" = "x86-64-v3", "features" = "garbage"', "no extension 'garbage' of a target"),
    ],
)
def test_text_for_a_machine_that_llvm_lacks(entries: str, words: str):
    text = str(teloom.lower(*row(), level="loop", target=Target("x86_64", "x86-64")))
    text = text.replace('"cpu" = "x86-64"', entries)
    with pytest.raises(Error, match=f"dlti.target_system_spec: {words}"):
        teloom.compile(text)


def test_the_attribute_says_all_that_is_not_usual():
    given = Target("x86_64", "x86-64-v3", caches=(32768, 524288), thread_axes=("threadIdx.x",))
    module = teloom.lower(*row(), level="te", target=given)
    f = teloom.compile(str(module))
    assert generators.made_for(f._program.module) == given
    assert "line_bytes" not in str(module)
