"""Reductions that fold into partial results first, which lanes or threads have for themselves."""
