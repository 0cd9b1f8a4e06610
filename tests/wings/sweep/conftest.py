"""Fixtures of the base that tests of a sweep use as they are."""

from tests.core.conftest import iris_run, run_folders

__all__ = ["iris_run", "run_folders"]
