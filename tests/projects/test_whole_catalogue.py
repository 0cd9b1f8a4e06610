"""Graphs drawn from the whole catalogue: the source of each computes what torch's own calls do.

A graph is drawn by its number, so a failure names the one to look at. GRAPH_SECONDS=600 draws for
ten minutes. Nothing of core.source is used on the other side: torch is called by the block's name.
"""

import json
import os
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from blocks import CATALOGUE, Block
from core import analyse, build
from core.project import read_text
from tests.blocks.test_statements import ELSEWHERE, torchs_own

SECONDS = float(os.environ.get("GRAPH_SECONDS", "20"))
FEWEST, NODES, TRIES = 4, 6, 12
SHARE = 0.6
"""Share of the catalogue that one pass over it must have put into graphs."""
INPUTS: dict[str, tuple[list[int], str]] = {
    "steps": ([4, 6], "float32"),
    "other": ([4, 6], "float32"),
    "image": ([4, 8, 8], "float32"),
    "volume": ([2, 8, 8, 8], "float32"),
    "row": ([6], "float32"),
    "numbers": ([4], "int64"),
    "flags": ([4, 6], "bool"),
}
BLOCKS = [b for b in CATALOGUE.values() if b.family != "ends" and b.name not in ELSEWHERE]
RANDOM = {
    "rand_like",
    "randn_like",
    "bernoulli",
    "multinomial",
    "normal",
    "randint_like",
    "randperm",
}
Json = dict[str, Any]


def report_of(nodes: Json, edges: list[str]) -> Any:
    """The analysis of a graph in which every value that is read by nobody is a result."""
    graph = {"nodes": nodes, "edges": edges}
    return analyse(read_text(json.dumps({"layerloom": 1, "name": "Drawn", "graph": graph})).graph)


def ends(name: str, report: Any) -> list[str]:
    return [f"{name}.{port}" for port in report.nodes[name].outputs]


class Grown:
    """A graph that grows by blocks that the analysis accepts. values: wires to read from."""

    def __init__(self, number: int) -> None:
        self.draw = random.Random(number)
        self.nodes: Json = {
            name: {"block": "Input", "settings": {"shape": shape, "dtype": dtype}}
            for name, (shape, dtype) in INPUTS.items()
        }
        self.edges: list[str] = []
        self.values = list(INPUTS)
        self.used: list[str] = []

    def grow(self, block: Block) -> bool:
        """Add a block, if wires are found that it accepts."""
        for _ in range(TRIES):
            name = f"n{len(self.used)}"
            settings = {k: list(v) if isinstance(v, tuple) else v for k, v in block.start.items()}
            wires = list(self._wires(block, name))
            nodes = {**self.nodes, name: {"block": block.name, "settings": settings}}
            end = {"end": {"block": "Output"}}
            report = report_of({**nodes, **end}, [*self.edges, *wires, f"{name} -> end"])
            if report.ok and not any(s.is_size for s in report.nodes[name].outputs.values()):
                self.nodes, self.edges = nodes, [*self.edges, *wires]
                self.values += ends(name, report)
                self.used.append(block.name)
                return True
        return False

    def _wires(self, block: Block, name: str) -> Iterator[str]:
        for port in block.inputs:
            if port.optional or port.kind in ("size", "sizes"):
                continue
            if block.setting(port.name) and self.draw.random() < 0.3:
                continue
            for place in (".0", ".1") if port.listed else ("",):
                yield f"{self.draw.choice(self.values)} -> {name}.{port.name}{place}"


def leaves(found: Any) -> list[Tensor]:
    """The tensors of a nested result, in order."""
    if isinstance(found, Tensor):
        return [found]
    return [t for part in found or () for t in leaves(part)]


