"""The composites that the palette offers, against plain torch with the same weights."""

from dataclasses import replace
from functools import cache

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.analyse import analyse, build
from core.graph import Edge, Graph, Node
from core.project import open_project
from core.project.parts import PARTS, parts_json
from core.project.templates import load_template

DIM, HEADS, LENGTH = 64, 4, 64
FILE = PARTS / "language.loom.json"


@cache
def drawn(part: str, **settings: int) -> nn.Module:
    """A network of one part, with random weights, which reads sequences (N, 64, 64)."""
    composites = open_project(FILE).graph.composites
    ends = [n for n, node in composites[part].graph.nodes.items() if node.block == "Output"]
    nodes = {"sequence": Node("Input", {"shape": (LENGTH, DIM)}), "part": Node(part, settings)}
    edges = [Edge("sequence", "output", "part", "input")]
    for end in ends:
        nodes[f"{end}_end"] = Node("Output")
        edges.append(Edge("part", end, f"{end}_end", "input"))
    report = analyse(Graph(nodes, tuple(edges), composites))
    assert report.source is not None, report.errors
    torch.manual_seed(1)
    return build(report.source, report.class_name).eval()


def weights(module: nn.Module) -> dict[str, Tensor]:
    """Its weights by the names of the nodes inside of the part."""
    return {
        k.removeprefix("part.").removesuffix(".weight"): v for k, v in module.state_dict().items()
    }


def turned(x: Tensor) -> Tensor:
    """Rotary positions (N, heads, L, D) as products of complex numbers."""
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[2])[:, None] / 10000.0 ** (torch.arange(half) / half)
    pairs = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones(()), angles)
    return torch.cat([pairs.real, pairs.imag], dim=-1)


def attended(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """Attention of each step to `window` steps up to itself, position by position."""
    query, key = turned(query), turned(key)
    found = torch.zeros_like(query)
    for at in range(query.shape[2]):
        near = slice(max(0, at - window + 1), at + 1)
        scores = (query[:, :, at : at + 1] * key[:, :, near]).sum(-1) / query.shape[-1] ** 0.5
        found[:, :, at] = (scores.softmax(-1)[..., None] * value[:, :, near]).sum(2)
    return found.transpose(1, 2).flatten(2)


def split(x: Tensor, heads: int) -> Tensor:
    """(N, L, heads * D) as (N, heads, L, D)."""
    return x.reshape(*x.shape[:2], heads, -1).transpose(1, 2)


def gated(x: Tensor, w: dict[str, Tensor], name: str = "") -> Tensor:
    """SwiGLU of one expert, or of the part alone."""
    at = f"{name}." if name else ""
    return (F.silu(x @ w[at + "gate"].T) * (x @ w[at + "up"].T)) @ w[at + "down"].T


def close(found: Tensor, wanted: Tensor) -> None:
    """Equal but for rounding."""
    torch.testing.assert_close(found, wanted, atol=2e-6, rtol=0)


@torch.no_grad()
def test_swiglu_is_silu_of_one_half_times_the_other() -> None:
    module, x = drawn("SwiGLU", hidden=24), torch.randn(2, LENGTH, DIM)
    assert weights(module)["gate"].shape == (24, 64)
    close(module(x), gated(x, weights(module)))


@torch.no_grad()
def test_grouped_queries_share_heads_of_keys_and_values() -> None:
    module, x = drawn("GroupedQueryAttention", kv_heads=1), torch.randn(2, LENGTH, DIM)
    w = weights(module)
    key, value = (split(x @ w[name].T, 1).expand(-1, HEADS, -1, -1) for name in ("key", "value"))
    wanted = attended(split(x @ w["query"].T, HEADS), key, value, LENGTH) @ w["proj"].T
    assert w["key"].shape == (16, 64)
    close(module(x), wanted)


@torch.no_grad()
@pytest.mark.parametrize("window", [1, 16, 64])
def test_a_window_sees_so_many_steps(window: int) -> None:
    module, x = drawn("SlidingWindowAttention", window=window), torch.randn(2, LENGTH, DIM)
    w = weights(module)
    query, key, value = (split(part, HEADS) for part in (x @ w["qkv"].T).chunk(3, dim=-1))
    close(module(x), attended(query, key, value, window) @ w["proj"].T)


@torch.no_grad()
@pytest.mark.parametrize("top", [1, 2, 4])
def test_a_mixture_is_the_best_experts_weighed_by_their_scores(top: int) -> None:
    module, x = drawn("MixtureOfExperts", top=top), torch.randn(2, LENGTH, DIM)
    w = weights(module)
    found, balance = module(x)
    for sample in range(2):
        counts, chances = [0.0] * 4, torch.zeros(4)
        for at in range(LENGTH):
            scores = w["router"] @ x[sample, at]
            best = sorted(range(4), key=lambda e: -float(scores[e]))[:top]
            shares = scores[best].softmax(0)
            answers = torch.stack([gated(x[sample, at], w, f"expert{e + 1}") for e in best])
            wanted = (shares[:, None] * answers).sum(0)
            close(found[sample, at], wanted)
            counts = [n + (e in best) / LENGTH for e, n in enumerate(counts)]
            chances += scores.softmax(0) / LENGTH
        expected = 4 / top * sum(n * float(c) for n, c in zip(counts, chances, strict=True))
        assert float(balance[sample]) == pytest.approx(expected, abs=1e-5)


@torch.no_grad()
def test_an_even_router_is_balanced_and_one_that_takes_one_expert_is_not() -> None:
    module, x = drawn("MixtureOfExperts", top=1), torch.ones(1, LENGTH, DIM)
    before = module.get_parameter("part.router.weight").clone()
    try:
        module.get_parameter("part.router.weight").copy_(
            torch.tensor([[1.0], [0], [0], [0]]).expand(4, DIM)
        )
        assert float(module(x)[1]) == pytest.approx(4.0, abs=1e-5)
        x = torch.eye(4).repeat(16, 16)[None]
        module.get_parameter("part.router.weight").copy_(torch.eye(4).repeat(1, 16) * 9)
        assert float(module(x)[1]) == pytest.approx(1.0, abs=1e-5)
    finally:
        module.get_parameter("part.router.weight").copy_(before)


def test_the_llama_is_made_of_the_same_parts() -> None:
    llama, parts = load_template("llama_text").graph.composites, open_project(FILE).graph.composites
    assert {name for name in llama if name in parts} == {
        "RotaryEmbedding",
        "GroupedQueryAttention",
        "SwiGLU",
    }
    assert all(replace(llama[name]) == parts[name] for name in llama if name in parts)


def test_the_palette_offers_each_part_with_what_it_does() -> None:
    found = parts_json()
    names = [
        "RotaryEmbedding",
        "SwiGLU",
        "GroupedQueryAttention",
        "SlidingWindowAttention",
        "MixtureOfExperts",
    ]
    assert list(found["abouts"]) == names
    assert all(len(about) >= 20 and about.endswith(".") for about in found["abouts"].values())
    assert sorted(found["composites"]) == sorted(names)
