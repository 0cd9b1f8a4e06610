"""Module paths and classes from the names of an ONNX file's nodes.

torch's exporter writes them into a node's metadata; its older one writes
/layer1/layer1.0/conv1/Conv as the node's name. Other files have no modules.
"""

import ast
import re

from core.graph.names import camel_case

Scopes = tuple[tuple[str, str], ...]


def from_metadata(names: str, classes: str) -> Scopes:
    """Read the two lists of torch.onnx.export: paths and classes, the operation itself last."""
    try:
        paths, kinds = ast.literal_eval(names), ast.literal_eval(classes)
    except (ValueError, SyntaxError):
        return ()
    if not _texts(paths) or not _texts(kinds) or len(paths) != len(kinds):
        return ()
    pairs = zip(paths[:-1], kinds[:-1], strict=True)
    return tuple((p, k) for p, k in pairs if re.fullmatch(r"[\w.]*", p) and not _odd(k))


def _texts(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(item, str) for item in found)


def _odd(kind: str) -> bool:
    return kind.startswith("_") or not re.fullmatch(r"[\w.<>]+", kind)


def from_name(name: str) -> Scopes:
    """Read /layer1/layer1.0/conv1/Conv, where a part repeats its parent as a prefix."""
    if not name.startswith("/"):
        return ()
    path = ""
    scopes: list[tuple[str, str]] = [("", "")]
    for part in name.split("/")[1:-1]:
        if not re.fullmatch(r"[A-Za-z0-9_.]+", part):
            break
        last = path.rpartition(".")[2]
        rest = part.removeprefix(f"{last}.") if last and part.startswith(f"{last}.") else part
        path = f"{path}.{rest}" if path else rest
        scopes.append((path, ""))
    return tuple(scopes)


STOCK = {
    "MultiheadAttention": "Attention",
    "TransformerEncoderLayer": "EncoderLayer",
    "TransformerDecoderLayer": "DecoderLayer",
}


def label(path: str, kind: str) -> str:
    """The name of a composite; "" to name it after its path."""
    short = kind.rpartition(".")[2]
    if not kind:
        last = path.rpartition(".")[2]
        return "Block" if last.isdigit() else camel_case(re.sub(r"[_\d]+$", "", last)) or "Block"
    if short in ("Sequential", "ModuleList", "ModuleDict"):
        return ""
    return STOCK.get(short, f"{short}Part" if kind.startswith("torch.nn") else short)
