"""From equations and commands to scheduled stages: `apply-schedule` and its primitives."""
