"""From an embedding to groups: the `OrthoNet` estimator and its parts."""
