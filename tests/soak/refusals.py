"""Refusals of which a family knows more than that: whether they were right to refuse."""

from __future__ import annotations

from teloom.errors import PassError

LEGAL, ILLEGAL, UNSAID = "refused though right", "rightly refused", "refused without a text"
REFUSALS = (LEGAL, ILLEGAL, UNSAID)
"""What a family may know of a refusal."""


class Refusal(PassError):
    """A refusal of which it is known what it is: one of the three words above."""

    def __init__(self, kind: str, message: str):
        super().__init__(message)
        self.kind = kind
