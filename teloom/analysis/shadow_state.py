"""The state that checked code shares with its caller: words of one array, and marks in shadows.

A *shadow* has one word for each element, or part of one, of a piece of memory. The word tells
what was written there last: a mark, or a *tag*. All elements of all regions are numbered in the
order in which they begin to exist; a tag is that number times `REGIONS`, plus the number of the
region's name.
"""

NOTHING = 0
"""Mark: nothing has written here."""
ANYTHING = -1
"""Mark: it may hold any element; reading it is always right."""
GIVEN = -2
"""Mark: the caller's, read only."""
FREED = -3
"""Mark: the memory has been freed."""

REGIONS = 65536
"""How many names of regions a function may have."""
AXES = 32
"""How many axes a region may have."""

FOUND, KIND, SITE, TAG, FIRST, RANK = range(6)
"""Words: the number of wrong accesses; then, for the first of them, what is wrong, its site, the
tag that was found, the first tag of the region that was meant, and the number of subscripts."""
FIRST_AT = 8
"""Words from here on: the subscripts of the first wrong access."""
NEXT = FIRST_AT + AXES
"""Word: the number of the next element."""
AT = NEXT + 1
"""Words from here on: the subscripts of the current access."""
LENGTHS = AT + AXES
"""Words from here on: the number of elements of each array of the caller."""

OUTSIDE_MEMORY, OUTSIDE_REGION, WRONG_ELEMENT, AT_THE_SAME_TIME = range(4)
"""What is wrong with an access."""

BEGIN, READ, WRITE, APART, FILL = (
    f"teloom_shadow_{word}" for word in ("begin", "read", "write", "apart", "fill")
)
"""The functions that checked code calls."""
