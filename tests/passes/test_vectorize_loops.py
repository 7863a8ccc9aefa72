"""Vectorized loops compute what serial ones do, bit by bit, at every size."""

import ctypes
import mmap
from itertools import product

import numpy as np
import pytest
from budget import few
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_kernels import compile_loops
from standard_kernels import DTYPES, parse
from xdsl.passes import ModulePass

from teloom.analysis.accesses.interleaved import MOST_STRIDE, Interleaved
from teloom.backend.call.kernel import Kernel
from teloom.backend.checks.memory_check import MemoryCheck
from teloom.backend.machine.generators import AS_WRITTEN, FAST_CODE, Effort
from teloom.passes.lanes.vectorize_loops import VectorizeLoopsPass
from teloom.passes.loops.lower_loops import LowerLoopsPass
from teloom.passes.loops.unroll_loops import UnrollLoopsPass
from teloom.passes.storage.storage_flatten import StorageFlattenPass

SIZES = (0, 1, 2, 3, 7, 16, 31, 33, 64, 100)

FLOATS = "A: f32 (n + 8)", "B: f32 (n + 8)", "C: f32 (n + 8)"


def text(arguments: tuple[str, ...], body: str, kind: str) -> str:
    """A function of %n and arrays such as `A: f32 (n + 8)`; all may be read and written."""
    texts: list[str] = []
    binds: list[str] = []
    for argument in arguments:
        name, type, shape = argument.replace(":", " ").split(maxsplit=2)
        texts.append(f"%{name}_: memref<?x{type}>")
        binds.append(
            f"%{name} = loop.bind %{name}_ [0 : {shape.strip('()').replace('n', '%n')}] "
            f": memref<?x{type}>"
        )
    return (
        f"func.func @f(%n: index, {', '.join(texts)}) {{\n"
        + "\n".join(binds)
        + body.replace("KIND", kind)
        + "\nfunc.return }"
    )


def passes_for(bytes: int) -> tuple[ModulePass, ...]:
    """The passes, which vectorize for registers of so many bytes."""
    return StorageFlattenPass(), VectorizeLoopsPass(bytes), UnrollLoopsPass(), LowerLoopsPass()


def kernel(
    arguments: tuple[str, ...],
    body: str,
    kind: str,
    bytes: int = 64,
    check: MemoryCheck | None = None,
    effort: Effort = FAST_CODE,
) -> Kernel:
    """The kernel of that function; `check` is of one that accesses the same."""
    given = text(arguments, body, kind)
    return compile_loops(given, passes_for(bytes), check=check, effort=effort)


def arrays(arguments: tuple[str, ...], n: int) -> list[np.ndarray]:
    random = np.random.default_rng(n)
    found = []
    for argument in arguments:
        _, type, shape = argument.replace(":", " ").split(maxsplit=2)
        count = eval(shape, {"n": n})
        if "f" in type:
            values = random.standard_normal(count)
        else:
            values = random.integers(0, 2 if type == "i1" else 8, count)
        found.append(values.astype(DTYPES[type]))
    return found


