"""The integers that IR, isl and machine code hold."""


def fits_64_bits(number: int) -> bool:
    """Whether an integer with a sign of 64 bits is this number.

    >>> fits_64_bits(2**63 - 1), fits_64_bits(2**63), fits_64_bits(-(2**63))
    (True, False, True)
    """
    return -(2**63) <= number < 2**63
