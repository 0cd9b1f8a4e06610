"""A setting that the installed torch does not have yet is refused, and never written."""

import pytest

from blocks import CATALOGUE
from blocks.catalogue import catalogue_json
from blocks.versions import has, newer_settings, release
from core.analyse import analyse, shape_prop
from core.graph import Graph
from core.graph.edits import apply
from tests.core.drawing import END, IMAGE, chain

SINCE_2_12 = {"BatchNorm", "InstanceNorm", "GroupNorm"}


def normed(**settings: object) -> Graph:
    return chain(IMAGE, ("norm1", ("BatchNorm2d", settings)), END)


@pytest.fixture
def on_2_11(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shape_prop, "TORCH", "2.11.0+cu128")


@pytest.mark.usefixtures("on_2_11")
def test_a_setting_of_a_newer_torch_is_refused_with_both_versions_and_a_fix():
    graph = normed(bias=False)
    report = analyse(graph)
    (error,) = report.errors
    assert (error.node, error.code, report.source) == ("norm1", "newer_torch", None)
    assert error.message == (
        "norm1 needs torch 2.12 or newer for bias false but runs on torch 2.11.0+cu128."
    )
    assert error.hint == "Install torch 2.12 or newer, or leave bias at true."
    (fix,) = error.fixes
    assert fix["title"] == "Remove bias (torch's default)"
    assert analyse(apply(graph, fix["edits"])).ok


@pytest.mark.usefixtures("on_2_11")
def test_a_setting_of_a_newer_torch_at_its_default_is_written_nowhere():
    report = analyse(normed(bias=True))
    assert report.errors == ()
    assert report.nodes["norm1"].init == "nn.BatchNorm2d(1)"


def test_the_installed_torch_decides_by_its_version():
    bias = CATALOGUE["BatchNorm2d"].setting("bias")
    assert bias is not None
    versions = ("2.11.0", "2.12.0", "2.12.1+cpu", "2.9.1", "3.0", "2.13.0a0+git1234")
    assert [has(bias, v) for v in versions] == [False, True, True, False, True, True]
    assert release("2.12.1+cu130") == (2, 12, 1)
    assert newer_settings(CATALOGUE["BatchNorm2d"], {"bias": False}, "2.14.1") == []


def test_the_settings_that_came_after_the_oldest_torch_say_since_when():
    late = {(b.name.rstrip("123d"), s.name, s.since) for b in CATALOGUE.values()
            for s in b.settings if s.since}  # fmt: skip
    assert late == {(name, "bias", "2.12") for name in SINCE_2_12}
    described = catalogue_json()["blocks"]["GroupNorm"]["settings"]
    (bias,) = (s for s in described if s["name"] == "bias")
    assert bias["since"] == "2.12"
    assert bias["help"] == "Learn a shift too (only with affine). Since torch 2.12."
