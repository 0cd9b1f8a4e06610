"""Errors of exporters and runtimes about a network, in one line."""

import re

COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
NOT_A_REASON = re.compile(r"^(Failed to |#|- |\u2b06|We recommend|Refer to|This is step|\(Refer)")
"""Lines of a message that give no reason."""
NO_OPERATOR = re.compile(r"No ONNX function found for <OpOverload\(op='(?:aten\.)?(\w+)'")
STATUS = re.compile(r"Status Message: (.+)")


def first_line(error: BaseException) -> str:
    """An error message in one line of at most 200 characters, without colours and headings."""
    text = COLOURS.sub("", str(error))
    if found := NO_OPERATOR.search(text):
        return f"ONNX has no operator for {found[1]}."
    if found := STATUS.search(text):
        return found[1].strip()[:200]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    reasons = [line for line in lines if not NOT_A_REASON.match(line)] or lines
    return (reasons[0] if reasons else type(error).__name__)[:200].removesuffix(":")
