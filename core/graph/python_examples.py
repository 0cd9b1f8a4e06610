"""Example classes for a block in own Python: texts for display, never run here.

An operator is named after the file that its class stands in, as torch knows it by its name alone:
two versions of a class would otherwise calculate with the one that was defined last.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """A class to begin with. says: what it shows, in a sentence; NAME in the text is its name."""

    name: str
    says: str
    text: str


GATE = '''\
class NAME(nn.Module):
    """A gate with a learned slope: x * sigmoid(slope * x)."""

    def __init__(self, slope: float = 1.0) -> None:
        super().__init__()
        self.slope = nn.Parameter(torch.tensor(slope))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.sigmoid(self.slope * x)
'''
OPERATOR = '''\
class NAME(nn.Module):
    """Computes scale * tanh(x) by a custom operator with a fake kernel and a gradient."""

    @torch.library.custom_op(f"{__module__}::scaled_tanh", mutates_args=())
    def operator(x: Tensor, scale: float) -> Tensor:
        return scale * torch.tanh(x)

    @operator.register_fake  # the output without values: for shapes and torch.export
    def fake(x: Tensor, scale: float) -> Tensor:
        return torch.empty_like(x)

    def keep(ctx, inputs, output) -> None:
        ctx.save_for_backward(output)
        ctx.scale = inputs[1]

    def backward(ctx, grad: Tensor):
        (y,) = ctx.saved_tensors
        return grad * (ctx.scale - y * y / ctx.scale), None  # scale is not a tensor

    operator.register_autograd(backward, setup_context=keep)

    def __init__(self, scale: float = 1.5) -> None:
        super().__init__()
        self.scale = scale

    def forward(self, x: Tensor) -> Tensor:
        return self.operator(x, self.scale)
'''
CPP = '''\
class NAME(nn.Module):
    """Computes x * x * x in C++, compiled at the first call; needs a C++ compiler and ninja."""

    SOURCE = """
    torch::Tensor cube(torch::Tensor x) { return x * x * x; }
    """
    library = None

    def compiled():
        if NAME.library is None:
            from torch.utils.cpp_extension import load_inline

            NAME.library = load_inline(
                "layerloom_cube", cpp_sources=NAME.SOURCE, functions=["cube"]
            )
        return NAME.library

    @torch.library.custom_op(f"{__module__}::cube", mutates_args=())
    def operator(x: Tensor) -> Tensor:
        return NAME.compiled().cube(x)

    @operator.register_fake  # the output without the compiler
    def fake(x: Tensor) -> Tensor:
        return torch.empty_like(x)

    def keep(ctx, inputs, output) -> None:
        ctx.save_for_backward(*inputs)

    def backward(ctx, grad: Tensor):
        (x,) = ctx.saved_tensors
        return grad * 3 * x * x

    operator.register_autograd(backward, setup_context=keep)

    def forward(self, x: Tensor) -> Tensor:
        return self.operator(x)
'''
COND = '''\
class NAME(nn.Module):
    """Takes one of two branches by the mean of the batch; torch.export and ONNX keep both."""

    def forward(self, x: Tensor) -> Tensor:
        def high(x: Tensor) -> Tensor:
            return torch.tanh(x)

        def low(x: Tensor) -> Tensor:
            return x * 0.5

        return torch.cond(x.mean() > 0, high, low, (x,))
'''
BRANCH = '''\
class NAME(nn.Module):
    """Takes one of two branches by the mean of the batch; TorchScript keeps both, a trace one."""

    def forward(self, x: Tensor) -> Tensor:
        if bool(x.mean() > 0):
            return torch.tanh(x)
        return x * 0.5
'''
FORK = '''\
class NAME(nn.Module):
    """Adds two layers that TorchScript runs in parallel: one is forked and waited for."""

    def __init__(self, in_features: int, out_features: int = 16) -> None:
        super().__init__()
        self.left = nn.Linear(in_features, out_features)
        self.right = nn.Linear(in_features, out_features)

    def forward(self, x: Tensor) -> Tensor:
        left = torch.jit.fork(self.left, x)
        right = self.right(x)
        return torch.jit.wait(left) + right
'''
EXAMPLES: Mapping[str, Example] = {
    "A layer": Example("Gate", "An expression with a learned weight.", GATE),
    "An operator": Example(
        "ScaledTanh",
        "torch.library.custom_op with its fake kernel and its gradient.",
        OPERATOR,
    ),
    "An operator in C++": Example(
        "Cube", "torch.utils.cpp_extension.load_inline behind a custom_op.", CPP
    ),
    "torch.cond": Example("Cond", "Two branches chosen by values; kept by torch.export.", COND),
    "An if": Example("Branch", "Two branches chosen by values; kept by TorchScript.", BRANCH),
    "Fork and wait": Example(
        "TwoAtOnce", "torch.jit.fork and torch.jit.wait: two layers in parallel.", FORK
    ),
}
"""By title, in the order in which they are offered; the first is what a new block begins with."""


def text_of(title: str, taken: frozenset[str] = frozenset()) -> str:
    """A class to begin with, under a name that is free."""
    example = EXAMPLES[title]
    names = (example.name, *(f"{example.name}{number}" for number in range(2, 1000)))
    return example.text.replace("NAME", next(name for name in names if name not in taken))
