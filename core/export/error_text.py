"""Errors of exporters and runtimes about a network: the block, and one line."""

import re

from core.export.subject import Subject

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


def failing_block(subject: Subject, error: BaseException) -> str:
    """The block that caused an error, as "conv1 (Conv2d): "; "" if unknown.

    An error names its block by a call that it quotes (self.conv1), by an operator with the name of
    one block (adaptive_max_pool2d) or, in a network with a single block of own Python, by any line
    of it.
    """
    text = COLOURS.sub("", str(error))
    modules = {n: type(m).__name__ for n, m in subject.module.named_modules() if n}
    plain = re.sub(r"[^a-z0-9]", "", text.lower())
    quoted = [n for n in modules if re.search(rf"\bself\.{re.escape(n)}\(", text)]
    by_kind = [n for n, kind in modules.items() if len(kind) > 3 and kind.lower() in plain]
    own = subject.own_blocks()
    found = next(iter([*quoted[-1:], *by_kind[:1], *(list(own) if len(own) == 1 else [])]), "")
    return f"{found} ({own.get(found) or modules[found]}): " if found else ""
