"""Models of a torch.hub repository that lies on this disk: `torch.hub:DIR:entry(arguments)`.

`hubconf.py` of the folder is the user's own Python and is run, as `torch.hub.load` with
`source="local"` does (pytorch.org/docs/stable/hub.html). Nothing is fetched for it.
"""

import ast
import re
from pathlib import Path
from typing import Any

import torch
from torch import nn

from core.common.article import an
from core.common.errors import ImportRefused, NoSource
from core.wings.importing.error_messages import error_text

KIND = "torch.hub"
ENTRY = re.compile(r"(?P<folder>.+):(?P<entry>[A-Za-z_]\w*)\s*(?P<call>\(.*\))?", re.DOTALL)
FORM = "Write torch.hub:DIR:entry or torch.hub:DIR:entry(argument=value)."


def load_entry(text: str) -> tuple[nn.Module, str]:
    """Run an entry of `DIR:entry(arguments)`: the module it makes, and what to call it.

    This runs the user's own code, with everything it can do. Raises ImportRefused.
    """
    place = f"{KIND}:{text}"
    match = ENTRY.fullmatch(text)
    if match is None:
        raise NoSource(place, "needs a folder and an entry.", FORM)
    folder, entry = Path(match["folder"]).expanduser(), match["entry"]
    if not folder.is_dir():
        raise NoSource(
            place, f"{folder} is not a folder.", "Give the folder of a local repository."
        )
    if not (folder / "hubconf.py").is_file():
        raise NoSource(
            place,
            f"{folder} has no hubconf.py, which lists its models.",
            "Give its folder, or use python:package.module:expression.",
        )
    arguments, named = _arguments(match["call"] or "()", place)
    if entry not in (offered := _entries(folder / "hubconf.py")) and offered:
        raise NoSource(place, f"hubconf.py has no entry {entry}.", f"It has {', '.join(offered)}.")
    try:
        made: Any = torch.hub.load(str(folder), entry, *arguments, source="local", **named)
    except (Exception, SystemExit) as error:
        raise ImportRefused(place, f"cannot be created: {error_text(error)}.") from error
    if not isinstance(made, nn.Module):
        raise ImportRefused(place, f"is {an(type(made).__name__)}, not a module.")
    return made, entry


def _entries(file: Path) -> list[str]:
    """Names that a hubconf.py defines or imports by name, read and not run; [] where unknown."""
    try:
        body = ast.parse(file.read_text(encoding="utf-8")).body
    except (SyntaxError, ValueError):  # running it reports the error
        return []
    names: list[str] = []
    for each in body:
        if isinstance(each, ast.FunctionDef | ast.ClassDef):
            names.append(each.name)
        elif isinstance(each, ast.ImportFrom):
            names += [alias.asname or alias.name for alias in each.names]
        elif isinstance(each, ast.Assign):
            names += [target.id for target in each.targets if isinstance(target, ast.Name)]
        elif not isinstance(each, ast.Expr | ast.Import):
            return []  # it may define names in further ways
    return [name for name in names if not name.startswith("_") and name != "dependencies"]


def _arguments(call: str, place: str) -> tuple[list[Any], dict[str, Any]]:
    """Arguments of a call that are plain values. Raises NoSource."""
    try:
        parsed = ast.parse(f"entry{call}", mode="eval").body
        assert isinstance(parsed, ast.Call)
        named = {str(each.arg): ast.literal_eval(each.value) for each in parsed.keywords}
        return [ast.literal_eval(each) for each in parsed.args], named
    except (SyntaxError, ValueError, AssertionError) as error:
        raise NoSource(place, f"{call} are not plain values as arguments.", FORM) from error
