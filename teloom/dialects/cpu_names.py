"""The architectures, CPUs and extensions that machine code can be for, by LLVM's names.

LLVM passes over names that it does not know, or ends the process, so they are looked up here first.
`llc -march=x86-64 -mattr=help` lists them. The lists here are those of LLVM 22, which a test asks;
they lack the names with which LLVM ends the process: CPUs of 32 bits, extensions that exclude what
all code needs, and two CPUs of which LLVM has a wrong description.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from teloom.errors import Error, did_you_mean

_X86, _ARM, _RISCV = "x86_64", "aarch64", "riscv64"

WASM = "wasm32"
"""WebAssembly with addresses of 32 bits."""

_V2 = frozenset("cx16 popcnt sahf sse3 ssse3 sse4.1 sse4.2".split())
_V3 = _V2 | frozenset("avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave".split())
_V4 = _V3 | frozenset("avx512bw avx512cd avx512dq avx512f avx512vl".split())

LEVELS: Mapping[str, frozenset[str]] = {
    "x86-64": frozenset(),
    "x86-64-v2": _V2,
    "x86-64-v3": _V3,
    "x86-64-v4": _V4,
}
"""Levels of the architecture, with the features of each (x86-64 psABI, 3.1.1)."""

OTHER_LEVELS: Mapping[str, tuple[str, str, frozenset[str]]] = {
    "armv8-a": (_ARM, "generic", frozenset(["fp-armv8", "neon"])),
    "armv8.2-a": (_ARM, "generic", frozenset(["fp-armv8", "neon", "v8.2a"])),
    "armv9-a": (_ARM, "generic", frozenset(["fp-armv8", "neon", "sve", "sve2", "v9a"])),
    "rv64gc": (_RISCV, "generic-rv64", frozenset("acdfm")),
    "rv64gcv": (_RISCV, "generic-rv64", frozenset("acdfmv")),
    "wasm32": (WASM, "generic", frozenset()),
    "wasm32-simd128": (WASM, "generic", frozenset(["simd128"])),
}
"""Levels of other architectures: the architecture, LLVM's name of their CPU, and the features."""


class Names(NamedTuple):
    """The CPUs and extensions of an architecture."""

    cpus: frozenset[str]
    features: frozenset[str]
    needed: frozenset[str]
    """The extensions without which there is no code."""
    such_cpus: str
    such_features: str
    """Examples for messages."""


def _names(cpus: str, features: str, needed: str, such_cpus: str, such_features: str) -> Names:
    sets = (frozenset(names.split()) for names in (cpus, features, needed))
    return Names(*sets, such_cpus, such_features)


