"""WebAssembly: exported modules do under node what functions do here."""

import json
import math
import random
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from library_programs import PROGRAM, SAID, TWICE, blurred, translated
from wasm_modules import Call, needs_linker, needs_node, node, run

import teloom
from teloom import te
from teloom.backend.library import linking
from teloom.backend.library.objects import own_functions
from teloom.backend.machine import cpus
from teloom.backend.machine.codegen import half_vectors
from teloom.driver.function import Function

MAGIC = b"\0asm"


@pytest.mark.parametrize("kind", ["o", "a"])
def test_objects_need_no_linker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str):
    monkeypatch.setenv("PATH", str(tmp_path))
    library, header = blurred().export(tmp_path / f"blur.{kind}", "wasm32-simd128")
    assert MAGIC in library.read_bytes()
    assert "for wasm32 (wasm32-simd128)" in header.read_text()


def test_without_a_linker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("WASM_LD", raising=False)
    monkeypatch.setattr(linking.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(teloom.Error, match=r"^no linker for a module of WebAssembly: .* a \.o or"):
        blurred().export(tmp_path / "blur.wasm", "wasm32")
    assert [*tmp_path.iterdir()] == []


def test_refused_exports(tmp_path: Path):
    blur = blurred()
    with pytest.raises(teloom.Error, match=r"^a \.so is not for wasm32, .* are \.wasm; name"):
        blur.export(tmp_path / "blur.so", "wasm32")
    with pytest.raises(teloom.Error, match=r"^a \.wasm is not for x86_64, .* are \.so; name"):
        blur.export(tmp_path / "blur.wasm", "x86-64")
    with pytest.raises(teloom.Error, match=r"one target, got wasm32-simd128 and wasm32; export"):
        blur.export(tmp_path / "blur.o", ["wasm32-simd128", "wasm32"])
    assert [*tmp_path.iterdir()] == []


def test_a_module_is_not_loaded_here(tmp_path: Path):
    (tmp_path / "blur.wasm").write_bytes(MAGIC + b"\1\0\0\0")
    with pytest.raises(teloom.Error, match=r"blur\.wasm is for wasm32, which an engine of"):
        teloom.load(tmp_path / "blur.wasm")


def test_compares_of_f16():
    text = (
        "  %m = fcmp fast ogt <4 x half> %x, zeroinitializer\n"
        "  %n = fcmp une <2 x half> %y, <half 0xH3C00, half 0xH4000>, !dbg !7\n"
        "  %o = fcmp olt half %a, %b\n"
    )
    assert half_vectors.in_f32(text) == (
        "  %half.left.0 = fpext <4 x half> %x to <4 x float>\n"
        "  %half.right.0 = fpext <4 x half> zeroinitializer to <4 x float>\n"
        "  %m = fcmp fast ogt <4 x float> %half.left.0, %half.right.0\n"
        "  %half.left.1 = fpext <2 x half> %y to <2 x float>\n"
        "  %half.right.1 = fpext <2 x half> <half 0xH3C00, half 0xH4000> to <2 x float>\n"
        "  %n = fcmp une <2 x float> %half.left.1, %half.right.1, !dbg !7\n"
        "  %o = fcmp olt half %a, %b\n"
    )


def test_extensions_of_f16():
    text = (
        "  %d = fpext <2 x half> %x to <2 x double>, !dbg !7\n"
        "  %f = fpext <2 x half> %x to <2 x float>\n"
        "  %s = fpext half %a to double\n"
    )
    assert half_vectors.in_f32(text) == (
        "  %half.wide.0 = fpext <2 x half> %x to <2 x float>\n"
        "  %d = fpext <2 x float> %half.wide.0 to <2 x double>, !dbg !7\n"
        "  %f = fpext <2 x half> %x to <2 x float>\n"
        "  %s = fpext half %a to double\n"
    )


def test_a_relu_of_f16_has_code(tmp_path: Path):
    """LLVM's vectorizer makes a comparison of vectors of it, and its code generator aborts."""
    A = te.placeholder((te.size_var("n"),), "float16", name="A")
    B = te.compute(A.shape, lambda i: te.if_then_else(A[i] > 0, A[i], te.const(0, "float16")))
    relu = teloom.build([A, B], name="relu")
    library, _ = relu.export(tmp_path / "relu.o", "wasm32-simd128")
    assert library.read_bytes().startswith(MAGIC)


# What node runs


def multiplied() -> Function:
    n, k, m = te.size_var("n"), te.size_var("k"), te.size_var("m")
    A, B = te.placeholder((n, k), name="A"), te.placeholder((k, m), name="B")
    r = te.reduce_axis((0, k), name="r")
    C = te.compute((n, m), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C")
    return teloom.build([A, B, C], name="mm")


@needs_node
@needs_linker
@pytest.mark.parametrize("target", ["wasm32", "wasm32-simd128"])
def test_f16_that_becomes_f64(tmp_path: Path, target: str):
    A = te.placeholder((te.size_var("n"),), "float16", name="A")
    B = te.compute(A.shape, lambda i: A[i].astype("float64") * 2, name="B")
    file, _ = teloom.build([A, B], name="twice").export(tmp_path / "twice.wasm", target)
    given = np.arange(-9, 10, dtype="float16") / 8
    (made,), _ = run(file, [Call("twice", (19,), [given, np.zeros(19)])])
    np.testing.assert_array_equal(made.arrays[1], given.astype("float64") * 2)


@needs_node
@needs_linker
@pytest.mark.parametrize("target", ["wasm32", "llvm -mtriple=wasm32 -mattr=+simd128"])
def test_products(tmp_path: Path, target: str):
    file, _ = multiplied().export(tmp_path / "mm.wasm", target)
    calls: list[Call] = []
    for sizes in ((0, 3, 2), (1, 1, 1), (2, 0, 3), (17, 33, 29), (64, 64, 64)):
        n, k, m = sizes
        a, b = np.arange(n * k) % 7, np.arange(k * m) % 5
        arrays = [a.reshape(n, k), b.reshape(k, m), np.full((n, m), -1)]
        calls.append(Call("mm", sizes, [one.astype("float32") for one in arrays]))
    made, _ = run(file, calls)
    for call, one in zip(calls, made, strict=True):
        assert one.said == "mm: it is done"
        np.testing.assert_array_equal(one.arrays[2], call.arrays[0] @ call.arrays[1])


@needs_node
@needs_linker
def test_memory(tmp_path: Path):
    """Buffers of calls come back, arrays too; what does not fit is refused."""
    file, _ = blurred().export(tmp_path / "blur.wasm", "wasm32")
    a = np.random.default_rng(0).random((200, 301), dtype="float32")
    arrays = [a, np.zeros((200, 299), "float32")]
    made, once = run(file, [Call("blur", (200, 299), arrays)])
    np.testing.assert_allclose(made[0].arrays[1], 2 * (a[:, :-2] + a[:, 1:-1] + a[:, 2:]), 1e-6)
    _, often = run(file, [Call("blur", (200, 299), arrays)] * 30)
    assert often == once < 2**20
    huge = [Call("blur", (2**20, 2**size), arrays) for size in (11, 13, 20, 40)]
    made, _ = run(file, [*huge, Call("blur", (-1, 1), arrays), Call("blur", (200, 299), arrays)])
    lack = "blur: there is not enough memory for temporary buffers"
    assert [one.said for one in made[:4]] == [lack] * 4
    assert made[4].said == "blur: n must be from 0 to 1099511627776"
    assert made[5].said == "blur: it is done"


FUNCTIONS = (
    "exp log log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf sqrt"
).split()


@needs_node
@needs_linker
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_elementary_functions(tmp_path: Path, dtype: str):
    """At level "precise" and for large angles they are those of `Math`."""
    n = te.size_var("n")
    A = te.placeholder((n,), dtype, name="A")
    results = [te.compute((n,), lambda i, f=f: getattr(te, f)(A[i]), name=f) for f in FUNCTIONS]
    power = te.compute((n,), lambda i: te.power(A[i], A[i]), name="power")
    options = {"expand-math": {"level": "precise"}}
    f = teloom.build([A, *results, power], name="f", options=options)
    file, _ = f.export(tmp_path / "f.wasm", "wasm32-simd128")
    a = np.r_[np.linspace(0.01, 0.99, 50), 1.5, 2, 5, 1e3, 1e7].astype(dtype)
    here = [a, *(np.zeros_like(a) for _ in range(len(FUNCTIONS) + 1))]
    f(*here)
    (made,), _ = run(file, [Call("f", (a.size,), [a, *(np.zeros_like(a) for _ in here[1:])])])
    for one, other in zip(made.arrays, here, strict=True):
        np.testing.assert_allclose(one, other, rtol=4 * np.finfo(dtype).eps)


EXACT = [
    ("fmaf", [1 + 2.0**-12, 1 + 2.0**-12, 2.0**-70], 1 + 2.0**-11 + 2.0**-23),
    ("fmaf", [1 + 2.0**-12, 1 + 2.0**-12, -(2.0**-70)], 1 + 2.0**-11),
    ("fma", [2.0**1000, 2.0**1000, float("-inf")], float("-inf")),
    ("fma", [0.0, 5.0, 2.0], 2.0),
    ("fmod", [1e300, 3.0], math.fmod(1e300, 3.0)),
    ("fmod", [-7.5, 2.0], -1.5),
    ("fmod", [5e-324, 1e308], 5e-324),
    ("round", [0.49999999999999994], 0.0),
    ("round", [-2.5], -3.0),
    ("ldexp", [1.5, -1074], 2.0**-1073),
    ("ldexp", [2.0**-1074, 2097], 2.0**1023),
    ("fmin", [float("nan"), 2.0], 2.0),
    ("fmax", [2.0, float("nan")], 2.0),
    ("pow", [1.0, float("inf")], 1.0),
    ("pow", [-1.0, float("inf")], 1.0),
    ("exp2", [10.0], 1024.0),
    ("expf", [1.0], float(np.float32(np.e))),
]


def fused() -> list[tuple[str, list[float], float]]:
    """Products and sums of all magnitudes, whose differences are small or whose results are."""
    chosen = random.Random(0)
    found: list[tuple[str, list[float], float]] = []
    for _ in range(400):
        x, y = (math.ldexp(chosen.uniform(1, 2), chosen.randint(-560, 500)) for _ in range(2))
        z = (
            x
            * y
            * chosen.choice([-1, 1])
            * math.ldexp(chosen.uniform(1, 2), chosen.randint(-60, 60))
        )
        if not 0 < abs(z) < 1e300 or abs(x * y) > 1e300:
            z = math.ldexp(chosen.uniform(-1, 1), chosen.randint(-1074, -1000))
        if abs(x * y) < 1e300 and chosen.random() < 0.3:
            z = -(x * y)
        exact = Fraction(x) * Fraction(y) + Fraction(z)
        if abs(exact) < 2**1023:
            found.append(("fma", [x, y, z], float(exact)))
    return found


@needs_node
@needs_linker
def test_functions_that_javascript_lacks(tmp_path: Path):
    cases = [*EXACT, *fused()]
    names = sorted({name for name, _, _ in cases})
    file = tmp_path / "own.wasm"
    file.write_bytes(linking.wasm_module([own_functions(cpus.target("wasm32"))], names))
    program = """
    const { file, calls } = JSON.parse(require("fs").readFileSync(0, "utf8"));
    WebAssembly.instantiate(require("fs").readFileSync(file), { Math }).then(({ instance }) => {
      const numbers = calls.map(([name, given]) => {
        const bytes = Buffer.from(given, "hex");
        const values = given.match(/.{16}/g).map((_, k) => bytes.readDoubleLE(8 * k));
        bytes.writeDoubleLE(instance.exports[name](...values));
        return bytes.subarray(0, 8).toString("hex");
      });
      console.log(JSON.stringify(numbers));
    });
    """
    calls = [[name, np.asarray(given, "float64").tobytes().hex()] for name, given, _ in cases]
    said = json.loads(node(program, json.dumps({"file": str(file), "calls": calls})))
    found = [float(np.frombuffer(bytes.fromhex(one), "float64")[0]) for one in said]
    wrong = [(*case, one) for case, one in zip(cases, found, strict=True) if case[2] != one]
    assert wrong == []


@needs_node
@needs_linker
def test_only_math_is_imported(tmp_path: Path):
    file, _ = multiplied().export(tmp_path / "mm.wasm", "wasm32")
    program = """
    const module = new WebAssembly.Module(require("fs").readFileSync(0));
    const names = (all) => all.map((one) => one.name).sort().join(" ");
    console.log(names(WebAssembly.Module.imports(module)));
    console.log(names(WebAssembly.Module.exports(module)));
    """
    done = subprocess.run(
        ["node", "-e", program], input=file.read_bytes(), capture_output=True, check=True
    )
    assert done.stdout.decode() == "\naligned_alloc free memory mm mm_error mm_workspace\n"


@needs_node
@needs_linker
def test_the_program_of_the_documentation(tmp_path: Path):
    text = (Path(__file__).parents[2] / "docs" / "libraries.md").read_text()
    (program,) = re.findall(r"^```js\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    multiplied().export(tmp_path / "mm.wasm", "wasm32-simd128")
    (tmp_path / "program.mjs").write_text(program)
    done = subprocess.run(
        ["node", "program.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["0", "Float32Array(15)", "[", *["4,"] * 14, "4", "]"]


@needs_linker
def test_modules_from_the_command_line(tmp_path: Path):
    _, made, said = translated(tmp_path, TWICE, "wasm", "--cpu", "wasm32")
    assert made.read_bytes().startswith(MAGIC), said


@needs_node
def test_a_program_of_c(tmp_path: Path):
    """Runs where the wheel of Zig is installed, which has a C library for WebAssembly."""
    compiler = [sys.executable, "-m", "ziglang", "cc", "-target", "wasm32-wasi"]
    if linking.importlib.util.find_spec("ziglang") is None:
        pytest.skip("needs the wheel ziglang")
    blurred().export(tmp_path / "blur.o", "wasm32-simd128")
    (tmp_path / "main.c").write_text(PROGRAM)
    command = [*compiler, "-msimd128", "main.c", "blur.o", "-o", "program.wasm"]
    subprocess.run(command, check=True, cwd=tmp_path, capture_output=True)
    program = """
    const { WASI } = require("node:wasi");
    const wasi = new WASI({ version: "preview1" });
    const file = require("fs").readFileSync(process.argv[1]);
    WebAssembly.instantiate(file, wasi.getImportObject()).then(({ instance }) => {
      wasi.start(instance);
    });
    """
    assert node(program, "", str(tmp_path / "program.wasm")) == SAID
