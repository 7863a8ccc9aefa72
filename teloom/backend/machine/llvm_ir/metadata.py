"""LLVM's numbered metadata nodes: loop annotations and alias scopes as such."""

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr
from xdsl.ir import Attribute, Operation

from teloom.backend.machine.llvm_ir.spelling import in_quotes
from teloom.dialects.upstream import llvm

_ALIAS_KINDS = {llvm.ALIAS_SCOPES: "alias.scope", llvm.NOALIAS_SCOPES: "noalias"}


class Metadata:
    """Numbers the metadata nodes of one module and holds their text."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._shared: dict[str, int] = {}
        self._distinct: dict[Attribute, int] = {}

    def node(self, text: str) -> int:
        """The one node with this text."""
        number = self._shared.get(text)
        if number is None:
            number = self._shared[text] = self._new(text)
        return number

    def distinct(self, text: str) -> int:
        """A node with this text that is another one than any other."""
        return self._new(f"distinct {text}")

    def _new(self, text: str) -> int:
        self.lines.append(f"!{len(self.lines)} = {text}")
        return len(self.lines) - 1

    def _distinct_of(self, what: Attribute, *parts: str) -> int:
        """The distinct node that stands for `what`."""
        number = self._distinct.get(what)
        if number is None:
            number = self._distinct[what] = self._new_distinct(*parts)
        return number

    def _new_distinct(self, *parts: str) -> int:
        own = f"!{len(self.lines)}"
        return self._new(f"distinct !{{{', '.join((own, *parts))}}}")

    def one(self) -> int:
        """The node that says i32 1, as the mark of a non-temporal access does."""
        return self.node("!{i32 1}")

    def loop(self, annotation: llvm.LoopAnnotationAttr) -> int:
        """A fresh node for one loop: LLVM tells loops apart by their nodes."""
        options = self._options(annotation.options, llvm.LOOP_OPTIONS)
        return self._new_distinct(*(f"!{number}" for number in options))

    def _options(self, given: DictionaryAttr, known: llvm.LoopOptions) -> list[int]:
        nodes: list[int] = []
        for name, value in given.data.items():
            option = known[name]
            if isinstance(option, llvm.LoopOption):
                assert isinstance(value, IntegerAttr)
                nodes += self._option(option, value.value.data)
            else:
                assert isinstance(value, DictionaryAttr)
                nodes += self._options(value, option)
        return nodes

    def _option(self, option: llvm.LoopOption, number: int) -> list[int]:
        kind, name = option
        if kind == llvm.FLAG:
            return [self.node(f'!{{!"{name}"}}')] if number else []
        value = f"i32 {number}"
        if kind != llvm.COUNT:
            value = "i1 true" if bool(number) != (kind == llvm.OPPOSITE) else "i1 false"
        return [self.node(f'!{{!"{name}", {value}}}')]

    def scopes(self, op: Operation) -> str:
        """The words behind an access that name the alias scopes it is in, and those it is not."""
        return "".join(
            f", !{kind} !{self._list(scopes)}"
            for name, kind in _ALIAS_KINDS.items()
            if isinstance(scopes := op.attributes.get(name), ArrayAttr)
        )

    def _list(self, scopes: ArrayAttr) -> int:
        numbers = [f"!{self._scope(s)}" for s in scopes if isinstance(s, llvm.AliasScopeAttr)]
        return self.node(f"!{{{', '.join(numbers)}}}")

    def _scope(self, scope: llvm.AliasScopeAttr) -> int:
        domain = self._distinct_of(scope.domain, f"!{in_quotes(scope.domain.data)}")
        return self._distinct_of(scope, f"!{domain}", f"!{in_quotes(scope.id.data)}")
