"""Compares the diagnostics of a text with those that it expects, in MLIR's syntax.

`// expected-error@+1 {{words}}` expects an error on the next line whose message contains the
words; `expected-warning`, `expected-remark` and `expected-note` work alike. The line is that of
the comment, N lines below it (`@+N`), N lines above it (`@-N`), the nearest one below or above
without such a comment (`@below`, `@above`), or none, for a diagnostic without a place
(`@unknown`). After `-re`, `{{...}}` inside the words are regular expressions. `2`, `2+` or `0-1`
before the words is the number of such diagnostics; the default is 1.

Source: mlir-opt's --verify-diagnostics; the counts are those of clang's -verify.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from teloom.driver.diagnostics import Diagnostic, Mistake

_DIRECTIVE = re.compile(
    r"//.*?\bexpected-(?P<kind>error|warning|remark|note)(?P<regex>-re)?"
    r" *(?:@(?P<where>[+-]\d+|above|below|unknown))?"
    r" *(?P<count>(?P<least>\d+)(?:(?P<open>\+)|-(?P<most>\d+))?)?"
    r" *\{\{(?P<words>.*)\}\}\s*$"
)
_LOOKS_LIKE_ONE = re.compile(
    r"//.*?\b(expected-(?:(?:error|warning|remark|note)\b|\w+(?= *(?:@\S+)? *[\d+-]* *\{\{))\S*)"
)


@dataclass
class Expected:
    """One expectation. `line` is None for a diagnostic without a place, `most` for any number."""

    kind: str
    line: int | None
    words: str
    pattern: re.Pattern[str]
    least: int
    most: int | None
    place: tuple[int, int]
    came: int = field(default=0, init=False)

    def matches(self, found: Diagnostic, file: str) -> bool:
        """Whether this expectation is open and matches a diagnostic."""
        if found.kind != self.kind or self.came == self.most:
            return False
        place = None if self.line is None else (file, self.line)
        there = None if found.place is None else found.place[:2]
        return there == place and self.pattern.search(found.message) is not None


def differences(
    text: str, line_offset: int, file: str, produced: Sequence[Diagnostic]
) -> Iterator[Diagnostic]:
    """An error for each unexpected diagnostic in `produced`, and for each that is missing.

    `text` stands in `file` behind `line_offset` lines. Raises `Mistake` for an expectation with
    wrong syntax.
    """
    expected = list(_expectations(text, line_offset, file))
    for one in produced:
        found = next((e for e in expected if e.matches(one, file)), None)
        if found is None:
            yield Diagnostic("error", one.place, f"unexpected {one.kind}: {one.message}")
        else:
            found.came += 1
    for one in expected:
        if one.came < one.least:
            times = "" if one.least == 1 else f" {one.least} times, but {one.came} times"
            line, column = one.place
            message = f'expected {one.kind} "{one.words}" was not produced{times}'
            yield Diagnostic("error", (file, line, column), message)


def _expectations(text: str, line_offset: int, file: str) -> Iterator[Expected]:
    lines = text.split("\n")
    directives = {number for number, line in enumerate(lines) if _LOOKS_LIKE_ONE.search(line)}
    others = [number for number in range(len(lines)) if number not in directives]
    for number in sorted(directives):
        line = lines[number]
        start = _LOOKS_LIKE_ONE.search(line)
        assert start is not None
        place = (number + line_offset + 1, start.start(1) + 1)
        found = _DIRECTIVE.search(line)
        if found is None:
            raise _mistake(
                file, place, line, f"{start[1]} is not of the form expected-error@+1 {{{{words}}}}"
            )
        where = found["where"]
        target = _target(where, number, others)
        if target is None and where != "unknown":
            raise _mistake(file, place, line, f"there is no line {where} this one")
        try:
            pattern = re.compile(_regular(found["words"], found["regex"] is not None))
        except re.error as error:
            raise _mistake(
                file, place, line, f'"{found["words"]}" has no regular expression: {error}'
            ) from None
        least = int(found["least"] or 1)
        most = None if found["open"] else int(found["most"] or least)
        yield Expected(
            found["kind"],
            None if target is None else target + line_offset + 1,
            found["words"],
            pattern,
            least,
            most,
            place,
        )


def _target(where: str | None, number: int, others: Iterable[int]) -> int | None:
    """The number of the line that an expectation in line `number` is about."""
    match where:
        case None:
            return number
        case "unknown":
            return None
        case "above":
            return max((other for other in others if other < number), default=None)
        case "below":
            return min((other for other in others if other > number), default=None)
        case _:
            return number + int(where)


def _regular(words: str, is_regex: bool) -> str:
    """A regular expression for words; with `is_regex`, parts in double braces are expressions."""
    if not is_regex:
        return re.escape(words)
    parts = re.split(r"\{\{(.*?)\}\}", words)
    return "".join(
        f"(?:{part})" if number % 2 else re.escape(part) for number, part in enumerate(parts)
    )


def _mistake(file: str, place: tuple[int, int], line: str, message: str) -> Mistake:
    return Mistake(file, *place, message, source_line=line)
