"""Machine code: LLVM IR as text, compiled or from the cache, placed in this process."""
