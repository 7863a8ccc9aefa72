"""Orders of elements: sorting, the greatest ones, positions in sorted tensors, distinct elements.

Sorting is stable. NaN counts as greater than every number, as in NumPy. Positions are int32.
"""

from teloom.topi.sorting.searches import searchsorted, unique
from teloom.topi.sorting.selections import argsort, sort, topk

__all__ = ["argsort", "searchsorted", "sort", "topk", "unique"]
