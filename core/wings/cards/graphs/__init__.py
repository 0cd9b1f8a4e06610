"""Cards on graphs and compilers: a file each, which declares one. Imports no torch."""
