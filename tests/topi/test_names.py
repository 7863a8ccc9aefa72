"""The names of operators: where they are said, and what loads them."""

import re
import subprocess
import sys
from doctest import DocTestFinder, DocTestParser
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np
import pytest

import teloom
from teloom import te, topi
from teloom.topi import image, nn, random, signal, sparse, tag, vision

DOCUMENT = (Path(__file__).parent.parent.parent / "docs" / "topi.md").read_text()


MODULES = (topi, nn, image, random, signal, sparse, vision, vision.ssd, vision.rcnn)


def operators(module):
    values = (getattr(module, name) for name in module.__all__)
    return [one for one in values if isinstance(one, FunctionType)]


@pytest.mark.parametrize("module", MODULES, ids=lambda one: one.__name__.partition("topi.")[2])
def test_every_operator_is_documented(module):
    assert len({*module.__all__}) == len(module.__all__)
    for name in module.__all__:
        if isinstance(getattr(module, name), ModuleType):
            continue
        assert f"`{name}`" in DOCUMENT, name
        value = getattr(module, name)
        if callable(value):
            assert value.__doc__, name
            assert value.__name__ == name


@pytest.mark.parametrize("module", MODULES, ids=lambda one: one.__name__.partition("topi.")[2])
def test_every_operator_has_an_example(module):
    """Which calls it, and is one of those that tests/test_docstrings.py runs."""
    ran = {
        name: {test.name for test in DocTestFinder().find(import_module(name)) if test.examples}
        for name in {one.__module__ for one in operators(module)}
    }
    for one in operators(module):
        sources = [example.source for example in DocTestParser().get_examples(one.__doc__ or "")]
        assert any(re.search(rf"\b{one.__name__}\(", source) for source in sources), one
        assert f"{one.__module__}.{one.__name__}" in ran[one.__module__], one


def test_tags():
    assert tag.is_broadcast(tag.ELEMWISE)
    assert not tag.is_broadcast(tag.INJECTIVE)
    assert tag.is_injective(tag.BROADCAST)
    assert not tag.is_injective(tag.COMM_REDUCE)


def test_operators_are_loaded_by_their_first_use():
    program = (
        "import sys; from teloom import te; A = te.placeholder((4,), name='A'); "
        "before = 'teloom.topi' in sys.modules; B = A + 1; "
        "print(before, 'teloom.topi' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["False", "True"], done.stderr


def _with_flag(flag):
    """Calls of operators with a flag, each with how its refusal begins."""
    A, row = te.placeholder((4, 4), name="A"), te.placeholder((4,), name="row")
    cube, window = te.placeholder((2, 4, 4), name="cube"), te.placeholder((2,), name="window")
    B, maps = te.placeholder((1, 2, 3, 3), name="B"), te.placeholder((1, 2, 3), name="maps")
    boxes, count = te.placeholder((1, 3, 6), name="boxes"), te.placeholder((1,), "int32", "count")
    at = te.placeholder((1, 3), "int32", "at")
    return [
        (lambda: topi.matmul(A, A, flag), "matmul: transp_a"),
        (lambda: topi.matmul(A, A, transp_b=flag), "matmul: transp_b"),
        (
            lambda: topi.nn.batch_matmul(cube, cube, transpose_a=flag),
            "nn.batch_matmul: transpose_a",
        ),
        (lambda: topi.sum(A, keepdims=flag), "sum: keepdims"),
        (lambda: topi.sort(A, is_ascend=flag), "sort: is_ascend"),
        (lambda: topi.argsort(A, is_ascend=flag), "argsort: is_ascend"),
        (lambda: topi.topk(A, is_ascend=flag), "topk: is_ascend"),
        (lambda: topi.searchsorted(row, row, flag), "searchsorted: right"),
        (lambda: topi.cumsum(A, 0, exclusive=flag), "cumsum: exclusive"),
        (lambda: topi.trilu(A, 0, flag), "trilu: upper"),
        (lambda: topi.signal.dft(A, A, flag), "signal.dft: inverse"),
        (lambda: topi.signal.stft(A, 2, 1, 2, window, flag, True), "signal.stft: normalized"),
        (lambda: topi.signal.stft(A, 2, 1, 2, window, True, flag), "signal.stft: onesided"),
        (lambda: topi.image.resize2d(B, None, (2, 2), bicubic_exclude=flag), "image.resize2d: .*"),
        (lambda: topi.image.affine_grid(maps, (2, 2), flag), "image.affine_grid: align_corners"),
        (lambda: topi.image.grid_sample(B, B, align_corners=flag), "image.grid_sample: .*"),
        (lambda: topi.nn.upsampling(B, 2, 2, align_corners=flag), "nn.upsampling: align_corners"),
        (lambda: topi.vision.ssd.multibox_prior(B, clip=flag), "vision.ssd.multibox_prior: clip"),
        (
            lambda: topi.vision.non_max_suppression(boxes, count, at, force_suppress=flag),
            "vision.non_max_suppression: force_suppress",
        ),
        (lambda: topi.nn.softmax_common(A, 0, flag), "nn.softmax_common: use_fast_exp"),
    ]


def test_what_is_neither_true_nor_false_is_refused():
    for call, words in [*_with_flag(np.array([True, False])), *_with_flag("False")]:
        with pytest.raises(teloom.Error, match=rf"topi.{words} is .*, neither True nor False"):
            call()