def settings_of(block: Block, given: Json, data: Json) -> Json:
    """All settings: given ones, torch's defaults, and sizes read off real tensors."""
    full = {**block.defaults, **{k: _tuple(v) for k, v in given.items()}}
    for setting in block.settings:
        if setting.infer and full.get(setting.name) is None and setting.infer.port in data:
            wire = data[setting.infer.port]
            full[setting.name] = wire.shape[setting.infer.dim] if setting.infer.dim is not None \
                else wire.dim()  # fmt: skip
    return full


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def interpreted(grown: Grown, report: Any, ours: nn.Module, given: Json) -> dict[str, Any]:
    """Call torch for every node in the order of the file, with the weights that ours has."""
    values: Json = dict(given)
    into: dict[str, list[tuple[str, str]]] = {}
    for edge in grown.edges:
        source, target = edge.split(" -> ")
        name, _, port = target.partition(".")
        into.setdefault(name, []).append((port, source))
    for name, node in grown.nodes.items():
        if node["block"] == "Input":
            continue
        block, data = CATALOGUE[node["block"]], {}
        for port in block.inputs:  # torch takes them in this order
            mine = [values[s] for p, s in into[name] if p.partition(".")[0] == port.name]
            if mine:
                data[port.name] = mine if port.listed else mine[0]
        full = settings_of(block, node["settings"], data)
        with weights_of(ours, name):
            by_mode = block.name == "in_train_phase"  # ours is compared in evaluation
            results = leaves(data["evaluation"] if by_mode else torchs_own(block, full, data))
        ports = list(report.nodes[name].outputs)
        assert len(results) >= len(ports), f"{name} is a {block.name}"
        values |= {f"{name}.{p}": v for p, v in zip(ports, results, strict=False)}
    return values


class weights_of:
    """Modules made inside have the weights of a layer of ours, and its mode."""

    def __init__(self, ours: nn.Module, name: str) -> None:
        self.layer = dict(ours.named_children()).get(name)

    def __enter__(self) -> None:
        self.call = nn.Module.__call__
        layer, call = self.layer, self.call
        done: list[nn.Module] = []

        def loaded(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            if layer is not None and not done:
                done.append(module)
                module.load_state_dict(layer.state_dict())
                module.eval()
            return call(module, *args, **kwargs)

        nn.Module.__call__ = loaded

    def __exit__(self, *_: object) -> None:
        nn.Module.__call__ = self.call


def samples() -> Json:
    draw = torch.Generator().manual_seed(1)
    found: Json = {}
    for name, (shape, dtype) in INPUTS.items():
        values = torch.rand(3, *shape, generator=draw)
        found[name] = (values > 0.5) if dtype == "bool" else (values * 4).long() \
            if dtype == "int64" else values + 0.1  # fmt: skip
    return found


def compare(grown: Grown, number: int) -> None:
    """Both sides on the same inputs, every value of every node."""
    results = {f"r{i}": {"block": "Output"} for i in range(len(grown.values) - len(INPUTS))}
    made = grown.values[len(INPUTS) :]
    wires = [f"{value} -> r{i}" for i, value in enumerate(made)]
    report = report_of({**grown.nodes, **results}, [*grown.edges, *wires])
    assert report.source, [e.message for e in report.errors]
    ours: Any = build(report.source).eval()
    given = samples()
    copies = {k: v.clone() for k, v in given.items()}
    with torch.no_grad():
        torch.manual_seed(2)
        mine = tried(lambda: ours(*given.values()))
        torch.manual_seed(2)
        theirs = tried(lambda: interpreted(grown, report, ours, copies))
    if mine is None or theirs is None:  # values that a block refuses, such as a probability of 2
        assert mine is None, f"graph {number}: only torch refuses\n{report.source}"
        assert theirs is None, f"graph {number}: only ours refuses\n{report.source}"
        return
    for value, tensor in zip(made, mine if len(made) > 1 else (mine,), strict=True):
        block = grown.nodes[value.partition(".")[0]]["block"]
        assert same(tensor, theirs[value]), f"graph {number}: {value}, a {block}\n{report.source}"


def tried(run: Callable[[], Any]) -> Any:
    """The result; None where torch refuses the values."""
    try:
        return run()
    except (RuntimeError, IndexError, ValueError):
        return None


def same(a: Tensor, b: Tensor) -> bool:
    return a.dtype == b.dtype and torch.equal(torch.nan_to_num(a), torch.nan_to_num(b))


@pytest.mark.slow
def test_graphs_of_the_whole_catalogue_compute_what_torch_computes():
    until, number, seen = time.monotonic() + SECONDS, 0, set[str]()
    while number < FEWEST or time.monotonic() < until:
        grown = Grown(number)
        # every block has its turn: a pass over the catalogue takes len / NODES graphs
        turn = [BLOCKS[(number * NODES + i) % len(BLOCKS)] for i in range(NODES)]
        grown.draw.shuffle(turn)
        for block in turn:
            if block.name not in RANDOM and "inplace" not in block.name:
                grown.grow(block)
        if grown.used:
            compare(grown, number)
        seen |= set(grown.used)
        number += 1
    passes = number * NODES / len(BLOCKS)
    assert len(seen) >= SHARE * min(passes, 1) * len(BLOCKS), sorted(
        {b.name for b in BLOCKS} - seen
    )
