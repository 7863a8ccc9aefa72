"""The `llvm` dialect: xDSL's, and the parts of upstream MLIR's that it lacks.

Names and spelling are upstream's. Four ops of xDSL's accept less than upstream
(`llvm.fcmp`, `llvm.select` and `llvm.getelementptr` no vectors, `llvm.intr.masked.store` no
integers); ours stand in their place in `LLVM`.
Intrinsics without an op of their own are `llvm.call_intrinsic`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from xdsl import irdl
from xdsl.dialects import builtin, llvm
from xdsl.dialects.builtin import BoolAttr, DictionaryAttr, IntegerAttr, VectorType, i1, i32, i64
from xdsl.dialects.llvm import FastMathAttr, FCmpPredicateFlag, LLVMPointerType
from xdsl.ir import Attribute, Dialect, Operation, ParametrizedAttribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, MemoryReadEffect, MemoryWriteEffect, NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.syntax.attributes_behind import attributes_behind
from teloom.dialects.upstream.arith import truth_type

LOOP_ANNOTATION = "llvm.loop_annotation"
"""The attribute of a loop, then of its latch branch, that holds a `LoopAnnotationAttr`."""

WORKSPACE = "teloom.workspace"
"""The attribute of the argument by which a function gets the memory for its buffers."""

ASSERTIONS = "teloom.assertions"
"""The attribute of a module that has the messages of its assertions, in their order."""

ELEMENTARY = "teloom.elementary"
"""The attribute of a function that is arithmetic of one elementary function: it is inlined, and
nothing in it is contracted but what says so."""

VECTORIZED = "teloom.vectorized"
"""The attribute of a function whose innermost loops store vectors only, then in its `passthrough`:
LLVM need not look for more of them, nor unroll what is not to be."""

SHARED, STATIC, DYNAMIC = "teloom.shared", "static", "dynamic"
"""The attribute of a parallel loop, then of a call, that says how threads share its range: in equal
parts, or each takes one iteration when it is free."""

JOINED = "teloom.joined"
"""The attribute of a shared call that runs in one team of threads with the next one."""

ALIAS_SCOPES, NOALIAS_SCOPES = "alias_scopes", "noalias_scopes"
"""Attributes of a load or store, each an array of `AliasScopeAttr`: the scopes that it is in, and
the scopes whose accesses it never overlaps."""

TruthConstr = irdl.EqAttrConstraint(i1)

FLAG, TRUTH, OPPOSITE, COUNT = "flag", "truth", "opposite", "count"
"""What LLVM takes of a loop option: its name where true, i1, i1 of the opposite, i32."""


class LoopOption(NamedTuple):
    """What LLVM takes of a loop option, and the name that it has there."""

    kind: str
    name: str


LoopOptions = Mapping[str, "LoopOption | LoopOptions"]
"""Options by upstream's names, and groups of them."""

LOOP_OPTIONS: LoopOptions = {
    "disableNonforced": LoopOption(FLAG, "llvm.loop.disable_nonforced"),
    "vectorize": {
        "disable": LoopOption(OPPOSITE, "llvm.loop.vectorize.enable"),
        "predicateEnable": LoopOption(TRUTH, "llvm.loop.vectorize.predicate.enable"),
        "scalableEnable": LoopOption(TRUTH, "llvm.loop.vectorize.scalable.enable"),
        "width": LoopOption(COUNT, "llvm.loop.vectorize.width"),
    },
    "interleave": {"count": LoopOption(COUNT, "llvm.loop.interleave.count")},
    "unroll": {
        "disable": LoopOption(FLAG, "llvm.loop.unroll.disable"),
        "count": LoopOption(COUNT, "llvm.loop.unroll.count"),
        "runtimeDisable": LoopOption(FLAG, "llvm.loop.unroll.runtime.disable"),
        "full": LoopOption(FLAG, "llvm.loop.unroll.full"),
    },
    "unrollAndJam": {
        "disable": LoopOption(FLAG, "llvm.loop.unroll_and_jam.disable"),
        "count": LoopOption(COUNT, "llvm.loop.unroll_and_jam.count"),
    },
    "licm": {
        "disable": LoopOption(FLAG, "llvm.licm.disable"),
        "versioningDisable": LoopOption(FLAG, "llvm.loop.licm_versioning.disable"),
    },
    "distribute": {"disable": LoopOption(OPPOSITE, "llvm.loop.distribute.enable")},
    "pipeline": {
        "disable": LoopOption(FLAG, "llvm.loop.pipeline.disable"),
        "initiationinterval": LoopOption(COUNT, "llvm.loop.pipeline.initiationinterval"),
    },
    "peeled": {"count": LoopOption(COUNT, "llvm.loop.peeled.count")},
    "unswitch": {"partialDisable": LoopOption(FLAG, "llvm.loop.unswitch.partial.disable")},
    "mustProgress": LoopOption(FLAG, "llvm.loop.mustprogress"),
    "isVectorized": LoopOption(TRUTH, "llvm.loop.isvectorized"),
}
"""What a loop annotation may say, in upstream's printing order."""


