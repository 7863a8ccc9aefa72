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


def test_strides_and_offset_go_up_to_the_largest_size():
    buffer = te.decl_buffer((1, 4), strides=[2**40, 1], elem_offset=2**40)
    assert [one.dtype for one in (*buffer.strides, buffer.elem_offset)] == [
        "int64",
        "int32",
        "int64",
    ]


def test_strides_of_a_repeated_axis_are_found():
    buffer = te.decl_buffer((4, 4), name="B", buffer_type="auto_broadcast")
    assert list(map(str, buffer.strides)) == ["B_stride0", "B_stride1"]
    given = te.decl_buffer((4, 4), name="B", strides=[4, 1], buffer_type="auto_broadcast")
    assert (given.strides[0].value, given.buffer_type) == (4, "auto_broadcast")
    assert te.decl_buffer((4,)).buffer_type == ""


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"strides": [1]}, "1 strides for the 2 axes of buffer 'B'"),
        ({"strides": [-4, 1]}, "strides of B: -4 is no number of elements from 0 to 1099511627776"),
        ({"strides": [2**60, 1]}, f"strides of B: {2**60} is no number of elements from 0 to"),
        ({"strides": [2**70, 1]}, "of 'strides of B' is not an integer of 32 or 64 bits"),
        ({"elem_offset": 1.5}, "is float32, not an integer"),
        ({"elem_offset": True}, "is bool, not an integer"),
        ({"elem_offset": 2**62}, f"elem_offset of B: {2**62} is no number of elements from 0 to"),
        ({"data_alignment": 48}, "data_alignment of buffer 'B', 48, is no power of two up to 429"),
        ({"data_alignment": 2**33}, f"data_alignment of buffer 'B', {2**33}, is no power of two"),
        ({"data_alignment": 2**70}, "data_alignment of buffer 'B', .* does not fit into 64 bits"),
        ({"data_alignment": None}, "data_alignment of buffer 'B' must be an integer, got None"),
        ({"data_alignment": 2.0}, "data_alignment of buffer 'B' must be an integer, got 2.0"),
        ({"offset_factor": "x"}, "offset_factor of buffer 'B' must be an integer, got 'x'"),
        ({"offset_factor": True}, "offset_factor of buffer 'B' must be an integer, got True"),
        ({"offset_factor": 2**70}, "offset_factor of buffer 'B', .* does not fit into 64 bits"),
        ({"offset_factor": -1}, "offset_factor -1 of buffer 'B' is negative"),
        ({"dtype": "float8"}, "unknown dtype 'float8'"),
        ({"buffer_type": "x"}, "of buffer 'B' is 'x', not '' or 'auto_broadcast'"),
        ({"scope": None}, "scope of buffer 'B' must be a string, got None"),
        ({"scope": "cache"}, "buffer 'B': no storage scope \"cache\""),
    ],
)
def test_refusals(given, words):
    with pytest.raises(Error, match=words):
        te.decl_buffer((4, 4), name="B", **given)
