"""A parser that gives every op its location, and every error its place in the text."""

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import NoReturn

from xdsl.context import Context
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    FileLineColLoc,
    Float80Type,
    Float128Type,
    FloatAttr,
    IntAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue, TypeAttribute
from xdsl.irdl.dominance import strictly_dominates
from xdsl.parser import ParserState, UnresolvedOperand
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from teloom.analysis.signature import SIGNATURE, Entry
from teloom.dialects.syntax.argument_names import NAMES, argument_names, say_names
from teloom.driver.reading.word_parser import WordParser
from teloom.errors import Error, did_you_mean


class _Lexer(MLIRLexer):
    """Upstream's lexer with another pattern for strings.

    Upstream's pattern takes time exponential in the length of an unclosed string.
    """

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')


class LocatedParser(WordParser):
    """Parses IR text; every op gets the location of its name, unless the text gives one.

    `line_offset` is the number of lines before `text` in the file `name`. Raises `ParseError` and
    nothing else for a mistake in the text. Unlike the base class, that includes attributes that
    do not verify and values used where they are not defined.
    """

    def __init__(self, ctx: Context, text: str, name: str, line_offset: int = 0):
        self._text = text
        self._line_starts = [0, *(i + 1 for i, c in enumerate(text) if c == "\n")]
        self._line_offset = line_offset
        self._file = StringAttr(name)
        self._name_positions: list[int] = []
        self._early_uses: dict[str, Span] = {}
        self._shortened: dict[SSAValue, str] = {}
        self._resolved_early: list[tuple[str, Span, SSAValue, list[Operation]]] = []
        super().__init__(ctx, "", name)
        self._parser_state = ParserState(_Lexer(Input(text, name)))

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        if allow_implicit_module and self._current_token.kind is MLIRTokenKind.EOF:
            return ModuleOp([])
        try:
            module = super().parse_module(allow_implicit_module)
        except ParseError as error:
            error.msg = _CLEARER.get(error.msg, error.msg)
            if error.msg.startswith("values used but not defined"):
                self._refuse_undefined()
            raise
        except _REFUSALS as error:
            self.raise_error(_said(error))
        except RecursionError:
            self.raise_error("the input is nested too deeply")
        self._check_early_uses()
        return module

    # Locations

    def _parse_op_result_list(self) -> list[tuple[Span, int]]:
        # The base class calls this once per operation, just before the operation's name.
        results = super()._parse_op_result_list()
        self._name_positions.append(self.pos)
        return results

    def parse_operation(self) -> Operation:
        depth = len(self._name_positions)
        try:
            op = super().parse_operation()
            if isinstance(op, scf.IfOp | memref.LoadOp | memref.StoreOp):
                # Checked below, which needs the operands and regions that it is to have.
                op.get_irdl_definition().verify(op)
        except _REFUSALS as error:
            start = self._name_positions[depth]
            self.raise_error(_said(error), start)
        except _CRASHES as error:
            if not _is_of_upstream(error):
                raise
            self._refuse_form(self._name_positions[depth])
        if isinstance(op, scf.IfOp):
            self._check_branches(op, self._name_positions[depth])
        elif isinstance(op, memref.LoadOp | memref.StoreOp):
            self._check_index_count(op, self._name_positions[depth])
        if isinstance(op, Entry) and op.regions and op.body.blocks:
            self._say_names(op)
        if op.location is UNKNOWN_LOC:
            op.location = self._location(self._name_positions[depth])
        del self._name_positions[depth:]
        return op

    def _say_names(self, op: Entry) -> None:
        """Keeps the names of arguments as they are here: values lose numbers at their ends."""
        if {SIGNATURE, NAMES} & {*op.attributes}:
            return
        pairs = zip(op.body.blocks[0].args, argument_names(op), strict=True)
        say_names(op, [self._shortened.get(value, name) for value, name in pairs])

    def _refuse_form(self, start: int) -> NoReturn:
        """Refuses an op whose operands, types or attributes are fewer or others than it has."""
        name = self._text[start:].split(maxsplit=1)[0].partition("(")[0].strip('"')
        self.raise_error(f"{name} is not written like this", start, start + len(name))

    def _check_branches(self, op: scf.IfOp, start: int) -> None:
        """Compares what the branches yield with the results, which upstream's verifier does not."""
        expected = list(op.result_types)
        for name, region in (("then", op.true_region), ("else", op.false_region)):
            last = region.block.last_op if region.blocks else None
            if region.blocks and not isinstance(last, scf.YieldOp):
                continue  # the verifier checks terminators
            found = [value.type for value in last.operands] if last is not None else []
            if found != expected:
                gives, wanted = (", ".join(map(str, types)) for types in (found, expected))
                message = f"the {name} branch gives ({gives}), but scf.if gives ({wanted})"
                self.raise_error(message, start, start + len(op.name))

    def _check_index_count(self, op: memref.LoadOp | memref.StoreOp, start: int) -> None:
        """Compares the number of indices with the rank; upstream's verifier would crash."""
        type, count = op.memref.type, len(op.indices)
        if isinstance(type, MemRefType) and count != type.get_num_dims():
            message = f"{count} indices for the {type.get_num_dims()} axes of {type}"
            self.raise_error(message, start, start + len(op.name))

    # Blocks

    def _parse_block(self) -> Block:
        start, label = self.pos, self._current_token.text
        try:
            return super()._parse_block()
        except KeyError:  # upstream's table still has a label that was used first as undefined
            self.raise_error(f"block {label} is defined twice", start, start + len(label))

    def _location(self, position: int) -> FileLineColLoc:
        line = bisect_right(self._line_starts, position)
        column = position - self._line_starts[line - 1] + 1
        return FileLineColLoc(self._file, IntAttr(line + self._line_offset), IntAttr(column))

    # Names

    def _get_op_by_name(self, name: str) -> type[Operation]:
        try:
            return super()._get_op_by_name(name)
        except ParseError:
            start = self._name_positions[-1]
            dialect, dot, _ = name.partition(".")
            suggestion = did_you_mean(name, self._op_names_like(dialect))
            if not suggestion and dot and dialect not in self.ctx.registered_dialect_names:
                suggestion = f"; there is no dialect {dialect!r}"
            end = start + len(name) + 2 * (self._text[start] == '"')
            self.raise_error(f"no operation named '{name}'{suggestion}", start, end)

    def _op_names_like(self, dialect: str) -> list[str]:
        """The ops of dialects with names like this one; only these dialects are loaded."""
        known = list(self.ctx.registered_dialect_names)
        names: list[str] = []
        for candidate in get_close_matches(dialect, known, n=3, cutoff=0.7):
            names += (op.name for op in self.ctx.get_dialect(candidate).operations)
        return names

    # Attributes

    def parse_optional_type(self) -> TypeAttribute | None:
        with self._refusing_from(self.pos):
            return super().parse_optional_type()

    def parse_optional_attribute(self) -> Attribute | None:
        start = self.pos
        with self._refusing_from(start):
            found = super().parse_optional_attribute()
        if isinstance(found, FloatAttr) and isinstance(found.type, Float80Type | Float128Type):
            # Upstream reads such a constant, but cannot print it.
            self.raise_error(f"no constant can be of type {found.type}", start, self.pos)
        return found

    @contextmanager
    def _refusing_from(self, start: int) -> Iterator[None]:
        """Reports errors about a whole attribute at its start, not behind it as the base class."""
        try:
            yield
        except _REFUSALS as error:
            self.raise_error(_said(error), start)
        except ParseError as error:
            if error.msg.endswith("' is not registered") and self._text[start] in "!#":
                end = start + error.msg.rindex("'")  # the name and its mark
                error.span = Span(start, end, self.lexer.input)
            raise

    # Uses before definitions

    def resolve_operand(self, operand: UnresolvedOperand, type: Attribute) -> SSAValue:
        if operand.operand_name not in self.ssa_values:
            self._early_uses.setdefault(operand.operand_name, operand.span)
        return super().resolve_operand(operand, type)

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        forward = self.forward_ssa_references.get(name, {})
        users = {i: [use.operation for use in value.uses] for i, value in forward.items()}
        super()._register_ssa_definition(name, values, span)
        self._shortened.update((one, name) for one in values if one.name_hint not in (None, name))
        if forward:
            use = self._early_uses.pop(name)
            self._resolved_early += ((name, use, values[i], users[i]) for i in users)

    def _refuse_undefined(self) -> None:
        names = self.forward_ssa_references
        first = min((self._early_uses[name] for name in names), key=lambda span: span.start)
        suggestion = did_you_mean(first.text, [f"%{name}" for name in self.ssa_values])
        self.raise_error(f"value {first.text} is not defined{suggestion}", first)

    def _check_early_uses(self) -> None:
        """Refuses a use in front of a definition that does not dominate it.

        Blocks may stand in any order, so a use may precede its definition in the text. xDSL
        accepts every such use.
        """
        for name, span, value, users in self._resolved_early:
            # No user yet: the definition is inside the op that uses the value.
            if not users or not all(_dominates(value, user) for user in users):
                self.raise_error(f"value %{name} is not defined at this use", span)