def _verify_options(given: DictionaryAttr, known: LoopOptions) -> None:
    for name, value in given.data.items():
        option = known.get(name)
        if option is None:
            raise VerifyException(
                f"loop annotation has no option '{name}'; known: {', '.join(known)}"
            )
        if not isinstance(option, LoopOption):
            if not isinstance(value, DictionaryAttr):
                raise VerifyException(f"loop option '{name}' is a group: {name} = <..>")
            _verify_options(value, option)
            continue
        is_flag = isinstance(value, IntegerAttr) and value.type == i1
        if not isinstance(value, IntegerAttr) or is_flag == (option.kind == COUNT):
            kind = "an integer" if option.kind == COUNT else "a boolean"
            raise VerifyException(f"loop option '{name}' is {kind}, got {value}")


def _parse_options(parser: AttrParser) -> DictionaryAttr:
    def option() -> tuple[str, Attribute]:
        name = parser.parse_identifier()
        parser.parse_punctuation("=")
        if isinstance(LOOP_OPTIONS.get(name), Mapping):
            return name, _parse_group(parser, name)
        return name, parser.parse_attribute()

    return DictionaryAttr(dict(parser.parse_comma_separated_list(parser.Delimiter.ANGLE, option)))


def _parse_group(parser: AttrParser, name: str) -> DictionaryAttr:
    """Parses the options of a group, which upstream also prints as an attribute with a name."""
    place = parser.pos
    attribute = parser.parse_optional_attribute()
    if attribute is None:
        return _parse_options(parser)
    if not isinstance(attribute, LoopGroupAttr) or attribute.GROUP != name:
        parser.raise_error(f"loop option '{name}' is a group: {name} = <..>", place, parser.pos)
    return attribute.options


def _print_options(printer: Printer, options: DictionaryAttr) -> None:
    def option(item: tuple[str, Attribute]) -> None:
        name, value = item
        printer.print_string(f"{name} = ")
        if isinstance(value, DictionaryAttr):
            _print_options(printer, value)
        else:
            printer.print_attribute(value)

    with printer.in_angle_brackets():
        printer.print_list(options.data.items(), option)


@irdl.irdl_attr_definition
class LoopAnnotationAttr(ParametrizedAttribute):
    """What LLVM is asked to do with the loop whose latch carries this attribute.

    Example: `#llvm.loop_annotation<unroll = <disable = false, full = true>>`.

    Like: upstream's `#llvm.loop_annotation`; source locations and access groups
    are left out.
    """

    name = "llvm.loop_annotation"

    options: DictionaryAttr

    def verify(self) -> None:
        _verify_options(self.options, LOOP_OPTIONS)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return [_parse_options(parser)]

    def print_parameters(self, printer: Printer) -> None:
        _print_options(printer, self.options)

    @staticmethod
    def saying(group: str, **options: int) -> LoopAnnotationAttr:
        """The annotation of these options of one group: flags and numbers."""
        said = {
            name: BoolAttr.from_bool(value) if isinstance(value, bool) else IntegerAttr(value, i32)
            for name, value in options.items()
        }
        return LoopAnnotationAttr(DictionaryAttr({group: DictionaryAttr(said)}))

    @staticmethod
    def ending() -> LoopAnnotationAttr:
        """The annotation that only says that a loop ends."""
        return LoopAnnotationAttr(DictionaryAttr({"mustProgress": BoolAttr.from_bool(True)}))

    @staticmethod
    def not_vectorized() -> LoopAnnotationAttr:
        """The annotation that keeps LLVM from making vectors of a loop."""
        return LoopAnnotationAttr.saying("vectorize", disable=True)

    @property
    def may_be_vectorized(self) -> bool:
        """Whether it leaves it to LLVM to make vectors of the loop."""
        said = self.options.data.get("vectorize")
        disabled = said.data.get("disable") if isinstance(said, DictionaryAttr) else None
        return disabled != BoolAttr.from_bool(True)


