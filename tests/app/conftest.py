"""What the tests of the pages share: a workspace of their own, and a way from page to page."""

import functools

import pytest
from streamlit.components.v2 import manifest_scanner

from tests.app.tab import Tab


@pytest.fixture(scope="session", autouse=True)
def _components_found_once():
    """AppTest looks for components in the metadata of all installed packages each time."""
    scan = functools.cache(manifest_scanner.scan_component_manifests)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A folder for projects, runs and drafts."""
    for name in ("WORKSPACE", "RUNS", "HOME"):
        folder = tmp_path / name.lower()
        folder.mkdir()
        monkeypatch.setenv(f"LAYERLOOM_{name}", str(folder))
    monkeypatch.delenv("LAYERLOOM_OPEN", raising=False)
    return tmp_path / "workspace"


@pytest.fixture
def tab(workspace):
    """A fresh tab on the start page."""
    return Tab()


@pytest.fixture
def lenet(tab):
    """A tab with the LeNet template open on Build."""
    return tab.press("open_template_lenet_digits")
