"""Cards on how gradients come about: a file each, which declares one. Imports no torch."""
