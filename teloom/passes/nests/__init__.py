"""Scheduled stages become loop nests."""