CASES = {
    "elementwise": (
        FLOATS,
        """
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i] : f32
          %b = loop.load %B[%i + 3] : f32
          %c = arith.mulf %a, %b : f32
          loop.store %c, %C[%i] : f32
        }""",
    ),
    "constant extent, not of whole vectors": (
        (*FLOATS[:1], "B: f32 (64)", "C: f32 (64)"),
        """
        loop.for %i = 3 to 58 KIND {
          %b = loop.load %B[%i] : f32
          %c = arith.addf %b, %b : f32
          loop.store %c, %C[%i - 1] : f32
        }""",
    ),
    "rows": (
        FLOATS,
        """
        loop.for %j = 0 to 3 {
          loop.for %i = 0 to %n KIND {
            %a = loop.load %A[%i + %j] : f32
            %b = arith.mulf %a, %a : f32
            loop.store %b, %C[%i + %j * 2] : f32
          }
        }""",
    ),
    "rows in place": (
        FLOATS,
        """
        loop.for %j = 0 to 3 {
          loop.for %i = 0 to %n KIND {
            %a = loop.load %A[%i] : f32
            %b = loop.load %C[%i] : f32
            %c = arith.addf %a, %b : f32
            loop.store %c, %C[%i] : f32
          }
        }""",
    ),
    "rows that are stored twice": (
        FLOATS,
        """
        loop.for %j = 0 to 3 {
          loop.for %i = 0 to %n KIND {
            %a = loop.load %A[%i] : f32
            %b = loop.load %B[%i + %j] : f32
            loop.store %b, %C[%i] : f32
            loop.store %a, %C[%i + 1] : f32
          }
        }""",
    ),
    "several bounds": (
        FLOATS,
        """
        loop.for %io = 0 to %n ceildiv 24 {
          loop.for %i = max(%io * 24, 2) to min(%io * 24 + 24, %n, 90) KIND {
            %a = loop.load %A[%i] : f32
            loop.store %a, %C[%i] : f32
          }
        }""",
    ),
    "strided load and store": (
        ("A: f32 (n * 3 + 1)", "C: f32 (n * 2 + 1)", "B: f32 (n + 1)"),
        """
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i * 3 + 1] : f32
          %b = loop.load %B[%i] : f32
          %c = arith.addf %a, %b : f32
          loop.store %c, %C[%i * 2] : f32
        }""",
    ),
    "each element twice": (
        FLOATS,
        """
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i floordiv 2] : f32
          %b = loop.load %B[%i ceildiv 2] : f32
          %c = arith.subf %a, %b : f32
          loop.store %c, %C[%i] : f32
        }""",
    ),
    "parts in turn": (
        ("A: f32 (n + 40)", "B: f32 (n + 8)", "C: f32 (n + 8)"),
        """
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i floordiv 2 + %i mod 2 * 17] : f32
          %b = loop.load %B[(%i + 1) floordiv 4 + (%i + 1) mod 4] : f32
          %c = arith.subf %a, %b : f32
          loop.store %c, %C[%i] : f32
        }""",
    ),
    "parts a known distance apart": (
        ("A: f32 (n * 3 + 250)", "C: f32 (n + 8)"),
        """
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i floordiv 2 + (%i + 1) mod 2 * 100] : f32
          %b = loop.load %A[%i floordiv 4 * 2 + %i mod 4 * 60 + %i] : f32
          %c = arith.subf %a, %b : f32
          loop.store %c, %C[%i] : f32
        }""",
    ),
    "a table, and thirds": (
        FLOATS,
        """
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i mod 4 + 2] : f32
          %b = loop.load %B[%i floordiv 3] : f32
          %c = arith.subf %a, %b : f32
          loop.store %c, %C[%i] : f32
        }""",
    ),
    "halves from an odd element on": (
        ("A: f32 (n + 90)", "B: f32 (n + 90)", "C: f32 (n + 90)"),
        """
        loop.for %i = 3 to 67 KIND {
          %a = loop.load %A[(5 - %i) floordiv 2 + 40] : f32
          %b = loop.load %B[%i floordiv 2 - %i mod 2] : f32
          %c = arith.subf %a, %b : f32
          loop.store %c, %C[%i] : f32
        }""",
    ),
    "reversed": (
        FLOATS,
        """
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%n - %i] : f32
          loop.store %a, %C[%i] : f32
        }""",
    ),
    "a recurrence": (
        FLOATS,
        """
        loop.for %i = 1 to %n KIND {
          %a = loop.load %A[%i - 1] : f32
          %b = loop.load %B[%i] : f32
          %c = arith.addf %a, %b : f32
          loop.store %c, %A[%i] : f32
        }""",
    ),
    "a recurrence four elements back": (
        FLOATS,
        """
        loop.for %i = 4 to %n KIND {
          %a = loop.load %A[%i - 4] : f32
          %b = loop.load %B[%i] : f32
          %c = arith.addf %a, %b : f32
          loop.store %c, %A[%i] : f32
        }""",
    ),
    "reading what comes later": (
        FLOATS,
        """
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i + 1] : f32
          %b = loop.load %B[%i] : f32
          %c = arith.addf %a, %b : f32
          loop.store %c, %A[%i] : f32
        }""",
    ),
    "a store read one iteration later": (
        FLOATS,
        """
        loop.for %i = 1 to %n KIND {
          %b = loop.load %B[%i] : f32
          loop.store %b, %A[%i] : f32
          %a = loop.load %A[%i - 1] : f32
          loop.store %a, %C[%i] : f32
        }""",
    ),
    "a sum in one cell": (
        FLOATS,
        """
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i] : f32
          %s = loop.load %C[0] : f32
          %t = arith.addf %s, %a : f32
          loop.store %t, %C[0] : f32
        }""",
    ),
    "the last writer wins": (
        FLOATS,
        """
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i] : f32
          loop.store %a, %C[0] : f32
        }""",
    ),
    "interleaved stores": (
        ("A: f32 (n + 1)", "C: f32 (n * 2 + 2)"),
        """
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i] : f32
          %b = arith.negf %a : f32
          loop.store %a, %C[%i * 2] : f32
          loop.store %b, %C[%i * 2 + 1] : f32
        }""",
    ),
    "a histogram": (
        ("A: i32 (n)", "C: i32 (8)", "B: i32 (n)"),
        """
        %one = arith.constant 1 : i32
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i] : i32
          loop.store %a, %B[%i] : i32
          %at = arith.index_cast %a : i32 to index
          %h = loop.load %C[%at] : i32
          %g = arith.addi %h, %one : i32
          loop.store %g, %C[%at] : i32
        }""",
    ),
    "a gather": (
        ("A: i32 (n)", "B: f32 (8)", "C: f32 (n)"),
        """
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i] : i32
          %at = arith.index_cast %a : i32 to index
          %b = loop.load %B[%at] : f32
          loop.store %b, %C[%i] : f32
        }""",
    ),
    "the induction variable as a value": (
        ("C: f32 (n)", "D: i64 (n)"),
        """
        loop.for %i = 0 to %n KIND {
          %j = affine.apply affine_map<(d0) -> (d0 * 3 + 1)> (%i)
          %k = affine.apply affine_map<(d0) -> ((d0 * 5) floordiv 7 - d0 mod 3)> (%i)
          %a = arith.index_cast %j : index to i32
          %f = arith.sitofp %a : i32 to f32
          loop.store %f, %C[%i] : f32
          %b = arith.index_cast %k : index to i64
          loop.store %b, %D[%i] : i64
        }""",
    ),
    "quotients and remainders of a fused axis": (
        ("A: f32 (n)", "B: f32 (n * 64)", "C: f32 (n * 64)", "D: f32 (64)"),
        """
        loop.for %o = 0 to %n * 4 {
          loop.for %i = 0 to 16 KIND {
            %a = loop.load %A[(%o * 16 + %i) floordiv 64] : f32
            %b = loop.load %B[%o * 16 + %i] : f32
            %d = loop.load %D[(%o * 16 + %i) mod 64] : f32
            %c = arith.mulf %a, %b : f32
            %e = arith.addf %d, %c : f32
            loop.store %e, %C[%o * 16 + %i] : f32
          }
        }""",
    ),
    "an inner reduction": (
        ("A: f32 (n * 5)", "B: f32 (n)", "C: f32 (n)"),
        """
        %zero = arith.constant 0.0 : f32
        loop.for %i = 0 to %n KIND {
          loop.store %zero, %C[%i] : f32
          loop.for %k = 0 to 5 {
            %s = loop.load %C[%i] : f32
            %a = loop.load %A[%i * 5 + %k] : f32
            %t = arith.addf %s, %a : f32
            loop.store %t, %C[%i] : f32
          }
        }""",
    ),
    "an inner loop that writes rows": (
        ("A: f32 (n)", "C: f32 (160)"),
        """
        loop.for %o = 0 to %n {
          loop.for %i = 0 to 32 KIND {
            loop.for %k = 0 to 5 {
              %s = loop.load %C[%k * 32 + %i] : f32
              %a = loop.load %A[%o] : f32
              %t = arith.addf %s, %a : f32
              loop.store %t, %C[%k * 32 + %i] : f32
            }
          }
        }""",
    ),
    "an inner loop that writes into the next lane": (
        ("A: f32 (n)", "C: f32 (64)"),
        """
        loop.for %o = 0 to %n {
          loop.for %i = 0 to 32 KIND {
            loop.for %k = 0 to 3 {
              %s = loop.load %C[%k + %i] : f32
              %a = loop.load %A[%o] : f32
              %t = arith.addf %s, %a : f32
              loop.store %t, %C[%k + %i] : f32
            }
          }
        }""",
    ),
    "a triangular inner loop": (
        ("A: f32 (n)", "C: f32 (n)", "D: f32 (n)"),
        """
        loop.for %i = 0 to %n KIND {
          %d = loop.load %A[%i] : f32
          loop.store %d, %D[%i] : f32
          loop.for %k = 0 to %i {
            %s = loop.load %C[%i] : f32
            %a = loop.load %A[%k] : f32
            %t = arith.addf %s, %a : f32
            loop.store %t, %C[%i] : f32
          }
        }""",
    ),
    "a guard": (
        FLOATS,
        """
        loop.for %i = 0 to %n KIND {
          %b = loop.load %B[%i] : f32
          loop.store %b, %C[%i] : f32
          loop.if (%i - 5 >= 0, %n - %i - 2 >= 0) {
            %a = loop.load %A[%i] : f32
            loop.store %a, %C[%i] : f32
          } else {
            loop.store %b, %B[%i] : f32
          }
        }""",
    ),
    "a guard that all lanes share": (
        FLOATS,
        """
        loop.for %i = 0 to %n KIND {
          loop.if (%n - 5 >= 0) {
            %a = loop.load %A[%i] : f32
            loop.store %a, %C[%i] : f32
          }
        }""",
    ),
    "a choice of values": (
        FLOATS,
        """
        %zero = arith.constant 0.0 : f32
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i] : f32
          %p = arith.cmpf olt, %a, %zero : f32
          %c = scf.if %p -> (f32) {
            %x = arith.negf %a : f32
            scf.yield %x : f32
          } else {
            %q = arith.cmpf ogt, %a, %a : f32
            %y = scf.if %q -> (f32) {
              scf.yield %zero : f32
            } else {
              %z = arith.addf %a, %a : f32
              scf.yield %z : f32
            }
            scf.yield %y : f32
          }
          loop.store %c, %C[%i] : f32
        }""",
    ),
    "a choice that all lanes share": (
        FLOATS,
        """
        %zero = arith.constant 0.0 : f32
        %five = arith.constant 5 : index
        %p = arith.cmpi slt, %n, %five : index
        loop.for %i = 0 to %n KIND {
          %c, %d = scf.if %p -> (f32, f32) {
            %x = loop.load %A[%i] : f32
            scf.yield %x, %zero : f32, f32
          } else {
            %x = loop.load %B[0] : f32
            scf.yield %x, %x : f32, f32
          }
          %e = arith.addf %c, %d : f32
          loop.store %e, %C[%i] : f32
        }""",
    ),
    "padding": (
        ("A: f32 (n)", "C: f32 (n + 4)"),
        """
        %zero = arith.constant 0.0 : f32
        %two = arith.constant 2 : index
        loop.for %i = 0 to %n + 4 KIND {
          %j = arith.subi %i, %two : index
          %p = arith.cmpi sge, %i, %two : index
          %q = arith.cmpi slt, %j, %n : index
          %r = arith.andi %p, %q : i1
          %c = scf.if %r -> (f32) {
            %x = loop.load %A[%j] : f32
            scf.yield %x : f32
          } else {
            scf.yield %zero : f32
          }
          loop.store %c, %C[%i] : f32
        }""",
    ),
    "padding, strided": (
        ("A: f32 (n)", "C: f32 (n)"),
        """
        %zero = arith.constant 0.0 : f32
        loop.for %i = 0 to %n KIND {
          %j = affine.apply affine_map<(d0) -> (d0 * 2 - 1)> (%i)
          %k = arith.constant 1 : index
          %p = arith.cmpi sge, %i, %k : index
          %q = arith.cmpi slt, %j, %n : index
          %r = arith.andi %p, %q : i1
          %c = scf.if %r -> (f32) {
            %x = loop.load %A[%j] : f32
            scf.yield %x : f32
          } else {
            scf.yield %zero : f32
          }
          loop.store %c, %C[%i] : f32
        }""",
    ),
    "a division that only some lanes may do": (
        ("A: i32 (n)", "C: i32 (n)"),
        """
        %zero = arith.constant 0 : i32
        %ten = arith.constant 10 : i32
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i] : i32
          %p = arith.cmpi ne, %a, %zero : i32
          %c = scf.if %p -> (i32) {
            %x = arith.divsi %ten, %a : i32
            scf.yield %x : i32
          } else {
            scf.yield %zero : i32
          }
          loop.store %c, %C[%i] : i32
        }""",
    ),
    "truth values": (
        ("A: i1 (n)", "B: i1 (n)", "C: i1 (n)", "D: f32 (n)"),
        """
        %zero = arith.constant 0.0 : f32
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i] : i1
          %b = loop.load %B[%i] : i1
          %c = arith.xori %a, %b : i1
          loop.store %c, %C[%i] : i1
          %d = loop.load %D[%i] : f32
          %e = arith.select %c, %d, %zero : f32
          loop.store %e, %D[%i] : f32
        }""",
    ),
    "mixed widths": (
        ("A: i8 (n)", "B: f64 (n)", "C: f16 (n)"),
        """
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i] : i8
          %w = arith.extsi %a : i8 to i32
          %f = arith.sitofp %w : i32 to f64
          loop.store %f, %B[%i] : f64
          %h = arith.truncf %f : f64 to f16
          %g = arith.addf %h, %h : f16
          loop.store %g, %C[%i] : f16
        }""",
    ),
    "brain floats": (
        ("A: bf16 (n)", "B: f32 (n)", "C: bf16 (n)"),
        """
        %half = arith.constant 0.5 : bf16
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i] : bf16
          %b = arith.mulf %a, %half : bf16
          %c = arith.addf %b, %a : bf16
          loop.store %c, %C[%i] : bf16
          %d = arith.extf %c : bf16 to f32
          loop.store %d, %B[%i] : f32
        }""",
    ),
    "constants of every type": (
        ("A: f16 (n)", "B: i64 (n)", "C: i1 (n)"),
        """
        %half = arith.constant 0.5 : f16
        %minus = arith.constant -5 : i64
        %true = arith.constant true
        loop.for %i = 0 to %n KIND {
          loop.store %half, %A[%i] : f16
          loop.store %minus, %B[%i] : i64
          loop.store %true, %C[%i] : i1
        }""",
    ),
    "bytes": (
        ("A: i8 (n)", "B: i8 (n)", "C: i8 (n)"),
        """
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i] : i8
          %b = loop.load %B[%i] : i8
          %c = arith.muli %a, %b : i8
          loop.store %c, %C[%i] : i8
        }""",
    ),
    "functions of values": (
        FLOATS,
        """
        loop.for %i = 0 to %n KIND {
          %a = loop.load %A[%i] : f32
          %b = math.absf %a : f32
          %c = math.sqrt %b : f32
          %d = math.floor %a : f32
          %e = arith.maximumf %c, %d : f32
          loop.store %e, %C[%i] : f32
        }""",
    ),
    "vectorized in vectorized": (
        ("A: f32 (n * 16)", "C: f32 (n * 16)"),
        """
        loop.for %i = 0 to %n KIND {
          loop.for %j = 0 to 16 KIND {
            %a = loop.load %A[%i * 16 + %j] : f32
            loop.store %a, %C[%i * 16 + %j] : f32
          }
        }""",
    ),
    "rows that lanes load": (
        ("A: f32 (n * 8)", "C: f32 (808)"),
        """
        loop.for %i = 0 to %n KIND {
          loop.for %k = 0 to 8 {
            %a = loop.load %A[%i * 8 + %k] : f32
            loop.store %a, %C[%k * 101 + %i] : f32
          }
        }""",
    ),
    "rows that lanes store, from the second column on": (
        ("A: i8 (n * 9 + 820)", "C: i8 (n * 17 + 1)"),
        """
        loop.for %i = 0 to %n KIND {
          loop.for %k = 1 to 17 {
            %a = loop.load %A[%k * 9 + %i] : i8
            %b = arith.muli %a, %a : i8
            loop.store %b, %C[%i * 17 + %k] : i8
          }
        }""",
    ),
    "rows around lanes, both ways": (
        ("A: f64 (n * 8)", "B: f64 (n * 12 + 8)", "C: f64 (808)", "D: f64 (n * 8)"),
        """
        loop.for %o = 0 to 2 {
          loop.for %k = %o * 4 to %o * 4 + 4 unrolled {
            loop.for %i = 0 to %n KIND {
              %a = loop.load %A[%i * 8 + %k] : f64
              %b = loop.load %B[%i * 12 + %k] : f64
              %s = arith.addf %a, %b : f64
              loop.store %s, %C[%k * 101 + %i] : f64
              loop.store %s, %D[%i * 8 + %k] : f64
            }
          }
        }""",
    ),
    "rows at a distance known at the call": (
        ("A: f32 (n * 9 + 8)", "C: f32 (808)"),
        """
        %nine = arith.constant 9 : index
        %m = arith.minsi %n, %nine : index
        loop.for %k = 0 to 8 unrolled {
          loop.for %i = 0 to %n KIND {
            %r = arith.muli %i, %m : index
            %a = loop.load %A[%r + %k] : f32
            loop.store %a, %C[%k * 101 + %i] : f32
          }
        }""",
    ),
    "rows that overlap": (
        ("A: f32 (n + 800)", "C: f32 (n * 5 + 8)"),
        """
        loop.for %i = 0 to %n KIND {
          loop.for %k = 0 to 8 {
            %a = loop.load %A[%k * 100 + %i] : f32
            loop.store %a, %C[%i * 5 + %k] : f32
          }
        }""",
    ),
    "rows that are turned around in place": (
        ("A: f32 (n * 8)", "C: f32 (808)"),
        """
        loop.for %k = 0 to 8 unrolled {
          loop.for %i = 0 to %n KIND {
            %a = loop.load %A[%i * 8 + %k] : f32
            loop.store %a, %A[%i * 8 - %k + 7] : f32
            loop.store %a, %C[%k * 101 + %i] : f32
          }
        }""",
    ),
    "storage of its own": (
        ("A: f32 (n)", "C: f32 (n)"),
        """
        loop.for %i = 0 to %n KIND {
          %t = loop.realize "t" [%i : 1] : !loop.tensor<1, f32>
          %a = loop.load %A[%i] : f32
          loop.store %a, %t[%i] : f32
          %b = loop.load %t[%i] : f32
          loop.store %b, %C[%i] : f32
        }""",
    ),
}


