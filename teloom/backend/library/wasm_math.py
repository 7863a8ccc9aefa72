"""Elementary functions of a module of WebAssembly that has no C library.

Those that JavaScript has are its `Math`, which the module imports: in float32 they are those of
float64, rounded. The others are here. What a program computes by formulas (`expand-math`) calls
few of them.
"""

from __future__ import annotations

from collections.abc import Iterator

IMPORTED = "Math"
"""The name of the module that ours imports functions of."""

_OF_ONE = (
    "acos acosh asin asinh atan atanh cbrt cos cosh exp expm1 log log10 log1p log2 sin sinh tan "
    "tanh"
).split()

_FLOAT = {
    **dict.fromkeys((*_OF_ONE, "exp2", "round"), 1),
    **dict.fromkeys(("atan2", "pow", "fmod"), 2),
}
"""The functions whose form for float32 is that for float64, rounded, and how many they take."""


def code() -> str:
    """LLVM IR of the functions."""
    return "\n".join((_OWN, _FMA, *_imports(), *_of_float32()))


def _imports() -> Iterator[str]:
    """Functions that call those of `Math`; `pow` differs from C's where a power of 1 is none."""
    for name in (*_OF_ONE, "atan2", "pow"):
        takes = "double" if name in _OF_ONE else "double, double"
        yield (
            f"declare double @js.{name}({takes}) "
            f'"wasm-import-module"="{IMPORTED}" "wasm-import-name"="{name}"'
        )
    for name in _OF_ONE:
        yield f"define double @{name}(double %x) {{"
        yield f"  %r = call double @js.{name}(double %x)\n  ret double %r\n}}"
    yield "define double @atan2(double %y, double %x) {"
    yield "  %r = call double @js.atan2(double %y, double %x)\n  ret double %r\n}"


def _of_float32() -> Iterator[str]:
    for name, count in _FLOAT.items():
        numbers = range(count)
        parameters = ", ".join(f"float %x{k}" for k in numbers)
        yield f"define float @{name}f({parameters}) {{"
        yield from (f"  %w{k} = fpext float %x{k} to double" for k in numbers)
        arguments = ", ".join(f"double %w{k}" for k in numbers)
        yield f"  %wide = call double @{name}({arguments})"
        yield "  %r = fptrunc double %wide to float\n  ret float %r\n}"


