"""What the ops of each dialect become in the `llvm` dialect, one file for each."""
