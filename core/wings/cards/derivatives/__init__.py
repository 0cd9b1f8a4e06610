"""Cards on derivatives by torch.func: a file each, which declares one. Imports no torch."""