_OWN = """
define double @pow(double %x, double %y) {
  %is.one = fcmp oeq double %x, 1.0
  br i1 %is.one, label %one, label %other
one:
  ret double 1.0
other:
  %size = call double @llvm.fabs.f64(double %y)
  %far = fcmp oeq double %size, 0x7FF0000000000000
  %minus = fcmp oeq double %x, -1.0
  %both = and i1 %far, %minus
  br i1 %both, label %one, label %usual
usual:
  %r = call double @js.pow(double %x, double %y)
  ret double %r
}

define double @exp2(double %x) {
  %r = call double @js.pow(double 2.0, double %x)
  ret double %r
}

define double @fmin(double %x, double %y) {
  %other = fcmp uno double %x, 0.0
  %none = fcmp uno double %y, 0.0
  %least = call double @llvm.minimum.f64(double %x, double %y)
  %of.x = select i1 %none, double %x, double %least
  %r = select i1 %other, double %y, double %of.x
  ret double %r
}

define double @fmax(double %x, double %y) {
  %other = fcmp uno double %x, 0.0
  %none = fcmp uno double %y, 0.0
  %most = call double @llvm.maximum.f64(double %x, double %y)
  %of.x = select i1 %none, double %x, double %most
  %r = select i1 %other, double %y, double %of.x
  ret double %r
}

define float @fminf(float %x, float %y) {
  %other = fcmp uno float %x, 0.0
  %none = fcmp uno float %y, 0.0
  %least = call float @llvm.minimum.f32(float %x, float %y)
  %of.x = select i1 %none, float %x, float %least
  %r = select i1 %other, float %y, float %of.x
  ret float %r
}

define float @fmaxf(float %x, float %y) {
  %other = fcmp uno float %x, 0.0
  %none = fcmp uno float %y, 0.0
  %most = call float @llvm.maximum.f32(float %x, float %y)
  %of.x = select i1 %none, float %x, float %most
  %r = select i1 %other, float %y, float %of.x
  ret float %r
}

; Halves go away from zero; all differences are exact.
define double @round(double %x) {
  %whole = call double @llvm.trunc.f64(double %x)
  %rest = fsub double %x, %whole
  %size = call double @llvm.fabs.f64(double %rest)
  %up = fcmp oge double %size, 0.5
  %step = select i1 %up, double 1.0, double 0.0
  %signed = call double @llvm.copysign.f64(double %step, double %x)
  %sum = fadd double %whole, %signed
  %r = call double @llvm.copysign.f64(double %sum, double %x)
  ret double %r
}

; Takes away multiples of y by powers of 2, the largest first: each difference is exact.
define double @fmod(double %x, double %y) {
  %left = call double @llvm.fabs.f64(double %x)
  %step = call double @llvm.fabs.f64(double %y)
  %finite = fcmp olt double %left, 0x7FF0000000000000
  %nonzero = fcmp ogt double %step, 0.0
  %good = and i1 %finite, %nonzero
  br i1 %good, label %scale, label %bad
bad:
  %product = fmul double %x, %y
  %nan = fdiv double %product, %product
  ret double %nan
scale:
  %large = phi double [ %step, %0 ], [ %twice, %larger ]
  %twice = fadd double %large, %large
  %fits = fcmp ole double %twice, %left
  br i1 %fits, label %larger, label %take
larger:
  br label %scale
take:
  %part = phi double [ %large, %scale ], [ %half, %next ]
  %now = phi double [ %left, %scale ], [ %rest, %next ]
  %less = fsub double %now, %part
  %goes = fcmp oge double %now, %part
  %rest = select i1 %goes, double %less, double %now
  %last = fcmp oeq double %part, %step
  br i1 %last, label %end, label %next
next:
  %half = fmul double %part, 0.5
  br label %take
end:
  %r = call double @llvm.copysign.f64(double %rest, double %x)
  ret double %r
}

; By factors that are powers of 2, of which only the last one rounds.
define double @ldexp(double %x, i32 %given) {
  %least = call i32 @llvm.smax.i32(i32 %given, i32 -2200)
  %n = call i32 @llvm.smin.i32(i32 %least, i32 2200)
  br label %next
next:
  %value = phi double [ %x, %0 ], [ %up, %larger ], [ %down, %smaller ]
  %left = phi i32 [ %n, %0 ], [ %left.up, %larger ], [ %left.down, %smaller ]
  %is.large = icmp sgt i32 %left, 1023
  br i1 %is.large, label %larger, label %look
larger:
  %up = fmul double %value, 0x7FE0000000000000
  %left.up = add i32 %left, -1023
  br label %next
look:
  %is.small = icmp slt i32 %left, -1022
  br i1 %is.small, label %smaller, label %end
smaller:
  %down = fmul double %value, 0x0360000000000000
  %left.down = add i32 %left, 969
  br label %next
end:
  %exponent = add i32 %left, 1023
  %wide = zext i32 %exponent to i64
  %bits = shl i64 %wide, 52
  %factor = bitcast i64 %bits to double
  %r = fmul double %value, %factor
  ret double %r
}

define float @ldexpf(float %x, i32 %n) {
  %wide = fpext float %x to double
  %scaled = call double @ldexp(double %wide, i32 %n)
  %r = fptrunc double %scaled to float
  ret float %r
}

; The product is exact in float64; the sum is rounded to odd there, and so once.
define float @fmaf(float %x, float %y, float %z) {
  %x.wide = fpext float %x to double
  %y.wide = fpext float %y to double
  %z.wide = fpext float %z to double
  %product = fmul double %x.wide, %y.wide
  %sum = fadd double %product, %z.wide
  %back = fsub double %sum, %product
  %other = fsub double %sum, %back
  %of.product = fsub double %product, %other
  %of.z = fsub double %z.wide, %back
  %error = fadd double %of.product, %of.z
  %exact = fcmp ueq double %error, 0.0
  %bits = bitcast double %sum to i64
  %odd.bit = and i64 %bits, 1
  %odd = icmp ne i64 %odd.bit, 0
  %error.bits = bitcast double %error to i64
  %against = xor i64 %bits, %error.bits
  %is.less = icmp slt i64 %against, 0
  %step = select i1 %is.less, i64 -1, i64 1
  %toward = add i64 %bits, %step
  %keep = or i1 %exact, %odd
  %chosen = select i1 %keep, i64 %bits, i64 %toward
  %to.odd = bitcast i64 %chosen to double
  %r = fptrunc double %to.odd to float
  ret float %r
}
"""

