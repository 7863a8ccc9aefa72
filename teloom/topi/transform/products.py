"""Sums of products over pairs of axes."""

from __future__ import annotations

import operator as python
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from teloom import te
from teloom.topi.arguments import a_flag, a_tensor, a_text, an_axis, an_integer, shown, wrong
from teloom.topi.elementwise import computed
from teloom.topi.extents import expect_same, is_one, same
from teloom.topi.tag import COMM_REDUCE

MATMUL = "matmul"


def matmul(a: te.Tensor, b: te.Tensor, transp_a: bool = False, transp_b: bool = False) -> te.Tensor:
    """The product of two matrices, either of which may be transposed; or of a vector.

    A tensor with one axis is a row on the left, and a column on the right, as in NumPy; of two of
    them the result has no axes. Dtypes meet as in expressions. `nn.batch_matmul` has more axes.

    >>> A, B = te.placeholder((8, te.var("n")), name="A"), te.placeholder((4, 8), name="B")
    >>> matmul(A, B, transp_a=True, transp_b=True)
    Tensor(shape=[n, 4], dtype=float32, name=matmul)
    """
    for argument, one in (("a", a), ("b", b)):
        if a_tensor(MATMUL, argument, one).ndim not in (1, 2):
            raise wrong(MATMUL, argument, f"is {shown(one)}, but must have 1 or 2 axes")
    of_a = 0 if a_flag(MATMUL, "transp_a", transp_a) or a.ndim == 1 else 1
    of_b = 1 if a_flag(MATMUL, "transp_b", transp_b) and b.ndim == 2 else 0
    return _tensordot(MATMUL, a, b, ([of_a], [of_b]), MATMUL)


def tensordot(a: te.Tensor, b: te.Tensor, axes: Any) -> te.Tensor:
    """The sum of products over axes of both: as many last ones of `a` and first ones of `b`.

    `axes` is that number, or a pair of lists of axes, as in NumPy's tensordot. The result has the
    other axes of `a`, and then those of `b`.

    >>> A, B = te.placeholder((8, 3, 4), name="A"), te.placeholder((4, 3, 5), name="B")
    >>> tensordot(A, B, ((1, 2), (1, 0)))
    Tensor(shape=[8, 5], dtype=float32, name=tensordot)
    """
    return _tensordot("tensordot", a, b, axes, COMM_REDUCE)


def _tensordot(name: str, a: te.Tensor, b: te.Tensor, axes: Any, tag: str) -> te.Tensor:
    given = {"a": a_tensor(name, "a", a), "b": a_tensor(name, "b", b)}
    of_a, of_b = _axes(name, a, b, axes)
    over = [
        te.reduce_axis((0, expect_same(name, given, {"a": x, "b": y})), f"k{k}")
        for k, (x, y) in enumerate(zip(of_a, of_b, strict=True))
    ]
    kept_a = [k for k in range(a.ndim) if k not in of_a]
    kept_b = [k for k in range(b.ndim) if k not in of_b]

    def value(*at: Any) -> Any:
        left, right = dict(zip(of_a, over, strict=True)), dict(zip(of_b, over, strict=True))
        left |= zip(kept_a, at[: len(kept_a)], strict=True)
        right |= zip(kept_b, at[len(kept_a) :], strict=True)
        product = a(*(left[k] for k in range(a.ndim))) * b(*(right[k] for k in range(b.ndim)))
        return te.sum(product, axis=over) if over else product

    shape = [*(a.shape[k] for k in kept_a), *(b.shape[k] for k in kept_b)]
    return computed(name, shape, value, tag)


def _axes(name: str, a: te.Tensor, b: te.Tensor, axes: Any) -> tuple[list[int], list[int]]:
    if isinstance(axes, tuple | list):
        if len(axes) != 2:
            raise wrong(name, "axes", f"is {axes}, which is no pair of lists of axes")
        pairs = [list(one) if isinstance(one, tuple | list) else [one] for one in axes]
        of_a, of_b = (
            [an_axis(name, axis, one.ndim, "axes") for axis in listed]
            for listed, one in zip(pairs, (a, b), strict=True)
        )
        if len(of_a) != len(of_b) or len({*of_a}) < len(of_a) or len({*of_b}) < len(of_b):
            raise wrong(name, "axes", f"is {axes}, which does not pair axes with others")
        return of_a, of_b
    count = an_integer(name, "axes", axes, 0)
    if count > min(a.ndim, b.ndim):
        raise wrong(name, "axes", f"is {count}, more than {shown(a)} and {shown(b)} have")
    return list(range(a.ndim - count, a.ndim)), list(range(count))


