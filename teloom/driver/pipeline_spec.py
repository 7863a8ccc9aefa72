"""The pipeline text after `-p`: names of passes, options, named pipelines; errors have places."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import partial
from itertools import chain
from typing import Any, NoReturn, TypeVar, get_type_hints

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import (
    ArgSpec,
    ParameterListType,
    PipelineLexer,
    SpecTokenKind,
    parse_pipeline,
)
from xdsl.utils.exceptions import ArgSpecParseError
from xdsl.utils.hints import isa, type_repr

from teloom.driver.diagnostics import Mistake
from teloom.driver.registry import FOREIGN, pass_of
from teloom.errors import Error, did_you_mean, said_with_kind

Made = TypeVar("Made")

FILE = "-p"
"""The file name of the pipeline's text in an error."""


def parse_passes(
    text: str,
    passes: Mapping[str, Callable[[], type[ModulePass]]],
    pipelines: Mapping[str, tuple[tuple[str, str], ...]],
) -> tuple[ModulePass, ...]:
    """The passes that `text` names, in order.

    The name of a pipeline stands for its passes, which get its options. `pipelines` holds (pass
    with its options, reason) pairs by pipeline name. Raises `Mistake`, at its place in `text`, for
    a text that is no such list.
    """
    try:
        return _parse(text, passes, pipelines)
    except Mistake as mistake:
        mistake.source_line = text
        raise


def _parse(
    text: str,
    passes: Mapping[str, Callable[[], type[ModulePass]]],
    pipelines: Mapping[str, tuple[tuple[str, str], ...]],
) -> tuple[ModulePass, ...]:
    try:
        specs = list(parse_pipeline(text))
    except ArgSpecParseError as error:
        start, message = _syntax_error(error)
        if text.lstrip().startswith("builtin.module("):
            message += "; give the passes without builtin.module(...)"
        _refuse(start, message)

    found: list[ModulePass] = []
    for spec, (start, options) in zip(specs, _positions(text), strict=True):
        if spec.name in pipelines:
            parts = ",".join(part for part, _ in pipelines[spec.name])
            found += _of_pipeline(spec, start, options, [*parse_pipeline(parts)], passes)
        elif spec.name in passes:
            found.append(_configure(spec, start, options, _loaded(spec.name, start, passes)))
        else:
            suggestion = did_you_mean(spec.name, [*passes, *pipelines])
            _refuse(start, f"no pass named '{spec.name}'{suggestion}", len(spec.name))
    return tuple(found)


def _of_pipeline(
    pipeline: ArgSpec,
    start: int,
    options: dict[str, int],
    parts: Sequence[ArgSpec],
    passes: Mapping[str, Callable[[], type[ModulePass]]],
) -> list[ModulePass]:
    """The passes of a pipeline; each gets the pipeline's options that it knows."""
    types = [_loaded(part.name, start, passes) for part in parts]
    known = [_options_of(pass_type) for pass_type in types]
    for key in pipeline.parameters:
        name, names = _field(key), sorted({*chain(*known)})
        if name not in names:
            hint = did_you_mean(name, names) or f"; its options: {', '.join(names) or 'none'}"
            message = f"pipeline '{pipeline.name}' has no option '{key}'{hint}"
            _refuse(options[key], message, len(key))
    found: list[ModulePass] = []
    for part, pass_type, names in zip(parts, types, known, strict=True):
        given = {k: v for k, v in pipeline.parameters.items() if _field(k) in names}
        configured = ArgSpec(part.name, {**part.parameters, **given})
        places = {**dict.fromkeys(part.parameters, start), **options}
        found.append(_configure(configured, start, places, pass_type))
    return found


def _loaded(
    name: str, start: int, passes: Mapping[str, Callable[[], type[ModulePass]]]
) -> type[ModulePass]:
    try:
        return pass_of(name, passes[name])
    except Error as error:
        _refuse(start, str(error), len(name))


def _options_of(pass_type: type[ModulePass]) -> list[str]:
    return [field.name for field in fields(pass_type) if field.init and field.name != "name"]