UNROLLED = LoopAnnotationAttr.saying("unroll", disable=False, full=True)
"""The annotation that asks for a loop to be unrolled completely."""


def annotate(op: Operation, said: LoopAnnotationAttr) -> None:
    """Adds an annotation to a loop; it joins the others, or replaces its opposite."""
    known = op.attributes.get(LOOP_ANNOTATION)
    if isinstance(known, LoopAnnotationAttr):
        said = LoopAnnotationAttr(_both(known.options, said.options))
    op.attributes[LOOP_ANNOTATION] = said


def _both(options: DictionaryAttr, others: DictionaryAttr) -> DictionaryAttr:
    """What both say; the others, where they differ."""
    both = dict(options.data)
    for name, value in others.data.items():
        known = both.get(name)
        if isinstance(known, DictionaryAttr) and isinstance(value, DictionaryAttr):
            value = _both(known, value)
        both[name] = value
    return DictionaryAttr(both)


class LoopGroupAttr(ParametrizedAttribute):
    """The options of one group of a loop annotation, by themselves.

    Example: `#llvm.loop_unroll<disable = false, full = true>`.
    """

    GROUP: ClassVar[str]

    options: DictionaryAttr

    def verify(self) -> None:
        group = LOOP_OPTIONS[self.GROUP]
        assert isinstance(group, Mapping)
        _verify_options(self.options, group)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return [_parse_options(parser)]

    def print_parameters(self, printer: Printer) -> None:
        _print_options(printer, self.options)


def _group_attribute(group: str) -> type[LoopGroupAttr]:
    """The attribute of a group, such as `llvm.loop_unroll_and_jam` of `unrollAndJam`."""
    mnemonic = re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", group)
    said = {"name": f"llvm.loop_{mnemonic}", "GROUP": group, "__module__": __name__}
    made = type(f"Loop{group[0].upper()}{group[1:]}Attr", (LoopGroupAttr,), said)
    return irdl.irdl_attr_definition(made)


LOOP_GROUPS = [
    _group_attribute(name) for name, of in LOOP_OPTIONS.items() if isinstance(of, Mapping)
]
"""The attributes of the groups of a loop annotation."""


@irdl.irdl_attr_definition
class AliasScopeAttr(ParametrizedAttribute):
    """A set of accesses, one of several in a domain.

    Example: `#llvm.alias_scope<id = "T", domain = <id = "matmul">>`.

    Like: upstream's, with names for ids; descriptions are left out.
    """

    name = "llvm.alias_scope"

    id: builtin.StringAttr
    domain: builtin.StringAttr

    @staticmethod
    def of(id: str, domain: str) -> AliasScopeAttr:
        return AliasScopeAttr(builtin.StringAttr(id), builtin.StringAttr(domain))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            id = _parse_id(parser)
            parser.parse_punctuation(",")
            parser.parse_keyword("domain")
            parser.parse_punctuation("=")
            with parser.in_angle_brackets():
                return id, _parse_id(parser)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("id = ")
            printer.print_attribute(self.id)
            printer.print_string(", domain = <id = ")
            printer.print_attribute(self.domain)
            printer.print_string(">")


def _parse_id(parser: AttrParser) -> builtin.StringAttr:
    parser.parse_keyword("id")
    parser.parse_punctuation("=")
    return builtin.StringAttr(parser.parse_str_literal())


@irdl_op_definition
class FPToSIOp(llvm.GenericCastOp):
    """Convert a float to a signed integer, rounding towards zero.

    ```mlir
    %x = "test.op"() : () -> f32
    %y = llvm.fptosi %x : f32 to i32
    ```
    """

    name = "llvm.fptosi"


