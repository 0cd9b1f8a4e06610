"""The values of a node called q_k_v are q, k and v, where nothing else is called so meanwhile."""

import pytest
import torch

from core.analyse import analyse, build
from core.graph import Graph
from tests.core.drawing import draw


def split(name: str, later: str = "scaled", reads: str = "output.1") -> Graph:
    """Three parts of a tensor; a later node that reads one of them, and all of them at the end."""
    nodes = {
        "features": ("Input", {"shape": (4, 6)}),
        name: ("chunk", {"chunks": 3, "dim": -1}),
        later: ("mul", {"other": 2}),
        "flipped": ("flip", {"dims": (1,)}),
        "both": "add",
        "all": "add",
        "done": "Output",
    }
    edges = [f"features -> {name}", f"{name}.output.1 -> {later}.input", f"{later} -> flipped",
             "flipped -> both.input", f"{later} -> both.other", "both -> all.input",
             f"{name}.{reads} -> all.other", "all -> done"]  # fmt: skip
    return draw(nodes, edges)


def lines_of(graph: Graph) -> list[str]:
    report = analyse(graph)
    assert report.source is not None, report.errors
    assert build(report.source)(torch.rand(2, 4, 6)).shape == (2, 4, 2)
    body = report.source.rpartition("Tensor:\n")[2]
    return [line.partition("  #")[0].strip() for line in body.strip().split("\n")][:3]


@pytest.mark.parametrize(
    ("name", "later", "reads", "expected"),
    [
        ("q_k_v", "scaled", "output.0", ["q, k, _ = torch.chunk(features, 3, dim=-1)",
                                         "scaled = k * 2"]),
        ("left_part__mid__end", "scaled", "output.2",
         ["_, mid, end = torch.chunk(features, 3, dim=-1)", "scaled = mid * 2"]),
        # the name of a later node: free again once the part is read
        ("q_k_v", "k", "output.0", ["q, k, _ = torch.chunk(features, 3, dim=-1)", "k = k * 2"]),
        # but not while it is still read
        ("q_k_v", "k", "output.1", ["_, q_k_v_1, _ = torch.chunk(features, 3, dim=-1)",
                                    "k = q_k_v_1 * 2"]),
        # as many names as values, each of them one that may stand in a source
        ("a_b", "scaled", "output.0", ["a_b, a_b_1, _ = torch.chunk(features, 3, dim=-1)",
                                       "scaled = a_b_1 * 2"]),
        ("x_k_v", "scaled", "output.0", ["x_k_v, x_k_v_1, _ = torch.chunk(features, 3, dim=-1)",
                                         "scaled = x_k_v_1 * 2"]),
        ("q_k_features", "scaled", "output.0",
         ["q_k_features, q_k_features_1, _ = torch.chunk(features, 3, dim=-1)",
          "scaled = q_k_features_1 * 2"]),
    ],
)  # fmt: skip
def test_parts_bear_the_names_in_their_nodes_name(
    name: str, later: str, reads: str, expected: list[str]
) -> None:
    lines = [line for line in lines_of(split(name, later, reads)) if not line.startswith("#")]
    assert lines[:2] == expected


def test_two_values_that_are_read_later_never_share_a_name() -> None:
    nodes = {
        "features": ("Input", {"shape": (4, 6)}),
        "low_q": ("chunk", {"chunks": 2, "dim": -1}),
        "turned": ("flip", {"dims": (2,)}),
        "low_k": ("chunk", {"chunks": 2, "dim": -1}),
        "lows": "sub",
        "others": "sub",
        "both": "cat",
        "done": "Output",
    }
    edges = ["features -> low_q", "features -> turned", "turned -> low_k",
             "low_q.output.0 -> lows.input", "low_k.output.0 -> lows.other",
             "low_q.output.1 -> others.input", "low_k.output.1 -> others.other",
             "lows -> both.tensors.0", "others -> both.tensors.1", "both -> done"]  # fmt: skip
    report = analyse(draw(nodes, edges))
    assert report.source is not None, report.errors
    source = report.source
    assert "low, q = torch.chunk(features" in source
    assert "low_k, low_k_1 = torch.chunk(x" in source
    x = torch.rand(2, 4, 6)
    (low, q), (other, k) = x.chunk(2, -1), x.flip(2).chunk(2, -1)
    assert torch.equal(build(source)(x), torch.cat((low - other, q - k)))


def test_a_layer_of_that_name_gives_its_own_name() -> None:
    layer = ("GRU", {"hidden_size": 3, "batch_first": True})
    nodes = {"tokens": ("Input", {"shape": (4, 6)}), "pool_q": layer, "both": "add",
             "again": "add", "done": "Output"}  # fmt: skip
    edges = ["tokens -> pool_q", "pool_q.output -> both.input", "pool_q.output -> both.other",
             "both -> again.input", "pool_q.output -> again.other", "again -> done"]  # fmt: skip
    report = analyse(draw(nodes, edges))
    assert report.source is not None, report.errors
    source = report.source
    assert "pool_q, _ = self.pool_q(tokens)" in source
