"""C11 source from the standard level: an emitter per dialect, as `machine/llvm_ir` has."""