PADDED = CASES["padding"]

CASES |= {
    f"padding of {type}": (
        tuple(argument.replace("f32", type) for argument in PADDED[0]),
        PADDED[1].replace("f32", type).replace("0.0 :", "0.0 :" if "f" in type else "0 :"),
    )
    for type in ("f16", "bf16", "f64", "i8", "i64", "i1")
}


@pytest.mark.parametrize("name", CASES)
def test_equals_serial(name: str):
    arguments, body = CASES[name]
    module = parse(text(arguments, body, "vectorized"))
    long = compile_loops(module.clone(), passes_for(64))
    # LLVM optimizes the long vectors alone: what it could make of a wrong flag, it makes of these.
    # Ours are verified after each pass there, too.
    given = {"verify": False, "check": long.check, "effort": AS_WRITTEN}
    short = compile_loops(module, passes_for(16), **given)
    serial = compile_loops(text(arguments, body, ""), passes_for(64), **given)
    for n in SIZES:
        expected = arrays(arguments, n)
        serial(n, *expected)
        for vectors, bytes in ((short, 16), (long, 64)):
            found = arrays(arguments, n)
            vectors(n, *found)
            for left, right in zip(expected, found, strict=True):
                np.testing.assert_array_equal(left, right, err_msg=f"n = {n}, {bytes} bytes")


