"""Libraries: what is exported does in C, and loaded again, what it does here."""

import ctypes
import json
import os
import pickle
import runpy
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from library_programs import PROGRAM, SAID, TWICE, blurred, translated

import teloom
from teloom import te
from teloom.backend.library import contents, cpu_code
from teloom.backend.library.archive import archive
from teloom.backend.library.c_signature import c_names
from teloom.backend.machine import cpus
from teloom.backend.machine.codegen import machine_code
from teloom.backend.machine.cpus import LEVELS
from teloom.driver.function import Function
from teloom.driver.reading.parsed_text import parsed
from teloom.frontend.call.loading import LibraryFunction

COMPILER = shutil.which("cc")
IN_C = pytest.mark.skipif(COMPILER is None, reason="there is no compiler of C")
ON_X86 = pytest.mark.skipif(
    cpus.host().architecture != "x86_64", reason="the levels are those of x86-64"
)
EXAMPLES = Path(__file__).parents[2] / "examples" / "c"
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a library of one function, as an object, an archive and a shared library."""
    folder = tmp_path_factory.mktemp("library")
    blur = blurred()
    for kind in ("o", "a", *(["so"] if COMPILER else [])):
        blur.export(folder / f"blur.{kind}", ["native", "x86-64"] if _is_x86() else None)
    (folder / "main.c").write_text(PROGRAM)
    return folder


def _is_x86() -> bool:
    return cpus.host().architecture == "x86_64"


def built(folder: Path, *parts: str) -> str:
    """What a program prints that is compiled from these parts."""
    program = folder / "program"
    command = [str(COMPILER), *STRICT, *parts, "-o", str(program)]
    subprocess.run(command, check=True, cwd=folder, capture_output=True)
    done = subprocess.run([program], check=True, cwd=folder, capture_output=True, text=True)
    return done.stdout


@IN_C
@pytest.mark.parametrize("library", ["blur.o", "blur.a", "./blur.so"])
def test_a_program_of_c(folder: Path, library: str):
    assert built(folder, "main.c", library) == SAID


@IN_C
def test_two_objects_in_one_program(folder: Path):
    """What they have in common does not collide, and the header may be included twice."""
    blurred("blur2").export(folder / "blur2.o")
    text = PROGRAM.replace("int main", "int unused").replace('"blur.h"', '"blur2.h"')
    text = text.replace("blur(", "blur2(").replace("blur_error", "blur2_error")
    (folder / "other.c").write_text(text.replace("int unused(void)", "int other(void)"))
    (folder / "both.c").write_text('#include "blur2.h"\n' + PROGRAM)
    assert built(folder, "both.c", "other.c", "blur.o", "blur2.o", "-Wno-error") == SAID


@IN_C
def test_loaded_again(folder: Path):
    blur = teloom.load(folder / "blur.so")
    assert isinstance(blur, LibraryFunction)
    assert (blur.name, repr(blur)) == ("blur", f"LibraryFunction(blur, {folder / 'blur.so'})")
    a = np.random.default_rng(0).random((5, 9), dtype="float32")
    results = [np.zeros((5, 7), "float32") for _ in range(3)]
    for _ in range(3):  # machine code makes the later calls
        blur(a, results[0])
    with teloom.num_threads(3):
        blur.bind(a, results[1])()
    pickle.loads(pickle.dumps(blur))(a, results[2])
    expected = 2 * a[:, :-2] + 2 * a[:, 1:-1] + 2 * a[:, 2:]
    for result in results:
        np.testing.assert_allclose(result, expected, rtol=1e-6)
    with pytest.raises(teloom.CallError, match=r"^blur: argument A has shape \(5, 9\), expected"):
        blur(a, np.zeros_like(a))
    with pytest.raises(teloom.CallError, match=r"^blur: argument A has dtype float64"):
        blur(a.astype("float64"), results[0])


@IN_C
def test_a_file_that_is_written_again(tmp_path: Path):
    """The system takes a library for the one that it has linked under that name."""
    x, place = np.ones(9, "float32"), tmp_path / "scale.so"
    for factor, count in ((2, 8), (3, 8), (5, 2)):
        A = te.placeholder((count,), name="A")
        B = te.compute((count,), lambda i, A=A, factor=factor: A[i] * factor, name="B")
        teloom.build(te.create_schedule(B), [A, B], name="scale").export(place)
        scale = teloom.load(place)
        for one in (scale, pickle.loads(pickle.dumps(scale))):
            y = np.zeros(9, "float32")
            one(x[:count], y[:count])
            np.testing.assert_array_equal(y, [factor] * count + [0] * (9 - count))


@IN_C
@pytest.mark.parametrize("sizes", [(0, 4), (1, 1), (3, 0), (17, 33)])
def test_loaded_sizes(folder: Path, sizes: tuple[int, int]):
    n, m = sizes
    a = np.random.default_rng(0).random((n, m + 2), dtype="float32")
    c = np.zeros((n, m), "float32")
    teloom.load(folder / "blur.so")(a, c)
    np.testing.assert_allclose(c, 2 * a[:, :-2] + 2 * a[:, 1:-1] + 2 * a[:, 2:], rtol=1e-6)


@IN_C
def test_several_functions(tmp_path: Path):
    A = te.placeholder((4,), "int32", name="A")
    twice = te.compute((4,), lambda i: A[i] * 2, name="B")
    negative = te.compute((4,), lambda i: -A[i], name="B")
    functions = teloom.build({"twice": [A, twice], "negative": [A, negative]})
    teloom.export(functions, tmp_path / "both.so")
    loaded = teloom.load(tmp_path / "both.so")
    assert isinstance(loaded, dict)
    a, b = np.arange(4, dtype="int32"), np.zeros(4, "int32")
    loaded["twice"](a, b)
    assert b.tolist() == [0, 2, 4, 6]
    loaded["negative"](a, b)
    assert b.tolist() == [0, -1, -2, -3]


@IN_C
def test_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TELOOM_SANITIZE", "")  # nothing is called in this process
    script = EXAMPLES / "export_matmul.py"
    monkeypatch.setattr(sys, "argv", [str(script), "mm.so"])
    runpy.run_path(str(script), run_name="__main__")
    said = built(tmp_path, "-I.", str(EXAMPLES / "matmul.c"), "./mm.so")
    a = np.arange(12).reshape(3, 4)
    b = (np.arange(20) % 3).reshape(4, 5)
    numbers = [[float(word) for word in line.split()] for line in said.splitlines()]
    assert numbers == (a @ b).tolist()


def test_a_module_for_another_machine(tmp_path: Path):
    A = te.placeholder((4,), "float32", name="A")
    B = te.compute((4,), lambda i: A[i] * 2.0, name="B")
    module = teloom.lower([B], [A, B], name="twice", level="te", target="neoverse-n1")
    library, header = teloom.export(module, tmp_path / "twice.o")
    data = library.read_bytes()
    assert int.from_bytes(data[18:20], "little") == 183  # EM_AARCH64
    assert "for aarch64 (neoverse-n1)" in header.read_text()
    if sys.platform == "linux" and _is_x86():
        with pytest.raises(teloom.Error, match=r"twice.o is for aarch64, and this machine is "):
            teloom.load(library)


def test_the_same_function_gives_the_same_file(tmp_path: Path):
    files = [tmp_path / "one" / "x.a", tmp_path / "other" / "x.a"]
    for file in files:
        file.parent.mkdir()
        blurred.__wrapped__().export(file, "x86-64-v3")  # compiled anew
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[0].with_suffix(".h").read_text() == files[1].with_suffix(".h").read_text()


HEADER = """\
/* Arrays do not overlap where one is written; none is NULL.
   A: float32 [n, m + 2]
   C: float32 [n, m], written */
