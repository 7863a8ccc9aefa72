"""What makes a `schedule.sequence` a program: parameters, calls, matches and alternatives.

`expand-sequences` carries these ops out, and leaves a sequence of plain commands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FlatSymbolRefAttrConstr,
    FunctionType,
    IntegerAttr,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    NoTerminator,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.schedule.relations import AXIS, STAGE
from teloom.dialects.syntax.attributes_behind import attributes_behind
from teloom.dialects.syntax.upstream_text import parse_argument
from teloom.errors import did_you_mean

KINDS = (
    "elementwise",
    "broadcast",
    "injective",
    "reduction",
    "update",
    "extern",
    "scan",
    "output",
)
"""What a stage can be, for `schedule.for_each`; `teloom.analysis.stages.kinds` decides."""


def _verify_handles(types: Sequence[Attribute]) -> None:
    for type in types:
        if type not in (STAGE, AXIS):
            raise VerifyException(f"a sequence works on stages and axes, not on {type}")


@irdl_op_definition
@attributes_behind
class NamedSequenceOp(IRDLOperation):
    """Commands on the stages and axes that it gets, for `schedule.include`.

    ```mlir
    schedule.named_sequence @tiles(%B: !schedule.stage) -> (!schedule.axis) {
      %i, %j = schedule.axes 2 of %B
      %io, %jo, %ii, %ji = schedule.tile %i, %j by rows = 8, columns = 32
      schedule.vectorize %ji
      schedule.yield %jo : !schedule.axis
    }
    schedule.sequence @s on @f {
      %C = schedule.get "C"
      %jo = schedule.include @tiles(%C) with rows = 4 : (!schedule.stage) -> !schedule.axis
    }
    ```

    Shape: handles in, handles out; it ends in `schedule.yield` if it gives any.
    Refused: another type than a stage or an axis, other results than it yields.
    Like: `transform.named_sequence`.
    """

    name = "schedule.named_sequence"

    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    body = region_def("single_block")

    traits = traits_def(NoTerminator(), IsolatedFromAbove(), SymbolOpInterface())

    def __init__(self, name: str, type: FunctionType, body: Region):
        super().__init__(
            properties={"sym_name": StringAttr(name), "function_type": type}, regions=[body]
        )

    def verify_(self) -> None:
        inputs, outputs = self.function_type.inputs.data, self.function_type.outputs.data
        _verify_handles([*inputs, *outputs])
        if [arg.type for arg in self.body.block.args] != [*inputs]:
            raise VerifyException("the region's arguments differ from the type's")
        _verify_yielded(self.body, outputs)

    @classmethod
    def parse(cls, parser: Parser) -> NamedSequenceOp:
        name = parser.parse_symbol_name().data
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parse_argument(parser)
        )
        outputs: list[Attribute] = []
        if parser.parse_optional_punctuation("->"):
            outputs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        body = parser.parse_region(arguments)
        if not body.blocks:
            body.add_block(Block(arg_types=[argument.type for argument in arguments]))
        type = FunctionType.from_lists([argument.type for argument in arguments], outputs)
        return NamedSequenceOp(name, type, body)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string("(")
        printer.print_list(self.body.block.args, printer.print_block_argument)
        printer.print_string(")")
        if outputs := self.function_type.outputs.data:
            printer.print_string(" -> (")
            printer.print_list(outputs, printer.print_attribute)
            printer.print_string(")")
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)


def _verify_yielded(region: Region, types: Sequence[Attribute]) -> None:
    last = region.block.last_op
    found = [value.type for value in last.operands] if isinstance(last, YieldOp) else []
    if found != [*types]:
        shown = [", ".join(map(str, one)) or "nothing" for one in (found, types)]
        raise VerifyException(f"a region yields {shown[0]}, but the results are {shown[1]}")


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends a part of a sequence with the handles that it gives to what follows.

    ```mlir
    schedule.named_sequence @halves(%B: !schedule.stage) -> (!schedule.axis) {
      %i = schedule.axes 1 of %B
      %io, %ii = schedule.split %i nparts 2
      schedule.yield %io : !schedule.axis
    }
    ```

    Shape: one handle per result of the op around.
    Refused: outside of the parts of sequences.
    Like: `transform.yield`.
    """

    name = "schedule.yield"

    handles = var_operand_def()

    traits = traits_def(IsTerminator())

    assembly_format = "($handles^ `:` type($handles))? attr-dict"

    def __init__(self, handles: Sequence[SSAValue] = ()):
        super().__init__(operands=[handles])

    def verify_(self) -> None:
        if not isinstance(self.parent_op(), NamedSequenceOp | AlternativesOp):
            raise VerifyException(
                "schedule.yield ends a named sequence, or one of several alternatives"
            )


