"""Programs as libraries for C: their files are put together and written."""
