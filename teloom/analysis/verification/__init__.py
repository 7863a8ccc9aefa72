"""What a module has to be beside what each op of it verifies.

Here are properties that need several ops, or the words of another package. What an op of ours
demands of its own operands stands in its `verify_`.
"""
