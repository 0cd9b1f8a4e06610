"""Layers that forward never calls, drawn on request: constructed and saved, and not called.

Auxiliary heads in evaluation, attributes that are never read: with them the state_dict is whole.
"""

from collections.abc import Collection

from torch import nn

from core.common.errors import ImportRefused
from core.graph.names import default_base
from core.wings.importing.draw.draft import Draft, DraftNode, label_of, node_name
from core.wings.importing.matching.match import settings_of, tensor_block
from core.wings.importing.matching.settings import layer_settings, non_default_settings
from core.wings.importing.tracing.leaf_modules import leaf_block


def keep_unused(draft: Draft, module: nn.Module, unused: Collection[str]) -> None:
    """Add what holds the tensors under these keys, each in the draft of its container."""
    _Keeper(frozenset(unused)).fill(draft, module, "")


class _Keeper:
    """Adds nodes to drafts. wanted: keys of the model's state_dict that nothing drawn holds."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self.wanted = wanted

    def fill(self, draft: Draft, module: nn.Module, path: str, whole: bool = False) -> None:
        """Add what a module holds to the draft that it is drawn in.

        whole: the module itself is not called, so that its layers without weights belong to it.
        """
        for name, child in module.named_children():
            self._child(draft, child, f"{path}.{name}" if path else name, whole)
        own = (*module.named_parameters(recurse=False), *module.named_buffers(recurse=False))
        for name, tensor in own:
            full = f"{path}.{name}" if path else name
            if full in self.wanted:
                block, settings = tensor_block(tensor)
                node = DraftNode(full, block, None, settings_of(block, settings), unused=True)
                self._add(draft, full, node, default_base(block.name, block.family))

    def _child(self, draft: Draft, child: nn.Module, path: str, whole: bool) -> None:
        drawn = [node for node in draft.nodes.values() if node.path == path]
        for inner in (node.inner for node in drawn):
            if inner is not None:
                self.fill(inner, child, path)
        if drawn or not (whole or self._wants(path)):
            return
        if any(node.path.startswith(f"{path}.") for node in draft.nodes.values()):
            self.fill(draft, child, path)  # a container that is never called: its layers are here
        elif leaf_block(child):
            self._layer(draft, child, path)
        else:
            inner = Draft(label_of(child, path, draft.label), path)
            self.fill(inner, child, path, whole=True)
            if inner.nodes:
                node = DraftNode(path, None, inner, unused=True)
                inner.users.append(node)
                self._add(draft, path, node, "block")

    def _wants(self, path: str) -> bool:
        return any(key.startswith(f"{path}.") for key in self.wanted)

    def _layer(self, draft: Draft, layer: nn.Module, path: str) -> None:
        """Add a layer, unless some of its tensors are another's, or no settings describe it."""
        if any(f"{path}.{key}" not in self.wanted for key in layer.state_dict()):
            return
        try:
            block, settings = layer_settings(layer, path)
        except ImportRefused:
            return  # its keys are reported as left out
        sizes = {s.name: settings[s.name] for s in block.settings if s.infer and s.name in settings}
        explicit = non_default_settings(block, settings) | sizes
        node = DraftNode(path, block, None, settings_of(block, explicit), unused=True)
        self._add(draft, path, node, default_base(block.name, block.family))

    def _add(self, draft: Draft, path: str, node: DraftNode, base: str) -> None:
        taken = {*draft.nodes, *draft.inputs, *(name for name, _ in draft.outputs)}
        relative = path.removeprefix(f"{draft.path}.") if draft.path else path
        draft.nodes[node_name(relative, base, taken)] = node
