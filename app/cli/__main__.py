"""`python -m app.cli` is the `layerloom` command."""

import sys

from app.cli import entry

sys.exit(entry())
