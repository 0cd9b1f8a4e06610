"""What the usual libraries call is drawn, and computes the same bits for every batch.

Each line below is one habit: a function of torch that is no block by name, said by blocks.
"""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core import analyse, build
from core.wings.importing import ImportRefused, import_module
from tests.wings.importing import textbook

MODELS: dict[str, tuple[int, ...]] = {
    "NormFree": (3, 8, 8), "LevitAttention": (12, 4, 4), "ConvNeXtBlock": (3, 16, 16),
    "ResMlp": (3, 16, 16), "PoolFormerBlock": (3, 16, 16), "Beit": (3, 16, 16),
    "MobileVit": (3, 16, 16), "CrossCovariance": (3, 16, 16), "Rotary": (7,), "GraphNet": (5, 6),
}  # fmt: skip

CALLS = """
torch.norm(x, dim=1, keepdim=True)
x.norm()
torch.norm(x, p=1, dim=-1)
torch.linalg.norm(x, dim=1)
x.var(dim=1, unbiased=False)
torch.var(x, (1,), False)
torch.std(x, dim=[2, 3], unbiased=False, keepdim=True)
torch.var_mean(x, dim=(2, 3), unbiased=False)
torch.std_mean(x, 1)
torch.clip(x, 0.2, 0.8)
x.clamp_min(0.2)
torch.clamp(x, min=x * 0.5, max=x * 0.8)
torch.rsub(x, 1)
torch.mm(w, w)[0] + x
torch.mv(w, w[0]) + x
torch.dot(p, p) * x
x @ w.t()
x @ w.T
w.mT + x
torch.hstack([x, x])
torch.vstack([x, 2 * x])
torch.column_stack([row, row])
torch.hsplit(x, 2)[1]
torch.fliplr(x)
torch.tile(x, (1, 2))
torch.broadcast_to(p, (n, 4))
torch.moveaxis(x, 1, -1)
torch.diag(w) + x
torch.diag_embed(row)
torch.eye(8, device=x.device) + x
torch.eye(x.shape[-1]) + x
torch.eye(2, 8) @ x
torch.rand(n, 4) + row[:, :4]
torch.randn((n, 4)) + row[:, :4]
x.softmax(-1, dtype=torch.float64)
x.max()
torch.max(x, x * 2)
torch.min(x, 1).values
torch.cdist(x[:, 0], x[:, 1])
torch.searchsorted(p.sort()[0], x)
x[:, [0, 2]]
x[:, torch.tensor([0, 2], device=x.device)]
x[:, index]
x[:, :, index, :]
x[:, index, :, 0]
x[:, [2, 0], 1:3, -1]
x[..., index]
x[:, None, index]
x[index, :, index]
x[:, x[0, :, 0, 0] > 0.5, 1]
x.numel() * x
x.new_tensor(3.0) * x
x.data + 1
x // 0.3
torch.empty_like(x).fill_(2.0) + x
F.max_pool2d(x, 2, return_indices=True)
F.conv1d(x[:, :, 0], w[:6, :4, None])
F.conv_transpose2d(x, w[:4, :3, None, None] + torch.zeros(1, 1, 2, 2), stride=2)
F.conv2d(x, w[:6, :4, None, None], None, 2)
F.batch_norm(x, p.detach(), p.detach() + 1, p, p)
F.instance_norm(x, weight=p, bias=p)
F.rms_norm(x, (8,), w[0])
F.prelu(x - 0.5, p)
F.embedding((x[:, :, 0, 0] * 8).long(), w)
torch.scatter(torch.zeros_like(x), 1, (x * 3).long(), x)
torch.zeros_like(x).scatter_(1, (x * 3).long(), 1.0)
x.index_fill(1, index, 0.0)
torch.cummax(x, dim=1)[0]
torch.diff(x, dim=2)
torch.quantile(x, 0.25, dim=1)
torch.logit(x, 1e-6)
torch.logaddexp(x, 2 * x)
torch.isfinite(x).float()
x.sum(axis=(1, 2), keepdims=True)
x.mean(axis=1, keepdims=True)
torch.max(x, dim=1, keepdims=True)[0]
x.argmax(axis=1, keepdims=True)
torch.concatenate([x, x], axis=1)
torch.cat(tensors=[x, x], dim=1)
torch.relu(input=torch.sum(input=x, dim=1))
torch.swapaxes(x, axis0=1, axis1=2)
x.mH + x.mT
torch.clip(x, 0.1, 0.5) + x.clone().clip_(0.1, 0.5)
torch.greater(x, 0.5) & torch.less_equal(x, 0.7) | torch.not_equal(x, x)
x.where(x > 0.5, 0)
torch.special.erf(x)
torch.linalg.matmul(x, w)
torch.tensordot(x, w, dims=([3], [0]))
torch.tensordot(x, w, dims=1)
torch.float_power(x, 2)
torch.dist(row, 2 * row)
x.cumsum(dim=1, dtype=torch.float64)
torch.softmax(p, 0) * row[:, :4]
p.log_softmax(0) + x[..., :4]
F.layer_norm(p, (4,)) + x[..., :4]
F.linear(p, w[:, :4]) + x
torch.arange(4.0)[None] + x[..., :4]
torch.arange(0, 1, 0.25)[None] + x[..., :4]
F.scaled_dot_product_attention(x[:, None], x[:, None], x[:, None])
x.reshape(n, *(s * 2 // 2 + (s - s) * (s + s * 3) * (s * 2 + s * 5 + s) for s in x.shape[1:]))
F.cross_entropy(row, torch.zeros(n, dtype=torch.long), label_smoothing=0.1)
torch.kron(w, w).sum() + x
torch.kron(row, p)
torch.kron(x[0], w)
torch.rot90(x, 1, [2, 3])
torch.rot90(x, 2, (2, 3)) + x.rot90(-1, (2, 3)) + torch.rot90(x, k=7, dims=(3, 2))
torch.block_diag(w, x[0, 0], p)
torch.heaviside((x * 3).round() - 1, p[0])
torch.copysign(x, x - 0.5) + x.copysign(-1)
torch.trace(w) * x + w[:, :4].trace()
torch.linalg.multi_dot([row, w[:, :2]])
torch.linalg.multi_dot([row, w, w])
torch.linalg.multi_dot((row[:, :4], w[:4], w[:, :2], w[:2]))
torch.linalg.multi_dot([w[0], w, w, w[1]]) * x
torch.chain_matmul(w, w, w) + x
torch.inner(x, w)
torch.inner(p, p) * x
torch.ger(p, p) + x[..., :4, :4]
torch.linalg.vecdot(x, x * x, dim=1)
torch.linalg.vecdot(p, p) * x
torch.matrix_power(w, 2) + x
torch.linalg.matrix_power(w, 3) + x
torch.linalg.matrix_power(x, 7)
torch.linalg.matrix_norm(x)
torch.linalg.matrix_norm(x, dim=(1, 2), keepdim=True)
torch.linalg.norm(x, "fro", (1, 2))
torch.linalg.diagonal(x, offset=1, dim1=1, dim2=3)
torch.linalg.diagonal(x)
torch.adjoint(x)
torch.sgn(x - 0.5)
torch.real(x) + torch.conj(x) + torch.resolve_conj(x) * 2
torch.deg2rad(x) + x.rad2deg()
torch.fix(x * 3 - 1)
torch.arctanh(x - 0.5) + torch.arcsinh(x) + torch.arccosh(x + 1)
torch.special.gammaln(x + 1)
torch.msort(x)
torch.row_stack([x, x])
torch.atleast_1d(x) + torch.atleast_2d(p)[:, None] @ torch.atleast_3d(w)[:4, :, 0]
torch.atleast_3d(row) + torch.atleast_3d(p)[:, :1]
x.split_with_sizes((1, 3), dim=1)[0]
torch.masked_select(x, x > 0.5).sum() + x
torch.nonzero(x > 0.5).sum() + torch.argwhere(x > 0.5).float().mean() + x
x[torch.nonzero(x > 0.5, as_tuple=True)].sum() + x
torch.unique((x * 3).round().detach()).sum() + x
x[:, :, torch.triu_indices(8, 8)[0], torch.tril_indices(8, 8)[1]]
torch.batch_norm(x, p, p * 2, p.detach(), p.detach() + 1, False, 0.1, 1e-5, False)
torch.instance_norm(x, p, p * 2, None, None, True, 0.1, 1e-5, False)
torch.group_norm(x, 2, p, p * 2, 1e-5, False)
torch.layer_norm(x, (8,), w[0], w[1], 1e-5, False)
torch.embedding(w, (x[:, :, 0, 0] * 8).long(), 2)
packed_attention(row, w)
torch.cross(x[:, :, :3], x[:, :, 1:4], dim=2)
torch.cross(row[:, :3], row[:, 1:4], dim=-1)
torch.cross(w[:3], w[1:4])[0] + x
torch.linalg.cross(x[..., :3], w[None, None, :3, :3].repeat(1, 1, 1, 1)[:, :, :1])
F.bilinear(row, row, w[None])
F.bilinear(x, x[..., :4], w.reshape(2, 8, 4), p[:2])
""".strip().splitlines()
REFUSED = {
    "torch.fft.rfft2(x).real": "fft_rfft2",
    "torch.bernoulli(x)": "bernoulli",
    "torch.linalg.svdvals(w).sum() + x": "linalg_svdvals",
    "F.embedding_bag((x[:, :, 0, 0] * 8).long(), w)": "embedding_bag",
    "torch.linalg.norm(x, 2, (1, 2))": "linalg_norm",
    "torch.linalg.matrix_norm(x, 1)": "linalg_matrix_norm",
    "x.view(torch.int32)": "view with a dtype, which reinterprets the bits",
}


