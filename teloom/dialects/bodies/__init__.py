"""What ops of several dialects share that have a body: equations, externs, buffers of a box."""
