"""LLVM's work: object code of LLVM IR as text, and what is done for code that LLVM gets wrong.

It is loaded when code is not in the cache.
"""
