"""Calls of kernels: arrays and their sizes, the workspace, callbacks."""
