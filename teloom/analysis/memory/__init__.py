"""The memory of a function: how much it is, the live range of each buffer, and storage plans."""
