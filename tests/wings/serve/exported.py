"""Formats of this wing, for what all formats keep."""

CHEAP = {"server": True}
"""Written in a moment."""
RECORDED = {"triton": True}
"""Written from one recorded pass, which takes one branch of a block that decides."""
