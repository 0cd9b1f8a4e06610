"""Compression methods, one per file. Imports no torch."""
