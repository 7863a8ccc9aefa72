"""From a schedule to IR at any level, and to a function that is called with arrays."""
