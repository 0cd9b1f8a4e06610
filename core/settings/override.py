"""Keys of KEY=VALUE: a setting of the training, of the data or of a node of the graph.

`lr`, `training.lr`, `optimizer_settings.momentum`, `scheduler.name`, `data.noise` are the
project's; `fc1.out_features` is of the block fc1, of which `block`, `repeat`, `frozen`,
`lr_factor` and `kept` may be given besides. What begins with one of `INSIDE` is never a block.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from blocks import CATALOGUE
from blocks.spec import Setting
from core.common.errors import SweepError
from core.common.json_types import is_array, is_object
from core.data.sources.split_by import SPLIT
from core.data.sources.split_settings import PARTS
from core.graph import edits
from core.graph.model import Graph, GraphError, Node
from core.graph.ports import block_of
from core.project import Project
from core.project.values import frozen
from core.settings.distillation import DISTIL
from core.settings.lr_schedulers import SCHEDULES
from core.settings.optimizers import OPTIMIZERS
from core.settings.schema import TRAINING
from core.settings.validate import drop_unknown
from core.tasks.registry import LOSSES

INSIDE = ("scheduler", "optimizer_settings", "loss_settings", "data", "start_from", "distil")
OF_NODE = (
    Setting("repeat", "int", "Number of times the block is repeated in a row.", default=1, low=1),
    Setting("frozen", "bool", "Training does not change its weights.", default=False),
    Setting("lr_factor", "float", "Factor on the learning rate of its weights.", 1.0, low=0.0),
    Setting("block", "choice", "Block that replaces it.", choices=tuple(CATALOGUE)),
    Setting("kept", "bool", "It stays; where false, its input goes on in its place.", default=True),
)
OF_DATA = (
    Setting("noise", "float", "Standard deviation of noise added to the inputs."),
    Setting("validation", "float", "Share of the samples used for validation."),
    Setting("limit", "int", "Number of samples to use."),
    Setting("normalize", "bool", "Standardise every column: mean 0 and standard deviation 1."),
    *PARTS,
    *SPLIT,
)
Values = Mapping[str, Any]


def of_block(key: str, graph: Graph) -> bool:
    """Whether a key names a block of the drawing, in words at least."""
    head, dot, inner = key.partition(".")
    return bool(dot and inner) and head in graph.nodes and head not in INSIDE


def declared(project: Project, key: str) -> Setting | None:
    """The setting of a key; None if it can only be tried. Raises SweepError for unknown keys."""
    head, _, inner = key.partition(".")
    training = {setting.name: setting for setting in TRAINING}
    if head in INSIDE and inner:
        return next((s for s in _inside(project, head) if s.name == inner), None)
    if key in training:
        return training[key]
    if not of_block(key, project.graph):
        raise _unknown(key, [*training, *INSIDE, *project.graph.nodes])
    node = project.graph.nodes[head]
    if node.weights_of and inner not in ("repeat", "frozen", "lr_factor", "kept"):
        hint = f"Write {node.weights_of}.{inner}."
        raise SweepError(key, f"{head} uses the weights of {node.weights_of}.", hint)
    settings = [*_of_node(project.graph, node), *OF_NODE]
    match = next((s for s in settings if s.name == inner), None)
    if match is None:
        raise _unknown(key, [f"{head}.{setting.name}" for setting in settings])
    return match


def _inside(project: Project, head: str) -> Sequence[Setting]:
    """Settings of a group, of all that could stand there: which does is tried."""
    if head == "scheduler":
        names = tuple(SCHEDULES)
        inner = [s for schedule in SCHEDULES.values() for s in schedule.settings]
        return (Setting("name", "choice", "The schedule.", choices=names), *inner)
    owners = {"optimizer_settings": OPTIMIZERS, "loss_settings": LOSSES}
    if head in owners:
        return [s for owner in owners[head].values() for s in owner.settings]
    return {"distil": DISTIL, "data": OF_DATA}.get(head, ())


def _of_node(graph: Graph, node: Node) -> Sequence[Setting]:
    if block := block_of(node.block, graph.composites):
        return block.settings
    composite = graph.composites.get(node.block)
    settings: Mapping[str, Any] = composite.settings if composite else {}
    return [
        Setting(name, _kind(value), f"Setting of {node.block}.", default=value)
        for name, value in settings.items()
    ]


def _kind(value: object) -> Literal["bool", "int", "float", "text"]:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    return "float" if isinstance(value, float) else "text"


def _unknown(key: str, names: Sequence[str]) -> SweepError:
    """The error of an unknown key, with the nearest known one."""
    head, _, inner = key.partition(".")
    near = difflib.get_close_matches(key, names, n=1)
    if not near and inner:
        near = [f"{name}.{inner}" for name in difflib.get_close_matches(head, names, n=1)]
    hint = f"Did you mean {near[0]}?" if near else f"Choose from {', '.join(dict.fromkeys(names))}."
    if key in names:
        message, hint = f"{key} is a group of settings.", f"Write {key}.NAME=VALUE."
    elif inner:
        message = f"{key} is not a setting of a block or of training."
    else:
        message = f"There is no training setting called {key}."
    return SweepError(key, message, hint)


def put(project: Project, values: Values) -> Project:
    """The project with these values set. Raises SweepError for an unknown key."""
    graph = project.graph
    training = drop_unknown(project.training, values)
    tables = {"data": _thaw(project.data), "training": _thaw(training)}
    # another block first: its settings are given after it; what is left out has none any more
    blocks = [key for key in values if of_block(key, project.graph)]
    for key in sorted(blocks, key=lambda key: (key.endswith(".kept"), not key.endswith(".block"))):
        graph = _put_block(graph, key, values[key])
    rest = schedule({key: value for key, value in values.items() if key not in blocks})
    for key, value in rest.items():
        path = key.split(".")
        at: Any = tables[path.pop(0)] if path[0] == "data" else tables["training"]
        for part in path[:-1]:
            before = at.get(part)
            at[part] = before if isinstance(before, dict) else {"name": before} if before else {}
            at = at[part]
        at[path[-1]] = value
    gone = project.graph.nodes.keys() - graph.nodes.keys()
    layout = {name: place for name, place in project.layout.items() if name not in gone}
    changed = {name: frozen(table) for name, table in tables.items()}
    return replace(project, graph=graph, layout=layout, **changed)


def _put_block(graph: Graph, key: str, value: Any) -> Graph:
    name, _, inner = key.partition(".")
    own = block_of(graph.nodes[name].block, graph.composites)
    try:
        if own is not None and own.setting(inner):
            return edits.set_settings(graph, name, {inner: frozen(value)})
        if inner == "repeat":
            return edits.repeat(graph, name, value)
        if inner in ("frozen", "lr_factor"):
            factors = {"frozen": None, "lr_factor": None, inner: value}
            return edits.learn(graph, name, **factors)
        if inner == "block":
            return _another(graph, key, value)
        if inner == "kept":
            return _kept(graph, key, value)
        return edits.set_settings(graph, name, {inner: frozen(value)})
    except GraphError as error:
        raise SweepError(key, f"{error.node} {error.message}", error.hint) from error


def _kept(graph: Graph, key: str, value: Any) -> Graph:
    """Leave a block out, or not."""
    if not isinstance(value, bool):
        message = f"{key} needs true or false but receives {value}."
        raise SweepError(key, message, f"Write {key}=false to leave the block out.")
    return graph if value else edits.bypass(graph, key.partition(".")[0])


def _another(graph: Graph, key: str, block: Any) -> Graph:
    """Put another block in place of one, with those of its settings that both know."""
    name = key.partition(".")[0]
    node = graph.nodes[name]
    if node.block == block:
        return graph
    if block in graph.composites:
        known, start = set(graph.composites[block].settings), {}
    elif block in CATALOGUE:
        known = {setting.name for setting in CATALOGUE[block].settings}
        start = CATALOGUE[block].start
    else:
        names = [*graph.composites, *CATALOGUE]
        near = difflib.get_close_matches(str(block), names, n=1)
        hint = f"Did you mean {near[0]}?" if near else "`layerloom blocks` lists them."
        raise SweepError(key, f"{key} cannot be {block}: there is no such block.", hint)
    settings = {k: v for k, v in node.settings.items() if k in known}
    return edits.replace_block(graph, name, block, {**start, **settings})


def schedule(values: dict[str, Any]) -> dict[str, Any]:
    """Collect the settings of a newly named schedule into one value."""
    if "scheduler.name" not in values:
        return values
    inside = {key: values.pop(key) for key in list(values) if key.startswith("scheduler.")}
    return {**values, "scheduler": {k.removeprefix("scheduler."): v for k, v in inside.items()}}


def _thaw(value: Any) -> Any:
    if is_object(value):
        return {key: _thaw(item) for key, item in value.items()}
    return [_thaw(item) for item in value] if is_array(value) else value