def between_pages(count: int, last: bool) -> np.ndarray:
    """So many floats in a page between two that cannot be read: its last ones, or its first."""
    page = mmap.PAGESIZE
    memory = mmap.mmap(-1, 3 * page)
    address = np.frombuffer(memory, "uint8").ctypes.data
    for other in (address, address + 2 * page):
        assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(other), page, 0) == 0
    behind = page - 4 * count if last else 0
    return np.frombuffer(memory, "float32", count, page + behind)


@pytest.mark.parametrize("stride", [-4, -2, 2, 3])
def test_masked_loads_touch_nothing_outside(stride: int):
    arguments, body = PADDED
    place = f"i * {stride}" if stride > 0 else f"n * {-stride} + i * {stride} - {-stride}"
    index = f"%at = affine.apply affine_map<(i, n) -> ({place})> (%j, %n)"
    body = body.replace("%x = loop.load %A[%j]", f"{index}\n%x = loop.load %A[%at]")
    arguments = arguments[0].replace("(n)", f"(n * {abs(stride)})"), arguments[1]
    vectors = kernel(arguments, body, "vectorized", 16)
    for n, last in product((1, 7, 18), (False, True)):
        a = between_pages((n - 1) * abs(stride) + 1, last)
        a[:] = np.arange(len(a))
        vectors(n, a, c := np.empty(n + 4, "float32"))
        np.testing.assert_array_equal(c[2 : n + 2], a[::stride])
        np.testing.assert_array_equal(c[[0, 1, n + 2, n + 3]], 0)


