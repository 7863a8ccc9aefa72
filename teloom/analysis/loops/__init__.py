"""Sets of the iterations of loops: where conditions hold, and what longer loops would touch."""
