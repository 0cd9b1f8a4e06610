"""Cards on speed on this machine: a file each, which declares one. Imports no torch."""