PLACES = {
    "%i floordiv 2": lambda i: i // 2,
    "%i ceildiv 2": lambda i: (i + 1) // 2,
    "%i floordiv 4 + %i mod 4 * 9": lambda i: i // 4 + i % 4 * 9,
}


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("place", PLACES)
def test_vectors_of_several_lanes_touch_nothing_outside(place: str, last: bool):
    body = f"""
        loop.for %i = 0 to %n KIND {{
          %a = loop.load %A[{place}] : f32
          loop.store %a, %C[%i] : f32
        }}"""
    vectors = kernel(("A: f32 (n + 28)", "C: f32 (n)"), body, "vectorized")
    for n in (16, 32, 37):
        places = [*map(PLACES[place], range(n))]
        a = between_pages(max(places) + 1, last)
        a[:] = np.arange(len(a))
        vectors(n, a, c := np.empty(n, "float32"))
        np.testing.assert_array_equal(c, places)


PARTS = PLACES | {
    "%i floordiv 3": lambda i: i // 3,
    "%i mod 3 * 5": lambda i: i % 3 * 5,
    "%i + %i mod 2": lambda i: i + i % 2,
    "%i + %i floordiv 16": lambda i: i + i // 16,
}


EXTENTS = 5, 9, 11, 19, 31
"""Less than the lanes, and more: the last vector begins everywhere in parts of 2, 3, 4 and 16."""


