"""Work that runs ahead of its use: double buffers and prefetches."""
