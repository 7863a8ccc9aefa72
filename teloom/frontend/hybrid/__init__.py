"""`te.hybrid`: functions of Python whose statements make a stage."""
