"""A project's own Python: waits for trust, is analysed like any block, and says where it fails."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import torchinfo

from core.analyse import analyse, analyse_project, build
from core.graph import Edge, Graph, Node
from core.graph.python import composite_of
from core.insight.features import capture
from core.insight.summary import summary
from core.project import open_project, trust
from core.source.audit import AuditError, audit

SAMPLE = Path(__file__).parents[2] / "files/v1/python.loom.json"
GOLDEN = Path(__file__).parents[2] / "golden/source/own_python.py"
PROJECT = open_project(SAMPLE)
TEXTS = {name: part.python for name, part in PROJECT.graph.composites.items()}
HEAD = "class Mine(nn.Module):\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def trusting() -> None:
    for name, text in TEXTS.items():
        trust.trust(text, name)


def drawn(text: str, settings: dict[str, int] | None = None, outs: int = 1) -> Graph:
    """An image of three channels through one block of own Python, trusted if it is a block."""
    nodes = {"image": Node("Input", {"shape": (3, 4, 4)}), "mine": Node("Mine", settings or {})}
    edges = [Edge("image", "output", "mine", "x")]
    for i in range(outs):
        nodes[f"out{i}"] = Node("Output")
        port = "output" if outs == 1 else f"output.{i}"
        edges.append(Edge("mine", port, f"out{i}", "input"))
    return Graph(nodes, tuple(edges), {"Mine": composite_of("Mine", text)})


def said(text: str, settings: dict[str, int] | None = None, outs: int = 1) -> list[str]:
    trust.trust(text, "Mine")
    return [e.message for e in analyse(drawn(text, settings, outs)).errors]


def forward(body: str, returns: str = "Tensor") -> str:
    return f"{HEAD}    def forward(self, x: Tensor) -> {returns}:\n        {body}"


def test_a_text_that_nobody_trusted_does_not_run_and_what_follows_waits(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    text = f"{HEAD}    open({str(mark)!r}, 'w')\n\n    def forward(self, x: Tensor) -> Tensor:\n"
    text += "        return x"
    report = analyse(drawn(text))
    assert not mark.exists()
    assert report.source is None
    assert {name: node.state for name, node in report.nodes.items()} == {
        "image": "ok",
        "mine": "error",
        "out0": "waiting",
    }
    (error,) = report.errors
    assert (error.node, error.code) == ("mine", "untrusted")
    assert error.message == "mine is a Mine, which holds Python that nobody has trusted here yet."
    assert error.hint == ("Read it and trust it on the Build page, or with: layerloom trust FILE.")
    trust.trust(text, "Mine")
    assert analyse(drawn(text)).ok
    assert mark.exists()


def test_another_character_or_a_change_of_mind_asks_again() -> None:
    text = forward("return x")
    trust.trust(text, "Mine")
    assert analyse(drawn(text)).ok
    assert [e.code for e in analyse(drawn(text + " ")).errors] == ["untrusted"]
    trust.forget(text)
    assert [e.code for e in analyse(drawn(text)).errors] == ["untrusted"]


def test_a_damaged_list_is_said_where_trust_is_missing(home: Path) -> None:
    text = forward("return x")
    trust.trust(text, "Mine")
    (home / "trusted.json").write_text("{")
    (error,) = analyse(drawn(text)).errors
    assert error.code == "untrusted"
    assert "No Python of any project is trusted: " in error.hint


def test_a_text_that_is_no_block_is_told_by_its_line_before_trust_is_asked() -> None:
    (error,) = analyse(drawn(f"{HEAD}    pass")).errors
    assert error.code == "bad_python"
    assert error.message == (
        "mine is a Mine, whose Python is not right: Line 1 needs a method forward(self, x: Tensor)."
    )


@pytest.mark.usefixtures("trusting")
def test_the_source_holds_the_classes_as_they_stand(golden: bool) -> None:
    report = analyse_project(PROJECT)
    assert (report.errors, report.warnings) == ((), ())
    source = report.source or ""
    if golden:
        GOLDEN.write_text(source, "utf-8")
    assert source == GOLDEN.read_text("utf-8")
    assert all(f"\n\n\n{text}\n\n\n" in source for text in TEXTS.values())


@pytest.mark.usefixtures("trusting")
def test_it_is_summed_up_as_torchinfo_does() -> None:
    report = analyse_project(PROJECT)
    module = build(report.source or "", report.class_name)
    truth = torchinfo.summary(module, input_data=torch.rand(3, 1, 8, 8), verbose=0)
    got = summary(report, 3)
    assert (got.total_params, got.mult_adds) == (truth.total_params, truth.total_mult_adds)
    assert got.sizes.forward_backward == truth.total_output_bytes
    assert report.total_params == 2762
    assert [(n.path, n.params) for n in report.nodes.values() if n.block == "Gate"] == [
        ("gate1", 72),
        ("gate2", 40),
        ("gate2.0", 20),
        ("gate2.1", 20),
    ]


INIT = f"{HEAD}    def __init__(self):\n        super().__init__()\n"
GAIN = "        self.gain = nn.Parameter(torch.ones(3, 1, 1))\n"
FC = "        self.fc = nn.Linear(4, 4)\n"
COUNTED = {
    "weight": ("        self.weight = nn.Parameter(torch.ones(3, 1, 1))\n", "x * self.weight"),
    "gain": (GAIN, "x * self.gain"),
    "mixed": (FC + GAIN, "self.fc(x) * self.gain"),
    "twice": (FC, "self.fc(self.fc(x))"),
    "unused": (FC + "        self.other = nn.Linear(4, 5)\n", "self.fc(x)"),
    "frozen": (FC + "        self.fc.weight.requires_grad_(False)\n", "self.fc(x)"),
}


@pytest.mark.parametrize("name", COUNTED)
def test_what_is_inside_counts_as_torchinfo_counts_it(name: str) -> None:
    layers, result = COUNTED[name]
    text = f"{INIT}{layers}\n    def forward(self, x: Tensor):\n        return {result}"
    trust.trust(text, "Mine")
    report = analyse(drawn(text))
    module = build(report.source or "", report.class_name)
    truth = torchinfo.summary(module, input_data=torch.rand(2, 3, 4, 4), verbose=0)
    got = summary(report, 2)
    assert (got.total_params, got.trainable_params, got.mult_adds) == (
        truth.total_params,
        truth.trainable_params,
        truth.total_mult_adds,
    )
    assert got.sizes.forward_backward == truth.total_output_bytes
    assert got.sizes.params == truth.total_param_bytes


@pytest.mark.usefixtures("trusting")
def test_its_weights_have_the_names_of_its_node() -> None:
    report = analyse_project(PROJECT)
    keys = list(build(report.source or "", report.class_name).state_dict())
    assert keys == [
        *("conv1.weight", "conv1.bias", "gate1.fc.weight", "gate1.fc.bias"),
        *("gate2.0.fc.weight", "gate2.0.fc.bias", "gate2.1.fc.weight", "gate2.1.fc.bias"),
        *("fc.weight", "fc.bias"),
    ]


@pytest.mark.usefixtures("trusting")
def test_its_feature_maps_are_its_outputs() -> None:
    report = analyse_project(PROJECT)
    module = build(report.source or "", report.class_name).eval()
    image = torch.rand(2, 1, 8, 8)
    maps = capture(module, report, (image,)).values
    gated = module.get_submodule("gate1")(module.get_submodule("conv1")(image))
    first, second = module.get_submodule("halves")(gated)
    assert torch.equal(maps["gate1"], gated)
    assert torch.equal(maps["halves"][1], second)
    assert torch.equal(maps["join"], first + second)
    assert set(maps) <= set(report.nodes)


def test_layers_inside_of_it_are_no_nodes_of_the_drawing() -> None:
    text = f"{HEAD}    def __init__(self):\n        super().__init__()\n"
    text += "        self.steps = nn.Sequential(nn.Linear(4, 4), nn.ReLU())\n\n"
    text += "    def forward(self, x: Tensor): return self.steps(x)"
    trust.trust(text, "Mine")
    report = analyse(drawn(text))
    module = build(report.source or "", report.class_name)
    found = capture(module, report, (torch.rand(1, 3, 4, 4),)).values
    assert set(found) == {"image", "mine", "out0"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            forward("return x @ torch.ones(3, 2)"),
            "mine is a Mine that fails in line 3 of its code (return x @ torch.ones(3, 2)): ",
        ),
        (
            forward("raise SystemExit('no')"),
            "mine is a Mine that fails in line 3 of its code (raise SystemExit('no')): "
            "SystemExit: no",
        ),
        (
            forward("return numpy.zeros(3)"),
            "mine is a Mine that fails in line 3 of its code (return numpy.zeros(3)): "
            "NameError: name 'numpy' is not defined",
        ),
        (
            f"{HEAD}    table = {{}}['a']\n\n    def forward(self, x: Tensor): return x",
            "mine is a Mine that fails in line 2 of its code (table = {}['a']): KeyError: 'a'",
        ),
        (
            f"{HEAD}    def __init__(self):\n        self.fc = nn.Linear(1, 1)\n\n"
            "    def forward(self, x: Tensor): return x",
            "mine is a Mine that fails in line 3 of its code (self.fc = nn.Linear(1, 1)): "
            "AttributeError: cannot assign module before Module.__init__() call",
        ),
        (
            forward("return {'a': x}"),
            "mine is a Mine whose forward says it gives one Tensor, but it gives something else.",
        ),
        (
            forward("return x, x"),
            "mine is a Mine whose forward says it gives one Tensor, but it gives 2 values.",
        ),
        (
            forward("return 3"),
            "mine is a Mine whose forward says it gives one Tensor, but it gives something else.",
        ),
    ],
)
def test_what_the_class_raises_is_said_with_its_line(text: str, message: str) -> None:
    (found,) = said(text)
    assert found.startswith(message), found


def test_more_outputs_than_said_are_told() -> None:
    text = forward("return x, x, x", "tuple[Tensor, Tensor]")
    assert said(text, outs=2) == [
        "mine is a Mine whose forward says it gives a tuple of 2 Tensors, but it gives 3 values."
    ]
    assert said(forward("return x, x", "tuple[Tensor, Tensor]"), outs=2) == []


def test_its_settings_are_checked_before_it_runs() -> None:
    text = f"{HEAD}    def __init__(self, n: int, k: float = 1.0):\n        super().__init__()\n\n"
    text += "    def forward(self, x: Tensor): return x"
    assert said(text) == ["mine needs n but has none."]
    assert said(text, {"n": 3, "m": 4}) == ["mine has a setting 'm' that Mine does not know."]
    assert said(text, {"n": "3"}) == [  # type: ignore[dict-item]
        "mine needs n to be a whole number but receives '3'."
    ]


def test_what_it_prints_is_no_part_of_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(forward("print('hello'); return x")) == []
    out, err = capsys.readouterr()
    assert (out, "hello" in err) == ("", True)


def test_a_fault_from_outside_may_be_mended(tmp_path: Path) -> None:
    text = forward(f"open({str(tmp_path / 'table')!r}).close(); return x")
    assert "FileNotFoundError" in said(text)[0]
    (tmp_path / "table").touch()
    assert said(text) == []


def test_a_project_of_the_block_s_name_gets_another_class() -> None:
    text = forward("return x")
    trust.trust(text, "Mine")
    report = analyse(drawn(text), "Mine")
    assert report.class_name == "NetMine"
    assert build(report.source or "", report.class_name)(torch.ones(1, 3, 4, 4)).shape == (
        *(1, 3, 4, 4),
    )


Forge = Callable[[str], str]


@pytest.mark.parametrize(
    "forge",
    [
        lambda source: source.replace("torch.sigmoid", "torch.tanh"),
        lambda source: source.replace("class Gate", "@print\nclass Gate"),
        lambda source: source.replace("class Gate", "class Gate2"),
        lambda source: source + "\n\nprint(1)\n",
        lambda source: source + "\n\nclass Other(nn.Module):\n    x = open('a')\n",
        lambda source: source.replace("import math", "import os"),
        lambda source: source.replace("self.gate1 = Gate(8, scale=2.0)", "self.gate1 = open('a')"),
        lambda source: source.replace(  # lines that Python counts in another way than a split
            "class Gate", "class Evil(nn.Module):\r    x = open('a')\r\r\rclass Gate"
        ),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("trusting")
def test_a_forged_source_is_refused(forge: Forge) -> None:
    source = analyse_project(PROJECT).source or ""
    audit(source)
    with pytest.raises(AuditError):
        build(forge(source))


@pytest.mark.usefixtures("trusting")
def test_a_trusted_text_lends_its_trust_to_no_lines_beside_it() -> None:
    """A docstring may hold the trusted lines where \\r makes Python count others."""
    text = TEXTS["Halves"]
    evil = "class Halves(nn.Module):\r    x = open('a')\r\r\r\r"
    shift = "\r" * 3
    source = f'"""a{shift}"""\n{evil}\n"""\n{text}\n"""\n'
    with pytest.raises(AuditError):
        audit(source)


def test_a_source_made_while_it_was_trusted_is_refused_once_forgotten() -> None:
    text = forward("return (lambda y: y)(x)")
    trust.trust(text, "Mine")
    report = analyse(drawn(text))
    build(report.source or "", report.class_name)
    trust.forget(text)
    with pytest.raises(AuditError):
        build(report.source or "", report.class_name)
