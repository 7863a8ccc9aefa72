"""Affine expressions of SSA values: as operands and text, as sums, and in one form.

What an expression is, and nothing of what it is about: no op, no integer set.
"""
