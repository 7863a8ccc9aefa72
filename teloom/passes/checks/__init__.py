"""Code that looks, at each access, whether it finds what it means."""
