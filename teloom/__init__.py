"""A multi-dialect tensor compiler: tensor expressions and schedules to machine code."""