@pytest.mark.parametrize("bytes", [16, 32])
@pytest.mark.parametrize("place", PARTS)
def test_a_last_vector_begins_within_a_part(place: str, bytes: int):
    """In loops of an extent known at the call, and of constant extents."""
    body = "".join(
        f"""
        loop.for %k = 0 to 2 {{
          loop.for %i = 0 to {extent} KIND {{
            %a = loop.load %A[{place}] : f32
            loop.store %a, {to}[%i] : f32
          }}
        }}"""
        for extent, to in [("%n", "%C"), *((n, f"%C{n}") for n in EXTENTS)]
    )
    given = "A: f32 (200)", "C: f32 (n)", *(f"C{n}: f32 ({n})" for n in EXTENTS)
    vectors = kernel(given, body, "vectorized", bytes, effort=AS_WRITTEN)
    for n in EXTENTS:
        places = [*map(PARTS[place], range(n))]
        a = np.arange(200, dtype="float32")
        a[max(places) + 1 :] = np.nan
        c, *others = (np.empty(count, "float32") for count in (n, *EXTENTS))
        vectors(n, a, c, *others)
        np.testing.assert_array_equal(c, places, err_msg=f"n = {n}")
        of_this = others[EXTENTS.index(n)]
        np.testing.assert_array_equal(of_this, places, err_msg=f"extent {n}")


