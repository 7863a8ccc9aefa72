"""The reference interpreter of level `te`: it evaluates programs point by point, with NumPy."""