int32_t blur(int64_t n,
             int64_t m,
             const float *A,
             float *C,
             const teloom_context *context);

/* What a status of blur means. */
const char *blur_error(int32_t status);

/* How many bytes a call of blur takes of memory that begins at a
   multiple of 64; below 0, the status of a call of these sizes. */
int64_t blur_workspace(int64_t n, int64_t m, const teloom_context *context);
"""


def test_the_header(folder: Path):
    assert HEADER in (folder / "blur.h").read_text()


@pytest.mark.skipif(shutil.which("c++") is None, reason="there is no compiler of C++")
def test_the_header_in_cpp(folder: Path):
    command = ["c++", "-Wall", "-Wextra", "-Werror", "-pedantic", "-x", "c++", "-fsyntax-only"]
    subprocess.run([*command, folder / "blur.h"], check=True)


@IN_C
def test_headers_whose_names_are_one_in_c(tmp_path: Path):
    blurred("one").export(tmp_path / "a-b.o")
    blurred("two").export(tmp_path / "a_b.o")
    text = '#include "a-b.h"\n#include "a_b.h"\nvoid *of[] = {(void *)one, (void *)two};\n'
    (tmp_path / "both.c").write_text(text)
    command = [str(COMPILER), *STRICT[:4], "-fsyntax-only", "both.c"]
    subprocess.run(command, check=True, cwd=tmp_path)


def test_names_of_c():
    assert c_names(["A.local", "int", "A_local", "2nd", ""]) == [
        "A_local",
        "int_",
        "A_local_",
        "_2nd",
        "_",
    ]
    assert c_names(["NAN", "M_PI", "HUGE_VAL", "FP_NAN", "EXIT_FAILURE", "exp", "M_"]) == [
        "NAN_",
        "M_PI_",
        "HUGE_VAL_",
        "FP_NAN_",
        "EXIT_FAILURE_",
        "exp",
        "M_",
    ]
    assert c_names(["nullptr", "__func__", "_Bool", "INT64_MIN", "context", "teloom_context"]) == [
        "nullptr_",
        "v__func__",
        "v_Bool",
        "INT64_MIN_",
        "context_",
        "vteloom_context",
    ]


# Memory


class Context(ctypes.Structure):
    """`teloom_context`."""

    _fields_ = [
        ("user", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("parallel", ctypes.c_void_p),
        ("threads", ctypes.c_int32),
        ("memory", ctypes.c_void_p),
        ("bytes", ctypes.c_int64),
    ]


def by_threads() -> Function:
    """A buffer of the whole program, and one that each thread has for its rows."""
    n, m = te.size_var("n"), te.size_var("m")
    A = te.placeholder((n, m), name="A")
    B = te.compute((n, m), lambda i, j: A[n - 1 - i, j] * 2.0, name="B")
    C = te.compute((n, m), lambda i, j: B[i, j] + B[n - 1 - i, j], name="C")
    D = te.compute((n, m), lambda i, j: C[i, j] + C[i, m - 1 - j], name="D")
    s = te.create_schedule(D.op)
    s[C].compute_at(s[D], D.op.axis[0])
    s[D].parallel(D.op.axis[0])
    return teloom.build(s, [A, D], name="f")


@IN_C
def test_workspace(tmp_path: Path):
    """With memory of just the bytes that it asks for, a call allocates none; with less, some."""
    file, _ = by_threads().export(tmp_path / "f.so", ["x86-64-v3", "x86-64"] if _is_x86() else None)
    library = ctypes.CDLL(str(file))
    library.f_workspace.restype = ctypes.c_int64
    library.f_workspace.argtypes = [ctypes.c_int64] * 2 + [ctypes.POINTER(Context)]
    library.f.argtypes = [ctypes.c_int64] * 2 + [ctypes.c_void_p] * 2 + [ctypes.POINTER(Context)]
    refuses = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(
        lambda user, alignment, bytes: None
    )
    refused = ctypes.cast(refuses, ctypes.c_void_p)
    asked: list[int] = []
    for n, m, threads in [(0, 3, 1), (1, 1, 1), (5, 7, 1), (5, 7, 2), (5, 7, 8), (33, 100, 3)]:
        context = Context(threads=threads, allocate=refused, release=refused)
        bytes = library.f_workspace(n, m, context)
        memory = np.zeros(bytes + 64, "uint8")
        context.memory = memory.ctypes.data + -memory.ctypes.data % 64
        a = np.random.default_rng(n).random((n, m), dtype="float32")
        d = np.zeros_like(a)
        context.bytes = bytes
        assert library.f(n, m, a.ctypes.data, d.ctypes.data, context) == 0
        c = 2 * (a + a[::-1])
        np.testing.assert_allclose(d, c + c[:, ::-1], rtol=1e-6)
        if bytes:
            context.bytes = bytes - 1
            assert library.f(n, m, a.ctypes.data, d.ctypes.data, context) == 1
        asked.append(bytes)
    assert asked[1] < asked[2] < asked[3] < asked[4]
    assert library.f_workspace(2**40, 2**40, Context()) > 2**62
    assert library.f_workspace(-1, 1, Context()) == -2


IN_A_LOOP = """
func.func @f(%A: memref<8xi64>, %B: memref<8xi64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  scf.for %i = %zero to %eight step %one {
    %given = memref.load %A[%i] : memref<8xi64>
    %size = arith.index_cast %given : i64 to index
    %buffer = memref.alloc(%size) : memref<?xi64>
    memref.store %given, %buffer[%zero] : memref<?xi64>
    %back = memref.load %buffer[%zero] : memref<?xi64>
    memref.store %back, %B[%i] : memref<8xi64>
    memref.dealloc %buffer : memref<?xi64>
  }
  func.return
}
"""


def test_memory_that_depends_on_data(tmp_path: Path):
    _, header = teloom.export(parsed(IN_A_LOOP, "f"), tmp_path / "f.o")
    assert "f_error" in header.read_text()
    assert "f_workspace" not in header.read_text()


def test_no_memory(tmp_path: Path):
    _, header = twice("f").export(tmp_path / "f.o")
    assert "int64_t f_workspace(const teloom_context *context);" in header.read_text()


# What is refused


def twice(name: str) -> Function:
    """Of a name that exports refuse, before they look at what it does."""
    A = te.placeholder((4,), "int32", name="A")
    return teloom.build([A, te.compute((4,), lambda i: A[i] * 2, name="B")], name=name)


def test_refused_exports(tmp_path: Path):
    blur = twice("blur")
    for path, words in {
        "blur.dll": r"blur.dll is no name of a library; it ends in .so, .wasm, .a, .o$",
        "nowhere/blur.o": r"^cannot write .*nowhere/blur.o: No such file or directory$",
    }.items():
        with pytest.raises(teloom.Error, match=words):
            blur.export(tmp_path / path)
    with pytest.raises(teloom.Error, match=r"^a library is for one architecture, got aarch64 and"):
        blur.export(tmp_path / "blur.o", ["armv8-a", "x86-64"])
    with pytest.raises(teloom.Error, match=r"^a library is for one target at least"):
        blur.export(tmp_path / "blur.o", [])
    with pytest.raises(teloom.Error, match=r"^no target 'x86-64-v33'.*'x86-64-v3'\?$"):
        blur.export(tmp_path / "blur.o", "x86-64-v33")
    with pytest.raises(teloom.Error, match=r"^two functions of the library are called blur; "):
        teloom.export([blur, twice("blur")], tmp_path / "two.o")
    with pytest.raises(teloom.Error, match=r"^two functions of the library are called blur_error"):
        teloom.export([blur, twice("blur_error")], tmp_path / "two.o")
    for name in ("double", "int32_t", "co_await", "__attribute__", "TELOOM_OK"):
        with pytest.raises(teloom.Error, match=rf"^'{name}' is no name of a function in C"):
            twice(name).export(tmp_path / "d.o")
    with pytest.raises(
        teloom.Error, match=r"^the function that is listed as 'blur2' is called blu"
    ):
        teloom.export({"blur2": blur}, tmp_path / "b.o")
    with pytest.raises(teloom.Error, match=r"^a library has or calls a function 'free' itself; "):
        twice("free").export(tmp_path / "free.o")
    for name in ("main", "printf", "sqrtf", "index", "stdout", "gamma", "environ", "sem_wait"):
        message = rf"^C programs have a '{name}' of their own, or call it; give the program "
        with pytest.raises(teloom.Error, match=message):
            twice(name).export(tmp_path / "d.o")
    with pytest.raises(teloom.Error, match=r"^a library is made of compiled functions, got \[\]$"):
        teloom.export([], tmp_path / "none.o")
    assert [*tmp_path.iterdir()] == []


def test_a_function_of_this_process(tmp_path: Path):
    def twice(a: np.ndarray, b: np.ndarray) -> None:
        b[:] = 2 * a

    A = te.placeholder((4,), name="A")
    B = te.extern((4,), [A], lambda ins, outs: te.call_packed(twice, ins[0], outs[0]), name="B")
    f = teloom.build(te.create_schedule(B.op), [A, B], name="f")
    with pytest.raises(teloom.Error, match=r"^f calls .*, which is in this process only$"):
        f.export(tmp_path / "f.o")


def test_without_a_linker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(teloom.Error, match=r"^no linker for a shared library of .*export a \.o"):
        blurred().export(tmp_path / "blur.so")
    assert [*tmp_path.iterdir()] == []
    blurred().export(tmp_path / "blur.a")  # needs none


@pytest.mark.skipif(sys.platform != "linux", reason="files of ELF")
def test_files_that_are_no_libraries(folder: Path, tmp_path: Path):
    data = (folder / "blur.o").read_bytes()
    files = {
        "text.so": (b"hello", "is no shared library: it does not begin as an ELF file does"),
        "short.so": (data[:40], "is damaged, or for a machine of 32 bits"),
        "cut.so": (data[: len(data) // 2], "is damaged: it has .* bytes, and says"),
        "object.so": (data, "is an object, and no shared library"),
        "foreign.so": (data[:18] + b"\x28\x00" + data[20:], "is for arm, and this machine is"),
    }
    for name, (content, words) in files.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(teloom.Error, match=words):
            teloom.load(tmp_path / name)
    with pytest.raises(teloom.Error, match=r"^cannot read .*none.so: No such file or directory$"):
        teloom.load(tmp_path / "none.so")


@IN_C
def test_libraries_that_do_not_fit(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    data = (folder / "blur.so").read_bytes()
    other = tmp_path / "other.so"
    other.write_bytes(data.replace(b'{"format": 1', b'{"format": 9'))
    with pytest.raises(
        teloom.Error, match=r"made by Teloom .* in format 9; this one reads format 1"
    ):
        teloom.load(other)
    other.write_bytes(data.replace(b'"needs": ', b'"peeds": '))
    with pytest.raises(
        teloom.Error, match=r"is damaged: it does not say what is in it \('needs'\)"
    ):
        teloom.load(other)
    (tmp_path / "empty.c").write_text("int nothing;")
    built_by = [str(COMPILER), "-shared", "-o", str(other), str(tmp_path / "empty.c")]
    subprocess.run(built_by, check=True)
    with pytest.raises(teloom.Error, match=r"is no library of Teloom: it does not say"):
        teloom.load(other)


@IN_C
@ON_X86
def test_a_cpu_without_the_instructions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    blurred().export(tmp_path / "blur.so", "x86-64-v3")
    here = cpus.host()
    old = replace(here, features=",".join(f"+{name}" for name in sorted(LEVELS["x86-64-v2"])))
    monkeypatch.setattr(cpus, "host", lambda: old)
    with pytest.raises(teloom.Error, match=r"needs a CPU with .*avx2.*, which this machine lacks$"):
        teloom.load(tmp_path / "blur.so")


def test_contents_come_back():
    function = contents.CFunction(blurred().kernel.signature, ("it is odd",))
    said = contents.Contents("x86_64", [["avx", "avx2"], []], [function])
    data = b"before\0" + said.text("0.1") + b"\0behind"
    assert contents.Contents.of("file", data) == said
    assert json.loads(said.text("0.1").removeprefix(contents.MARK))["teloom"] == "0.1"


def test_a_target_keeps_what_a_library_can_look_for():
    machine = cpu_code.checked_target(cpus.target("znver4"))
    assert {"avx512bf16", "avx2", "avx512vnni"} <= {*cpu_code.features_of(machine)}
    assert (machine.cpu, machine.tune, machine.name) == ("x86-64", "znver4", "znver4")
    with pytest.raises(teloom.Error, match=r"^a library needs a target with an architecture"):
        cpu_code.checked_target(teloom.Target())


def test_archives():
    """Members begin at even places; the index names each symbol; long names stand apart."""
    made = archive("a.o", b"odd", ["f", "g"])
    assert made.startswith(b"!<arch>\n/ ")
    assert len(made) % 2 == 0
    at = int.from_bytes(made[72:76], "big")
    assert made[at : at + 4] == b"a.o/"
    long = archive("a_long_name_of_an_object.o", b"data", ["f"])
    at = int.from_bytes(long[72:76], "big")
    assert long[at : at + 2] == b"/0"
    assert b"a_long_name_of_an_object.o/\n" in long


# Other machines


@pytest.mark.parametrize(
    ("asked", "architecture", "name", "bytes"),
    [
        ("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1", "aarch64", "neoverse-n1", 16),
        ("llvm -mtriple=aarch64-linux-gnu -mcpu=a64fx", "aarch64", "a64fx", 64),
        ("llvm -mtriple=arm64-apple-darwin", "aarch64", "armv8-a", 16),
        ("llvm -mtriple=riscv64-linux-gnu", "riscv64", "rv64gc", 8),
        ("llvm -mtriple=riscv64-linux-gnu -mattr=+v", "riscv64", "rv64gc", 16),
        ("llvm -mtriple=wasm32-unknown-unknown", "wasm32", "wasm32", 8),
        ("llvm -mtriple=wasm32-wasi -mattr=+simd128", "wasm32", "wasm32", 16),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=core-avx2", "x86_64", "haswell", 32),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=haswell -mattr=-avx2,-avx", "x86_64", "haswell", 16),
    ],
)
def test_targets_by_options(asked: str, architecture: str, name: str, bytes: int):
    found = cpus.target_asked(asked)
    assert found is not None
    assert (found.architecture, found.name, found.vector_bytes) == (architecture, name, bytes)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (
            "llvm -mcpu",
            r"^the option -mcpu of a target wants a value behind =, as in -mcpu=...",
        ),
        ("llvm -mcpy=haswell", r"^no option '-mcpy=haswell' of a target; .*'-mcpu'\?$"),
        ("llvm -mtriple=aarch65-linux", r"^no architecture 'aarch65' .*'aarch64'\?$"),
        (
            "llvm -mtriple=aarch64-linux -mcpu=haswell",
            r"^the CPU haswell is of x86_64, and",
        ),
        ("llvm -mtriple=x86_64-linux -mcpu=hasvell", r"^no CPU 'hasvell'; .*'haswell'\?$"),
        ("llvm -mtriple=x86_64-linux -mattr=avx2", r"^no extension 'avx2' of a target; such as"),
    ],
)
def test_refused_targets(asked: str, words: str):
    with pytest.raises(teloom.Error, match=words):
        cpus.target_asked(asked)


EMULATED = {
    "aarch64": ("qemu-aarch64", "aarch64-linux-gnu-gcc", ["neoverse-v1", "armv8-a"]),
    "riscv64": ("qemu-riscv64", "riscv64-linux-gnu-gcc", ["rv64gc"]),
}


@pytest.mark.parametrize("architecture", EMULATED)
def test_another_machine(folder: Path, tmp_path: Path, architecture: str):
    """Runs where Debian's packages qemu-user and gcc-ARCHITECTURE-linux-gnu are installed."""
    emulator, compiler, targets = EMULATED[architecture]
    blurred().export(tmp_path / "blur.o", targets)
    if shutil.which(emulator) is None or shutil.which(compiler) is None:
        pytest.skip(f"needs {emulator} and {compiler}")
    (tmp_path / "main.c").write_text(PROGRAM)
    build_with(compiler, tmp_path)
    assert run_by([emulator], tmp_path) == SAID
    assert os.access(tmp_path / "blur.h", os.R_OK)


