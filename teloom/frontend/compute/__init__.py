"""The ways to define a tensor by expressions: equations and scans."""