def packed_attention(row: Tensor, w: Tensor) -> Tensor:
    """Attention as CLIP calls it, with weights of its own."""
    x, weight, bias = row[None], torch.cat([w, w, w]), w.flatten()[:24]
    return F.multi_head_attention_forward(
        x, x, x, 8, 2, weight, bias, None, None, False, 0.0, w, w[0]
    )[0]


class Says(nn.Module):
    """Calls one expression, with a few tensors of its own."""

    index: Tensor

    def __init__(self, text: str) -> None:
        super().__init__()
        self.p, self.w = nn.Parameter(torch.rand(4)), nn.Parameter(torch.rand(8, 8))
        self.register_buffer("index", torch.tensor([0, 2, 1]))
        self.text = text

    def forward(self, x: Tensor) -> Any:
        mine = {"x": x, "row": x[:, 0, 0], "n": x.shape[0], "p": self.p, "w": self.w}
        return eval(self.text, {**globals(), "index": self.index, **mine})


def leaves(found: Any) -> list[Tensor]:
    return [found] if isinstance(found, Tensor) else [t for part in found for t in leaves(part)]


def redrawn(model: nn.Module, shape: tuple[int, ...], dtype: str = "float32") -> nn.Module:
    """The module of the drawing of a model, with the model's weights."""
    found = import_module(model, [shape], dtypes=[dtype])
    report = analyse(found.project.graph)
    assert report.source, [e.message for e in report.errors]
    ours: Any = build(report.source)
    ours.train(model.training)
    theirs: dict[str, Tensor] = model.state_dict()
    for name, buffer in model.named_buffers():  # what is not saved is saved in the drawing
        theirs.setdefault(name, buffer)
    ours.load_state_dict({k: theirs[found.keys.get(k, k)] for k in ours.state_dict()})
    return ours


