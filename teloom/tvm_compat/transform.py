"""`tvm.transform.PassContext`: options of builds in a `with` block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from teloom.driver.lowering import Options, UserPass
from teloom.errors import Error
from teloom.tvm_compat.blocks import Block
from teloom.tvm_compat.refusals import missing_part

_CHECKED = "tir.instrument_bound_checkers"
_MORE_PASSES = "tir.add_lower_pass"
_DOUBLED = "tir.InjectDoubleBuffer"

_SWITCHES: Mapping[str, Options] = {
    "tir.disable_vectorize": {"vectorize-loops": {"scalar": True}},
    "tir.disable_storage_rewrite": {
        "buffer-reuse": {"hoist": False, "share": False, "in_place": False}
    },
    "tir.debug_keep_trivial_loop": {
        "build-loops": {"keep_trivial_loops": True},
        "unroll-loops": {"keep_trivial": True},
    },
}
"""What passes are told where an option is true."""

_AS_IT_IS = ("te.keep_schedule_record", "tir.disable_cse_tir", _CHECKED)
"""Schedules always keep a record; LLVM finds common subexpressions, no pass on IR does."""

_CHANGE_NO_RESULT = (
    "tir.CommonSubexprElimTIR",
    "tir.HoistIfThenElse",
    "tir.RemoveNoOp",
    "tir.Simplify",
)
"""Passes of TVM that may be disabled: IR is as it is without them, and as fast."""

_NO_DEVICE = False, "it is for devices, of which there are none"
_ONLY = {
    "tir.noalias": (True, "a call refuses arrays that share memory with an output"),
    "tir.disable_assert": (False, "a check that a program makes is part of it"),
    "tir.enable_debug": (False, "TELOOM_DEBUG_INFO=1 puts the lines of the program into the code"),
    "tir.enable_equiv_terms_in_cse_tir": (False, "LLVM finds common subexpressions"),
    "tir.LoopPartition": (
        {"partition_const_loop": True},
        "s[C].partition(axis, policy) says it of a loop",
    ),
    **dict.fromkeys(
        (
            "tir.detect_global_barrier",
            "tir.dma_bypass_cache",
            "tir.instrument_lwp",
            "tir.merge_static_smem",
            "tir.ptx_ldg32",
            "tir.use_async_copy",
        ),
        _NO_DEVICE,
    ),
}
"""Options that can have one value, and why."""

_INSTEAD = {
    "tir.UnrollLoop": "s[C].unroll(axis), or its pragmas, say which loops are unrolled",
    "tir.vtcm_capacity": "s.declare_memory('global.vtcm', limit) says what a memory holds",
}

_PHASES = ("loop", "memref", "standard", "standard")
"""The levels behind TVM's phases: loops; flat buffers; vectors and unrolled loops; all passes."""


class Asked(NamedTuple):
    """The requests of a context to `teloom.lower` and `teloom.build`."""

    options: Options
    passes: Mapping[str, Sequence[UserPass]]


class PassContext(Block):
    """The options of the builds in a `with` block.

    `opt_level` is one of graphs of operators, which te has none of. Of `config` there are
    "tir.instrument_bound_checkers", by which each access to memory is checked;
    "tir.disable_vectorize", "tir.disable_storage_rewrite" and "tir.debug_keep_trivial_loop", which
    tell it to passes; "tir.InjectDoubleBuffer" with a `split_loop` of 1 or 2; and
    "tir.add_lower_pass", pairs of a phase of TVM's, 0 to 3, and a pass of xDSL: a text, a class or
    an object, which runs on level loop, memref, standard and standard. Options that ask for
    what is done anyhow are taken, and so is a `disabled_pass` that only makes IR simpler. Raises
    `teloom.Error` for others, with what there is instead.
    Source: TVM's transform.PassContext.

    >>> with PassContext(opt_level=3, config={"tir.disable_vectorize": True}):
    ...     PassContext.current().asked.options
    {'vectorize-loops': {'scalar': True}}
    """

    def __init__(
        self,
        opt_level: int = 2,
        required_pass: Sequence[str] | None = None,
        disabled_pass: Sequence[str] | None = None,
        instruments: Sequence[Any] | None = None,
        config: Mapping[str, Any] | None = None,
    ):
        disabled = [name for name in disabled_pass or () if name not in _CHANGE_NO_RESULT]
        named = (("required_pass", required_pass), ("disabled_pass", disabled))
        for name, given in (*named, ("instruments", instruments)):
            if given:
                raise Error(
                    f"{name} {list(given)!r} of a PassContext are passes of TVM; there is: "
                    "teloom.build(..., options={'name-of-a-pass': {...}})"
                )
        self.opt_level, self.config = opt_level, dict(config or {})
        options: dict[str, Mapping[str, Any]] = {}
        for key, value in self.config.items():
            options |= _options(key, value)
        self.asked = Asked(options, _passes(self.config.get(_MORE_PASSES, ())))

    @staticmethod
    def current() -> PassContext:
        """That around the caller, or one without options."""
        return PassContext.innermost() or PassContext()


def _options(key: str, value: Any) -> Options:
    """The options of passes that follow from an option of TVM."""
    if key in _SWITCHES:
        return _SWITCHES[key] if value else {}
    if key == _DOUBLED:
        return {"double-buffer": {"split_loop": _split(value)}}
    if key in _ONLY:
        legal, reason = _ONLY[key]
        if value != legal:
            raise Error(
                f"the option {key!r} of a PassContext is {value!r}; it can only be {legal!r}: "
                f"{reason}"
            )
    elif key not in (*_AS_IT_IS, _MORE_PASSES):
        instead = f"; there is: {_INSTEAD[key]}" if key in _INSTEAD else ""
        raise Error(f"the option {key!r} of a PassContext has no meaning here{instead}")
    return {}


def _split(value: Any) -> bool:
    """Whether two iterations around a double buffer become one."""
    match value:
        case {"split_loop": 0 | 1 | 2 as count, **more} if not more:
            return count == 2
    raise Error(f"{_DOUBLED!r} of a PassContext is {value!r}; such as {{'split_loop': 2}}, or 1")


def _passes(given: Any) -> Mapping[str, Sequence[UserPass]]:
    """The passes by level, where `given` are pairs of a phase and a pass."""
    found: dict[str, list[UserPass]] = {}
    for pair in given:
        match pair:
            case (0 | 1 | 2 | 3 as phase, one):
                found.setdefault(_PHASES[phase], []).append(one)
            case _:
                raise Error(
                    f"{_MORE_PASSES!r} of a PassContext has {pair!r}; it has pairs of a phase from "
                    "0 to 3 and a pass of xDSL, as (1, 'cse')"
                )
    return found


def sanitizer() -> str | None:
    """The sanitizer of builds in the `with` block around the caller."""
    return "memory" if PassContext.current().config.get(_CHECKED) else None


def __getattr__(name: str) -> Any:
    raise missing_part("tvm.transform", name)
