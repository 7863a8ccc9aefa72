"""LLVM IR text from the llvm dialect, as LLVM itself reads it."""

import re

import llvmlite.binding as binding
import pytest
from standard_kernels import parse

from teloom.backend.machine.llvm_text import llvm_text
from teloom.errors import PassError


def text_of(module: str, **attributes: str) -> str:
    """The text, after LLVM has parsed and verified it."""
    text = llvm_text(parse(module), attributes)
    binding.parse_assembly(text).verify()
    return text


def body(ops: str, parameters: str = "%p: !llvm.ptr, %x: f32, %n: i64") -> str:
    return text_of(f"llvm.func @f({parameters}) {{ {ops} llvm.return }}")


LOOP = """
    llvm.func @f(%n: i64) {{
      %c0 = llvm.mlir.constant(0 : i64) : i64
      %c1 = llvm.mlir.constant(1 : i64) : i64
      llvm.br ^a(%c0 : i64)
    ^a(%i: i64):
      %j = llvm.add %i, %c1 overflow<nsw> : i64
      %t = llvm.icmp "slt" %j, %n : i64
      llvm.cond_br %t, ^a(%j : i64), ^b(%j : i64) {{loop_annotation = #llvm.loop_annotation<{0}>}}
    ^b(%k: i64):
      %l = llvm.add %k, %c1 overflow<nsw, nuw> : i64
      %u = llvm.icmp "slt" %l, %n : i64
      llvm.cond_br %u, ^b(%l : i64), ^c {{loop_annotation = #llvm.loop_annotation<{0}>}}
    ^c:
      llvm.return
    }}"""


def test_every_loop_has_a_node_of_its_own_that_names_itself():
    text = text_of(LOOP.format("unroll = <disable = false, full = true>"))
    assert "br i1 %v4, label %b1, label %b2, !llvm.loop !1" in text
    assert '!0 = !{!"llvm.loop.unroll.full"}\n' in text
    assert "!1 = distinct !{!1, !0}\n" in text
    assert "!2 = distinct !{!2, !0}\n" in text


def test_a_branch_that_passes_too_little_is_refused():
    text = LOOP.format("unroll = <disable = false, full = true>").replace("^b(%j : i64)", "^b")
    with pytest.raises(PassError, match="a branch passes 0 values to b2, which has 1 arguments"):
        llvm_text(parse(text))


@pytest.mark.parametrize("type", ["vector<2x4xf32>", "vector<[4]xf32>", "vector<f32>"])
def test_a_vector_of_other_than_one_fixed_axis_is_refused_at_its_op(type: str):
    module = parse(
        f"llvm.func @f(%p: !llvm.ptr) {{ %v = llvm.load %p : !llvm.ptr -> {type} llvm.return }}"
    )
    with pytest.raises(PassError, match=re.escape(f"LLVM IR has no text for {type}:")) as refused:
        llvm_text(module)
    assert refused.value.op is not None
    assert refused.value.op.name == "llvm.load"


def test_alias_scopes_are_nodes_of_one_domain():
    a, b = (f'[#llvm.alias_scope<id = "{id}", domain = <id = "f g">>]' for id in "ab")
    text = body(f"""
      %v = llvm.load %p {{alias_scopes = {a}, noalias_scopes = {b}}} : !llvm.ptr -> f32
      llvm.store %x, %p {{alias_scopes = {b}, noalias_scopes = {a}}} : f32, !llvm.ptr""")
    assert "load float, ptr %v0, !alias.scope !2, !noalias !4" in text
    assert "store float %v1, ptr %v0, !alias.scope !4, !noalias !2" in text
    assert '!0 = distinct !{!0, !"f g"}\n' in text
    assert '!1 = distinct !{!1, !0, !"a"}\n!2 = !{!1}\n' in text
    assert '!3 = distinct !{!3, !0, !"b"}\n!4 = !{!3}\n' in text


@pytest.mark.parametrize(
    ("option", "node"),
    [
        ("vectorize = <width = 8 : i32>", '!{!"llvm.loop.vectorize.width", i32 8}'),
        ("vectorize = <disable = true>", '!{!"llvm.loop.vectorize.enable", i1 false}'),
        ("interleave = <count = 2 : i32>", '!{!"llvm.loop.interleave.count", i32 2}'),
        ("unroll = <disable = true>", '!{!"llvm.loop.unroll.disable"}'),
        ("distribute = <disable = false>", '!{!"llvm.loop.distribute.enable", i1 true}'),
        ("mustProgress = true", '!{!"llvm.loop.mustprogress"}'),
    ],
)
def test_loop_options(option, node):
    assert f"!0 = {node}\n" in text_of(LOOP.format(option))


def test_block_arguments_are_phis_of_every_edge():
    text = text_of(LOOP.format("mustProgress = true"))
    assert "= phi i64 [ 0, %b0 ], [ %v3, %b1 ]" in text
    assert "add nsw i64" in text
    assert "add nsw nuw i64" in text


def test_two_edges_between_the_same_blocks_stay_two():
    text = text_of("""
        llvm.func @f(%c: i1, %a: i64, %b: i64) -> i64 {
          llvm.cond_br %c, ^end(%a : i64), ^end(%b : i64)
        ^end(%r: i64):
          llvm.return %r : i64
        }""")
    assert "phi i64 [ %v1, %b0 ], [ %v2, %eb0 ]" in text


