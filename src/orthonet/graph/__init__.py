"""Multilayer graphs, how they are built, and their Laplacians."""
