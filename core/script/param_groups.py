"""The lines of a training file that freeze blocks and set learning rates per block."""

from core.common.errors import nothing_learns
from core.script.excerpt import excerpt
from core.script.learning import Learning
from core.source.layout import WIDTH
from core.source.literal import literal


def frozen_paths(learning: Learning) -> list[str]:
    """Paths of the frozen parts in the module."""
    return [path for path, factor in learning.rates.items() if factor == 0.0]


def rate_factors(learning: Learning) -> dict[str, float]:
    """Factors of the learning rate by path, frozen parts apart; {} where there is one rate."""
    return {path: factor for path, factor in learning.rates.items() if factor != 0.0}


def attribute(path: str) -> str:
    """How a part of `model` is read: model.stage1[0].conv1."""
    parts = [f"[{part}]" if part.isdigit() else f".{part}" for part in path.split(".")]
    return f"model{''.join(parts)}"


def has_groups(learning: Learning) -> bool:
    """Whether some weights learn in another way than others."""
    return bool(rate_factors(learning)) or learning.training["decay_of"] != "all"


def groups_function(learning: Learning) -> str:
    """The function `param_groups`; "" where all weights learn alike."""
    return excerpt("core.engine.param_groups", "param_groups") if has_groups(learning) else ""


def factor_lines(learning: Learning) -> list[str]:
    """The statement with the learning rate factors."""
    entries = [f'"{path}": {literal(factor)}' for path, factor in rate_factors(learning).items()]
    return learning.lines(f"factors = {{{', '.join(entries)}}}") if entries else []


def freeze_lines(learning: Learning) -> list[str]:
    """Lines after the model is made: frozen parts, and those of them that keep statistics."""
    paths = frozen_paths(learning)
    if not paths:
        return []
    listed = ", ".join(attribute(path) for path in paths)
    lines = learning.lines(f"frozen = [{listed}]")
    lines += ["for part in frozen:", "    part.requires_grad_(False)"]
    if not learning.keeps_statistics:
        return lines
    only = " if isinstance(part, nn.Module)" if learning.has_parameters else ""
    else_ = 'hasattr(layer, "n_power_iterations")' if learning.measures_weights else "False"
    return [
        *lines,
        "still = [  # layers with frozen running statistics",
        "    layer",
        f"    for part in frozen{only}",
        "    for layer in part.modules()",
        f'    if getattr(layer, "track_running_stats", {else_})',
        "]",
    ]


def refusal(learning: Learning) -> list[str]:
    """Lines that say so where there is nothing to learn, which torch's optimisers say darkly."""
    if learning.learns:
        return []
    error = nothing_learns(bool(frozen_paths(learning)))
    whole = [literal(str(error))]
    if len(learning.indent) + 8 + len(whole[0]) > WIDTH:
        whole = [literal(f"{error.message} "), literal(error.hint)]
    return [
        "if not any(weight.requires_grad for weight in model.parameters()):",
        "    raise ValueError(",
        *(f"        {text}" for text in whole),
        "    )",
    ]


def train_lines(learning: Learning) -> list[str]:
    """Lines that set the model to training at the start of an epoch."""
    if not (frozen_paths(learning) and learning.keeps_statistics):
        return ["model.train()"]
    return ["model.train()", "for layer in still:", "    layer.eval()"]


def selection_lines(
    learning: Learning, name: str, every: str, only: str, inner: str = ""
) -> list[str]:
    """The statement that lists those weights of `every` for which `only` is true.

    Of named weights it makes a dict. inner: how much deeper than the rest it stands.
    """
    pairs = "named" in every or "items()" in every
    item, of = ("name: weight", "name, weight") if pairs else ("weight", "weight")
    parts = [item, f"for {of} in {every}", f"if {only}"]
    left, right = "{}" if pairs else "[]"
    room = 88 - len(learning.indent + inner)
    whole = " ".join(parts)
    if len(f"{name} = {left}{whole}{right}") <= room:
        return [f"{name} = {left}{whole}{right}"]
    body = [f"    {whole}"] if len(whole) + 4 <= room else [f"    {part}" for part in parts]
    return [f"{name} = {left}", *body, right]
