"""What runs ahead of its use: second copies, and prefetches."""
