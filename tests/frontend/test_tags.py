"""Tags and attributes of operations."""

import pytest

import teloom
from teloom import te

n = te.var("n")
A = te.placeholder((n,), name="A")


def copied():
    return te.compute((n,), lambda i: A[i], name="B")


def test_a_scope_tags_what_is_made_in_it():
    with te.tag_scope("copy") as scope:
        assert te.TagScope.get_current() is scope
        B = copied()
        S = te.placeholder((n,), name="S")
        sums = te.scan(te.compute((1,), lambda t: A[t]), copied(), S)
        C = te.extern((n,), [A], lambda ins, outs: te.call_packed(print, ins[0], outs[0]))
    assert (B.op.tag, sums.op.tag, C.op.tag) == ("copy", "copy", "copy")
    assert te.TagScope.get_current() is None
    assert copied().op.tag == A.op.tag == ""


def test_a_decorated_function():
    tagged = te.tag_scope(tag="copy")(copied)
    assert tagged.__name__ == "copied"
    assert tagged().op.tag == tagged().op.tag == "copy"


def test_a_scope_ends_with_an_error():
    with pytest.raises(ZeroDivisionError), te.tag_scope("copy"):
        raise ZeroDivisionError
    assert copied().op.tag == ""


def test_an_operation_has_one_tag():
    inner = te.tag_scope("inner")(copied)
    with pytest.raises(ValueError, match=r"tag_scope\('inner'\) is entered within tag_scope\('ou"):
        with te.tag_scope("outer"):
            inner()
    with pytest.raises(teloom.Error, match="'C' has the tag 'own' within tag_scope"):
        with te.tag_scope("outer"):
            te.compute((n,), lambda i: A[i], name="C", tag="own")
    with pytest.raises(teloom.Error, match="tag of tag_scope must be a string, got 3"):
        te.tag_scope(3)  # pyright: ignore[reportArgumentType]


def test_attributes():
    B = te.compute((n,), lambda i: A[i], name="B", tag="copy", attrs={"arr": [10, 12]})
    assert B.op.tag == "copy"
    assert B.op.attrs == {"arr": [10, 12]}
    assert B.op.attrs["arr"][0].value == 10
    assert copied().op.attrs == {}
