"""Several methods on the same graph: who they are, how well they do, and pictures of it."""
