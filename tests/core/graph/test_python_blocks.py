"""A class read as a block by its syntax: settings, ports, and what is wrong with it by line."""

import pytest

from blocks.spec import REQUIRED
from core.graph import Composite, Graph, GraphError, Node
from core.graph.edits import apply
from core.graph.ports import block_of, input_ports, output_ports
from core.graph.python import composite_of, faults, read, tidy

GATE = """class Gate(nn.Module):
    \"\"\"Scale each channel.

    More of it.
    \"\"\"

    def __init__(
        self, channels: int, scale: float = 1, *, side: "int | None" = None,
        kinds: tuple[int, ...] = (1, 2), how: "Literal['sum', 'mean']" = "sum", word: str = "a",
        on=True,
    ) -> None:
        super().__init__()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return x"""
TWO = """class Two(nn.Module):
    def forward(self, x, y: "torch.Tensor") -> tuple[Tensor, Tensor]:
        return x, y"""


def block(body: str, head: str = "class Gate(nn.Module):") -> str:
    return f"{head}\n{body}"


FORWARD = "    def forward(self, x: Tensor) -> Tensor:\n        return x"


def test_settings_are_read_off_the_constructor() -> None:
    found, wrong = read("Gate", GATE)
    assert wrong == ()
    assert [(s.name, s.kind, s.default, s.optional, s.positional) for s in found.settings] == [
        ("channels", "int", REQUIRED, False, True),
        ("scale", "float", 1, False, False),
        ("side", "int", None, True, False),
        ("kinds", "dims", (1, 2), False, False),
        ("how", "choice", "sum", False, False),
        ("word", "text", "a", False, False),
        ("on", "bool", True, False, False),
    ]
    assert found.settings[4].choices == ("sum", "mean")
    assert (found.family, found.init, found.code) == ("custom", "Gate", GATE)
    assert found.summary == "Scale each channel."


def test_ports_are_read_off_forward() -> None:
    found = read("Gate", GATE)[0]
    assert [(p.name, p.optional) for p in found.inputs] == [("x", False), ("mask", True)]
    assert [(p.name, p.kind) for p in found.outputs] == [("output", "tensor")]
    two = read("Two", TWO)[0]
    assert [p.name for p in two.inputs] == ["x", "y"]
    assert [(p.name, p.kind) for p in two.outputs] == [("output", "tensors")]


def test_a_composite_of_python_has_them_as_a_drawn_one_has() -> None:
    parts = {"Gate": composite_of("Gate", GATE), "Drawn": Composite()}
    assert dict(parts["Gate"].settings)["scale"] == 1
    assert dict(parts["Gate"].settings)["channels"] is None
    assert [p.name for p in input_ports(Node("Gate"), parts)] == ["x", "mask"]
    assert [p.name for p in output_ports(Node("Gate"), parts)] == ["output"]
    assert block_of("Gate", parts) == read("Gate", GATE)[0]
    assert block_of("Drawn", parts) is None
    assert getattr(block_of("ReLU", parts), "init", "") == "nn.ReLU"


