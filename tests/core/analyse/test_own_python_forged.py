"""No source with other Python than what is trusted is ever executed."""

from collections.abc import Callable

import pytest

from core.analyse import analyse, analyse_project, build
from core.files import trust
from core.source.audit import AuditError, audit
from tests.core.analyse.own_blocks import PROJECT, TEXTS, drawn, forward

pytestmark = pytest.mark.usefixtures("own_home")


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
