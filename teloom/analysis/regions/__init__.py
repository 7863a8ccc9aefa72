"""The elements of each stage that are computed and stored, and where; and the witness of a program
for which there is no answer.
"""
