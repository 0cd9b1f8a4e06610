"""The ways to make a network smaller: a file each, which declares one. Imports no torch."""
