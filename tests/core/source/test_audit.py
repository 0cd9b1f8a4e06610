"""The allow-list accepts what the generator writes and refuses everything else."""

import sys

import pytest

from core.analyse import build
from core.source.audit import AuditError, audit, audit_expression

GOOD = '''"""Net: (N, 4) -> (N, 2). Written by Layerloom."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self, wide: int | None) -> None:
        super().__init__()
        self.fc1 = nn.Linear(4, wide)
        self.more = nn.Sequential(*[nn.Linear(2, 2) for _ in range(3)])

    def forward(self, data: Tensor) -> tuple[Tensor, Tensor]:
        x = self.fc1(data)  # (N, 2)
        x = torch.cat([x, data], dim=1)
        return x, data + x
'''


def test_generated_source_passes():
    audit(GOOD)


FORWARD = "        x = self.fc1(data)  # (N, 2)\n"


@pytest.mark.parametrize(
    "line",
    [
        "x = __import__('os').system('id')",
        "x = eval('1')",
        "x = open('/etc/passwd')",
        "x = F.warnings.sys.modules",
        "x = nn.modules.module.torch.hub.load('a', 'b')",
        "x = torch.load('a')",
        "x = torch.hub.load('a', 'b')",
        "x = torch.ops.load_library('a')",
        "t = torch",
        "t = nn; x = t.modules",
        "x = data.__class__.__mro__",
        "x = self.__dict__",
        "x = ().__class__",
        "x = (lambda: 1)()",
        "x = [y for y in data]",
        "x = {1: 2}",
        "x = f'{data}'",
        "global a",
        "import os",
        "from os import system",
        "exec('1')",
        "raise ValueError",
        "with data: pass",
        "x = data.numpy().tofile('a')",
        "x = data.tofile('a')",
        "x = self.fc1.weight.data.tofile('a')",
        "del data",
        "assert data",
        "x = print(data)",
        "x = getattr(data, 'tofile')",
        "x = data.backward(); y = data.save('a')",
        "while True: pass",
        "x = (yield data)",
        "x = super().__reduce__()",
        "x = torch.nn.functional.torch.load('a')",
        "class Inner: pass",
        "class Inner(nn.Module): 'a'",
        "def forward(self): return data",
        "self.forward = data",
        "self.c = exec; self.c('1')",
        "self.c = open",
        "range = exec; range('1')",
        "layer = open; layer('a')",
        "layer = data; layer('a')",
        "exec = data; exec('1')",
        "torch = data",
        "nn.Linear = data",
        "torch.cat = data",
        "[exec for exec in range(2)]; x = exec",
        "[layer(1) for layer in range(2)]",
        "for exec in range(2): exec('1')",
        "for layer in data: layer('1')",
        "x = [[a for a in range(2)] for b in range(2) for c in data]",
        "x = [a for a in range(2) if a]",
        "self.training = data",
        "x = self.apply(data)",
        "x = self.compile()",
        "data.c = data",
        "x = Net",
        "x = self",
        "x = super",
        "x = nn.Linear(**data)",
        "x, *range = data",
        "x = undefined",
    ],
)
def test_a_line_that_is_not_listed_is_refused(line: str):
    body = "".join(f"        {part}\n" for part in line.split("; "))
    source = GOOD.replace(FORWARD, FORWARD + body)
    assert source != GOOD
    with pytest.raises(AuditError):
        audit(source)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import torch\n", "import os\n"),
        ("from torch import Tensor, nn", "from torch import *"),
        ("from torch import Tensor, nn", "from torch import hub as nn, Tensor"),
        ("class Net(nn.Module):", "@staticmethod\nclass Net(nn.Module):"),
        ("class Net(nn.Module):", "class Net(dict):"),
        ("class Net(nn.Module):", "class Net(nn.Module, metaclass=type):"),
        ("def forward(self, data: Tensor)", "def forward(self, data: Tensor = open('a'))"),
        ("def forward(", "def __reduce__("),
        ("def forward(", "async def forward("),
        ("class Net(nn.Module):\n", "class Net(nn.Module):\n    a = 1\n"),
        ('Written by Layerloom."""', 'Written by Layerloom."""\nprint(1)'),
        ("wide: int | None", "wide: Bare"),
        ("wide: int | None", "wide: open('a')"),
        ("-> tuple[Tensor, Tensor]", "-> tuple[eval('1')]"),
        ("self, data: Tensor", "data: Tensor"),
        ("self, data: Tensor", "self, range: Tensor"),
        ("self, data: Tensor", "self, *data: Tensor"),
        ("class Net", "class range"),
        ("class Net", "class nn"),
        ("class Net", "class open"),
    ],
)
def test_a_file_of_another_form_is_refused(old: str, new: str):
    source = GOOD.replace(old, new, 1)
    assert source != GOOD
    with pytest.raises(AuditError):
        audit(source)


