"""Where buffers lie: which share memory, which are taken early, whether they fit."""