@irdl_op_definition
@attributes_behind
class IncludeOp(IRDLOperation):
    """Carries out a named sequence on these handles, maybe with other numbers for its parameters.

    ```mlir
    schedule.named_sequence @lanes(%i: !schedule.axis) {
      %io, %ii = schedule.split %i factor width = 8
      schedule.vectorize %ii
    }
    schedule.sequence @s on @f {
      %C = schedule.get "C"
      %i = schedule.axes 1 of %C
      schedule.include @lanes(%i) with width = 16 : (!schedule.axis) -> ()
    }
    ```

    Shape: handles as the named sequence takes and gives them. A parameter that is not bound
    here is one of this sequence.
    Refused: by `expand-sequences`, a name that no named sequence has, one that includes itself,
    other types, a parameter that it does not have.
    Like: `transform.include`.
    """

    name = "schedule.include"

    target = prop_def(FlatSymbolRefAttrConstr)
    parameters = prop_def(DictionaryAttr)
    handles = var_operand_def()
    made = var_result_def()

    def __init__(
        self,
        target: str,
        handles: Sequence[SSAValue],
        results: Sequence[Attribute],
        parameters: Mapping[str, int],
    ):
        super().__init__(
            operands=[handles],
            properties={"target": SymbolRefAttr(target)},
            result_types=[results],
        )
        self.bind(parameters)

    def bind(self, parameters: Mapping[str, int]) -> None:
        """Sets the numbers of parameters."""
        numbers = {name: IntegerAttr(value, i64) for name, value in parameters.items()}
        self.properties["parameters"] = DictionaryAttr(numbers)

    @property
    def bound(self) -> dict[str, int]:
        """The numbers of parameters."""
        return {
            name: value.value.data
            for name, value in self.parameters.data.items()
            if isinstance(value, IntegerAttr)
        }

    def verify_(self) -> None:
        _verify_handles([*(handle.type for handle in self.handles), *self.result_types])

    @classmethod
    def parse(cls, parser: Parser) -> IncludeOp:
        target = parser.parse_symbol_name().data
        unresolved = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        parameters: dict[str, int] = {}

        def parse_parameter() -> None:
            name = parser.parse_identifier()
            parser.parse_punctuation("=")
            parameters[name] = parser.parse_integer(allow_boolean=False)

        if parser.parse_optional_keyword("with"):
            parser.parse_comma_separated_list(parser.Delimiter.NONE, parse_parameter)
        parser.parse_punctuation(":")
        place = parser.pos
        type = parser.parse_type()
        if not isinstance(type, FunctionType):
            parser.raise_error(
                "the types of an include are (handles) -> results", place, parser.pos
            )
        handles = parser.resolve_operands(unresolved, type.inputs.data, place)
        return IncludeOp(target, handles, type.outputs.data, parameters)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.target.root_reference.data)
        printer.print_string("(")
        printer.print_list(self.handles, printer.print_operand)
        printer.print_string(")")
        if self.bound:
            shown = ", ".join(f"{name} = {value}" for name, value in self.bound.items())
            printer.print_string(f" with {shown}")
        printer.print_string(" : ")
        inputs = [handle.type for handle in self.handles]
        printer.print_attribute(FunctionType.from_lists(inputs, self.result_types))