@irdl_op_definition
class FPToUIOp(llvm.GenericCastOp):
    """Convert a float to an unsigned integer, rounding towards zero.

    ```mlir
    %x = "test.op"() : () -> f32
    %y = llvm.fptoui %x : f32 to i32
    ```
    """

    name = "llvm.fptoui"


@irdl_op_definition
class UIToFPOp(llvm.GenericCastOp):
    """Convert an unsigned integer to a float.

    ```mlir
    %x = "test.op"() : () -> i32
    %y = llvm.uitofp %x : i32 to f32
    ```
    """

    name = "llvm.uitofp"


@irdl_op_definition
class PoisonOp(irdl.IRDLOperation):
    """A value that nothing may depend on.

    ```mlir
    %x = llvm.mlir.poison : vector<4xf32>
    ```
    """

    name = "llvm.mlir.poison"

    res = result_def()

    assembly_format = "attr-dict `:` type($res)"

    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class FreezeOp(irdl.IRDLOperation):
    """The operand, or some fixed value where the operand is poison.

    ```mlir
    %x = "test.op"() : () -> i32
    %y = llvm.freeze %x : i32
    ```
    """

    name = "llvm.freeze"

    T: ClassVar = irdl.VarConstraint("T", irdl.AnyAttr())

    val = operand_def(T)
    res = result_def(T)

    assembly_format = "$val attr-dict `:` type($val)"

    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class ExtractElementOp(irdl.IRDLOperation):
    """One element of a vector.

    ```mlir
    %v, %i = "test.op"() : () -> (vector<4xf32>, i32)
    %x = llvm.extractelement %v[%i : i32] : vector<4xf32>
    ```
    """

    name = "llvm.extractelement"

    ELEMENT: ClassVar = irdl.VarConstraint("ELEMENT", irdl.AnyAttr())

    vector = operand_def(VectorType.constr(ELEMENT))
    position = operand_def(builtin.SignlessIntegerConstraint)
    res = result_def(ELEMENT)

    assembly_format = "$vector `[` $position `:` type($position) `]` attr-dict `:` type($vector)"

    traits = traits_def(Pure())


@irdl_op_definition
class FCmpOp(irdl.IRDLOperation):
    """Compare floats, element by element for vectors.

    ```mlir
    %a, %b = "test.op"() : () -> (vector<4xf32>, vector<4xf32>)
    %c = llvm.fcmp "olt" %a, %b : vector<4xf32>
    ```
    """

    name = "llvm.fcmp"

    T: ClassVar = irdl.VarConstraint(
        "T", builtin.AnyFloatConstr | VectorType.constr(builtin.AnyFloatConstr)
    )

    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def()
    predicate = prop_def(IntegerAttr[builtin.IntegerType])
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))

    traits = traits_def(Pure())

    irdl_options = (irdl.ParsePropInAttrDict(),)

    def verify_(self) -> None:
        if self.res.type != truth_type(self.lhs.type):
            raise VerifyException(
                f"llvm.fcmp of {self.lhs.type} gives {truth_type(self.lhs.type)}, "
                f"not {self.res.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> FCmpOp:
        predicate = FCmpPredicateFlag(parser.parse_str_literal()).to_int()
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        operands = parser.resolve_operands([lhs, rhs], [type, type], parser.pos)
        return cls.create(
            operands=operands,
            result_types=[truth_type(type)],
            properties={
                "predicate": IntegerAttr(predicate, i64),
                "fastmathFlags": attributes.pop("fastmathFlags", FastMathAttr(None)),
            },
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        flag = FCmpPredicateFlag.from_int(self.predicate.value.data)
        printer.print_string(f' "{flag}" ')
        printer.print_list(self.operands, printer.print_ssa_value)
        shown = dict(self.attributes)
        if self.fastmathFlags.data:
            shown["fastmathFlags"] = self.fastmathFlags
        printer.print_op_attributes(shown)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)


@irdl_op_definition
class SelectOp(irdl.IRDLOperation):
    """One of two values; with a vector of conditions, element by element.

    ```mlir
    %c, %a, %b = "test.op"() : () -> (vector<4xi1>, vector<4xf32>, vector<4xf32>)
    %x = llvm.select %c, %a, %b : vector<4xi1>, vector<4xf32>
    ```
    """

    name = "llvm.select"

    T: ClassVar = irdl.VarConstraint("T", irdl.AnyAttr())

    cond = operand_def(TruthConstr | VectorType.constr(TruthConstr))
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))

    assembly_format = "$cond `,` $lhs `,` $rhs attr-dict `:` type($cond) `,` type($res)"

    traits = traits_def(Pure())

    irdl_options = (irdl.ParsePropInAttrDict(),)


