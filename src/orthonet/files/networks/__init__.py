"""The formats of network files, one module each, and what several of them share."""
