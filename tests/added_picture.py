"""A process with a picture in a module of its own: prints what command and page then have of it.

The module is put into the folder of all pictures before anything reads that.
"""

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

from core.insight import look as pictures

LENET = Path(__file__).parents[1] / "projects" / "lenet_digits.loom.json"
MODULE = '''
"""How far the outputs of blocks spread."""

from core.insight.look.view import LookResult, View


def spread(ref, request):
    from core.insight.features import capture
    from core.insight.network_cache import inputs_of, opened

    network, inputs = opened(ref), inputs_of(ref, request.sample, request.sample + 1)
    found = capture(network.module, network.report, inputs, ["conv1", "fc3"]).values
    rows = tuple({"block": name, "values": value.numel()} for name, value in found.items())
    lines = tuple(f"{row['block']}: {row['values']} values" for row in rows)
    return LookResult({"blocks": list(rows)}, lines, table=rows)


VIEWS = (View("spread", "how far outputs spread", spread, title="Spread"),)
'''


def printed(*arguments: str) -> str:
    """What `layerloom look` prints."""
    from app.cli import main

    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        main(["look", *arguments])
    return out.getvalue()


def page() -> None:
    """The section of the page, with the call made here instead of in another process."""
    from pathlib import Path

    from app.pages.inside import declared
    from app.pages.inside import page as inside
    from app.pages.inside.inspection import Inspection
    from core.common.network_ref import ProjectRef
    from core.insight.views import overview
    from tests.added_picture import LENET

    declared.ask = lambda call, ref, *rest, timeout_s: call(ref, *rest)  # type: ignore[assignment]
    ref = ProjectRef(Path(LENET).read_text("utf-8"))
    inside.TABS["Spread"][""].show(Inspection(None, ref, overview(ref)))


def shown() -> dict[str, Any]:
    """What the page has of it."""
    from streamlit.testing.v1 import AppTest

    from app.pages.inside.page import TABS

    tab = AppTest.from_function(page, default_timeout=60).run()
    return {
        "sections": list(TABS)[-2:],
        "errors": [error.value for error in tab.exception],
        "caption": [caption.value for caption in tab.caption],
        "table": tab.dataframe[0].value.to_dict("records"),
    }


if __name__ == "__main__":
    (Path(sys.argv[1]) / "spread.py").write_text(MODULE, "utf-8")
    pictures.__path__.append(sys.argv[1])
    document = json.loads(printed(str(LENET), "--what", "spread", "--json"))
    found = {
        "help": "spread: how far outputs spread" in " ".join(printed("--help").split()),
        "document": {key: document[key] for key in ("ok", "what", "sample", "blocks")},
        **shown(),
    }
    sys.stdout.write(json.dumps(found))
