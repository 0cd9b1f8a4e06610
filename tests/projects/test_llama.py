"""The template of a small Llama against Llama written another way, with the same weights."""

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.analyse import analyse_project, build
from core.project import open_project

FILE = Path(__file__).resolve().parents[2] / "projects/llama_text.loom.json"
CHARACTERS, DIM, HEADS, KV_HEADS, HIDDEN, LAYERS, LENGTH = 96, 64, 4, 2, 176, 2, 64
HERE_TO_TRANSFORMERS = {
    "norm1": "input_layernorm",
    "norm2": "post_attention_layernorm",
    "attn.query": "self_attn.q_proj",
    "attn.key": "self_attn.k_proj",
    "attn.value": "self_attn.v_proj",
    "attn.proj": "self_attn.o_proj",
    "mlp.gate": "mlp.gate_proj",
    "mlp.up": "mlp.up_proj",
    "mlp.down": "mlp.down_proj",
}


def drawn() -> nn.Module:
    """The template with random weights; norms do not begin with ones."""
    report = analyse_project(open_project(FILE))
    assert report.source is not None
    torch.manual_seed(1)
    module = build(report.source, report.class_name).eval()
    for name, weight in module.named_parameters():
        if "norm" in name:
            nn.init.uniform_(weight, 0.5, 1.5)
    return module


def turned(x: Tensor) -> Tensor:
    """Rotary positions as products of complex numbers: pair k at place t turns by t / 1e4^(k/8)."""
    half = x.shape[-1] // 2
    slowness = 10000.0 ** (torch.arange(half) / half)
    angles = torch.arange(x.shape[2])[:, None] / slowness
    pairs = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones(()), angles)
    return torch.cat([pairs.real, pairs.imag], dim=-1)


def attended(x: Tensor, w: dict[str, Tensor]) -> Tensor:
    """Causal attention, head by head; query heads 0, 1 read head 0 of keys, 2 and 3 head 1."""
    size = DIM // HEADS
    query = turned((x @ w["query"].T).reshape(len(x), -1, HEADS, size).transpose(1, 2))
    key = turned((x @ w["key"].T).reshape(len(x), -1, KV_HEADS, size).transpose(1, 2))
    value = (x @ w["value"].T).reshape(len(x), -1, KV_HEADS, size).transpose(1, 2)
    later = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
    parts = []
    for head in range(HEADS):
        at = head // (HEADS // KV_HEADS)
        scores = query[:, head] @ key[:, at].transpose(1, 2) / size**0.5
        parts.append(scores.masked_fill(later, -torch.inf).softmax(-1) @ value[:, at])
    return torch.cat(parts, dim=-1) @ w["proj"].T


def plain(text: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """A Llama in plain torch."""

    def normed(x: Tensor, weight: Tensor) -> Tensor:
        return x * (x.square().mean(-1, keepdim=True) + 1e-5).rsqrt() * weight

    x = weights["embed.weight"][text]
    for layer in range(LAYERS):
        w = {
            name.split(".")[-2] if "." in name else name: value
            for full, value in weights.items()
            if (name := full.removeprefix(f"blocks.{layer}.")) != full
        }
        x = x + attended(normed(x, w["norm1"]), w)
        y = normed(x, w["norm2"])
        x = x + (F.silu(y @ w["gate"].T) * (y @ w["up"].T)) @ w["down"].T
    return normed(x, weights["norm.weight"]) @ weights["head.weight"].T


def test_the_template_computes_what_a_llama_in_plain_torch_does() -> None:
    module, text = drawn(), torch.randint(CHARACTERS, (3, LENGTH))
    with torch.no_grad():
        torch.testing.assert_close(
            module(text), plain(text, module.state_dict()), atol=2e-6, rtol=0
        )


def test_a_character_changes_no_score_before_it() -> None:
    module, text = drawn(), torch.randint(CHARACTERS, (1, LENGTH))
    other = text.clone()
    other[0, 40] = (other[0, 40] + 1) % CHARACTERS
    with torch.no_grad():
        apart = (module(text) - module(other)).abs().amax(dim=-1)[0]
    assert apart[:40].max() < 1e-6
    assert apart[40] > 1e-3


@pytest.mark.slow
def test_the_template_computes_what_the_llama_of_transformers_does() -> None:
    transformers = pytest.importorskip("transformers")
    module, text = drawn(), torch.randint(CHARACTERS, (3, LENGTH))
    config = transformers.LlamaConfig(
        vocab_size=CHARACTERS,
        hidden_size=DIM,
        intermediate_size=HIDDEN,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=KV_HEADS,
        rms_norm_eps=1e-5,
        attn_implementation="eager",
    )
    theirs = transformers.LlamaForCausalLM(config).eval()
    names = {"embed": "model.embed_tokens", "norm": "model.norm", "head": "lm_head"}
    for layer in range(LAYERS):
        for here, there in HERE_TO_TRANSFORMERS.items():
            names[f"blocks.{layer}.{here}"] = f"model.layers.{layer}.{there}"
    here = module.state_dict().items()
    theirs.load_state_dict({f"{names[k.removesuffix('.weight')]}.weight": v for k, v in here})
    with torch.no_grad():
        torch.testing.assert_close(module(text), theirs(text).logits, atol=2e-6, rtol=0)
