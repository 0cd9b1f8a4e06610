"""Fixtures of the base that tests of a sweep use as they are."""

from tests.core.conftest import iris_run, run_folders
from tests.core.launch.test_ray import cluster

__all__ = ["cluster", "iris_run", "run_folders"]
