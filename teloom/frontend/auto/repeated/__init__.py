"""What points of an equation compute again and again, computed once in a stage of its own."""