def test_the_wire_decides_what_it_decides_for_torch_s_own_layers() -> None:
    text = block("    def __init__(self, in_channels: int) -> None:\n        pass\n" + FORWARD)
    (setting,) = read("Gate", text)[0].settings
    assert (setting.infer and (setting.infer.port, setting.infer.dim)) == ("x", 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Line 1 needs a class: class Gate(nn.Module):"),
        ("class Gate(nn.Module:", "Line 1 is not Python: "),
        (block(FORWARD, "class Gate(object):"), "Line 1 needs the base nn.Module"),
        (block(FORWARD, "class Gate(nn.Module, metaclass=M):"), "Line 1 needs the base nn.Module"),
        (block(FORWARD, "class Other(nn.Module):"), "Line 1 names the class Other, but the block"),
        (block(FORWARD, "@wrap\nclass Gate(nn.Module):"), "Line 1 must start with the class"),
        (block(FORWARD, "# mine\nclass Gate(nn.Module):"), "Line 1 must start with the class"),
        (block("    pass"), "Line 1 needs a method forward(self, x: Tensor)."),
        (block(FORWARD + "\nimport os"), "Line 4 has more than one class or statement"),
        (block(FORWARD + "\n# end"), "Line 4 follows the class"),
        (block("    async def forward(self, x): pass"), "Line 2 needs one plain method forward"),
        (block("    @torch.no_grad()\n    def forward(self, x): pass"), "Line 3 needs one plain"),
        (block("    def forward(self): pass"), "Line 2 needs a Tensor in forward"),
        (block("    def forward(x): pass"), "Line 2 needs self as the first argument"),
        (
            block("    def forward(self, *x): pass"),
            "Line 2 takes any number of arguments in forward",
        ),
        (
            block("    def forward(self, n: int): pass"),
            "Line 2 declares n: int in forward; arguments",
        ),
        (block("    def forward(self, x=1): pass"), "Line 2 has a default for x of forward; only"),
        (block("    def forward(self, F): pass"), "Line 2 needs another argument of forward: F"),
        (
            block("    def forward(self, x) -> dict: pass"),
            "Line 2 has the return type dict; forward must",
        ),
        (block("    def __init__(self, a): pass\n" + FORWARD), "Line 2 needs the type of a in"),
        (
            block("    def __init__(self, x: int): pass\n" + FORWARD),
            "Line 3 needs another argument",
        ),
        (
            block("    def __init__(self, a: int = f()): pass\n" + FORWARD),
            "Line 2 has a default of",
        ),
        (block("\tx = 1\n\tdef forward(self, x): pass"), "Line 2 contains a tab"),
        (block(FORWARD + "  # \u202e"), "Line 3 contains the invisible character U+202E."),
        (block(FORWARD + "  # \u200b"), "Line 3 contains the invisible character U+200B."),
        (block(FORWARD + "  # \u3164"), "Line 3 contains the invisible character U+3164."),
        (block(FORWARD + "  # \U000e0041"), "Line 3 contains the invisible character U+E0041."),
        (block(FORWARD + "  # \ufe0f"), "Line 3 contains the invisible character U+FE0F."),
        (
            block(FORWARD + '  # "\u05d0" != 5 > "\u05d1"'),
            "Line 3 contains right-to-left letters",
        ),
        (block(FORWARD + "  # a\u0300\u0300\u0300"), "Line 3 has more than two accents on one"),
        (
            block(FORWARD.replace("x\n", "f'{\u0441(x)}'\n", 1) + " + f'{\u0441(x)}'"),
            "Line 3 ",
        ),  # a name from 3.12 on
        (block(FORWARD, "class \\\nGate(nn.Module):"), "Line 1 must begin with: class Gate(nn.Mod"),
        (
            block("    def forward(self, x, x): pass"),
            "Line 2 needs another name for an argument of",
        ),
        (
            block("    def forward(self, x, *, self): pass"),
            "Line 2 needs another name for an argum",
        ),
        (block("    def __init__(self, __a: int): pass\n" + FORWARD), "Line 2 needs another name"),
        (
            block("    def __init__(self, a: tuple[()]): pass\n" + FORWARD),
            "Line 2 needs the type of",
        ),
        (
            block("    def __init__(self, a: list[()]): pass\n" + FORWARD),
            "Line 2 needs the type of",
        ),
        (
            block("    def __init__(self, a: 'Literal[()]'): pass\n" + FORWARD),
            "Line 2 needs the type",
        ),
        (
            block("    def __init__(self, a: Literal['a'] = 'a'): pass\n" + FORWARD),
            "Line 2 uses the name Literal in a type: put the type in quotation marks",
        ),
        (
            block("    def forward(self, x) -> Tuple[Tensor, Tensor]: pass"),
            "Line 2 uses the name Tup",
        ),
        (
            block("    def __init__(self, a: str = '\\ud800'): pass\n" + FORWARD),
            "Line 2 has a default of",
        ),
        (block("    def forward(self, \uff58): pass"), "Line 2 uses a name with characters other"),
        (block("    pass\n" * 500 + FORWARD), "Line 501 has 503 lines; at most 500 are allowed."),
        (block(FORWARD + "  # " + "a" * 200), "Line 3 has 220 characters; at most 200"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, message: str) -> None:
    assert any(str(fault).startswith(message) for fault in faults("Gate", text)), [
        str(fault) for fault in faults("Gate", text)
    ]


@pytest.mark.parametrize("name", ["Tensor", "DataLoader", "gate", "A" * 41])
def test_a_class_has_a_name_that_the_source_can_hold(name: str) -> None:
    text = block(FORWARD, f"class {name}(nn.Module):")
    assert next(str(f) for f in faults(name, text)).startswith(("Line 1 uses", "Line 1 needs a c"))


def test_a_text_is_stored_without_what_only_an_editor_left_in_it() -> None:
    assert tidy("\n\nclass A(nn.Module):  \r\n\tx = 1\n\n") == "class A(nn.Module):\n    x = 1"


def test_a_text_nested_without_end_is_refused() -> None:
    deep = "    def forward(self, x: (\n" + ("-" * 190 + "\n") * 400 + "1)): pass"
    (fault,) = faults("Gate", block(deep))
    assert str(fault).startswith("Line 1 ")


def test_nothing_is_drawn_inside_of_it() -> None:
    graph = Graph(composites={"Gate": composite_of("Gate", GATE)})
    edit = {"op": "add", "id": "fc", "block": "Linear", "composite": "Gate"}
    with pytest.raises(GraphError, match="Gate is written in Python and has no drawing inside"):
        apply(graph, [edit])


def test_reading_a_class_runs_nothing() -> None:
    text = block("    raise SystemExit(1 / 0)\n" + FORWARD)
    assert faults("Gate", text) == ()
