"""What a schedule computes, where, and what that costs, in the user's terms."""