def test_a_refusal_names_the_line():
    with pytest.raises(AuditError, match=r"line 15: generated source never contains `torch\.load`"):
        audit(GOOD.replace(FORWARD, "        x = torch.load('a')\n" + FORWARD))


@pytest.mark.parametrize(
    "nested",
    [
        "-" * 100_000 + "1",
        "(" * 1000 + ")" * 1000,
        "[" * 190 + "]" * 190,
        "+".join(["1"] * 100_000),
        "data" + ".a" * 100_000,
        "1" * 5000,
        "data\0",
        "'\ud800'",
    ],
    ids=str.__len__,
)
def test_what_python_itself_cannot_read_is_refused_in_a_sentence(nested: str):
    with pytest.raises(AuditError, match=r"nested more deeply|is not Python"):
        audit(GOOD.replace(FORWARD, f"        x = {nested}\n"))
    with pytest.raises(AuditError, match=r"nested more deeply|is not Python"):
        audit_expression(nested)


def test_a_name_that_its_function_binds_is_a_value_and_no_class_or_function():
    audit(GOOD.replace("x", "max").replace("data", "input"))
    inner = "class Inner(nn.Module):\n    def __init__(self) -> None:\n        super().__init__()\n"
    use = FORWARD + "        Inner = self.fc1(data)\n"
    source = GOOD.replace("class Net", f"{inner}\n\nclass Net").replace(FORWARD, use)
    audit(source)
    with pytest.raises(
        AuditError, match=r"line 22: generated source never contains a call of `Inner`"
    ):
        audit(source.replace(use, f"{use}        x = Inner(x)\n"))


def test_source_is_run_with_the_few_functions_of_python_that_it_uses():
    module = build(GOOD.replace("wide: int | None", "wide: int | None = 2"))
    given = sys.modules[type(module).__module__].__dict__["__builtins__"]
    assert set(given) == {
        "__build_class__", "__import__", "range", "super", "slice", "float", "int", "bool", "str",
        "tuple", "list", "ValueError",
    }  # fmt: skip


@pytest.mark.parametrize("text", ["nn.Conv2d(1, 6, kernel_size=(3, 5))", "a + b"])
def test_a_generated_expression_passes(text: str):
    audit_expression(text)


@pytest.mark.parametrize(
    "text",
    [
        "print(1)",
        "nn.Conv2d.__init__",
        "x.tofile('a')",
        "1 if a else 2",
        "range",
        "float(torch)",
        "__import__",
        "nn.Linear(**a)",
        "[b for b in a]",
        "f'{a}'",
    ],
)
def test_another_expression_is_refused(text: str):
    with pytest.raises(AuditError):
        audit_expression(text)


def looped(lines: list[str]) -> str:
    head = "class A(nn.Module):\n    def forward(self, x: Tensor) -> Tensor:\n"
    body = "\n".join(f"        {line}" for line in lines)
    return f"from torch import Tensor, nn\n\n\n{head}{body}\n        return x\n"


CALL = "    x = layer(x)"


@pytest.mark.parametrize(
    "lines",
    [
        ["for layer in self.a:", CALL, "for layer in self.b:", CALL],
        ["for stage in self.a:", "    for layer in stage:", f"    {CALL}"],
    ],
)
def test_loops_over_lists_of_layers_pass(lines: list[str]):
    audit(looped(lines))


@pytest.mark.parametrize(
    ("lines", "construct"),
    [
        (["for layer in self.a:", CALL, "layer = x", "x = layer(x)"], "call"),
        (["for layer in x:", CALL], "loop"),
        (["for layer in layer:", CALL], "loop"),
        (["for i in range(3):", "    for layer in i:", f"    {CALL}"], "loop"),
        (["for layer in self.a:", CALL, "for layer in range(2):", CALL], "call"),
    ],
)
def test_only_what_a_loop_over_layers_bound_is_called(lines: list[str], construct: str):
    with pytest.raises(AuditError, match=f"generated source never contains a {construct}"):
        audit(looped(lines))
