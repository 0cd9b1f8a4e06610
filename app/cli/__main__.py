"""`python -m app.cli` is the `layerloom` command."""

import sys

from app.cli import main

sys.exit(main())
