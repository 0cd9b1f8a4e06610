"""Fixtures of the base that tests of launchers use as they are."""

from tests.app.conftest import lenet, tab, workspace
from tests.core.conftest import iris_run, run_folders, small_run

__all__ = ["iris_run", "lenet", "run_folders", "small_run", "tab", "workspace"]