@irdl_op_definition
@attributes_behind
class ParamOp(IRDLOperation):
    """Says which numbers a parameter may have.

    ```mlir
    schedule.sequence @s on @f {
      schedule.param "tile" of 4, 8, 16
      %C = schedule.get "C"
      %i = schedule.axes 1 of %C
      %io, %ii = schedule.split %i factor tile = 8
    }
    ```

    Shape: numbers, for whoever searches among them. A parameter may be used without it.
    Refused: no number; by `expand-sequences`, another number for the parameter.
    Like: `transform.tune.knob`.
    """

    name = "schedule.param"

    parameter = prop_def(StringAttr)
    choices = prop_def(ArrayAttr)

    def __init__(self, parameter: str, choices: Sequence[int]):
        super().__init__(
            properties={
                "parameter": StringAttr(parameter),
                "choices": ArrayAttr(IntegerAttr(one, i64) for one in choices),
            }
        )

    @property
    def numbers(self) -> list[int]:
        return [one.value.data for one in self.choices if isinstance(one, IntegerAttr)]

    def verify_(self) -> None:
        if not self.numbers:
            raise VerifyException(f'parameter "{self.parameter.data}" has no number to choose')

    @classmethod
    def parse(cls, parser: Parser) -> ParamOp:
        name = parser.parse_str_literal(" as the name of a parameter")
        parser.parse_keyword("of")
        numbers = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, lambda: parser.parse_integer(allow_boolean=False)
        )
        return ParamOp(name, numbers)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.parameter.data)
        printer.print_string(f" of {', '.join(map(str, self.numbers))}")


