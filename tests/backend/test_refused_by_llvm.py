"""IR that only LLVM refuses, or for which it has no instructions, is an error of ours."""

import pytest
from library_programs import translated


@pytest.mark.parametrize(
    ("body", "result", "reason"),
    [
        ("llvm.return %n : i64", " -> i32", "value doesn't match function result type 'i32'"),
        ("%f = llvm.bitcast %n : i64 to f32 llvm.return", "", "invalid cast opcode for cast from"),
        ("llvm.return\n ^bb1:\n", "", "expected instruction opcode"),
        (
            '%r = llvm.call_intrinsic "llvm.sqrt"(%n) : (i64) -> i64 llvm.return',
            "",
            "LLVM refuses the IR of level llvm: ",
        ),
        (
            '%r = llvm.call_intrinsic "llvm.foo"(%v) : (vector<4xf32>) -> f32 llvm.return',
            "",
            "unknown intrinsic 'llvm.foo'",
        ),
        (
            '%r = llvm.call_intrinsic "llvm.aarch64.neon.fmulx.v4f32"(%v, %v)'
            " : (vector<4xf32>, vector<4xf32>) -> vector<4xf32> llvm.return",
            "",
            "llvm.aarch64.neon.fmulx.v4f32 is an instruction of aarch64, not of x86_64",
        ),
        (
            '%r = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%v)'
            " : (vector<4xf32>) -> vector<4xf32> llvm.return",
            "",
            "LLVM has no llvm.x86.avx512.vpdpbusd.512 of (<4 x float>) that gives <4 x float>",
        ),
        (
            '%r = llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%v, %v, %v)'
            " : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32> llvm.return",
            "",
            "mask.scalef.ps.512",
        ),
    ],
)
def test_what_llvm_refuses_is_said(tmp_path, body, result, reason):
    text = f"llvm.func @f(%p: !llvm.ptr, %v: vector<4xf32>, %n: i64){result} {{ {body} }}"
    code, made, said = translated(tmp_path, text, "asm", "--cpu", "x86-64")
    assert code == 1
    assert not made.exists()
    assert reason in said
