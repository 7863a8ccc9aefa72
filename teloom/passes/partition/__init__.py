"""`partition-loops`: whole tiles apart from others, and how the last tiles of an axis run."""