def einsum(subscripts: str, *operand: te.Tensor) -> te.Tensor:
    """A sum of products in Einstein's notation, as NumPy's einsum.

    A letter is an axis; those that stand in no result are summed over. Without `->`, the result
    has the letters that occur once, in alphabetical order. `...` are further axes, which are
    repeated by NumPy's rule. Of three tensors or more, all of one dtype, two are multiplied at a
    time where that is less work.

    >>> A, B = te.placeholder((8, 4), name="A"), te.placeholder((2, 4, 5), name="B")
    >>> einsum("ij,bjk->bik", A, B)
    Tensor(shape=[2, 8, 5], dtype=float32, name=einsum)
    """
    name = "einsum"
    given = {f"operand[{k}]": a_tensor(name, f"operand[{k}]", x) for k, x in enumerate(operand)}
    inputs, output = _notation(name, subscripts, given)
    extents: dict[str, Any] = {}
    for letters, (argument, tensor) in zip(inputs, given.items(), strict=True):
        for letter, extent in zip(letters, tensor.shape, strict=True):
            known = extents.get(letter, 1)
            if not (is_one(known) or is_one(extent) or same(known, extent)):
                problem = f"is {shown(tensor)}, but axis {letter} of {subscripts!r} has"
                raise wrong(name, argument, f"{problem} the extent {known} elsewhere")
            extents[letter] = extent if is_one(known) else known

    terms = [*zip(inputs, operand, strict=True)]
    for places in _contractions(terms, output):
        factors = [terms[place] for place in places]
        terms = [term for place, term in enumerate(terms) if place not in places]
        wanted = {*output}.union(*(letters for letters, _ in terms))
        letters = dict.fromkeys(one for each, _ in factors for one in each if one in wanted)
        kept = "".join(letters) if terms else output
        terms.append((kept, _contracted(name, factors, kept)))
    ((_, result),) = terms
    return result


_Term = tuple[str, te.Tensor]
"""The letters of the axes of a tensor, and the tensor."""


def _contractions(terms: Sequence[_Term], output: str) -> list[tuple[int, ...]]:
    """The places of the tensors that are multiplied in each step, whose result is put last.

    Of more than two tensors, those whose products take the least work, by NumPy's greedy search:
    it makes no result that is larger than all tensors there are. Tensors of several dtypes are
    multiplied in their order, which says where a product is rounded.
    """
    together = tuple(range(len(terms)))
    number = {letter: k for k, letter in enumerate(dict.fromkeys("".join(x for x, _ in terms)))}
    is_mixed = len({tensor.dtype for _, tensor in terms}) > 1
    if len(terms) < 3 or is_mixed or len(number) > _MOST_LETTERS:
        return [together]
    described: list[Any] = []
    for letters, tensor in terms:
        sizes = (extent if isinstance(extent, int) else _USUAL for extent in tensor.shape)
        shape = [max(1, size) for size in sizes]
        described += [np.broadcast_to(np.float32(0), shape), [number[x] for x in letters]]
    path, _ = np.einsum_path(*described, [number[letter] for letter in output])
    return [tuple(sorted(step)) for step in path[1:]]


_USUAL = 64
"""What a size counts as that only the call knows."""

_MOST_LETTERS = 52
"""NumPy searches no expressions of more."""


def _contracted(name: str, factors: Sequence[_Term], output: str) -> te.Tensor:
    """The product of some tensors, summed over the axes that are not in the output."""
    extents: dict[str, Any] = {}
    for letters, tensor in factors:
        for letter, extent in zip(letters, tensor.shape, strict=True):
            if is_one(extents.get(letter, 1)):
                extents[letter] = extent

    def factor(letters: str, tensor: te.Tensor, place: Mapping[str, Any]) -> Any:
        pairs = zip(letters, tensor.shape, strict=True)
        return tensor(*(0 if is_one(e) and not is_one(extents[k]) else place[k] for k, e in pairs))

    summed = [letter for letter in extents if letter not in output]
    over = {letter: te.reduce_axis((0, extents[letter]), letter) for letter in summed}

    def value(*at: Any) -> Any:
        place = over | dict(zip(output, at, strict=True))
        product = reduce(python.mul, (factor(*one, place) for one in factors))
        return te.sum(product, axis=[*over.values()]) if over else product

    return computed(name, [extents[letter] for letter in output], value, COMM_REDUCE)


def _notation(name: str, subscripts: str, given: dict[str, te.Tensor]) -> tuple[list[str], str]:
    """The letters of each operand and of the result; further axes get letters of their own."""
    left, arrow, right = a_text(name, "subscripts", subscripts).replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(given):
        raise wrong(name, "subscripts", f"is {subscripts!r}, but there are {len(given)} operands")
    spare = [chr(code) for code in range(0x3B1, 0x3CA)]  # letters that no user writes
    for one in "".join([*terms, right]).replace("...", ""):
        if not (one in spare or (one.isascii() and one.isalpha())):
            problem = f"is {subscripts!r}, whose {one!r} is no letter from a to z or A to Z"
            raise wrong(name, "subscripts", problem)
    inputs = []
    for term, (argument, tensor) in zip(terms, given.items(), strict=True):
        more = tensor.ndim - len(term.replace("...", "")) if "..." in term else 0
        letters = term.replace("...", "".join(spare[len(spare) - more :]) if more > 0 else "", 1)
        if more < 0 or len(letters) != tensor.ndim:
            raise wrong(
                name,
                "subscripts",
                f"is {subscripts!r}: {term!r} is not {argument}, {shown(tensor)}",
            )
        inputs.append(letters)
    further = "".join(letter for letter in spare if any(letter in one for one in inputs))
    if arrow:
        output = right.replace("...", further, 1)
    else:
        once = [one for one in sorted({*left} - {*",."}) if left.count(one) == 1]
        output = further + "".join(once)
    known = {letter for one in inputs for letter in one}
    if len({*output}) < len(output) or not {*output} <= known:
        raise wrong(
            name, "subscripts", f"is {subscripts!r}, whose result {right!r} is not of its axes"
        )
    return inputs, output
