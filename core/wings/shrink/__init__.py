"""Compression of a trained network: one declaration per method, one measured row per try."""
