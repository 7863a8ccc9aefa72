"""Elementary functions as arithmetic: the same for a scalar and for each lane of a vector.

A file per family writes its functions once, for float32 and float64, by the operators of a
`Number`. `accuracy` says how far each may be off, `expand_math` puts calls in the place of ops.
"""