_ANY_VECTOR = irdl.BaseAttr(VectorType)


@irdl_op_definition
class GEPOp(irdl.IRDLOperation):
    """The address of an element; with a vector of indices, an address for each lane.

    ```mlir
    %p, %i = "test.op"() : () -> (!llvm.ptr, vector<4xi64>)
    %x = llvm.getelementptr inbounds %p[%i] : (!llvm.ptr, vector<4xi64>) -> vector<4x!llvm.ptr>, f32
    ```
    """

    name = "llvm.getelementptr"

    ptr = operand_def(LLVMPointerType)
    ssa_indices = irdl.var_operand_def(irdl.BaseAttr(builtin.IntegerType) | _ANY_VECTOR)
    result = result_def(irdl.BaseAttr(LLVMPointerType) | _ANY_VECTOR)
    elem_type = prop_def()
    noWrapFlags = prop_def(IntegerAttr.constr(type=irdl.EqAttrConstraint(i32)))
    rawConstantIndices = prop_def(builtin.DenseArrayBase.constr(i32))
    inbounds = irdl.opt_prop_def(builtin.UnitAttr)

    traits = traits_def(NoMemoryEffect())

    print = llvm.GEPOp.print

    @classmethod
    def parse(cls, parser: Parser) -> GEPOp:
        return llvm.GEPOp.parse.__func__(cls._read, parser)

    @classmethod
    def _read(
        cls,
        ptr: SSAValue,
        indices: Sequence[int],
        elem_type: Attribute,
        ssa_indices: Sequence[SSAValue],
        result_type: Attribute,
        inbounds: bool,
    ) -> GEPOp:
        said = {
            "rawConstantIndices": builtin.DenseArrayBase.from_list(i32, indices),
            "elem_type": elem_type,
            "noWrapFlags": IntegerAttr(0, i32),
        }
        if inbounds:
            said["inbounds"] = builtin.UnitAttr()
        return cls(operands=[ptr, ssa_indices], result_types=[result_type], properties=said)


@irdl_op_definition
class MaskedGatherOp(irdl.IRDLOperation):
    """Load from the addresses of lanes whose mask bit is set; the others come from a vector.

    ```mlir
    %p, %m, %v = "test.op"() : () -> (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xf32>)
    %x = llvm.intr.masked.gather %p, %m, %v {alignment = 4 : i32}
        : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    ```
    """

    name = "llvm.intr.masked.gather"

    T: ClassVar = irdl.VarConstraint("T", VectorType.constr(irdl.AnyAttr()))

    ptrs = operand_def(VectorType.constr(irdl.BaseAttr(LLVMPointerType)))
    mask = operand_def(VectorType.constr(TruthConstr))
    pass_thru = operand_def(T)
    res = result_def(T)
    alignment = prop_def(IntegerAttr.constr(type=irdl.EqAttrConstraint(i32)))

    assembly_format = "operands attr-dict `:` functional-type(operands, results)"

    traits = traits_def(MemoryReadEffect())

    irdl_options = (irdl.ParsePropInAttrDict(),)


@irdl_op_definition
class MaskedLoadOp(irdl.IRDLOperation):
    """Load the elements whose mask bit is set; the others come from a vector.

    ```mlir
    %p, %m, %v = "test.op"() : () -> (!llvm.ptr, vector<4xi1>, vector<4xf32>)
    %x = llvm.intr.masked.load %p, %m, %v {alignment = 4 : i32}
        : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    ```
    """

    name = "llvm.intr.masked.load"

    T: ClassVar = irdl.VarConstraint("T", VectorType.constr(irdl.AnyAttr()))

    data = operand_def(LLVMPointerType)
    mask = operand_def(VectorType.constr(TruthConstr))
    pass_thru = operand_def(T)
    res = result_def(T)
    alignment = prop_def(IntegerAttr.constr(type=irdl.EqAttrConstraint(i32)))

    assembly_format = "operands attr-dict `:` functional-type(operands, results)"

    traits = traits_def(MemoryReadEffect())

    irdl_options = (irdl.ParsePropInAttrDict(),)


