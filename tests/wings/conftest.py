"""The pages of wings are tested as the others: a workspace of their own, and a tab."""

from tests.app.conftest import *  # noqa: F403
