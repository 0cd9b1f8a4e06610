"""Runs that bundles are made of, as the rooms of core make them."""

from tests.core.conftest import *  # noqa: F403
