"""Text and attributes that several dialects share: boxes, layouts, scopes, the line of a stage.

No ops; an attribute of one dialect alone stands with its ops.
"""
