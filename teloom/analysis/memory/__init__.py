"""Memory that a function takes: how much, when each buffer is used, and where it may lie."""
