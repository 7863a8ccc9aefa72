"""The names of operators: where they are said, and what loads them."""

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from teloom import topi
from teloom.topi import image, nn, random, signal, sparse, tag, vision

DOCUMENT = (Path(__file__).parent.parent.parent / "docs" / "topi.md").read_text()


MODULES = (topi, nn, image, random, signal, sparse, vision, vision.ssd, vision.rcnn)


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
