"""Chains of numbered layers in a draft: an nn.Sequential, or a loop over an nn.ModuleList.

Layers of a loop all take the same further inputs: `for layer in self.layers: x = layer(x, mask)`.
"""

from core.graph.names import default_base
from core.source.statement import HOLE, is_default, returns
from core.wings.importing.draw.draft import Draft, DraftNode, End


def is_numbered(draft: Draft) -> bool:
    """Whether a draft is a plain chain of layers with the ids NAME_0, NAME_1, ..."""
    if not draft.inputs or len(draft.outputs) != 1 or not draft.nodes:
        return False
    further = shared_inputs(draft)
    if len(draft.inputs) > 1 and not further:
        return False
    index, last = 0, (draft.inputs[0], "output")
    for name, node in draft.nodes.items():
        if name.rpartition("_")[2] != str(index) or not _is_layer(node):
            return False
        sources = incoming(draft, name)
        if further and (sources != {ports(node)[0]: last, **further} or not _may_loop(name, node)):
            return False
        if not further and list(sources.values()) != [last]:
            return False
        index, last = index + node.repeat, (name, ports(node)[1])
    return draft.outputs[0][1] == last


def is_kept_list(draft: Draft) -> bool:
    """Whether a draft is a list of layers that forward does not call, with the ids NAME_0, ... ."""
    numbers = [name.rpartition("_")[2] for name in draft.nodes]
    called = draft.inputs or draft.outputs or not all(n.unused for n in draft.nodes.values())
    return bool(numbers) and not called and numbers == [str(i) for i in range(len(numbers))]


def incoming(draft: Draft, name: str) -> dict[str, End]:
    """The sources of a node's wires, by port."""
    return {port: source for source, (node, port) in draft.wires if node == name}


def shared_inputs(draft: Draft) -> dict[str, End]:
    """The sources of the first node's further ports, if all come from outside the chain."""
    name, node = next(iter(draft.nodes.items()))
    if not _is_layer(node):
        return {}
    sources = {port: end for port, end in incoming(draft, name).items() if port != ports(node)[0]}
    return sources if all(source in draft.inputs for source, _ in sources.values()) else {}


def ports(node: DraftNode) -> End:
    """First input and first output of a node."""
    if node.inner:
        return node.inner.inputs[0], node.inner.outputs[0][0]
    assert node.block is not None
    return node.block.inputs[0].name, node.block.outputs[0].name


def _is_layer(node: DraftNode) -> bool:
    """Whether a node is a layer with weights of its own and only tensors as inputs."""
    if node.inner:
        return not node.owner and bool(node.inner.inputs and node.inner.outputs)
    plain = node.block and node.block.init and not node.block.forward and node.block.inputs
    return bool(plain) and not node.owner and _is_single(node)


def _is_single(node: DraftNode) -> bool:
    """Whether a layer has a single output: an nn.Sequential passes on all outputs."""
    assert node.block is not None
    return len(HOLE.findall(returns(node.block, {**node.block.defaults, **node.settings}))) == 1


def _may_loop(name: str, node: DraftNode) -> bool:
    """Whether a layer can be in a loop: no name of its own, one output, no call settings."""
    stem = name.rpartition("_")[0]
    if node.block is None:
        return stem == "block" and node.inner is not None and len(node.inner.outputs) == 1
    if len(node.block.outputs) > 1 or node.block.code:
        return False
    called = [s for s in node.block.settings if s.call and s.name in node.settings]
    has_call_settings = any(not is_default(s, node.settings[s.name]) for s in called)
    return stem == default_base(node.block.name, node.block.family) and not has_call_settings
