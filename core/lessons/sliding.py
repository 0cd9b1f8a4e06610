"""The size that a sliding window leaves: torch's documented formula with the numbers put in.

Torch's own answer stands at the end of each line; a line that does not come to it is not shown.
"""

from typing import Any

from core.analyse import NodeReport

DIMS = {1: ("length",), 2: ("height", "width"), 3: ("depth", "height", "width")}
NAMES = {f"{kind}{d}d": d for kind in ("Conv", "MaxPool", "AvgPool") for d in DIMS}


def sliding_lines(node: NodeReport, right: list[int]) -> list[str]:
    """A line for each direction of a convolution or pooling; none for other blocks."""
    dims = NAMES.get(node.block)
    came: Any = node.inputs.get("input")
    if dims is None or came is None or len(came.shape) != dims + 2:
        return []
    rows = zip(DIMS[dims], came.shape[2:], right[1:], _windows(node, dims), strict=True)
    lines = [_line(name, size, after, *window) for name, size, after, window in rows]
    if len(lines) == 2 and lines[0].partition(":")[2] == lines[1].partition(":")[2]:
        return [f"height and width:{lines[0].partition(':')[2]}"] if lines[0] else []
    return [line for line in lines if line]


def _windows(node: NodeReport, dims: int) -> list[tuple[Any, Any, Any, Any]]:
    """Kernel, stride, padding and dilation in each direction."""
    kernel = node.settings["kernel_size"]
    stride = node.settings.get("stride")
    given = (kernel, kernel if stride is None else stride, node.settings.get("padding", 0),
             node.settings.get("dilation", 1))  # fmt: skip
    columns = [v if isinstance(v, tuple) else (v,) * dims for v in given]
    return list(zip(*columns, strict=True))


def _line(
    name: str, size: Any, right: int, kernel: Any, stride: Any, padding: Any, dilation: Any
) -> str:
    if not all(isinstance(v, int) for v in (size, kernel, stride, padding, dilation)):
        return ""  # padding "same" or "valid", a size of unknown length
    reach = size + 2 * padding - dilation * (kernel - 1) - 1
    if reach // stride + 1 != right:
        return ""
    top = f"{size} + 2·{padding} - {dilation}·({kernel} - 1) - 1"
    return f"{name}: ⌊({top}) / {stride}⌋ + 1 = ⌊{reach} / {stride}⌋ + 1 = {right}"
