"""Tags of stages: what a schedule can be written against. Source: TVM's topi.tag.

A stage says what it is by the `tag` of its operation, `s[C].op.tag`.
"""

ELEMWISE = "elemwise"
"""Each element is made of the elements at its own place."""
BROADCAST = "broadcast"
"""Each element is made of elements at its own place, but for axes that are repeated."""
INJECTIVE = "injective"
"""Each element is made of single elements at some places."""
COMM_REDUCE = "comm_reduce"
"""A fold over axes, in any order."""
COMM_REDUCE_IDX = "comm_reduce_idx"
"""A fold over axes that gives a position."""

WINOGRAD_LINES = "winograd_lines"
"""A transform of a Winograd convolution along one of its axes, which another stage reads."""
WINOGRAD_TRANSFORM = "winograd_transform"
"""The last stage of such a transform; `attrs` may say, by this name, how large its tiles are."""


def is_broadcast(tag: str) -> bool:
    """Whether a stage of this tag repeats elements at most.

    >>> is_broadcast(ELEMWISE), is_broadcast(INJECTIVE)
    (True, False)
    """
    return tag.startswith((ELEMWISE, BROADCAST))


def is_injective(tag: str) -> bool:
    """Whether a stage of this tag is no fold, so that it can be inlined.

    >>> is_injective(BROADCAST), is_injective(COMM_REDUCE)
    (True, False)
    """
    return is_broadcast(tag) or tag.startswith(INJECTIVE)
