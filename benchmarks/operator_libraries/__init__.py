"""The libraries beside which operators are measured, one file each, as in `libraries`."""
