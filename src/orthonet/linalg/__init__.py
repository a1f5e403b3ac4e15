"""Matrix functions and eigensolvers: pure mathematics, no graphs."""
