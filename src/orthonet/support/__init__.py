"""What every room of the house needs: optional imports, progress, argument checks, safe files."""
