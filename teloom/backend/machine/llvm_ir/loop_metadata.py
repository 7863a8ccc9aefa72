"""LLVM's numbered metadata nodes, and loop annotations as such."""

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr
from xdsl.ir import Attribute

from teloom.dialects.upstream.llvm import LoopAnnotationAttr

SPELLINGS: dict[tuple[str, ...], str] = {
    ("disableNonforced",): "llvm.loop.disable_nonforced",
    ("mustProgress",): "llvm.loop.mustprogress",
    ("vectorize", "width"): "llvm.loop.vectorize.width",
    ("interleave", "count"): "llvm.loop.interleave.count",
    ("unroll", "disable"): "llvm.loop.unroll.disable",
    ("unroll", "count"): "llvm.loop.unroll.count",
    ("unroll", "runtimeDisable"): "llvm.loop.unroll.runtime.disable",
    ("unroll", "full"): "llvm.loop.unroll.full",
    ("unrollAndJam", "disable"): "llvm.loop.unroll_and_jam.disable",
    ("unrollAndJam", "count"): "llvm.loop.unroll_and_jam.count",
    ("licm", "disable"): "llvm.licm.disable",
    ("licm", "versioningDisable"): "llvm.loop.licm_versioning.disable",
    ("pipeline", "disable"): "llvm.loop.pipeline.disable",
    ("pipeline", "initiationinterval"): "llvm.loop.pipeline.initiationinterval",
    ("peeled", "count"): "llvm.loop.peeled.count",
    ("unswitch", "partialDisable"): "llvm.loop.unswitch.partial.disable",
}
"""Options that LLVM takes as they are: a flag where true, a count as a number."""

TRUTHS: dict[tuple[str, ...], tuple[str, bool]] = {
    ("vectorize", "disable"): ("llvm.loop.vectorize.enable", True),
    ("vectorize", "predicateEnable"): ("llvm.loop.vectorize.predicate.enable", False),
    ("vectorize", "scalableEnable"): ("llvm.loop.vectorize.scalable.enable", False),
    ("distribute", "disable"): ("llvm.loop.distribute.enable", True),
    ("isVectorized",): ("llvm.loop.isvectorized", False),
}
"""Options that LLVM takes with a truth value, and whether it is the opposite one."""


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

    def _new(self, text: str) -> int:
        self.lines.append(f"!{len(self.lines)} = {text}")
        return len(self.lines) - 1

    def distinct(self, what: Attribute, *parts: str) -> int:
        """The node that stands for `what`; no other is equal to it."""
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

    def loop(self, annotation: LoopAnnotationAttr) -> int:
        """A fresh node for one loop: LLVM tells loops apart by their nodes."""
        options = [f"!{number}" for number in self._options(annotation.options, ())]
        return self._new_distinct(*options)

    def _options(self, given: DictionaryAttr, path: tuple[str, ...]) -> list[int]:
        nodes: list[int] = []
        for name, value in given.data.items():
            place = (*path, name)
            if isinstance(value, DictionaryAttr):
                nodes += self._options(value, place)
            elif isinstance(value, IntegerAttr):
                nodes += self._option(place, value)
        return nodes

    def _option(self, place: tuple[str, ...], value: IntegerAttr) -> list[int]:
        number = value.value.data
        if place in TRUTHS:
            spelling, opposite = TRUTHS[place]
            truth = "true" if bool(number) != opposite else "false"
            return [self.node(f'!{{!"{spelling}", i1 {truth}}}')]
        spelling = SPELLINGS[place]
        if place[-1] in ("width", "count", "initiationinterval"):
            return [self.node(f'!{{!"{spelling}", i32 {number}}}')]
        return [self.node(f'!{{!"{spelling}"}}')] if number else []
