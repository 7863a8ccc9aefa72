"""The order of stages, and the loops that they share: what is asked, and what becomes of it."""
