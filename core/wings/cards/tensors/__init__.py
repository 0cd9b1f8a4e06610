"""Cards on what the tensors of a network are: a file each, which declares one. Imports no torch."""