_REFUSALS = (
    Error,
    VerifyException,
    ValueError,
    OverflowError,
    NotImplementedError,
    struct.error,
)
"""Those by which upstream's attributes, enumerations and integers refuse a text, and ours."""


def _said(refusal: Exception) -> str:
    """The words of a refusal; Python's of a long number are about its own settings."""
    words = str(refusal)
    return "a number of more than 4300 digits" if "set_int_max_str_digits" in words else words


_CRASHES = (AssertionError, AttributeError, LookupError, TypeError)
"""The exceptions by which upstream's ops fail where a text has not what they look for."""


def _is_of_upstream(error: BaseException) -> bool:
    """Whether an exception was raised by code of xDSL."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_globals["__name__"].startswith("xdsl.")


_CLEARER = {
    "Could not parse entire input!": "expected an operation",
    " in block definition": "expected an operation, a block label or '}'",
}


def _dominates(value: SSAValue, user: Operation) -> bool:
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    if block is None or block.parent is None or user.parent is None:
        return False
    user_block = block.parent.find_ancestor_block_in_region(user.parent)
    if user_block is not block:
        return user_block is not None and strictly_dominates(block, user_block)
    ancestor = block.find_ancestor_op_in_block(user)
    return isinstance(owner, Block) or (ancestor is not None and owner.is_before_in_block(ancestor))