@irdl_op_definition
class MaskedStoreOp(irdl.IRDLOperation):
    """Store the elements whose mask bit is set.

    ```mlir
    %v, %p, %m = "test.op"() : () -> (vector<4xi32>, !llvm.ptr, vector<4xi1>)
    llvm.intr.masked.store %v, %p, %m {alignment = 4 : i32}
        : vector<4xi32>, vector<4xi1> into !llvm.ptr
    ```
    """

    name = "llvm.intr.masked.store"

    value = operand_def(VectorType.constr(irdl.AnyAttr()))
    data = operand_def(LLVMPointerType)
    mask = operand_def(VectorType.constr(TruthConstr))
    alignment = prop_def(IntegerAttr.constr(type=irdl.EqAttrConstraint(i32)))

    assembly_format = (
        "$value `,` $data `,` $mask attr-dict `:` type($value) `,` type($mask) `into` type($data)"
    )

    traits = traits_def(MemoryWriteEffect())

    irdl_options = (irdl.ParsePropInAttrDict(),)


@irdl_op_definition
class PrefetchOp(irdl.IRDLOperation):
    """Start to bring the memory at an address near; no address is wrong.

    `rw` is 0 for a read to come and 1 for a write, `hint` how long to keep the memory near,
    from 0 to 3, and `cache` 1 for data.

    ```mlir
    %p = "test.op"() : () -> !llvm.ptr
    "llvm.intr.prefetch"(%p) <{rw = 0 : i32, hint = 3 : i32, cache = 1 : i32}> : (!llvm.ptr) -> ()
    ```
    """

    name = "llvm.intr.prefetch"

    addr = operand_def(LLVMPointerType)
    rw = prop_def(IntegerAttr.constr(type=irdl.EqAttrConstraint(i32)))
    hint = prop_def(IntegerAttr.constr(type=irdl.EqAttrConstraint(i32)))
    cache = prop_def(IntegerAttr.constr(type=irdl.EqAttrConstraint(i32)))


_FENCES = {
    word: number
    for number, word in llvm.ATOMIC_ORDERING_KEYWORDS.items()
    if word not in ("unordered", "monotonic")
}


@irdl_op_definition
@attributes_behind
class FenceOp(irdl.IRDLOperation):
    """Accesses in front of it are seen by other threads before those behind it are.

    ```mlir
    llvm.fence seq_cst
    ```
    """

    name = "llvm.fence"

    ordering = prop_def(IntegerAttr.constr(type=irdl.EqAttrConstraint(i64)))

    def __init__(self, ordering: str = "seq_cst"):
        number = _FENCES[ordering]
        super().__init__(properties={"ordering": IntegerAttr(number, i64)})

    @property
    def keyword(self) -> str:
        """The ordering, as text has it."""
        return llvm.ATOMIC_ORDERING_KEYWORDS[self.ordering.value.data]

    def verify_(self) -> None:
        if self.ordering.value.data not in _FENCES.values():
            raise VerifyException(f"a fence has one of the orderings {', '.join(_FENCES)}")

    @classmethod
    def parse(cls, parser: Parser) -> FenceOp:
        ordering = parser.expect(
            lambda: next(filter(parser.parse_optional_keyword, _FENCES), None),
            f"expected one of the orderings {', '.join(_FENCES)}",
        )
        return cls(ordering)

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.keyword}")


_OURS = [
    ExtractElementOp,
    FCmpOp,
    FenceOp,
    FPToSIOp,
    FPToUIOp,
    FreezeOp,
    GEPOp,
    MaskedGatherOp,
    MaskedLoadOp,
    MaskedStoreOp,
    PoisonOp,
    PrefetchOp,
    SelectOp,
    UIToFPOp,
]

# As upstream: its values have names of their own, whatever those of other functions are.
llvm.FuncOp.traits.add_trait(IsolatedFromAbove())

LLVM = Dialect(
    "llvm",
    [*(op for op in llvm.LLVM.operations if op.name not in {o.name for o in _OURS}), *_OURS],
    [*llvm.LLVM.attributes, AliasScopeAttr, LoopAnnotationAttr, *LOOP_GROUPS],
)
