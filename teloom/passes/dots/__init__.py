"""Sums of products of neighbours: code for the instructions of the target, and what corrects it."""
