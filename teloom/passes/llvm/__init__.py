"""From standard dialects to the `llvm` dialect: blocks, then conversions, one file per dialect."""
