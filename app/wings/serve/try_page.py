"""The page of a server: the one that exports make, asking the server in place of ONNX Runtime."""

import base64
import hashlib
import json
from typing import Any

from app.wings.serve.reach import Reach, part_of_page
from app.wings.serve.served import Served
from core.export.web.page import page_of, script_of
from core.samples.inputs import FILES, data_shape, may_be_omitted, spec_kind
from core.samples.text_tokens import text_of

ENGINE = "server.js"


def page(net: Served, secured: bool, reach: Reach | None = None) -> tuple[str, str]:
    """The page, and its Content-Security-Policy: its own script, and this server alone."""
    facts = {**net.facts, "call": command(net.interface, net.facts["samples"], secured)}
    digest = base64.b64encode(hashlib.sha256(f"\n{script_of(ENGINE)}".encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
    )
    text = page_of(facts, ENGINE, policy, {}, part_of_page(reach))
    return text, f"{policy}; frame-ancestors 'none'"


def command(interface: dict[str, Any], samples: list[dict[str, Any]], secured: bool) -> str:
    """A command that asks for a prediction, to be copied. The page puts its address in.
    samples: those of the page; the cells of the first are the example of a row."""
    cells = samples[0]["cells"] if samples else [[] for _ in interface["inputs"]]
    given = [
        (spec, row)
        for spec, row in zip(interface["inputs"], cells, strict=True)
        if not may_be_omitted(spec)
    ]
    head = "curl ADDRESS/predict"
    if secured:
        head += " \\\n  -H 'Authorization: Bearer TOKEN'"
    if len(given) == 1 and spec_kind(given[0][0]) == "picture":
        return f"{head} \\\n  -H 'Content-Type: image/png' --data-binary @picture.png"
    if len(given) == 1 and spec_kind(given[0][0]) == "sound":
        return f"{head} \\\n  -H 'Content-Type: audio/wav' --data-binary @sound.wav"
    if len(given) == 1 and spec_kind(given[0][0]) == "window":
        return f"{head} \\\n  -H 'Content-Type: text/csv' --data-binary @rows.csv"
    sample = {spec["name"]: _example(spec, row) for spec, row in given}
    body = json.dumps({"samples": [sample]}, ensure_ascii=False).replace("'", "'\\''")
    return f"{head} \\\n  -H 'Content-Type: application/json' \\\n  -d '{body}'"


def _example(spec: dict[str, Any], cells: list[str]) -> Any:
    """A value that an input takes: a row as the file has it, where there is one."""
    kind = spec_kind(spec)
    if kind == "row" and cells:
        return {field["name"]: cell for field, cell in zip(spec["fields"], cells, strict=True)}
    if kind == "row":
        means = spec.get("mean") or [0.0] * len(data_shape(spec))
        return {
            field["name"]: field["words"][0]
            if field.get("words")
            else float(f"{means[field['places'][0]]:.4g}")
            for field in spec["fields"]
        }
    if spec.get("vocabulary"):
        return text_of(range(2, 5), spec["vocabulary"], spec["cut_by"])  # 0 and 1 are no words
    if kind == "text":
        return "".join(letter for letter in spec["alphabet"] if letter.isalnum())[:5]
    if kind in FILES:
        return f"BASE64 OF A {kind.upper()}"
    return "[...]"
