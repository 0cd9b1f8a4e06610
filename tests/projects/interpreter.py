"""An independent reading of a project file: torch modules called along the wires, nothing else.

It shares no line with core.source, core.analyse or core.graph: it reads the JSON itself, so that a
mistake there shows as a difference here. Nodes run in file order, as the format promises.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

Json = dict[str, Any]
Make = Callable[[Json, Tensor], nn.Module]


def sized(kind: type[nn.Module], *names: str, dim: int = 1, name: str = "") -> Make:
    """Make a module whose first argument is a size of what it receives; `names` come after it."""

    def make(settings: Json, x: Tensor) -> nn.Module:
        given = settings.pop(name, None) if name else None
        return kind(
            x.shape[dim] if given is None else given, *(settings.pop(n) for n in names), **settings
        )

    return make


def plain(kind: type[nn.Module]) -> Make:
    """Make a module that needs to know nothing of what it receives."""
    return lambda settings, _: kind(**settings)


MODULES: dict[str, Make] = {
    "Conv1d": sized(nn.Conv1d, "out_channels", "kernel_size"),
    "Conv2d": sized(nn.Conv2d, "out_channels", "kernel_size"),
    "ConvTranspose2d": sized(nn.ConvTranspose2d, "out_channels", "kernel_size"),
    "Linear": sized(nn.Linear, "out_features", dim=-1),
    "BatchNorm1d": sized(nn.BatchNorm1d),
    "BatchNorm2d": sized(nn.BatchNorm2d),
    "RMSNorm": sized(nn.RMSNorm, dim=-1, name="normalized_shape"),
    "LayerNorm": sized(nn.LayerNorm, dim=-1, name="normalized_shape"),
    "RNN": sized(nn.RNN, "hidden_size", dim=-1),
    "GRU": sized(nn.GRU, "hidden_size", dim=-1),
    "LSTM": sized(nn.LSTM, "hidden_size", dim=-1),
    "TransformerEncoderLayer": sized(nn.TransformerEncoderLayer, "nhead", dim=-1),
    "TransformerDecoderLayer": sized(nn.TransformerDecoderLayer, "nhead", dim=-1),
    "MultiheadAttention": sized(nn.MultiheadAttention, "num_heads", dim=-1),
    **{
        kind.__name__: plain(kind)
        for kind in (
            nn.ReLU,
            nn.ReLU6,
            nn.LeakyReLU,
            nn.LocalResponseNorm,
            nn.Embedding,
            nn.PairwiseDistance,
            nn.AdaptiveMaxPool2d,
            nn.Hardshrink,
            nn.Softmin,
            nn.ReflectionPad1d,
            nn.Tanh,
            nn.GELU,
            nn.SiLU,
            nn.LogSoftmax,
            nn.Sigmoid,
            nn.Dropout,
            nn.MaxPool1d,
            nn.MaxPool2d,
            nn.AvgPool2d,
            nn.AdaptiveAvgPool2d,
            nn.Flatten,
            nn.Unflatten,
        )
    },
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": lambda settings, input, other: input + other,
    "cat": lambda settings, **tensors: torch.cat(
        [tensors[f"tensors.{i}"] for i in range(len(tensors))], **settings
    ),
    "flatten": lambda settings, input: torch.flatten(input, **settings),
    "select": lambda settings, input: input.select(**settings),
    "mean": lambda settings, input: torch.mean(input, **settings),
    "Output": lambda settings, input: input,
    "chunk": lambda settings, input: tuple(input.tensor_split(settings["chunks"], settings["dim"])),
    "mul": lambda settings, input, other=None: input * settings.get("other", other),
    "sub": lambda settings, input=None, other=None: (
        settings.get("input", input) - settings.get("other", other)
    ),
    "div": lambda settings, input, other=None: input / settings.get("other", other),
    "neg": lambda settings, input: -input,
    "pow": lambda settings, exponent: settings["input"] ** exponent,
    "cos": lambda settings, input: input.cos(),
    "sin": lambda settings, input: input.sin(),
    "arange": lambda settings, input, end=None: torch.arange(
        0, settings.get("end", end), settings.get("step", 1), dtype=torch.float32
    ),
    "exp": lambda settings, input: input.exp(),
    "abs": lambda settings, input: input.abs(),
    "clamp": lambda settings, input: input.clamp(**settings),
    "roll": lambda settings, input: torch.roll(input, **settings),
    "flip": lambda settings, input: input.flip(settings["dims"]),
    "permute": lambda settings, input: input.permute(*settings["dims"]),
    "size": lambda settings, input: input.shape[settings["dim"]],
    "maximum": lambda settings, input, other: torch.where(input > other, input, other),
    "unsqueeze": lambda settings, input: input.unsqueeze(**settings),
    "cumsum": lambda settings, input: input.cumsum(**settings),
    "transpose": lambda settings, input: input.transpose(settings["dim0"], settings["dim1"]),
    "unflatten": lambda settings, input: input.unflatten(settings["dim"], settings["sizes"]),
    "unbind": lambda settings, input: input.unbind(settings["dim"]),
    "scaled_dot_product_attention": lambda settings, query, key, value: (
        nn.functional.scaled_dot_product_attention(query, key, value, **settings)
    ),
    "square": lambda settings, input: input * input,
    "sum": lambda settings, input: input.sum(**settings),
    "amax": lambda settings, input: input.amax(**settings),
    "triu": lambda settings, input: input.triu(**settings),
    "randn_like": lambda settings, input: torch.randn_like(input),
    "einsum": lambda settings, **operands: torch.einsum(settings["equation"], *operands.values()),
}
FIRST = {"cat": "tensors.0"}
LISTS = {"chunk", "unbind"}  # blocks with the outputs output.0, output.1, ...
RESULTS = {
    "RNN": ("output", "h_n"),
    "GRU": ("output", "h_n"),
    "LSTM": ("output", "state"),
    "MultiheadAttention": ("attn_output", "attn_output_weights"),
}
OF_THE_CALL = ("need_weights",)  # settings that a module takes when called


def value(text: Any, env: Json) -> Any:
    """Work out a setting inside a composite, such as "=channels * 2"."""
    if isinstance(text, list):
        return [value(item, env) for item in text]
    if not (isinstance(text, str) and text.startswith("=")):
        return text
    assert re.fullmatch(r"=[\w\s+*()/-]+", text), text
    return eval(text[1:], {"__builtins__": {}}, dict(env))  # our own templates only


class Interpreter(nn.Module):
    """A graph of a project file. Modules are made at the first pass, when sizes are known."""

    def __init__(self, graph: Json, composites: Json, env: Json | None = None) -> None:
        super().__init__()
        self.nodes, self.composites, self.env = graph["nodes"], composites, env or {}
        self.wires = [
            re.fullmatch(r"(\w+)(?:\.(\w+(?:\.\d+)?))? -> (\w+)(?:\.(.+))?", e).groups()
            for e in graph["edges"]
        ]

    def forward(self, *arguments: Tensor) -> Any:
        """Call every node in file order; return what the Output nodes receive."""
        values: dict[tuple[str, str], Any] = {}
        given, results = iter(arguments), []
        for name, node in self.nodes.items():
            if node["block"] == "Input":
                values[name, ""] = next(given)
                continue
            out = self.call(name, node, dict(self.ports(name, node, values)))
            values[name, ""] = out[0] if isinstance(out, tuple) else out
            if node["block"] in LISTS:
                values |= {(name, f"output.{i}"): v for i, v in enumerate(out)}
            elif isinstance(out, tuple):
                ports = RESULTS.get(node["block"]) or self.outputs_of(node["block"])
                values |= {(name, p): v for p, v in zip(ports, out, strict=True)}
            if node["block"] == "Output":
                results.append(out)
        return results[0] if len(results) == 1 else tuple(results)

    def ports(self, name: str, node: Json, values: Json) -> Iterator[tuple[str, Any]]:
        """Give port and value of every wire into a node."""
        for source, out, target, into in self.wires:
            if target == name:
                yield into or FIRST.get(node["block"], "input"), values[source, out or ""]

    def call(self, name: str, node: Json, inputs: Json) -> Any:
        """Run one node once, or as often as it repeats."""
        settings = {k: value(v, self.env) for k, v in node.get("settings", {}).items()}
        settings = {k: tuple(v) if isinstance(v, list) else v for k, v in settings.items()}
        if node["block"] == "reshape":
            shape = list(settings["shape"])
            for port in [p for p in inputs if "." in p]:
                shape[int(port.split(".")[1])] = inputs[port]
            return inputs["input"].reshape(shape)
        if node["block"] == "Parameter":
            return self.own(name, settings)
        if node["block"] == "Buffer":
            return self.kept(name, settings)
        if node["block"] == "expand":
            sizes = [inputs.get(f"size.{i}", size) for i, size in enumerate(settings["size"])]
            return inputs["input"].expand(sizes)
        if node["block"] in FUNCTIONS:
            return FUNCTIONS[node["block"]](settings, **inputs)
        owner = node.get("weights_of", name)
        times = node.get("repeat", 1)
        if len(inputs) > 1:
            return self.several(owner, node["block"], settings, inputs)
        (x,) = inputs.values()
        for index in range(times):
            home = self if times == 1 else self.child(owner, lambda: nn.Module())
            key = owner if times == 1 else str(index)
            make = self.maker(node["block"], settings, x)
            x = self.child(key, make, home)(x)
        return x

    def several(self, owner: str, block: str, settings: Json, inputs: Json) -> Any:
        """Run a node that reads several wires: a composite in the order of its inputs."""
        given = {name: settings.pop(name) for name in OF_THE_CALL if name in settings}
        module = self.child(owner, self.maker(block, settings, next(iter(inputs.values()))))
        if block in self.composites:
            nodes = self.composites[block]["nodes"]
            return module(*(inputs[n] for n, node in nodes.items() if node["block"] == "Input"))
        return module(**inputs, **given)

    def outputs_of(self, block: str) -> list[str]:
        """Names of the results of a composite."""
        nodes = self.composites[block]["nodes"]
        return [name for name, node in nodes.items() if node["block"] == "Output"]

    def kept(self, name: str, settings: Json) -> Tensor:
        """Find a buffer, making it the first time."""
        if name not in self._buffers:
            value = settings["value"] if settings["init"] == "constant" else 0.0
            self.register_buffer(name, torch.full(settings["shape"], value))
        return self._buffers[name]

    def own(self, name: str, settings: Json) -> nn.Parameter:
        """Find a parameter, making it the first time."""
        if name not in self._parameters:
            self.register_parameter(name, nn.Parameter(torch.zeros(settings["shape"])))
        return self._parameters[name]

    def maker(self, block: str, settings: Json, x: Tensor) -> Callable[[], nn.Module]:
        """Say how a node's module is made."""
        if block in self.composites:
            part = self.composites[block]
            return lambda: Interpreter(part, self.composites, {**part["settings"], **settings})
        return lambda: MODULES[block](dict(settings), x)

    def child(self, name: str, make: Callable[[], nn.Module], home: nn.Module | None = None) -> Any:
        """Find a submodule, making it the first time, in the mode the whole is in."""
        home = self if home is None else home
        if name not in home._modules:
            home.add_module(name, make().train(self.training))
        return home._modules[name]
