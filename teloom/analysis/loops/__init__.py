"""Sets of loop iterations: where conditions hold, and what longer loops would touch."""
