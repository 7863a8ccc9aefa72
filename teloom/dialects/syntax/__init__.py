"""Syntax and attributes that several dialects share: boxes, layouts, scopes, stage headers.

There are no ops here. An attribute of a single dialect stands with the ops of that dialect.
"""
