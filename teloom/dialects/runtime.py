"""What machine code and its callers agree on: status codes, and functions of the runtime."""

OUT_OF_MEMORY = 1
"""The status of a function in which an allocation failed."""

FIRST_ASSERTION = 2
"""The status of a function in which the module's first assertion failed."""

TAKE, GIVE = "teloom_take", "teloom_give"
"""The C functions that take memory from a workspace, and give it back."""

PARALLEL, THREADS = "teloom_parallel", "teloom_threads"
"""The C functions that run a team's jobs, and that say how many threads a call may use."""
