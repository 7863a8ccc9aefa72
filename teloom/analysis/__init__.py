"""What can be said of IR without changing it."""
