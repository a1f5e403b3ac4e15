"""Multi-view files of Matlab."""
