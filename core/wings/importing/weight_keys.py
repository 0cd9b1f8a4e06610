"""Map the keys of our module's state_dict to those of the original's."""

from collections.abc import Iterator

from torch import Tensor, nn

from core.wings.importing.draw.chains import is_kept_list, is_numbered
from core.wings.importing.draw.draft import Draft, DraftNode
from core.wings.importing.tracing.leaf_modules import CUSTOM_LEAVES, leaf_block


def key_map(
    module: nn.Module, draft: Draft, alone: str = ""
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Our keys to the original's where they differ, and keys that the trace never used.

    alone: path of the layer that is the whole original, which has no such path.
    """
    modules = dict(module.named_modules())
    known = set(module.state_dict())
    renamed: dict[str, str] = {}
    used: set[str] = set()
    for ours, path in layer_paths(draft):
        if path not in modules:  # a parameter or buffer that is a node of its own
            used.add(path)
            renamed |= {} if ours == path else {ours: path}
            continue
        for key in _keys(modules[path]):
            original = f"{path}.{key}" if path else key
            used.add(original)
            if ours != path:
                renamed[f"{ours}.{key}"] = original
    left = known - _names(module, used)
    unused = tuple(key for key in module.state_dict() if key in left)
    if not alone:
        return renamed, unused
    start = f"{alone}."
    every = {key: renamed.get(key, key) for key in (*renamed, *used)}
    return {ours: theirs.removeprefix(start) for ours, theirs in every.items()}, unused


def _keys(module: nn.Module) -> Iterator[str]:
    """The state_dict keys of a layer; of one that is drawn as a layer and more, those of its own
    tensors."""
    is_leaf = bool(leaf_block(module)) or type(module) in CUSTOM_LEAVES
    return (key for key in module.state_dict() if is_leaf or "." not in key)


def _names(module: nn.Module, keys: set[str]) -> set[str]:
    """All names of the tensors under some keys: tied weights have several."""
    every: list[tuple[str, Tensor]] = [*module.named_parameters(remove_duplicate=False)]
    every += module.named_buffers(remove_duplicate=False)
    same = {id(tensor) for name, tensor in every if name in keys}
    return keys | {name for name, tensor in every if id(tensor) in same}


def layer_paths(draft: Draft, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every layer that owns weights: its path in our module, its path in the original."""
    numbered = bool(prefix) and (
        is_numbered(draft) or is_kept_list(draft)
    )  # the outermost class keeps its names
    for name, node in draft.nodes.items():
        if node.owner:
            continue
        index = int(name.rpartition("_")[2]) if numbered else 0
        for i, one in enumerate(_rounds(node)):
            if numbered:
                own = f"{prefix}{index + i}"
            else:
                own = f"{prefix}{name}.{i}" if node.repeat > 1 else f"{prefix}{name}"
            yield from _inside(own, one)


def _rounds(node: DraftNode) -> list[DraftNode]:
    return node.rounds or [node]


def _inside(own: str, node: DraftNode) -> Iterator[tuple[str, str]]:
    if node.inner:
        yield from layer_paths(node.inner, f"{own}.")
    elif node.path:
        yield own, node.path
