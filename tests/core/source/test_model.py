"""The model file reads as a careful engineer writes it, and formatting it changes nothing."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from core.analyse import analyse, build
from core.graph import Composite
from core.source.audit import audit
from tests.core.drawing import END, IMAGE, RESIDUAL, chain, draw

GOLDEN = Path(__file__).parents[2] / "golden" / "source"


def conv(channels: int, **more: object) -> tuple[str, dict[str, object]]:
    return ("Conv2d", {"out_channels": channels, "kernel_size": 3, "padding": 1, **more})


LENET5 = chain(
    IMAGE,
    ("conv1", ("Conv2d", {"out_channels": 6, "kernel_size": 5, "padding": 2})),
    ("tanh1", "Tanh"),
    ("pool1", ("MaxPool2d", {"kernel_size": 2})),
    ("conv2", ("Conv2d", {"out_channels": 16, "kernel_size": 5})),
    ("tanh2", "Tanh"),
    ("pool2", ("MaxPool2d", {"kernel_size": 2})),
    ("flat", "Flatten"),
    ("fc1", ("Linear", {"out_features": 120})),
    ("tanh3", "Tanh"),
    ("fc2", ("Linear", {"out_features": 84})),
    ("tanh4", "Tanh"),
    ("fc3", ("Linear", {"out_features": 10})),
    END,
)
RESNET = draw(
    {
        "image": ("Input", {"shape": (3, 32, 32)}),
        "stem": conv(16),
        "conv1": conv(32, stride=2),
        "bn1": "BatchNorm2d",
        "relu1": "ReLU",
        "conv2": conv(32),
        "bn2": "BatchNorm2d",
        "skip": ("Conv2d", {"out_channels": 32, "kernel_size": 1, "stride": 2}),
        "join": "add",
        "relu2": "ReLU",
        "logits": "Output",
    },
    ["image -> stem", "stem -> conv1", "conv1 -> bn1", "bn1 -> relu1", "relu1 -> conv2"]
    + ["conv2 -> bn2", "stem -> skip", "bn2 -> join.input", "skip -> join.other"]
    + ["join -> relu2", "relu2 -> logits"],
)
COMPOSED = chain(
    IMAGE,
    ("stem", conv(8)),
    ("stage1", ("Residual", {"channels": 8}, {"repeat": 3})),
    ("stage2", ("Residual", {"channels": 16}, {"repeat": 2})),
    ("wide", ("Linear", {"out_features": 28}, {"repeat": 3})),
    END,
    composites={"Residual": RESIDUAL},
)
TWO_HEADS = draw(
    {
        "left": ("Input", {"shape": (5, 8)}),
        "tokens": ("Input", {"shape": (5,), "dtype": "int64"}),
        "embed": ("Embedding", {"num_embeddings": 20, "embedding_dim": 8}),
        "both": ("cat", {"dim": 2}),
        "lstm": ("LSTM", {"hidden_size": 4, "batch_first": True, "bidirectional": True}),
        "mean": ("mean", {"dim": (1,)}),
        "a": "Output",
        "b": "Output",
    },
    ["left -> both.tensors.0", "tokens -> embed", "embed -> both.tensors.1", "both -> lstm"]
    + ["lstm -> mean", "mean -> a", "lstm.h_n -> b"],
)
LONG = draw(
    {
        "image": ("Input", {"shape": (3, 64, 64)}),
        "a_name_as_long_as_a_careless_student_may": (
            "Conv2d",
            {"out_channels": 4, "kernel_size": (3, 5), "stride": (2, 1), "padding": (1, 2)}
            | {"dilation": (1, 2), "bias": False, "padding_mode": "replicate"},
        ),
        "another_name_that_is_of_the_same_length1": conv(4),
        "another_name_that_is_of_the_same_length2": conv(4),
        "another_name_that_is_of_the_same_length3": conv(4),
        "join": ("cat", {"dim": 1}),
        "logits": "Output",
        "side": "Output",
    },
    ["image -> a_name_as_long_as_a_careless_student_may", "join -> logits"]
    + ["a_name_as_long_as_a_careless_student_may -> side"]
    + [f"image -> another_name_that_is_of_the_same_length{i}" for i in (1, 2, 3)]
    + [f"another_name_that_is_of_the_same_length{i} -> join.tensors.{i - 1}" for i in (1, 2, 3)],
)
HELD = Composite(
    {"channels": 4, "orthogonal": 3},
    chain(
        ("inp", "Input"),
        ("conv1", ("Conv2d", {"out_channels": "=channels", "kernel_size": "=orthogonal",
                              "padding": "same", "parametrize": "orthogonal"})),
        ("relu1", "ReLU"),
        ("out", "Output"),
    ),
)  # fmt: skip
PARAMETRIZED = draw(
    {
        "image": ("Input", {"shape": (1, 12, 12)}),
        "conv1": conv(4, parametrize="weight_norm"),
        "held1": ("Held", {"orthogonal": 5}),
        "held2": "Held",
        "conv2": conv(4, parametrize="symmetric"),
        "again": ("", {}, {"weights_of": "conv2"}),
        "flat": "Flatten",
        "fc1": ("Linear", {"out_features": 20, "parametrize": "spectral_norm"}),
        "fc2": ("Linear", {"out_features": 20, "parametrize": "weight_norm"}, {"repeat": 2}),
        "logits": "Output",
    },
    ["image -> conv1", "conv1 -> held1", "held1 -> held2", "held2 -> conv2", "conv2 -> again.input"]
    + ["again.output -> flat", "flat -> fc1", "fc1 -> fc2", "fc2 -> logits"],
    {"Held": HELD},
)
ALL = {
    "parametrized": (PARAMETRIZED, "Computed weights"),
    "lenet5": (LENET5, "LeNet5"),
    "resnet": (RESNET, "Residual net"),
    "composed": (COMPOSED, "Composed of residual blocks"),
    "two_heads": (TWO_HEADS, "Two heads"),
    "long": (LONG, "Long names " * 9),
}


def source_of(name: str) -> str:
    graph, title = ALL[name]
    report = analyse(graph, title)
    assert report.errors == ()
    assert report.source is not None
    return report.source


@pytest.mark.parametrize("name", ALL)
def test_the_source_is_the_golden_one(name: str, request: pytest.FixtureRequest):
    path = GOLDEN / f"{name}.py"
    if request.config.getoption("--golden"):
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(source_of(name))
    assert source_of(name) == path.read_text()


@pytest.mark.gate
@pytest.mark.parametrize("name", ALL)
def test_formatting_the_source_changes_nothing(name: str, tmp_path: Path):
    file = tmp_path / "model.py"
    file.write_text(source_of(name))
    for command in (["format", "--check", "--diff"], ["check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--isolated", str(file)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ALL)
def test_the_source_passes_the_audit_and_imports_nothing_of_ours(name: str):
    audit(source_of(name))
    assert "import core" not in source_of(name)
    assert "import blocks" not in source_of(name)


@pytest.mark.parametrize("name", ALL)
def test_the_shapes_in_the_report_are_those_of_the_module(name: str):
    graph, title = ALL[name]
    report = analyse(graph, title)
    assert report.source is not None
    module = build(report.source).eval()
    data = [
        torch.zeros(2, *[int(d) for d in s.shape[1:] if isinstance(d, int)],
                    dtype=getattr(torch, s.dtype))
        for _, s in report.inputs
    ]  # fmt: skip
    results = module(*data)
    results = results if isinstance(results, tuple) else (results,)
    shown = [str(s).replace("N", "2") for _, s in report.outputs]
    assert [str(tuple(r.shape)) for r in results] == shown


def test_every_line_of_a_node_names_it():
    report = analyse(COMPOSED, "Composed")
    assert report.source is not None
    lines = report.source.splitlines()
    assert [lines[n - 1].strip() for n in report.lines["stem"]] == [
        "self.stem = nn.Conv2d(1, 8, kernel_size=3, padding=1)",
        "x = self.stem(image)  # (N, 8, 28, 28)",
    ]
    inner = [lines[n - 1].strip() for n in report.lines["stage1.0.relu1"]]
    assert inner == ["self.relu1 = nn.ReLU()", "x = self.relu1(x)"]


def test_a_composite_whose_uses_are_all_alike_takes_no_arguments():
    graph = chain(
        IMAGE,
        ("a", ("Residual", {"channels": 1})),
        ("b", ("Residual", {"channels": 1})),
        END,
        composites={"Residual": RESIDUAL},
    )
    source = analyse(graph).source or ""
    assert "        self.a = Residual()\n        self.b = Residual()\n" in source
    assert "self.conv1 = nn.Conv2d(1, 1, kernel_size=3, padding=1)" in source


def test_a_setting_of_an_expression_that_differs_between_uses_is_kept_by_the_class():
    joined = Composite(
        {"dim": 1},
        draw(
            {"inp": "Input", "stack": ("cat", {"dim": "=dim"}), "out": "Output"},
            ["inp -> stack.tensors.0", "inp -> stack.tensors.1", "stack -> out"],
        ),
    )
    graph = chain(
        IMAGE, ("a", ("Twice", {"dim": 1})), ("b", ("Twice", {"dim": 2})), END,
        composites={"Twice": joined},
    )  # fmt: skip
    report = analyse(graph)
    source = report.source or ""
    assert "        self.dim = dim\n" in source
    assert "torch.cat([inp, inp], dim=self.dim)" in source
    assert build(source)(torch.zeros(2, 1, 28, 28)).shape == (2, 2, 56, 28)


def test_uses_with_different_expressions_become_two_classes():
    scaled = Composite(
        {"alpha": 1},
        draw(
            {"inp": "Input", "join": ("add", {"alpha": "=alpha"}), "out": "Output"},
            ["inp -> join.input", "inp -> join.other", "join -> out"],
        ),
    )
    graph = chain(
        IMAGE, ("a", ("Scaled", {})), ("b", ("Scaled", {"alpha": 3})), END,
        composites={"Scaled": scaled},
    )  # fmt: skip
    source = analyse(graph).source or ""
    assert "self.a = Scaled()\n        self.b = Scaled2()" in source
    module = build(source)
    assert module(torch.ones(1, 1, 28, 28)).unique().tolist() == [8.0]


def test_composites_inside_composites_keep_their_names():
    outer = Composite(
        {},
        draw(
            {"inp": "Input", "first": ("Residual", {"channels": 4}, {"repeat": 2})}
            | {"last": ("Residual", {"channels": 6}), "out": "Output"},
            ["inp -> first", "first -> last", "last -> out"],
            {"Residual": RESIDUAL},
        ),
    )
    graph = chain(
        IMAGE, ("one", "Stage"), ("two", "Stage"), END,
        composites={"Residual": RESIDUAL, "Stage": outer},
    )  # fmt: skip
    report = analyse(graph)
    assert report.errors == ()
    keys = list(build(report.source or "").state_dict())
    assert keys[0] == "one.first.0.conv1.weight"
    assert keys[-1] == "two.last.skip.bias"
    assert {k.rsplit(".", 1)[0] for k in keys} == {p for p, n in report.nodes.items() if n.init} - {
        p for p in report.nodes if p.endswith("relu1")
    }
