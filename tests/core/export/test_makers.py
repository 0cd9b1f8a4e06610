"""Every format names a function that exists: it is found by text, so that a rename can miss it."""

import ast
from pathlib import Path

from core.export import run
from core.export.formats import FORMATS

FOLDER = Path(run.__file__).parent


def test_every_format_names_a_function_of_a_module_here() -> None:
    missing: list[str] = []
    for maker in run._MAKERS.values():
        module, _, function = maker.rpartition(".")
        path = FOLDER / f"{module.replace('.', '/')}.py"
        body = ast.parse(path.read_text("utf-8")).body if path.is_file() else []
        if function not in {node.name for node in body if isinstance(node, ast.FunctionDef)}:
            missing.append(maker)
    assert missing == []
    assert run._MAKERS["onnx-int8"] == "onnx_low_precision.make_int8"
    assert set(run._MAKERS) == set(FORMATS)
