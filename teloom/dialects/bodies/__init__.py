"""Bodies that ops of several dialects share: equations, externs, buffers of a box."""
