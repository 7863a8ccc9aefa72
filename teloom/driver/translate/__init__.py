"""What a program is translated to, outside of this process: sources and code, by name."""
