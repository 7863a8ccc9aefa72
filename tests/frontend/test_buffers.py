"""Declared buffers: what they say, and what is refused."""

import pytest

from teloom import Error, te


def test_a_buffer_is_compact_and_begins_at_its_memory():
    n = te.var("n")
    buffer = te.decl_buffer((n, 4), name="B")
    assert (buffer.shape[0] is n, buffer.shape[1].value) == (True, 4)
    assert buffer.strides == ()
    assert (buffer.elem_offset.value, buffer.dtype, buffer.scope) == (0, "float32", "global")


def test_strides_and_offset_may_be_found():
    stride, offset = te.var("stride"), te.var("offset")
    buffer = te.decl_buffer((4, 4), "int8", strides=[stride, 1], elem_offset=offset)
    assert buffer.strides[0] is stride
    assert buffer.elem_offset is offset


def test_an_offset_with_a_factor_alone_is_found():
    buffer = te.decl_buffer((4,), name="B", offset_factor=16)
    assert str(buffer.elem_offset) == "B_elem_offset"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"strides": [1]}, "1 strides for the 2 axes of buffer 'B'"),
        ({"strides": [-4, 1]}, "strides of B: -4 is negative"),
        ({"elem_offset": 1.5}, "is float32, not an integer"),
        ({"data_alignment": 48}, "data_alignment 48 of buffer 'B' is no power of two"),
        ({"offset_factor": -1}, "offset_factor -1 of buffer 'B' is negative"),
        ({"dtype": "float8"}, "unknown dtype 'float8'"),
        ({"scope": "cache"}, "buffer 'B': no storage scope \"cache\""),
    ],
)
def test_refusals(given, words):
    with pytest.raises(Error, match=words):
        te.decl_buffer((4, 4), name="B", **given)
