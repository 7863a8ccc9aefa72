"""The memory of a function: its size, the live range of each buffer, and plans of where they lie."""
