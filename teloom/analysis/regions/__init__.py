"""Which elements of each stage are computed and stored, and where.

Programs without an answer are refused with a witness.
"""
