"""Facts about scheduled stages: their axes, relations and reads, and when a read happens.

Regions, which follow from these, are the subject of `analysis.regions`.
"""
