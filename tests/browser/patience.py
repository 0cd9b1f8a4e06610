"""How long browser tests wait: for an event, never for a time; these limits only end what is lost.

LAYERLOOM_PATIENCE multiplies them: 1 on a usual machine, 3 on one that is three times as slow.
"""

import os

FACTOR = float(os.environ.get("LAYERLOOM_PATIENCE", "1"))
PATIENCE_MS = round(60_000 * FACTOR)
"""For one thing to happen on a page."""
START_S = 100 * FACTOR
"""For a workbench to answer."""
LIMIT_S = 120 * FACTOR
"""For one test, after its server and browser are ready."""