_NAMES: Mapping[str, Names] = {
    _X86: _names(
        """
        alderlake amdfam10 arrowlake arrowlake-s arrowlake_s athlon-fx athlon64
        athlon64-sse3 atom atom_sse4_2 atom_sse4_2_movbe barcelona bdver1 bdver2 bdver3
        bdver4 bonnell broadwell btver1 btver2 cannonlake cascadelake clearwaterforest
        cooperlake core-avx-i core-avx2 core2 core_2_duo_sse4_1 core_2_duo_ssse3
        core_2nd_gen_avx core_3rd_gen_avx core_4th_gen_avx core_4th_gen_avx_tsx
        core_5th_gen_avx core_5th_gen_avx_tsx core_aes_pclmulqdq core_i7_sse4_2 corei7
        corei7-avx diamondrapids emeraldrapids generic goldmont goldmont-plus goldmont_plus
        gracemont grandridge graniterapids graniterapids-d graniterapids_d haswell
        icelake-client icelake-server icelake_client icelake_server ivybridge k8 k8-sse3 knl
        knm lunarlake meteorlake mic_avx512 nehalem nocona novalake opteron opteron-sse3
        pantherlake penryn raptorlake rocketlake sandybridge sapphirerapids sierraforest
        silvermont skx skylake skylake-avx512 skylake_avx512 slm tigerlake tremont westmere
        wildcatlake x86-64 x86-64-v2 x86-64-v3 x86-64-v4 znver1 znver2 znver3 znver4 znver5
        """,
        """
        64bit 64bit-mode adx aes allow-light-256-bit amx-avx512 amx-bf16 amx-complex
        amx-fp16 amx-fp8 amx-int8 amx-movrs amx-tf32 amx-tile avx avx10.1 avx10.1-512
        avx10.2 avx10.2-512 avx2 avx512bf16 avx512bitalg avx512bw avx512cd avx512dq avx512f
        avx512fp16 avx512ifma avx512vbmi avx512vbmi2 avx512vl avx512vnni avx512vp2intersect
        avx512vpopcntdq avxifma avxneconvert avxvnni avxvnniint16 avxvnniint8 bmi bmi2
        branch-hint branchfusion ccmp cf cldemote clflushopt clwb clzero cmov cmpccxadd
        crc32 cx16 cx8 egpr enqcmd ermsb evex512 f16c false-deps-getmant
        false-deps-lzcnt-tzcnt false-deps-mulc false-deps-mullq false-deps-perm
        false-deps-popcnt false-deps-range fast-11bytenop fast-15bytenop fast-7bytenop
        fast-bextr fast-dpwssd fast-gather fast-hops fast-imm16 fast-lzcnt fast-movbe
        fast-scalar-fsqrt fast-scalar-shift-masks fast-shld-rotate
        fast-variable-crosslane-shuffle fast-variable-perlane-shuffle fast-vector-fsqrt
        fast-vector-shift-masks faster-shift-than-shuffle fma fma4 fsgsbase fsrm fxsr gfni
        harden-sls-ijmp harden-sls-ret hreset idivl-to-divb idivq-to-divl
        inline-asm-use-gpr32 invpcid kl lea-sp lea-uses-ag lvi-cfi lvi-load-hardening lwp
        lzcnt macrofusion mmx movbe movdir64b movdiri movrs mwaitx ndd nf no-bypass-delay
        no-bypass-delay-blend no-bypass-delay-mov no-bypass-delay-shuffle nopl
        pad-short-functions pclmul pconfig pku popcnt ppx prefer-128-bit prefer-256-bit
        prefer-legacy-setcc prefer-mask-registers prefer-movmsk-over-vtest prefer-no-gather
        prefer-no-scatter prefetchi prfchw ptwrite push2pop2 raoint rdpid rdpru rdrnd rdseed
        retpoline retpoline-external-thunk retpoline-indirect-branches
        retpoline-indirect-calls rtm sahf sbb-dep-breaking serialize seses sgx sha sha512
        shstk slow-3ops-lea slow-incdec slow-lea slow-pmaddwd slow-pmulld slow-pmullq
        slow-shld slow-two-mem-ops slow-unaligned-mem-16 slow-unaligned-mem-32 sm3 sm4 sse
        sse-unaligned-mem sse2 sse3 sse4.1 sse4.2 sse4a ssse3 tagged-globals tbm tsxldtrk
        tuning-fast-imm-vector-shift uintr use-glm-div-sqrt-costs use-slm-arith-costs
        usermsr vaes vpclmulqdq vzeroupper waitpkg wbnoinvd widekl x32 x87 xop xsave xsavec
        xsaveopt xsaves zu
        """,
        "64bit 64bit-mode sse sse2",
        "haswell or znver4",
        "+avx2 or -fma",
    ),
    _ARM: _names(
        """
        a64fx ampere1 ampere1a ampere1c apple-a10 apple-a11 apple-a12 apple-a13 apple-a14
        apple-a15 apple-a16 apple-a17 apple-a18 apple-a19 apple-a7 apple-a8 apple-a9
        apple-m1 apple-m2 apple-m3 apple-m4 apple-m5 apple-s10 apple-s4 apple-s5 apple-s6
        apple-s7 apple-s8 apple-s9 c1-nano c1-premium c1-pro c1-ultra carmel cobalt-100
        cortex-a320 cortex-a34 cortex-a35 cortex-a510 cortex-a520 cortex-a520ae cortex-a53
        cortex-a55 cortex-a57 cortex-a65 cortex-a65ae cortex-a710 cortex-a715 cortex-a72
        cortex-a720 cortex-a720ae cortex-a725 cortex-a73 cortex-a75 cortex-a76 cortex-a76ae
        cortex-a77 cortex-a78 cortex-a78ae cortex-a78c cortex-r82 cortex-r82ae cortex-x1
        cortex-x1c cortex-x2 cortex-x3 cortex-x4 cortex-x925 cyclone exynos-m3 exynos-m4
        exynos-m5 falkor fujitsu-monaka gb10 generic grace kryo neoverse-512tvb neoverse-e1
        neoverse-n1 neoverse-n2 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3
        neoverse-v3ae olympus saphira thunderx thunderx2t99 thunderx3t110 thunderxt81
        thunderxt83 thunderxt88 tsv110
        """,
        """
        CONTEXTIDREL2 a320 a35 a510 a520 a520ae a53 a55 a57 a64fx a65 a710 a715 a72 a720
        a720ae a73 a75 a76 a77 a78 a78ae a78c addr-lsl-slow-14 aes aggressive-fma
        aggressive-interleaving all alternate-sextload-cvt-f32-pattern altnzcv alu-lsl-fast
        am ampere1 ampere1a ampere1b ampere1c amvs apple-a10 apple-a11 apple-a12 apple-a13
        apple-a14 apple-a15 apple-a16 apple-a17 apple-a7 apple-m4 apple-m5 arith-bcc-fusion
        arith-cbz-fusion ascend-store-address avoid-ldapur balance-fp-ops bf16 brbe bti btie
        c1-nano c1-premium c1-pro c1-ultra call-saved-x10 call-saved-x11 call-saved-x12
        call-saved-x13 call-saved-x14 call-saved-x15 call-saved-x18 call-saved-x8
        call-saved-x9 carmel ccdp ccidx ccpp chk clrbhb cmh cmp-bcc-fusion cmpbr complxnum
        cortex-a725 cortex-r82 cortex-r82ae cortex-x1 cortex-x2 cortex-x3 cortex-x4
        cortex-x925 cpa crc crypto cssc d128 disable-fast-inc-vl
        disable-latency-sched-heuristic disable-ldp disable-maximize-scalable-bandwidth
        disable-stp disable-unpredicated-ld-st-lower dit dotprod ecv el2vmsa el3
        enable-select-opt ete execute-only exynos-cheap-as-move exynosm3 exynosm4 f16f32dot
        f16f32mm f16mm f32mm f64mm f8f16mm f8f32mm falkor faminmax fgt fix-cortex-a53-835769
        flagm fmv force-32bit-jump-tables fp-armv8 fp16fml fp8 fp8dot2 fp8dot4 fp8fma fpac
        fprcvt fptoint fujitsu-monaka fullfp16 fuse-address fuse-addsub-2reg-const1
        fuse-adrp-add fuse-aes fuse-arith-logic fuse-crypto-eor fuse-csel fuse-cset
        fuse-literals gcie gcs harden-sls-blr harden-sls-nocomdat harden-sls-retbr hbc hcx
        i8mm ite jsconv kryo ldp-aligned-only lor ls64 lscp lse lse128 lse2 lsfe lsui lut
        max-interleave-factor-4 mec mops mops-go mpam mpamv2 mte mtetc neon neoverse512tvb
        neoversee1 neoversen1 neoversen2 neoversen3 neoversev1 neoversev2 neoversev3
        neoversev3AE nmi no-bti-at-return-twice no-neg-immediates no-sve-fp-ld1r
        no-zcz-fpr64 nv occmo olympus oryon-1 outline-atomics pan pan-rwv pauth pauth-lr
        pcdphint perfmon poe2 pops predictable-select-expensive predres prfm-slc-target rand
        ras rasv2 rcpc rcpc-immo rcpc3 rdm reserve-lr-for-ra reserve-x10 reserve-x11
        reserve-x12 reserve-x13 reserve-x14 reserve-x15 reserve-x18 reserve-x20 reserve-x21
        reserve-x22 reserve-x23 reserve-x24 reserve-x25 reserve-x26 reserve-x27 reserve-x28
        reserve-x9 rme saphira sb sel2 sha2 sha3 slow-misaligned-128store slow-paired-128
        slow-strqro-store sm4 sme sme-b16b16 sme-f16f16 sme-f64f64 sme-f8f16 sme-f8f32
        sme-fa64 sme-i16i64 sme-lutv2 sme-mop4 sme-tmop sme2 sme2p1 sme2p2 sme2p3 spe
        spe-eef specres2 specrestrict ssbs ssve-aes ssve-bitperm ssve-fexpa ssve-fp8dot2
        ssve-fp8dot4 ssve-fp8fma store-pair-suppress stp-aligned-only strict-align sve
        sve-aes sve-aes2 sve-b16b16 sve-b16mm sve-bfscale sve-bitperm sve-f16f32mm sve-sha3
        sve-sm4 sve2 sve2-aes sve2-bitperm sve2-sha3 sve2-sm4 sve2p1 sve2p2 sve2p3
        tagged-globals tev the thunderx thunderx2t99 thunderx3t110 thunderxt81 thunderxt83
        thunderxt88 tlb-rmi tlbid tlbiw tpidr-el1 tpidr-el2 tpidr-el3 tpidrro-el0 tracev8.4
        trbe tsv110 uaops use-experimental-zeroing-pseudos
        use-fixed-over-scalable-if-equal-cost use-postra-scheduler
        use-reciprocal-square-root use-wzr-to-vec-move v8.1a v8.2a v8.3a v8.4a v8.5a v8.6a
        v8.7a v8.8a v8.9a v8a v8r v9.1a v9.2a v9.3a v9.4a v9.5a v9.6a v9.7a v9a vh wfxt xs
        zcm-fpr128 zcm-fpr32 zcm-fpr64 zcm-gpr32 zcm-gpr64 zcz-fp-workaround zcz-fpr128
        zcz-gpr32 zcz-gpr64
        """,
        "fp-armv8 neon",
        "neoverse-n1 or cortex-a72",
        "+sve or -dotprod",
    ),
    _RISCV: _names(
        """
        andes-ax25 andes-ax45 andes-ax45mpv andes-nx45 generic generic-rv64 mips-p8700
        rocket-rv64 sifive-p450 sifive-p470 sifive-p550 sifive-p670 sifive-p870 sifive-s21
        sifive-s51 sifive-s54 sifive-s76 sifive-u54 sifive-u74 sifive-x280 sifive-x390
        spacemit-x60 syntacore-scr3-rv64 syntacore-scr4-rv64 syntacore-scr5-rv64
        syntacore-scr7 tt-ascalon-d8 veyron-v1 xiangshan-kunminghu xiangshan-nanhu
        """,
        """
        64bit a add-load-fusion addi-load-fusion andes45 auipc-addi-fusion auipc-load-fusion
        b bfext-fusion c conditional-cmv-fusion d disable-latency-sched-heuristic
        disable-misched-load-clustering disable-misched-store-clustering
        disable-postmisched-load-clustering disable-postmisched-store-clustering
        dlen-factor-2 enable-vsetvli-sched-heuristic exact-asm experimental experimental-p
        experimental-smpmpmt experimental-svukte experimental-xrivosvisni
        experimental-xrivosvizip experimental-xsfmclic experimental-xsfsclic
        experimental-zibi experimental-zicfilp experimental-zicfiss experimental-zvbc32e
        experimental-zvfbfa experimental-zvfofp8min experimental-zvkgs experimental-zvqdotq
        f forced-atomics h i ld-add-fusion log-vrgather lui-addi-fusion lui-load-fusion m
        mips-p8700 no-default-unroll no-sink-splat-operands no-trailing-seq-cst-fence
        optimized-nf2-segment-load-store optimized-nf3-segment-load-store
        optimized-nf4-segment-load-store optimized-nf5-segment-load-store
        optimized-nf6-segment-load-store optimized-nf7-segment-load-store
        optimized-nf8-segment-load-store optimized-zero-stride-load permissive-zalrsc
        predictable-select-expensive prefer-vsetvli-over-read-vlenb prefer-w-inst q relax
        reserve-x10 reserve-x11 reserve-x12 reserve-x13 reserve-x14 reserve-x15 reserve-x16
        reserve-x17 reserve-x18 reserve-x19 reserve-x20 reserve-x21 reserve-x22 reserve-x23
        reserve-x24 reserve-x25 reserve-x26 reserve-x27 reserve-x28 reserve-x29 reserve-x3
        reserve-x30 reserve-x31 reserve-x4 reserve-x5 reserve-x6 reserve-x7 reserve-x8
        reserve-x9 rva20s64 rva20u64 rva22s64 rva22u64 rva23s64 rva23u64 rvb23s64 rvb23u64
        rvi20u64 save-restore sdext sdtrig sha shcounterenw shgatpa shifted-zextw-fusion
        shlcofideleg short-forward-branch-ialu short-forward-branch-iload
        short-forward-branch-iminmax short-forward-branch-imul shtvala shvsatpa shvstvala
        shvstvecd shxadd-load-fusion sifive7 single-element-vec-fp64 smaia smcdeleg
        smcntrpmf smcsrind smctr smdbltrp smepmp smmpm smnpm smrnmi smstateen ssaia ssccfg
        ssccptr sscofpmf sscounterenw sscsrind ssctr ssdbltrp ssnpm sspm ssqosid ssstateen
        ssstrict sstc sstvala sstvecd ssu64xl supm svade svadu svbare svinval svnapot svpbmt
        svvptc tagged-globals unaligned-scalar-mem unaligned-vector-mem use-postra-scheduler
        v ventana-veyron vl-dependent-latency vxrm-pipeline-flush xandesperf xandesvbfhcvt
        xandesvdot xandesvpackfph xandesvsinth xandesvsintload xcvalu xcvbi xcvbitmanip
        xcvelw xcvmac xcvmem xcvsimd xmipscbop xmipscmov xmipsexectl xmipslsp xsfcease
        xsfmm128t xsfmm16t xsfmm32a16f xsfmm32a32f xsfmm32a8f xsfmm32a8i xsfmm32t
        xsfmm64a64f xsfmm64t xsfmmbase xsfvcp xsfvfexp16e xsfvfexp32e xsfvfexpa xsfvfexpa64e
        xsfvfnrclipxfqf xsfvfwmaccqqq xsfvqmaccdod xsfvqmaccqoq xsifivecdiscarddlone
        xsifivecflushdlone xsmtvdot xtheadba xtheadbb xtheadbs xtheadcmo xtheadcondmov
        xtheadfmemidx xtheadmac xtheadmemidx xtheadmempair xtheadsync xtheadvdot
        xventanacondops za128rs za64rs zaamo zabha zacas zalasr zalrsc zama16b zawrs zba zbb
        zbc zbkb zbkc zbkx zbs zca zcb zcd zcmop zexth-fusion zextw-fusion zfa zfbfmin zfh
        zfhmin zic64b zicbom zicbop zicboz ziccamoa ziccamoc ziccif zicclsm ziccrse zicntr
        zicond zicsr zifencei zihintntl zihintpause zihpm zilsd-4byte-align zimop zk zkn
        zknd zkne zknh zkr zks zksed zksh zkt zmmul ztso zvbb zvbc zve32f zve32x zve64d
        zve64f zve64x zvfbfmin zvfbfwma zvfh zvfhmin zvkb zvkg zvkn zvknc zvkned zvkng
        zvknha zvknhb zvks zvksc zvksed zvksg zvksh zvkt zvl1024b zvl128b zvl16384b zvl2048b
        zvl256b zvl32768b zvl32b zvl4096b zvl512b zvl64b zvl65536b zvl8192b
        """,
        "64bit a d f zicsr zve32x",
        "generic-rv64 or sifive-u74",
        "+v or -c",
    ),
    WASM: _names(
        """
        bleeding-edge generic lime1 mvp
        """,
        """
        atomics bulk-memory bulk-memory-opt call-indirect-overlong exception-handling
        extended-const gc multimemory multivalue mutable-globals nontrapping-fptoint
        reference-types relaxed-simd sign-ext simd128 tail-call wide-arithmetic
        """,
        "",
        "generic",
        "+simd128",
    ),
}

