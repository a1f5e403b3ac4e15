"""The `OrthoNet` estimator and the steps of its fit; `orthonet.clustering.fit` tells them in order."""
