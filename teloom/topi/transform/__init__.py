"""Operators that move elements: what belongs here computes no values but sums of products."""
