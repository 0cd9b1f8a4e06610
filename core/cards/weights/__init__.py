"""Cards on what weights begin as: a file each, which declares one. Imports no torch."""
