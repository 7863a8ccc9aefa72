"""Compiled functions as files: objects, archives and shared libraries, called without Python."""