STRIDES = [stride for stride in range(-MOST_STRIDE, MOST_STRIDE + 1) if stride not in (0, 1)]


@pytest.mark.parametrize(("stride", "lanes"), [*product(STRIDES, (2, 4, 8, 16))])
def test_vectors_hold_all_elements_and_no_others_at_the_ends(stride: int, lanes: int):
    for most in range(abs(stride)):
        group = Interleaved(stride, lanes, {"first": 0, "last": most})  # pyright: ignore
        places = [place for member in group.members for place in group.places(member)]
        assert min(places) == group.begins[0] == 0
        assert max(places) == group.begins[-1] + lanes - 1
        for place in places:
            number, lane = group.lane_at(place)
            assert group.begins[number] + lane == place
            assert 0 <= lane < lanes


def loads_and_stores(loads: list[tuple[int, int]], stores: list[tuple[int, int]], type: str):
    """A loop that sums what it loads, at `stride * i + offset`, and stores multiples of that."""
    add, size = ("arith.addf" if "f" in type else "arith.addi"), "(n * 4 + 9)"
    lines = [f"%v0 = arith.constant {'1.0' if 'f' in type else '1'} : {type}"]

    def index(stride: int, offset: int) -> str:
        return f"%i * {stride} + {offset}" if stride > 0 else f"%n * {-stride} + %i * {stride} + 1"

    for number, (stride, offset) in enumerate(loads):
        place = index(stride, offset)
        lines += [
            f"%a{number} = loop.load %A[{place}{f' + {offset}' if stride < 0 else ''}] : {type}",
            f"%v{number + 1} = {add} %v{number}, %a{number} : {type}",
        ]
    last = f"%v{len(loads)}"
    for number, (stride, offset) in enumerate(stores):
        place = index(stride, offset)
        lines += [
            f"loop.store {last}, %C[{place}{f' + {offset}' if stride < 0 else ''}] : {type}",
            f"%w{number} = {add} {last}, %v0 : {type}",
        ]
        last = f"%w{number}"
    body = "\nloop.for %i = 0 to %n KIND {\n" + "\n".join(lines) + "\n}"
    return (f"A: {type} {size}", f"C: {type} {size}"), body


_ACCESSES = st.tuples(st.sampled_from([1, *STRIDES]), st.integers(0, 4))


@settings(max_examples=len(few(range(40), 12)), deadline=None, derandomize=True)
@given(
    st.lists(_ACCESSES, min_size=1, max_size=4),
    st.sampled_from([1, *STRIDES]),
    st.permutations(range(abs(MOST_STRIDE))),
    st.sampled_from(["f32", "f64", "i8", "i32", "f16"]),
    st.sampled_from([16, 64]),
)
def test_lanes_agree_with_iterations(loads, stride, order, type, bytes):
    stores = [(stride, offset) for offset in order if offset < abs(stride)]
    arguments, body = loads_and_stores(loads, stores, type)
    vectors = kernel(arguments, body, "vectorized", bytes)
    serial = kernel(arguments, body, "", check=vectors.check, effort=AS_WRITTEN)
    for n in (0, 1, 5, 16, 37):
        expected, found = arrays(arguments, n), arrays(arguments, n)
        serial(n, *expected)
        vectors(n, *found)
        for one, other in zip(expected, found, strict=True):
            np.testing.assert_array_equal(one, other)
