"""Which part of a module a block is, and what a script says of frozen and slower ones."""

import subprocess
import sys
from pathlib import Path

import pytest

from core.analyse import analyse, analyse_project, build
from core.data import describe_project, ends
from core.graph import Graph
from core.graph.edits import apply
from core.project import graph_from_json, open_project
from core.script.notebook import write_notebook
from core.script.script import write_script
from core.source.rates import factor_of

PROJECTS = Path(__file__).parents[3] / "projects"
NESTED = "resnet_digits densenet_digits vit_digits inception_digits gpt_text vae_digits".split()


CONV = {"out_channels": 3, "kernel_size": 1}


def slowed(graph: Graph, factor: float = 0.5) -> Graph:
    """The graph with every node of the outermost level learning with a factor."""
    names = [n for n, node in graph.nodes.items() if not node.weights_of]
    return apply(graph, [{"op": "learn", "node": n, "lr_factor": factor} for n in names])


@pytest.mark.parametrize("name", NESTED)
def test_every_weight_is_found_by_the_block_it_belongs_to(name: str):
    graph = open_project(PROJECTS / f"{name}.loom.json").graph
    report = analyse(slowed(graph))
    module = build(report.source or "")
    factors = {weight: factor_of(weight, report.rates) for weight, _ in module.named_parameters()}
    assert set(factors.values()) == {0.5}


@pytest.mark.parametrize("name", ["resnet_digits", "gpt_text", "vit_digits"])
def test_a_block_inside_a_composite_is_found_in_every_use(name: str):
    graph = open_project(PROJECTS / f"{name}.loom.json").graph
    part = next(iter(graph.composites))
    nodes = graph.composites[part].graph.nodes.items()
    inner = [n for n, node in nodes if node.block in ("Conv2d", "Linear", "LayerNorm")]
    edit = {"op": "learn", "node": inner[0], "composite": part, "frozen": True}
    plain, held = analyse(graph), analyse(apply(graph, [edit]))
    module = build(held.source or "")
    found = {n for n, _ in module.named_parameters() if factor_of(n, held.rates) == 0.0}
    assert found
    assert all(f".{inner[0]}." in f".{n}" for n in found)
    sizes = {n: w.numel() for n, w in module.named_parameters()}
    assert plain.trainable_params - held.trainable_params == sum(sizes[n] for n in found)


def test_layers_of_a_chain_are_found_by_their_numbers():
    """A composite of NAME_0, NAME_1, ... is an nn.Sequential; one that repeats takes several."""
    nodes = {
        "conv_0": {"block": "Conv2d", "settings": CONV, "repeat": 2},
        "bn_2": {"block": "BatchNorm2d", "frozen": True},
        "relu_3": {"block": "ReLU"},
        "image": {"block": "Input", "settings": {"shape": [3, 8, 8]}},
        "out": {"block": "Output"},
    }  # fmt: skip
    edges = ["image -> conv_0", "conv_0 -> bn_2", "bn_2 -> relu_3", "relu_3 -> out"]
    outer = {
        "image": {"block": "Input", "settings": {"shape": [3, 8, 8]}},
        "stem": {"block": "Stem", "lr_factor": 0.5},
        "logits": {"block": "Output"},
    }
    composites = {"Stem": {"settings": {}, "nodes": nodes, "edges": edges}}
    found = {"nodes": outer, "edges": ["image -> stem", "stem -> logits"], "composites": composites}
    report = analyse(graph_from_json(found))
    assert report.rates == {"stem": 0.5, "stem.2": 0.0}
    module = build(report.source or "")
    assert type(module.get_submodule("stem.2")).__name__ == "BatchNorm2d"


def test_factors_of_composites_multiply_those_inside():
    graph = open_project(PROJECTS / "resnet_digits.loom.json").graph
    edits = [
        {"op": "learn", "node": "stage1", "lr_factor": 0.1},
        {"op": "learn", "node": "conv1", "composite": "Residual", "lr_factor": 0.1},
        {"op": "learn", "node": "stage2", "frozen": True},
    ]
    rates = analyse(apply(graph, edits)).rates
    found = [factor_of(f"stage{n}.0.{b}.weight", rates) for n in (1, 2) for b in ("conv1", "conv2")]
    assert found == [0.01, 0.1, 0.0, 0.0]


def test_scripts_with_frozen_and_slower_blocks_are_formatted(tmp_path: Path):
    for name in ("lenet_digits", "resnet_digits", "dcgan_digits", "vit_digits"):
        project = open_project(PROJECTS / f"{name}.loom.json")
        names = [n for n, r in analyse(project.graph).nodes.items() if r.params and "." not in n]
        edits = [{"op": "learn", "node": n, "frozen": True} for n in names[: len(names) // 2]]
        for kind, more in (("frozen", []), ("slow", names[len(names) // 2 :][:2])):
            slow = [{"op": "learn", "node": n, "lr_factor": 0.1} for n in more]
            graph = apply(project.graph, [*edits, *slow])
            changed = type(project)(project.name, project.about, graph, project.data,
                                    project.training)  # fmt: skip
            report = analyse_project(changed)
            info = describe_project(changed, *ends(report.inputs, report.outputs))
            (tmp_path / f"{name}_{kind}.py").write_text(write_script(changed, report, info))
            (tmp_path / f"{name}_{kind}.ipynb").write_text(write_notebook(changed, report, info))
    assert len(list(tmp_path.iterdir())) == 16
    for command in (["format", "--check", "--diff"], ["check"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--target-version", "py311"]
        done = subprocess.run([*ruff, str(tmp_path)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