def build_with(compiler: str, folder: Path) -> None:
    command = [compiler, "-static", "main.c", "blur.o", "-lm", "-o", "program"]
    subprocess.run(command, check=True, cwd=folder, capture_output=True)


def run_by(command: list[str], folder: Path) -> str:
    """What the program prints."""
    parts = [*command, "./program"]
    return subprocess.run(parts, check=True, cwd=folder, capture_output=True, text=True).stdout


ARMS = ["max", "max,sve-default-vector-length=32", "neoverse-n1", "cortex-a72"]
"""CPUs of QEMU: with vectors of SVE of 64 bytes, of 32, and without SVE."""


@pytest.mark.parametrize("targets", [["a64fx", "neoverse-v1", "neoverse-n1", "armv8-a"], ["a64fx"]])
def test_with_and_without_sve(tmp_path: Path, targets: list[str]):
    """The code of a64fx is for vectors of 64 bytes, and runs nowhere else."""
    emulator, compiler, _ = EMULATED["aarch64"]
    blurred().export(tmp_path / "blur.o", targets)
    if shutil.which(emulator) is None or shutil.which(compiler) is None:
        pytest.skip(f"needs {emulator} and {compiler}")
    (tmp_path / "main.c").write_text(PROGRAM)
    build_with(compiler, tmp_path)
    for cpu in ARMS:
        said = run_by([emulator, "-cpu", cpu], tmp_path)
        if cpu == "max" or len(targets) > 1:
            assert said == SAID
        else:
            assert "blur: the code is for a64fx, and this CPU lacks instructions" in said


