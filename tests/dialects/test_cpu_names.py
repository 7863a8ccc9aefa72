"""The names of CPUs and extensions are those of the LLVM that is installed."""

import re
import subprocess
import sys

import pytest

from teloom.dialects.cpu_names import ARCHITECTURES, names_of

OTHERS = {
    "x86_64": (
        "athlon athlon-4 athlon-mp athlon-tbird athlon-xp c3 c3-2 geode i386 i486 i586 i686 k6 "
        "k6-2 k6-3 lakemont pentium pentium-m pentium-mmx pentium2 pentium3 pentium3m pentium4 "
        "pentium4m pentium_4 pentium_4_sse3 pentium_ii pentium_iii pentium_iii_no_xmm_regs "
        "pentium_m pentium_mmx pentium_pro pentiumpro prescott winchip-c6 winchip2 yonah",
        "16bit-mode 32bit-mode soft-float",
    ),
    "aarch64": (
        "ampere1b oryon-1",
        "reserve-x1 reserve-x2 reserve-x3 reserve-x4 reserve-x5 reserve-x6 reserve-x7",
    ),
    "riscv64": (
        "andes-45-series andes-a25 andes-a45 andes-n45 generic-ooo generic-rv32 rocket "
        "rocket-rv32 rp2350-hazard3 sifive-7-series sifive-e20 sifive-e21 sifive-e24 sifive-e31 "
        "sifive-e34 sifive-e76 syntacore-scr1-base syntacore-scr1-max syntacore-scr3-rv32 "
        "syntacore-scr4-rv32 syntacore-scr5-rv32",
        "32bit e experimental-rvm23u32 reserve-x1 reserve-x2 rvi20u32 xandesbfhcvt xqccmp xqci "
        "xqcia xqciac xqcibi xqcibm xqcicli xqcicm xqcics xqcicsr xqciint xqciio xqcilb xqcili "
        "xqcilia xqcilo xqcilsm xqcisim xqcisls xqcisync xsfvfbfexp16e xwchc zce zcf zclsd zcmp "
        "zcmt zdinx zfinx zhinx zhinxmin zilsd",
    ),
    "wasm32": ("", "fp16"),
}
"""CPUs and extensions that LLVM has, but with which it ends the process, or code is called
otherwise."""


ASKS = """
import sys
import llvmlite.binding as binding
binding.initialize_all_targets()
binding.Target.from_triple(sys.argv[1]).create_target_machine(features="+help")
"""
"""LLVM prints the names once in a process."""


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_names_are_those_of_llvm(architecture: str):
    command = [sys.executable, "-c", ASKS, f"{architecture}-unknown-unknown"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    parts = said.split("Available features for this target:")
    cpus, features = (re.findall(r"^  (\S+) +- ", part, re.MULTILINE) for part in parts)
    names = names_of(architecture)
    assert {*names.cpus} | {*OTHERS[architecture][0].split()} == {*cpus}
    assert {*names.features} | {*OTHERS[architecture][1].split()} == {*features}
    assert names.needed <= names.features
