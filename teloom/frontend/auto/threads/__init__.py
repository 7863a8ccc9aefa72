"""What threads share: the iterations of loops, and the terms of reductions with few results."""