@pytest.mark.parametrize(
    ("op", "line"),
    [
        (
            "%r = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> f32",
            "= load float, ptr %v0, align 4",
        ),
        (
            "llvm.store volatile %x, %p {alignment = 4 : i64} : f32, !llvm.ptr",
            "store volatile float %v1, ptr %v0, align 4",
        ),
        (
            "llvm.store %x, %p {alignment = 4 : i64, nontemporal} : f32, !llvm.ptr",
            "store float %v1, ptr %v0, align 4, !nontemporal !0",
        ),
        (
            "%r = llvm.load %p atomic acquire {alignment = 4 : i64} : !llvm.ptr -> f32",
            "load atomic float, ptr %v0 acquire, align 4",
        ),
        (
            "%r = llvm.fadd %x, %x {fastmathFlags = #llvm.fastmath<contract,nnan>} : f32",
            "= fadd contract nnan float %v1, %v1",
        ),
        (
            '%r = llvm.call_intrinsic "llvm.exp"(%x) {fastmathFlags = #llvm.fastmath<afn>}'
            " : (f32) -> f32",
            "= call afn float @llvm.exp(float %v1)",
        ),
        ("%r = llvm.intr.fma(%x, %x, %x) : (f32, f32, f32) -> f32", "= call float @llvm.fma("),
        (
            "%r = llvm.getelementptr inbounds %p[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32",
            "= getelementptr inbounds float, ptr %v0, i64 %v2",
        ),
        (
            "%r = llvm.getelementptr %p[0, 3] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<4 x f32>",
            "= getelementptr [4 x float], ptr %v0, i32 0, i32 3",
        ),
        ("%r = llvm.freeze %x : f32", "= freeze float %v1"),
        ("%r = llvm.fneg %x : f32", "= fneg float %v1"),
    ],
)
def test_ops(op, line):
    assert line in body(op)


def test_an_intrinsic_is_used_with_several_types():
    text = """
        %d = llvm.fpext %x : f32 to f64
        %a = llvm.call_intrinsic "llvm.exp"(%x) : (f32) -> f32
        %b = llvm.call_intrinsic "llvm.exp"(%d) : (f64) -> f64"""
    module = str(binding.parse_assembly(body(text)))
    assert "@llvm.exp.f32(" in module
    assert "@llvm.exp.f64(" in module


@pytest.mark.parametrize(
    ("constant", "operand"),
    [
        ("0.1 : f32", "float 0x3FB99999A0000000"),
        ("0.1 : f64", "double 0x3FB999999999999A"),
        ("0.1 : f16", "half 0xH2E66"),
        ("0.1 : bf16", "i16 15821"),
        ("0x7FC00000 : f32", "float 0x7FF8000000000000"),
        ("0x7FC0 : bf16", "i16 32704"),
        ("-1 : i8", "i8 -1"),
        ("true", "i1 true"),
        ("dense<1.0> : vector<4xf32>", "<4 x float> splat (float 0x3FF0000000000000)"),
        ("dense<[1, 2]> : vector<2xi16>", "<2 x i16> <i16 1, i16 2>"),
    ],
)
def test_constants_are_written_by_their_bits(constant, operand):
    type = "i1" if constant == "true" else constant.split(" : ")[1]
    text = body(
        f"%c = llvm.mlir.constant({constant}) : {type} llvm.store %c, %p : {type}, !llvm.ptr"
    )
    assert f"store {operand}, ptr" in text


def test_bf16_is_passed_to_c_functions_as_such():
    text = text_of(
        """
        llvm.func @f(%x: bf16) {
          %y = llvm.call @of_c(%x) : (bf16) -> bf16
          llvm.call @own(%y) : (bf16) -> ()
          llvm.return
        }
        llvm.func @own(%x: bf16) {
          llvm.return
        }
        llvm.func @of_c(bf16) -> bf16"""
    )
    assert "declare bfloat @of_c(bfloat)" in text
    assert "= call bfloat @of_c(bfloat %" in text
    assert "call void @own(i16 %" in text
    binding.parse_assembly(text).verify()


@pytest.mark.parametrize(
    "op", ["llvm.fadd %h, %h", "llvm.fneg %h", 'llvm.fcmp "olt" %h, %h', "llvm.intr.exp(%h)"]
)
def test_arithmetic_in_bf16_has_no_text(op):
    name = op.split("(")[0].split(" ")[0]
    type = "(bf16) -> bf16" if "(" in op else "bf16"
    with pytest.raises(PassError, match=f"no text for {name} of bf16; compute in f32"):
        body(f"%h = llvm.mlir.constant(1.0 : bf16) : bf16\n%r = {op} : {type}")


def test_functions_carry_attributes():
    text = text_of(
        """llvm.func internal @g(%p: !llvm.ptr {llvm.noalias, llvm.align = 64 : i64}) -> i32 {
          %c = llvm.mlir.constant(0 : i32) : i32
          llvm.return %c : i32
        }
        llvm.func @"odd name"(%p: !llvm.ptr) -> i32 {
          %r = llvm.call @g(%p) : (!llvm.ptr) -> i32
          llvm.return %r : i32
        }""",
        width="512",
    )
    assert 'define internal i32 @g(ptr noalias align 64 %v0) "width"="512" {' in text
    assert 'define i32 @"odd name"(ptr %v0)' in text


def test_an_unknown_op_is_named():
    with pytest.raises(PassError, match=r"LLVM IR has no text for test\.op"):
        llvm_text(parse('llvm.func @f() { "test.op"() : () -> () llvm.return }'))
    with pytest.raises(PassError, match=r"LLVM IR has no text for func\.func"):
        llvm_text(parse("func.func @f() { func.return }"))
    with pytest.raises(PassError, match=r"no text for the argument attribute llvm.odd = unit"):
        llvm_text(parse("llvm.func @f(%p: !llvm.ptr {llvm.odd}) { llvm.return }"))
