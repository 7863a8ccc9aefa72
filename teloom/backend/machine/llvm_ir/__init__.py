"""The text of LLVM IR, one file per kind of instruction."""
