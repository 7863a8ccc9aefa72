"""What checked code and its caller tell each other: words in one array, and marks in shadows.

A *shadow* has one word for each element, or part of one, of a piece of memory: what was
written there last. That is a *tag*, the number of an element among all elements that
there were so far, times `REGIONS`, plus the number of the region's name; or a mark.
"""

NOTHING = 0
"""Mark: nothing has written here."""
ANYTHING = -1
"""Mark: it may hold anything, and be read as anything."""
GIVEN = -2
"""Mark: the caller's, to be read only."""
FREED = -3
"""Mark: it is no memory any more."""

REGIONS = 65536
"""How many names of regions a function may have."""
AXES = 32
"""How many axes a region may have."""

FOUND, KIND, SITE, TAG, FIRST, RANK = range(6)
"""Words: how many wrong accesses there were, and of the first what is wrong, at which
site; what was there, and the first tag of the region that is meant; how many subscripts."""
FIRST_AT = 8
"""Words from here on: the subscripts of the first wrong access."""
NEXT = FIRST_AT + AXES
"""Word: the number of the next element."""
AT = NEXT + 1
"""Words from here on: the subscripts of the access at hand."""
LENGTHS = AT + AXES
"""Words from here on: how many elements each array has that the caller gives."""

OUTSIDE_MEMORY, OUTSIDE_REGION, WRONG_ELEMENT, AT_THE_SAME_TIME = range(4)
"""What is wrong with an access."""

BEGIN, READ, WRITE, APART, FILL = (
    f"teloom_shadow_{word}" for word in ("begin", "read", "write", "apart", "fill")
)
"""The functions that checked code calls."""
