"""The workbench in the browser and the command line. Streamlit lives here and nowhere else."""

import os
import sys

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
_first = sys.path[0] or "."
if os.path.isdir(_first) and os.path.samefile(_first, "."):  # noqa: PTH112, PTH121
    # `python -m app.cli` looks in the folder it is typed in first, also for random.py; `app` itself
    # lies elsewhere. The rest is taken away by `tidy_process`, which other modules are needed for.
    sys.path[:1] = [] if _ROOT in sys.path[1:] else [_ROOT]