@irdl_op_definition
@attributes_behind
class ForEachOp(IRDLOperation):
    """Carries out commands on each stage that matches, in the order of the program.

    A stage matches if it is of each of these kinds, of none behind `not`, has a name of this
    pattern (`*` is any text, `?` any character), and reads the stage behind `readers of`, or is
    read by that behind `producers of`. The stages are found before the first command runs.

    ```mlir
    schedule.sequence @s on @f {
      %C = schedule.get "C"
      schedule.for_each injective not output named "pad*" producers of %C (%S) {
        schedule.compute_inline %S
      }
    }
    ```

    Shape: the region gets the handle of a stage.
    Refused: an unknown kind.
    Like: `transform.foreach_match`.
    """

    name = "schedule.for_each"

    RELATIONS: ClassVar = ("readers", "producers")

    kinds = prop_def(ArrayAttr)
    excluded = prop_def(ArrayAttr)
    pattern = opt_prop_def(StringAttr)
    relation = opt_prop_def(StringAttr)
    of = opt_operand_def(STAGE)
    body = region_def("single_block")

    traits = traits_def(NoTerminator())

    def __init__(
        self,
        kinds: Sequence[str],
        excluded: Sequence[str],
        body: Region,
        pattern: str | None = None,
        relation: str | None = None,
        of: SSAValue | None = None,
    ):
        super().__init__(
            operands=[of],
            properties={
                "kinds": ArrayAttr(map(StringAttr, kinds)),
                "excluded": ArrayAttr(map(StringAttr, excluded)),
                "pattern": None if pattern is None else StringAttr(pattern),
                "relation": None if relation is None else StringAttr(relation),
            },
            regions=[body],
        )

    @property
    def wanted(self) -> list[str]:
        """The kinds that a stage must have."""
        return [kind.data for kind in self.kinds if isinstance(kind, StringAttr)]

    @property
    def unwanted(self) -> list[str]:
        """The kinds that a stage must not have."""
        return [kind.data for kind in self.excluded if isinstance(kind, StringAttr)]

    def verify_(self) -> None:
        for kind in (*self.wanted, *self.unwanted):
            if kind not in KINDS:
                raise VerifyException(
                    f"no kind of stages {kind!r}; kinds: {', '.join(KINDS)}"
                    + did_you_mean(kind, KINDS)
                )
        if (self.relation is None) != (self.of is None):
            raise VerifyException("readers or producers are those of a stage: readers of %B")
        if [arg.type for arg in self.body.block.args] != [STAGE]:
            raise VerifyException("the region gets one stage")

    @classmethod
    def parse(cls, parser: Parser) -> ForEachOp:
        kinds: list[str] = []
        excluded: list[str] = []
        pattern = relation = of = None
        while (word := parser.parse_optional_identifier()) is not None:
            if word == "named":
                pattern = parser.parse_str_literal(" as a pattern of names")
            elif word in cls.RELATIONS:
                parser.parse_keyword("of")
                relation, of = word, parser.parse_operand(STAGE)
            elif word == "not":
                excluded.append(parser.parse_identifier())
            else:
                kinds.append(word)
        (argument,) = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        body = parser.parse_region([argument.resolve(STAGE)])
        if not body.blocks:
            body.add_block(Block(arg_types=[STAGE]))
        return ForEachOp(kinds, excluded, body, pattern, relation, of)

    def print(self, printer: Printer) -> None:
        words = [*self.wanted, *(f"not {kind}" for kind in self.unwanted)]
        printer.print_string("".join(f" {word}" for word in words))
        if self.pattern is not None:
            printer.print_string(" named ")
            printer.print_string_literal(self.pattern.data)
        if self.relation is not None and self.of is not None:
            printer.print_string(f" {self.relation.data} of ")
            printer.print_operand(self.of)
        printer.print_string(" (")
        printer.print_operand(self.body.block.args[0])
        printer.print_string(") ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)


@irdl_op_definition
@attributes_behind
class AlternativesOp(IRDLOperation):
    """Carries out the first of several parts that is legal.

    A part is legal if no pass up to the proofs of the schedule refuses the program with the
    commands so far and this part. So what stands before has to be legal by itself. An empty
    last part says that none is needed.

    ```mlir
    schedule.sequence @s on @f {
      %C = schedule.get "C"
      %i = schedule.axes 1 of %C
      schedule.alternatives {
        schedule.vectorize %i
      } or {
        schedule.unroll %i
      } or {
      }
    }
    ```

    Shape: each part yields one handle per result.
    Refused: no part; by `expand-sequences`, parts of which none is legal, with the reason of each.
    Like: `transform.alternatives`.
    """

    name = "schedule.alternatives"

    made = var_result_def()
    parts = var_region_def("single_block")

    traits = traits_def(NoTerminator())

    def __init__(self, parts: Sequence[Region], results: Sequence[Attribute] = ()):
        super().__init__(regions=[parts], result_types=[results])

    def verify_(self) -> None:
        if not self.parts:
            raise VerifyException("there is no alternative")
        _verify_handles(self.result_types)
        for part in self.parts:
            _verify_yielded(part, self.result_types)

    @classmethod
    def parse(cls, parser: Parser) -> AlternativesOp:
        results: list[Attribute] = []
        if parser.parse_optional_punctuation("->"):
            results = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        parts = [parser.parse_region(())]
        while parser.parse_optional_keyword("or"):
            parts.append(parser.parse_region(()))
        for part in parts:
            if not part.blocks:
                part.add_block(Block())
        return AlternativesOp(parts, results)

    def print(self, printer: Printer) -> None:
        if self.result_types:
            printer.print_string(" -> (")
            printer.print_list(self.result_types, printer.print_attribute)
            printer.print_string(")")
        for number, part in enumerate(self.parts):
            printer.print_string(" or " if number else " ")
            printer.print_region(part, print_empty_block=False)


ProgramOp = ParamOp | IncludeOp | ForEachOp | AlternativesOp | NamedSequenceOp
"""What `expand-sequences` replaces by commands."""