def check_bits(model: nn.Module, ours: nn.Module, batch: Tensor) -> None:
    torch.manual_seed(1)
    wanted = leaves(model(batch))
    torch.manual_seed(1)
    found = leaves(ours(batch))
    assert [t.dtype for t in found] == [t.dtype for t in wanted]
    assert all(torch.equal(a, b) for a, b in zip(found, wanted, strict=True))


@pytest.mark.gate
@pytest.mark.parametrize("text", CALLS)
def test_a_function_composed_of_blocks_computes_the_same_bits(text: str):
    torch.manual_seed(0)
    model = Says(text).eval()
    ours = redrawn(model, (4, 8, 8))
    for batch in (3, 5):
        check_bits(model, ours, torch.rand(batch, 4, 8, 8))


TRAINED = CALLS[CALLS.index("torch.inner(x, w)") :]
"""The newer ones, whose gradients are compared, too."""


@pytest.mark.gate
@pytest.mark.parametrize("text", TRAINED)
def test_a_function_composed_of_blocks_gives_the_same_gradients(text: str):
    torch.manual_seed(0)
    model = Says(text).train()
    ours = redrawn(model, (4, 8, 8))
    batch = torch.rand(5, 4, 8, 8)
    theirs, drawn = gradients(model, batch), gradients(ours, batch)
    assert theirs.keys() == drawn.keys() != set()
    assert all(torch.equal(theirs[name], drawn[name]) for name in theirs)


def gradients(module: nn.Module, batch: Tensor) -> dict[str, Tensor]:
    """Those of the input and of all parameters, of the sum of squares of the first result."""
    sample = batch.clone().requires_grad_()
    leaves(module(sample))[0].square().sum().backward()
    of = [("x", sample), *module.named_parameters()]
    return {name: tensor.grad for name, tensor in of if tensor.grad is not None}


@pytest.mark.gate
@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_the_usual_kind_computes_the_same_bits_with_the_same_weights(name: str):
    torch.manual_seed(0)
    model: nn.Module = getattr(textbook, name)().eval()
    tokens = name == "Rotary"
    ours = redrawn(model, MODELS[name], "int64" if tokens else "float32")
    for batch in (2, 5):
        values = torch.rand(batch, *MODELS[name])
        check_bits(model, ours, (values * 11).long() if tokens else values)


@pytest.mark.parametrize("text", REFUSED)
def test_a_function_without_a_block_is_refused_by_its_name_and_place(text: str):
    with pytest.raises(ImportRefused) as refused:
        import_module(Says(text).eval(), [(4, 8, 8)])
    assert REFUSED[text] in str(refused.value)
    assert "line 1" in str(refused.value)