def test_sve_of_a_fixed_length():
    machine = cpus.target("a64fx")
    assert (machine.vector_bytes, machine.least_scale) == (64, 4)
    assert machine_code.function_attributes(machine)["vscale_range"] == "4,16"
    for text, bytes in (("+dotprod", 64), ("-sve", 16)):
        found = cpus.target_asked(f"llvm -mtriple=aarch64-linux-gnu -mcpu=a64fx -mattr={text}")
        assert found is not None
        assert found.vector_bytes == bytes


def test_levels_are_no_cpus_to_tune_for(capfd: pytest.CaptureFixture[str]):
    """LLVM would say at each function that it does not know their names."""
    for name in ("armv8.2-a", "rv64gcv", "wasm32-simd128"):
        machine_code.assembly("define void @f() {\nret void\n}", cpus.target(name))
        assert machine_code.function_attributes(cpus.target(name)) == {}
    assert capfd.readouterr().err == ""


def test_libraries_from_the_command_line(tmp_path: Path):
    teloom.export(parsed(TWICE, "twice"), tmp_path / "exported.a")
    for kind in ("header", "a"):
        assert translated(tmp_path, TWICE, kind)[0] == 0
    exported = (tmp_path / "exported.h").read_text()
    assert (tmp_path / "twice.header").read_text() == exported.replace("exported", "twice").replace(
        "EXPORTED", "TWICE"
    )
    teloom.export(parsed(TWICE, "twice"), tmp_path / "exported.o")
    _, made, _ = translated(tmp_path, TWICE, "obj")
    assert made.read_bytes() == (tmp_path / "exported.o").read_bytes()
    if COMPILER is not None:
        _, made, _ = translated(tmp_path, TWICE, "so")
        a, b = np.arange(3, dtype="float32"), np.zeros(3, "float32")
        teloom.load(made)(a, b)
        assert b.tolist() == [0, 2, 4]


def test_a_library_of_nothing(tmp_path: Path):
    code, made, said = translated(tmp_path, "func.func private @f()", "a")
    assert code == 1
    assert said == "teloom-translate: error: a library is made of functions, and there is none\n"
    assert not made.exists()
