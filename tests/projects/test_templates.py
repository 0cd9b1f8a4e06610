"""Every template: it opens clean, is drawn well, and its source is exactly its graph."""

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.analyse import Report, analyse_project, build
from core.data import describe_project, ends
from core.project import open_project, write_text
from tests.projects.interpreter import Interpreter

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted((ROOT / "projects").glob("*.loom.json"))
REQUIRED = {
    "mlp_iris",
    "lenet_digits",
    "resnet_digits",
    "densenet_digits",
    "autoencoder_digits",
    "regression_diabetes",
    "gru_digits",
    "transformer_digits",
    "unet_digits",
}
WIDTH, HEIGHT, PORT = 208, 78, 22  # pixels of a card on the canvas, and of a row of ports
every_template = pytest.mark.parametrize(
    "path", TEMPLATES, ids=lambda p: p.name.removesuffix(".loom.json")
)


def test_the_templates_that_the_readme_promises_are_there() -> None:
    assert {path.name.removesuffix(".loom.json") for path in TEMPLATES} >= REQUIRED


@every_template
def test_a_template_opens_without_notices_errors_or_warnings(path: Path) -> None:
    project = open_project(path)
    report = analyse_project(project)
    assert project.notices == ()
    assert [finding.message for finding in (*report.errors, *report.warnings)] == []


@every_template
def test_a_template_is_written_as_the_program_would_write_it(path: Path) -> None:
    assert write_text(open_project(path)) == path.read_text("utf-8")


@every_template
def test_a_template_says_what_it_shows(path: Path) -> None:
    about = json.loads(path.read_text("utf-8"))["about"]
    assert 80 <= len(about) <= 400
    assert about.endswith(".")
    assert len(about.partition(". ")[0]) < 150  # the card on the start page shows this much


@every_template
def test_no_two_nodes_of_a_template_overlap(path: Path) -> None:
    project = json.loads(path.read_text("utf-8"))
    assert set(project["layout"]) == set(project["graph"]["nodes"])
    for (a, (ax, ay)), (b, (bx, by)) in combinations(project["layout"].items(), 2):
        upper = a if ay < by else b
        apart = abs(ax - bx) >= WIDTH + 64 or abs(ay - by) >= height(project, upper) + 32
        assert apart, (a, b)


def height(project: Any, node: str) -> int:
    """The height of a card: a list of wires has a row for each and one to spare."""
    wires = sum(edge.partition(" -> ")[2].startswith(f"{node}.") for edge in edges_of(project))
    spare = project["graph"]["nodes"][node]["block"] == "cat"
    return HEIGHT + PORT * (wires + spare if wires > 1 else 0)


def edges_of(project: Any) -> list[str]:
    return project["graph"]["edges"]


@every_template
def test_data_and_training_of_a_template_fit_its_network(path: Path) -> None:
    from core.settings.validate import resolve

    project = open_project(path)
    report = analyse_project(project)
    info = describe_project(project, *ends(report.inputs, report.outputs))
    resolve(project.training, info.task, info.losses)


@every_template
def test_the_source_of_a_template_is_its_golden_file(path: Path, golden: bool) -> None:
    kept = ROOT / "tests/golden" / path.name.replace(".loom.json", ".py")
    source = analyse_project(open_project(path)).source
    assert source is not None
    if golden:
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(source, "utf-8")
    assert source == kept.read_text("utf-8")


def values(shape: Any, dtype: str) -> Tensor:
    """Five samples for an Input: normal numbers, or tokens that every template knows."""
    return torch.randint(26, (5, *shape)) if dtype == "int64" else torch.randn(5, *shape)


def seeded(module: nn.Module, batch: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """What a module puts out with the same chance each time."""
    torch.manual_seed(2)
    found = module(*batch)
    return found if isinstance(found, tuple) else (found,)


def pair(path: Path) -> tuple[Report, nn.Module, Interpreter, tuple[Tensor, ...]]:
    """The built module, the interpreter with the same weights, and a batch of five."""
    text = json.loads(path.read_text("utf-8"))
    report = analyse_project(open_project(path))
    assert report.source is not None
    torch.manual_seed(1)
    built = build(report.source, report.class_name)
    batch = tuple(values(s.shape[1:], s.dtype) for _, s in report.inputs)
    walked = Interpreter(text["graph"], text.get("composites", {}))
    walked(*batch)  # makes its modules
    walked.load_state_dict(built.state_dict())
    return report, built, walked, batch


@pytest.mark.gate
@every_template
def test_the_built_module_computes_what_the_graph_says_bit_for_bit(path: Path) -> None:
    _, built, walked, batch = pair(path)
    with torch.no_grad():
        results = [seeded(module.eval(), batch) for module in (built, walked)]
    assert len(results[0]) == len(results[1])
    assert all(map(torch.equal, *results))


@pytest.mark.gate
@every_template
def test_in_training_draws_gradients_and_statistics_are_the_same_too(path: Path) -> None:
    _, built, walked, batch = pair(path)
    results: list[tuple[Tensor, ...]] = []
    for module in (built.train(), walked.train()):
        results.append(seeded(module, batch))
        torch.stack([output.square().sum() for output in results[-1]]).sum().backward()
    assert all(map(torch.equal, *results))
    grads = {name: weight.grad for name, weight in walked.named_parameters()}
    for name, weight in built.named_parameters():
        assert torch.equal(weight.grad, grads[name]), name  # type: ignore[arg-type]
    for name, buffer in walked.named_buffers():
        assert torch.equal(buffer, built.get_buffer(name)), name


def owners(report: Report, keys: Iterator[str]) -> set[str]:
    """The part of each key that is the path of a node."""
    return {next((p for p in prefixes(key) if p in report.nodes), key) for key in keys}


def prefixes(key: str) -> Iterator[str]:
    """`a.b.weight` gives `a.b`, then `a`."""
    while "." in key:
        key = key.rpartition(".")[0]
        yield key


@every_template
def test_the_keys_of_the_state_dict_are_the_paths_of_the_nodes_that_own_weights(path: Path) -> None:
    report, built, _, _ = pair(path)
    own: dict[str, Any] = {
        node: r for node, r in report.nodes.items() if r.params and not r.children
    }
    nodes = open_project(path).graph.nodes
    own = {path: r for path, r in own.items() if not nodes[path.split(".")[0]].weights_of}
    assert owners(report, iter(dict(built.named_parameters()))) == set(own)
    assert sum(weight.numel() for weight in built.parameters()) == report.total_params


def test_the_sources_of_all_templates_are_as_a_formatter_would_leave_them() -> None:
    files = [ROOT / "tests/golden" / p.name.replace(".loom.json", ".py") for p in TEMPLATES]
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--diff", *map(str, files)]
    assert subprocess.run(command, capture_output=True, text=True).stdout == ""
