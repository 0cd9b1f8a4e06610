"""Cards on training by hand: a file each, which declares one. Imports no torch."""
