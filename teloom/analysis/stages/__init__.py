"""Scheduled stages as they stand: whose axis, which relations, what is read and when.

What follows from them, the regions, is in `analysis.regions`.
"""
