"""The functions that LLVM calls where a machine has no instructions for an operation.

Object code may leave these undefined, and the C functions that the program names, but no others:
libgcc and compiler-rt need not be in a process. `tests/backend/test_undefined_symbols.py` holds
all operations to this list, on several machines.
"""

from teloom.backend.machine import jit

_OF_FLOATS = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh erf exp exp10 exp2 expm1 floor fma "
    "fmax fmin fmod ldexp log log10 log1p log2 pow round roundeven sin sincos sinh tan tanh trunc"
).split()

C_FUNCTIONS = frozenset(
    {name + suffix for name in _OF_FLOATS for suffix in ("", "f")} | {"memcpy", "memmove", "memset"}
)
"""Functions of the C library, which every process has: `jit` loads it."""

CODE = """
define float @__extendhfsf2(half %given) {
  %short = bitcast half %given to i16
  %bits = zext i16 %short to i32
  %sign = and i32 %bits, 32768
  %rest = and i32 %bits, 32767
  %shifted = shl i32 %rest, 13
  ; As an f32, that is the number divided by 2^112, also where either is subnormal.
  %small = bitcast i32 %shifted to float
  %scaled = fmul float %small, 0x46F0000000000000
  %number = bitcast float %scaled to i32
  %special = or i32 %shifted, 2139095040
  %is.special = icmp uge i32 %rest, 31744
  %is.nan = icmp ugt i32 %rest, 31744
  %quiet = select i1 %is.nan, i32 4194304, i32 0
  %chosen = select i1 %is.special, i32 %special, i32 %number
  %quieted = or i32 %chosen, %quiet
  %high.sign = shl i32 %sign, 16
  %signed = or i32 %quieted, %high.sign
  %result = bitcast i32 %signed to float
  ret float %result
}

define half @__truncsfhf2(float %given) {
  %bits = bitcast float %given to i32
  %high = lshr i32 %bits, 16
  %sign = and i32 %high, 32768
  %rest = and i32 %bits, 2147483647
  ; A number below 2^-14 has the last bit of 0.5 where f16 has its own.
  %magnitude = bitcast i32 %rest to float
  %aligned = fadd float %magnitude, 5.000000e-01
  %aligned.bits = bitcast float %aligned to i32
  %subnormal = sub i32 %aligned.bits, 1056964608
  ; Any other: the exponent counts from 15 instead of 127; half of the last bit, to even.
  %last = lshr i32 %rest, 13
  %odd = and i32 %last, 1
  %moved = add i32 %rest, -939520001
  %rounded = add i32 %moved, %odd
  %normal = lshr i32 %rounded, 13
  %is.subnormal = icmp ult i32 %rest, 947912704
  %number = select i1 %is.subnormal, i32 %subnormal, i32 %normal
  %is.large = icmp uge i32 %rest, 1199570944
  %finite = select i1 %is.large, i32 31744, i32 %number
  %payload = and i32 %last, 1023
  %nan = or i32 %payload, 32256
  %is.nan = icmp ugt i32 %rest, 2139095040
  %chosen = select i1 %is.nan, i32 %nan, i32 %finite
  %signed = or i32 %chosen, %sign
  %short = trunc i32 %signed to i16
  %result = bitcast i16 %short to half
  ret half %result
}
"""
"""Functions of a compiler's runtime, in LLVM IR of ours."""

OWN = jit.OwnFunctions(CODE, ("__extendhfsf2", "__truncsfhf2"))
