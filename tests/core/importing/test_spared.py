"""An import of a model does without torch's compiler, which is there for whoever asks for it."""

import subprocess
import sys

import pytest

DRAWN = """
import sys
from core.importing.spared import Later, without_compiler
with without_compiler():
    import torch
    from torchvision.ops import roi_align
    from core.importing import import_module
    from core.importing.sources import open_source
    one = open_source("torchvision:squeezenet1_1")
    norm = torch.nn.Sequential(one.module, torch.nn.BatchNorm1d(1000))
    import_module(norm.eval(), one.shapes, one.name)
    stand_in = sys.modules["torch._dynamo"]
    print(type(stand_in).__name__, "torch._dynamo.config" in sys.modules)
    import torch._dynamo.config
    print(isinstance(sys.modules["torch._dynamo"], Later), sys.modules["torch._dynamo"].__file__)
print(sys.modules["torch._dynamo.config"] is torch._dynamo.config)
from torchvision.ops import roi_align
home = sys.modules["torchvision.ops.roi_align"]
real = torch._dynamo.utils.is_compile_supported
print(home.is_compile_supported is real, home.is_compile_supported("cpu") == real("cpu"))
print(torch.compile(lambda x: x + 1, backend="eager")(torch.ones(1)).item())
"""
LEFT = """
import sys
from core.importing.spared import without_compiler
with without_compiler():
    import torchvision
print([name for name in sys.modules if name.startswith("torch._dynamo")])
import torch
print(torch.compile(lambda x: x + 1, backend="eager")(torch.ones(1)).item())
"""


def said(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.slow
def test_the_compiler_comes_in_whole_when_a_part_of_it_is_asked_for():
    lines = said(DRAWN)
    assert lines[0] == "Later False"
    assert lines[1].startswith("False ")
    assert lines[1].endswith("__init__.py")
    assert lines[2:] == ["True", "False True", "2.0"]


@pytest.mark.slow
def test_no_stand_in_stays_behind():
    assert said(LEFT) == ["[]", "2.0"]