ARCHITECTURES = tuple(_NAMES)
"""The architectures that machine code can be for."""


@cache
def names_of(architecture: str) -> Names:
    """The names of an architecture; those of all for the empty name, which is this machine's.

    Raises `Error` for another one.
    """
    if architecture:
        check_architecture(architecture)
        return _NAMES[architecture]
    of_all = zip(*(_NAMES[one][:2] for one in ARCHITECTURES), strict=True)
    cpus, features = (frozenset[str]().union(*sets) for sets in of_all)
    return Names(cpus, features, frozenset(), *_NAMES[_X86][3:])


def check_architecture(name: str, of: str = "") -> None:
    """Raises `Error` unless machine code can be for an architecture; `of` says what names it."""
    if name not in _NAMES:
        raise Error(
            f"no architecture {name!r}{of}; architectures: {', '.join(ARCHITECTURES)}"
            f"{did_you_mean(name, ARCHITECTURES)}"
        )


@cache
def check_machine(architecture: str, cpu: str, tune: str, features: str) -> None:
    """Raises `Error` unless LLVM makes code for a machine, as `Target` describes it."""
    names = names_of(architecture)
    levels = {name for name, (of, *_) in OTHER_LEVELS.items() if architecture in ("", of)}
    for name, known in ((cpu, names.cpus), (tune, names.cpus | levels)):
        if name and name not in known:
            raise Error(
                f"LLVM makes no {_code(architecture)} for a CPU {name!r}; it does for "
                f"{names.such_cpus}{did_you_mean(name, known)}"
            )
    check_features(architecture, features)
    added = {name for sign, name in changes_of(features) if sign == "+"}
    lengths = sorted(name for name in added if name.startswith("zvl"))
    if lengths and added.isdisjoint(_RISCV_VECTORS):
        raise Error(f"the extension {lengths[0]!r} is of vectors; add +v to those of the target")


_RISCV_VECTORS = frozenset("v zve32f zve32x zve64d zve64f zve64x".split())
"""The extensions of which LLVM wants one beside those that say how long vectors are."""


def changes_of(features: str) -> Iterator[tuple[str, str]]:
    """The signs and names of extensions, as in `+avx2,-fma`; raises `Error` for another text."""
    for change in features.split(",") if features else ():
        if change[:1] not in ("+", "-") or len(change) < 2:
            raise Error(f"no extension {change!r} of a target; such as +avx2 or -fma")
        yield change[0], change[1:]


def check_features(architecture: str, features: str) -> None:
    """Raises `Error` unless LLVM makes code for an architecture with or without extensions."""
    names = names_of(architecture)
    for sign, name in changes_of(features):
        if name not in names.features:
            raise Error(
                f"LLVM makes no {_code(architecture)} with or without an extension {name!r}; it "
                f"does with {names.such_features}{did_you_mean(name, names.features)}"
            )
        if sign == "-" and name in names.needed:
            raise Error(f"LLVM makes no {_code(architecture)} without the extension {name!r}")


def _code(architecture: str) -> str:
    return f"{architecture} code" if architecture else "code"
