"""What a call needs: arrays and their sizes, memory of temporary buffers, functions outside."""
