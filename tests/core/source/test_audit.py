"""The allow-list accepts what the generator writes and refuses everything else."""

import pytest

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
    ],
)
def test_a_file_of_another_form_is_refused(old: str, new: str):
    source = GOOD.replace(old, new, 1)
    assert source != GOOD
    with pytest.raises(AuditError):
        audit(source)


def test_a_refusal_names_the_line():
    with pytest.raises(AuditError, match=r"line 15: generated source never holds `torch\.load`"):
        audit(GOOD.replace(FORWARD, "        x = torch.load('a')\n" + FORWARD))


@pytest.mark.parametrize("text", ["nn.Conv2d(1, 6, kernel_size=(3, 5))", "a + b"])
def test_a_generated_expression_passes(text: str):
    audit_expression(text)


@pytest.mark.parametrize(
    "text", ["print(1)", "nn.Conv2d.__init__", "x.tofile('a')", "1 if a else 2"]
)
def test_another_expression_is_refused(text: str):
    with pytest.raises(AuditError):
        audit_expression(text)
