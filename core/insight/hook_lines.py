"""How a block's output is caught: the forward hook on its module, or its statement in forward."""

from blocks import has
from core.analyse.module_hooks import ASKING
from core.insight.load_model import Opened
from core.insight.thumbnails import HookLines
from core.source.paths import node_paths


def hook_lines_of(network: Opened, node: str) -> HookLines | None:
    """The hook on a block's module, or the statement of one that is no module.

    None for what has neither, such as an Input.
    """
    paths = node_paths(network.module, network.report.lines)
    own = next((name for name, path in paths.items() if path == node), "")
    module = network.module.get_submodule(own) if own else None
    if module is not None and not isinstance(module, ASKING):
        sentence = f"Caught by a forward hook on model.{own} ({type(module).__name__})."
        return HookLines(sentence, _hook(own))
    numbers, drawn = network.report.lines.get(node), network.report.nodes.get(node)
    ends = drawn is None or has(drawn.block, "end")
    if not numbers or ends or network.report.source is None:
        return None
    statement = network.report.source.splitlines()[numbers[-1] - 1].strip()
    if module is not None:
        kind = type(module).__name__
        why = f"A hook on model.{own} ({kind}) would make it calculate in another way"
    else:
        why = f"{node} calls no module of its own, so there is no hook on it"
    return HookLines(f"{why}; its value is read after its statement in forward:", statement)


def _hook(own: str) -> str:
    return f"""seen = {{}}
layer = model.get_submodule({own!r})
handle = layer.register_forward_hook(lambda layer, given, out: seen.update(out=out))
model(x)
handle.remove()  # seen["out"] is the output of the block
"""
