"""Privatized reductions: each lane or thread folds into partial results of its own first."""
