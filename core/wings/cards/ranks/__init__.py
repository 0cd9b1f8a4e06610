"""Cards on training by several processes: a file each, which declares one. Imports no torch."""
