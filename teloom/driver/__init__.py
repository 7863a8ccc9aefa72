"""Runs passes and compiles: pipelines, verification, printing, diagnostics.

The driver knows passes, machine code and texts. It knows no tensors of Python.
"""
