"""Run folders of small networks, as the tests of core have them."""

from tests.core.conftest import iris_run, run_folders, small_run

__all__ = ["iris_run", "run_folders", "small_run"]
