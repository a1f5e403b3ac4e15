"""The paper's tables and figures, made again: ``orthonet paper table2``."""
