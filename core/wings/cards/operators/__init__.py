"""Cards on custom operators and control flow: a file each, which declares one. Imports no torch."""
