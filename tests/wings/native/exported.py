"""Formats of this wing, for what all formats keep."""

RECORDED = {"cpp-onnx": True}
"""Written from one recorded pass, which takes one branch of a block that decides."""
