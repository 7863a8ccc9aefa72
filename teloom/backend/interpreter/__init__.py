"""The reference interpreter of level `te`: what a program means, point by point."""
