"""Cards on initial and computed weights: a file each, which declares one. Imports no torch."""
