"""Rules for what runs in an order: steps of scans, and updates whose points wait for others."""
