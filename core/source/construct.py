"""Text of layer constructors in a class: literals, parameters, nn.Sequential, loops."""

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise

from core.common.bounded_cache import cached_by_identity
from core.source.class_variant import Form, Made
from core.source.class_variants import use_arguments
from core.source.scope import Scope, Use
from core.source.statement import Argument, Text, construct, write_arguments

Prefix = tuple[str, int, str]
"""Where an inline chain stands: (use id, repetition, path inside the chain)."""


def constructor(form: Form, use: Use, made: Made, prefix: Prefix | None = None) -> str:
    """Write what a layer is constructed by; a layer that repeats is an nn.Sequential, or an
    nn.ModuleList where it takes more than one value."""
    texts = [_one(form, use, made, index, prefix) for index in range(len(use.settings))]
    if len(texts) == 1:
        return texts[0]
    return listed(loops(texts)) if use.is_loop else f"nn.Sequential({', '.join(loops(texts))})"


def listed(parts: Sequence[str]) -> str:
    """Write layers as an nn.ModuleList; a loop that makes all of them needs no list around it."""
    if len(parts) == 1 and parts[0].startswith("*["):
        return f"nn.ModuleList({parts[0][1:]})"
    return f"nn.ModuleList([{', '.join(parts)}])"


def loops(texts: Iterable[str]) -> list[str]:
    """Write equal neighbours as a loop."""
    runs = [(text, len(list(same))) for text, same in groupby(texts)]
    return [text if n == 1 else f"*[{text} for _ in range({n})]" for text, n in runs]


def chain_parts(
    form: Form, scope: Scope, made: Made, prefix: Prefix | None = None
) -> list[tuple[str, Use]]:
    """Write the layers of a chain, each with the use it belongs to."""
    return [
        (text, use)
        for use in scope.uses
        for text in loops(_one(form, use, made, i, prefix) for i in range(len(use.settings)))
    ]


def _one(form: Form, use: Use, made: Made, index: int, prefix: Prefix | None) -> str:
    scope = use.inner[index] if use.inner else None
    if scope is not None and id(scope) not in made:
        inner = (*prefix[:2], f"{prefix[2]}{use.id}:{index}:") if prefix else (use.id, index, "")
        parts = chain_parts(form, scope, made, inner)
        texts = [text for text, _ in parts]
        return listed(texts) if scope.is_loop else f"nn.Sequential({', '.join(texts)})"
    if scope is None and not form.holes:
        return _in_numbers(use, index)
    arguments = use_arguments(use, made, index)
    texts = {a.name: _hole(form, use, index, a, prefix) for a in arguments}
    texts = {name: text for name, text in texts.items() if text}
    if scope is not None:
        return f"{made[id(scope)][0]}({', '.join(write_arguments(arguments, texts))})"
    assert use.block is not None
    return construct(use.block, use.settings[index], texts)


@cached_by_identity(10_000)
def _in_numbers(use: Use, index: int) -> str:
    assert use.block is not None
    return construct(use.block, use.settings[index])


def _hole(form: Form, use: Use, index: int, argument: Argument, prefix: Prefix | None) -> Text:
    if prefix is None:
        return form.holes.get((use.id, index, argument.name), "")
    where, round_, inside = prefix
    return form.holes.get((where, round_, f"{inside}{use.id}:{index}:{argument.name}"), "")


def builds(lines: list[str], parts: list[tuple[str, Use]]) -> list[list[Use]]:
    """Say which layers of a chain each line constructs."""
    uses_of_line: list[list[Use]] = [[] for _ in lines]
    apart = len(lines) >= len(parts) + 2
    last = -1
    for text, use in parts:
        head = text.partition("(")[0]
        candidates = range(last + 1 if apart else max(last, 0), len(lines))
        last = next((i for i in candidates if f"{head}(" in lines[i]), last)
        if not any(use is other for other in uses_of_line[last]):
            uses_of_line[last].append(use)
    for before, line in pairwise(uses_of_line[:-1]):
        line += before * (apart and not line)  # a constructor over several lines
    return uses_of_line