def _configure(
    spec: ArgSpec, start: int, options: dict[str, int], pass_type: type[ModulePass]
) -> ModulePass:
    types = _refusing(spec, start, partial(get_type_hints, pass_type))
    known, given = _options_of(pass_type), dict[str, ParameterListType]()
    for key, value in spec.parameters.items():
        name = _field(key)
        if name not in known:
            hint = did_you_mean(name, known) or f"; its options: {', '.join(known) or 'none'}"
            message = f"pass '{spec.name}' has no option '{key}'{hint}"
            _refuse(options[key], message, len(key))
        given[name] = _widened(value, types[name])
        if not _fits(given[name], types[name]):
            said = ",".join(str(part) for part in value) or "nothing"
            kind = type_repr(types[name]).removesuffix("|None").replace("bool", "true or false")
            message = f"option '{key}' of pass '{spec.name}' is {kind}, "
            _refuse(options[key], message + f"not {said}", len(key))

    missing = sorted(pass_type.required_fields() - given.keys())
    if missing:
        _refuse(start, f"pass '{spec.name}' needs the option '{missing[0]}'", len(spec.name))
    return _refusing(spec, start, partial(pass_type.from_spec, ArgSpec(spec.name, given)))


def _refusing(spec: ArgSpec, start: int, make: Callable[[], Made]) -> Made:
    """What `make` gives of a pass; what it raises is a refusal of the pass."""
    try:
        return make()
    except (Error, ValueError) as error:  # names and types are right: its own check of the values
        _refuse(start, f"{spec.name}: {error}", len(spec.name))
    except FOREIGN as error:
        _refuse(start, f"{spec.name}: {said_with_kind(error)}", len(spec.name))


def _field(key: str) -> str:
    """The field of an option."""
    return key.replace("-", "_")


def _widened(value: ParameterListType, wanted: Any) -> ParameterListType:
    """`value` with numbers in the place of integers, if only these fit."""
    with suppress(OverflowError):
        numbers = tuple(float(part) if type(part) is int else part for part in value)
        if not _fits(value, wanted) and _fits(numbers, wanted):
            return numbers
    return value


def _fits(value: ParameterListType, wanted: Any) -> bool:
    """Whether xDSL can convert `value`: no value is None, one value is itself or a list of one."""
    if not value:
        return isa(None, wanted)
    return (len(value) == 1 and isa(value[0], wanted)) or isa(value, wanted)


def _positions(text: str) -> list[tuple[int, dict[str, int]]]:
    """The position of each pass name of a well-formed pipeline, and of its options' names.

    An option that is given twice is refused.
    """
    lexer = PipelineLexer(text)
    found: list[tuple[int, dict[str, int]]] = []
    name, inside = "", False
    previous = SpecTokenKind.COMMA
    while (token := lexer.lex()).kind is not SpecTokenKind.EOF:
        if token.kind is SpecTokenKind.IDENT and not inside:
            name = token.text
            found.append((token.span.start, {}))
        elif token.kind is SpecTokenKind.IDENT and previous in _BEFORE_AN_OPTION:
            if _field(token.text) in map(_field, found[-1][1]):
                message = f"option '{token.text}' of pass '{name}' is given twice"
                _refuse(token.span.start, message, len(token.text))
            found[-1][1][token.text] = token.span.start
        elif token.kind is SpecTokenKind.L_BRACE:
            inside = True
        elif token.kind is SpecTokenKind.R_BRACE:
            inside = False
        previous = token.kind
    if found and previous is SpecTokenKind.COMMA:
        _refuse(len(text.rstrip()) - 1, "there is no pass behind this comma")
    return found


_BEFORE_AN_OPTION = (SpecTokenKind.L_BRACE, SpecTokenKind.SPACE)


def _syntax_error(error: ArgSpecParseError) -> tuple[int, str]:
    """Start and message; xDSL keeps them only in the exception's text."""
    _, place, *_, message = str(error).strip().split("\n")
    return int(place.rpartition(":")[2]) - 1, message.strip()


def _refuse(start: int, message: str, width: int = 1) -> NoReturn:
    raise Mistake(FILE, 1, start + 1, message, width) from None
