"""Which elements of each stage are computed and stored where, and what is wrong with a program
for which there is no answer.
"""
