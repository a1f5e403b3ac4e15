"""Learn a map from node features to the lowest eigenvectors of a Laplacian."""
