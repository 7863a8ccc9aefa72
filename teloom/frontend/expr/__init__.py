"""Scalar expressions and their types; no tensor."""
