"""The ways to define a tensor by other code: calls, statements, scripts, intrinsics."""
