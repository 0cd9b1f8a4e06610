"""Every format names a function that exists: it is found by text, so that a rename can miss it."""

import ast
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from core.export.formats import FORMATS, GROUPS, in_order


def test_every_format_names_a_function_that_is_there() -> None:
    missing: list[str] = []
    for kind in FORMATS.values():
        module, _, function = kind.maker.partition(":")
        found = find_spec(module)
        body = ast.parse(Path(str(found.origin)).read_text("utf-8")).body if found else []
        if function not in {node.name for node in body if isinstance(node, ast.FunctionDef)}:
            missing.append(kind.maker)
    assert missing == []
    assert FORMATS["onnx-int8"].maker == "core.export.onnx_low_precision:make_int8"


def test_a_format_of_a_wing_stands_behind_the_one_it_names_or_at_the_front_of_its_group() -> None:
    web, script = FORMATS["web"], FORMATS["torchscript-script"]
    wings = [
        replace(web, name="lost", after="gone"),
        replace(web, name="far", after="near"),
        replace(web, name="near", after="web"),
        replace(script, name="front"),
        replace(web, name="served", group="server"),
    ]
    names = [kind.name for kind in in_order([FORMATS["pt2"], web, script], wings)]
    assert names == ["pt2", "web", "near", "far", "lost", "served", "front", "torchscript-script"]


def test_a_group_without_a_format_is_not_shown() -> None:
    assert set(GROUPS) == {kind.group for kind in FORMATS.values()}


def test_formats_are_known_without_torch() -> None:
    code = "import sys, core.export.formats; print('torch' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"
