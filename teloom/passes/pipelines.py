"""The order of the passes, each with its reason."""

PIPELINES: dict[str, tuple[tuple[str, str], ...]] = {}