_FMA = f"""
; The 53 bits of a number that is finite and not 0, of which the first is 1, and their exponent.
define internal {{ i64, i64 }} @parts(double %x) {{
  %bits = bitcast double %x to i64
  %up = shl i64 %bits, 1
  %field = lshr i64 %up, 53
  %fraction = and i64 %bits, {2**52 - 1}
  %is.subnormal = icmp eq i64 %field, 0
  %first = select i1 %is.subnormal, i64 0, i64 {2**52}
  %whole = or i64 %fraction, %first
  %zeros = call i64 @llvm.ctlz.i64(i64 %whole, i1 false)
  %shift = sub i64 %zeros, 11
  %significand = shl i64 %whole, %shift
  %stored = call i64 @llvm.umax.i64(i64 %field, i64 1)
  %of.last = sub i64 %stored, 1075
  %exponent = sub i64 %of.last, %shift
  %one = insertvalue {{ i64, i64 }} poison, i64 %significand, 0
  %both = insertvalue {{ i64, i64 }} %one, i64 %exponent, 1
  ret {{ i64, i64 }} %both
}}

; A number of 128 bits shifted to the right; its last bit is 1 if one is lost.
define internal {{ i64, i64 }} @shifted(i64 %high, i64 %low, i64 %asked) {{
  %n = call i64 @llvm.umin.i64(i64 %asked, i64 127)
  %is.long = icmp uge i64 %n, 64
  %high.1 = select i1 %is.long, i64 0, i64 %high
  %low.1 = select i1 %is.long, i64 %high, i64 %low
  %lost.1 = select i1 %is.long, i64 %low, i64 0
  %rest = and i64 %n, 63
  %low.2 = call i64 @llvm.fshr.i64(i64 %high.1, i64 %low.1, i64 %rest)
  %high.2 = lshr i64 %high.1, %rest
  %lost.2 = call i64 @llvm.fshr.i64(i64 %low.1, i64 0, i64 %rest)
  %lost = or i64 %lost.1, %lost.2
  %is.lost = icmp ne i64 %lost, 0
  %sticky = zext i1 %is.lost to i64
  %low.3 = or i64 %low.2, %sticky
  %one = insertvalue {{ i64, i64 }} poison, i64 %high.2, 0
  %both = insertvalue {{ i64, i64 }} %one, i64 %low.3, 1
  ret {{ i64, i64 }} %both
}}

define internal i128 @joined({{ i64, i64 }} %parts) {{
  %high = extractvalue {{ i64, i64 }} %parts, 0
  %low = extractvalue {{ i64, i64 }} %parts, 1
  %high.wide = zext i64 %high to i128
  %low.wide = zext i64 %low to i128
  %up = shl i128 %high.wide, 64
  %both = or i128 %up, %low.wide
  ret i128 %both
}}

; The product of numbers of 53 bits, times 2^20: its first bit is 124 or 125.
define internal {{ i64, i64 }} @product(i64 %x, i64 %y) {{
  %x.high = lshr i64 %x, 32
  %x.low = and i64 %x, {2**32 - 1}
  %y.high = lshr i64 %y, 32
  %y.low = and i64 %y, {2**32 - 1}
  %high = mul i64 %x.high, %y.high
  %one = mul i64 %x.high, %y.low
  %other = mul i64 %x.low, %y.high
  %middle = add i64 %one, %other
  %low = mul i64 %x.low, %y.low
  %middle.up = shl i64 %middle, 32
  %sum = add i64 %middle.up, %low
  %carries = icmp ult i64 %sum, %low
  %carry = zext i1 %carries to i64
  %middle.high = lshr i64 %middle, 32
  %high.1 = add i64 %high, %middle.high
  %high.2 = add i64 %high.1, %carry
  %high.3 = call i64 @llvm.fshl.i64(i64 %high.2, i64 %sum, i64 20)
  %low.3 = shl i64 %sum, 20
  %first = insertvalue {{ i64, i64 }} poison, i64 %high.3, 0
  %both = insertvalue {{ i64, i64 }} %first, i64 %low.3, 1
  ret {{ i64, i64 }} %both
}}

; A number of 64 bits, the first of which is 1 and stands for 2^exponent, as the nearest float64.
define internal double @rounded(i64 %given, i64 %exponent) {{
  %below = sub i64 -1022, %exponent
  %positive = call i64 @llvm.smax.i64(i64 %below, i64 0)
  %subnormal = call {{ i64, i64 }} @shifted(i64 0, i64 %given, i64 %positive)
  %bits = extractvalue {{ i64, i64 }} %subnormal, 1
  %kept = lshr i64 %bits, 11
  %rest = and i64 %bits, 2047
  %odd = and i64 %kept, 1
  %above = add i64 %rest, %odd
  %up = icmp ugt i64 %above, 1024
  %one = zext i1 %up to i64
  %significand = add i64 %kept, %one
  %field.of = add i64 %exponent, 1022
  %field = call i64 @llvm.smax.i64(i64 %field.of, i64 0)
  %field.up = shl i64 %field, 52
  %sum = add i64 %field.up, %significand
  %overflows = icmp sgt i64 %exponent, 1023
  %result = select i1 %overflows, i64 {0x7FF << 52}, i64 %sum
  %r = bitcast i64 %result to double
  ret double %r
}}

; The product and the sum in 128 bits; what is shifted out of them leaves a last bit of 1.
define double @fma(double %x, double %y, double %z) {{
  %product = fmul double %x, %y
  %simple = fadd double %product, %z
  %x.size = call double @llvm.fabs.f64(double %x)
  %y.size = call double @llvm.fabs.f64(double %y)
  %z.size = call double @llvm.fabs.f64(double %z)
  %x.in = fcmp olt double %x.size, 0x7FF0000000000000
  %y.in = fcmp olt double %y.size, 0x7FF0000000000000
  %z.in = fcmp olt double %z.size, 0x7FF0000000000000
  %both.in = and i1 %x.in, %y.in
  %all.in = and i1 %both.in, %z.in
  br i1 %all.in, label %finite, label %special
special:
  %is.z = xor i1 %z.in, true
  %only.z = and i1 %both.in, %is.z
  %of.special = select i1 %only.z, double %z, double %simple
  ret double %of.special
finite:
  %x.none = fcmp oeq double %x, 0.0
  %y.none = fcmp oeq double %y, 0.0
  %none = or i1 %x.none, %y.none
  br i1 %none, label %nothing, label %something
nothing:
  ret double %simple
something:
  %z.none = fcmp oeq double %z, 0.0
  br i1 %z.none, label %alone, label %sum
alone:
  ret double %product
sum:
  %x.parts = call {{ i64, i64 }} @parts(double %x)
  %y.parts = call {{ i64, i64 }} @parts(double %y)
  %z.parts = call {{ i64, i64 }} @parts(double %z)
  %mx = extractvalue {{ i64, i64 }} %x.parts, 0
  %my = extractvalue {{ i64, i64 }} %y.parts, 0
  %mz = extractvalue {{ i64, i64 }} %z.parts, 0
  %ex = extractvalue {{ i64, i64 }} %x.parts, 1
  %ey = extractvalue {{ i64, i64 }} %y.parts, 1
  %ez = extractvalue {{ i64, i64 }} %z.parts, 1
  %p = call {{ i64, i64 }} @product(i64 %mx, i64 %my)
  %p.high = extractvalue {{ i64, i64 }} %p, 0
  %p.low = extractvalue {{ i64, i64 }} %p, 1
  %ep.of = add i64 %ex, %ey
  %ep = sub i64 %ep.of, 20
  %z.high = shl i64 %mz, 9
  %ez.last = sub i64 %ez, 73
  %e = call i64 @llvm.smax.i64(i64 %ep, i64 %ez.last)
  %p.shift = sub i64 %e, %ep
  %z.shift = sub i64 %e, %ez.last
  %p.there = call {{ i64, i64 }} @shifted(i64 %p.high, i64 %p.low, i64 %p.shift)
  %z.there = call {{ i64, i64 }} @shifted(i64 %z.high, i64 0, i64 %z.shift)
  %p.wide = call i128 @joined({{ i64, i64 }} %p.there)
  %z.wide = call i128 @joined({{ i64, i64 }} %z.there)
  %x.bits = bitcast double %x to i64
  %y.bits = bitcast double %y to i64
  %z.bits = bitcast double %z to i64
  %p.sign = xor i64 %x.bits, %y.bits
  %signs = xor i64 %p.sign, %z.bits
  %differ = icmp slt i64 %signs, 0
  %added = add i128 %p.wide, %z.wide
  %z.larger = icmp ugt i128 %z.wide, %p.wide
  %p.minus = sub i128 %p.wide, %z.wide
  %z.minus = sub i128 %z.wide, %p.wide
  %difference = select i1 %z.larger, i128 %z.minus, i128 %p.minus
  %size = select i1 %differ, i128 %difference, i128 %added
  %is.zero = icmp eq i128 %size, 0
  br i1 %is.zero, label %zero, label %round
zero:
  ret double 0.0
round:
  %of.z = and i1 %differ, %z.larger
  %sign.of = select i1 %of.z, i64 %z.bits, i64 %p.sign
  %upper = lshr i128 %size, 64
  %upper.64 = trunc i128 %upper to i64
  %lower.64 = trunc i128 %size to i64
  %in.lower = icmp eq i64 %upper.64, 0
  %h = select i1 %in.lower, i64 %lower.64, i64 %upper.64
  %l = select i1 %in.lower, i64 0, i64 %lower.64
  %zeros = call i64 @llvm.ctlz.i64(i64 %h, i1 false)
  %first = call i64 @llvm.fshl.i64(i64 %h, i64 %l, i64 %zeros)
  %behind = shl i64 %l, %zeros
  %is.lost = icmp ne i64 %behind, 0
  %sticky = zext i1 %is.lost to i64
  %significand = or i64 %first, %sticky
  %skipped = select i1 %in.lower, i64 64, i64 0
  %all.zeros = add i64 %zeros, %skipped
  %top = add i64 %e, 127
  %exponent = sub i64 %top, %all.zeros
  %r = call double @rounded(i64 %significand, i64 %exponent)
  %r.bits = bitcast double %r to i64
  %sign = and i64 %sign.of, {-(2**63)}
  %signed = or i64 %r.bits, %sign
  %result = bitcast i64 %signed to double
  ret double %result
}}
"""
