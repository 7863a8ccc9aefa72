"""Docstrings of operators that differ in a function and a word: one text, filled in for each."""

from __future__ import annotations

from textwrap import fill


def docstring(first: str, sentences: str, session: str, **values: str) -> str:
    """A first line, a paragraph and an executed example, in which `{name}` is one of `values`.

    >>> print(docstring("The {name}.", "Dtypes stay.", "Tensor(name={name})", name="sum"))
    The sum.
    <BLANKLINE>
    Dtypes stay.
    <BLANKLINE>
    Tensor(name=sum)
    """
    paragraph = fill(" ".join(sentences.format(**values).split()), 96)
    return "\n\n".join([first.format(**values), paragraph, session.format(**values)])
