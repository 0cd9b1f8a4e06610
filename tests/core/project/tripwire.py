"""Child process of test_tripwire: opens what it is told to and reports every audit event.

Reads {"files": [...], "texts": [...], "control": name} from standard input and writes the events
as JSON. Only opening a file for reading is allowed; everything else the interpreter reports
(exec, compile, import, pickle, processes, sockets, writing ...) is an event.
"""

import contextlib
import json
import os
import pickle
import socket
import subprocess
import sys
from pathlib import Path

import core.project as project
from core.graph.expression import ExpressionError, evaluate

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
ROOT = Path(__file__).parents[3]


def visit(open_it, source) -> str:
    """Open one, and go all the way a viewer goes: graph as JSON, text, expressions."""
    try:
        found = open_it(source)
    except project.ProjectError as error:
        return f"refused: {error}"
    project.graph_to_json(found.graph)
    project.read_text(project.write_text(found))
    for part in found.graph.composites.values():
        for node in part.graph.nodes.values():
            for value in node.settings.values():
                with contextlib.suppress(ExpressionError):
                    evaluate(str(value), part.settings)
    return "opened"


def write_a_file() -> None:
    (Path(os.environ["LAYERLOOM_HOME"]) / "written").write_text("x")


def unpickle() -> None:
    pickle.loads(b"cposix\ngetpid\n(tR.")


CONTROLS = {
    "eval": lambda: eval("1 + 1"),
    "exec": lambda: exec("x = 1"),
    "import": lambda: __import__("antigravity" if "antigravity" not in sys.modules else "this"),
    "unpickle": unpickle,
    "system": lambda: os.system("true"),
    "process": lambda: subprocess.run(["true"], check=True),
    "connect": lambda: socket.socket().connect_ex(("127.0.0.1", 9)),
    "write": write_a_file,
    "remove": lambda: Path("no such file").unlink(missing_ok=True),
    "dlopen": lambda: __import__("ctypes").CDLL(None),
}


def main() -> None:
    todo = json.load(sys.stdin)
    visit(project.open_project, ROOT / "tests/files/v1/sample.loom.json")  # lazy imports, once
    visit(project.open_project, ROOT / "tests/broken/truncated.loom.json")
    visit(project.open_project, ROOT / "tests/broken/latin1.loom.json")
    events: list[tuple[str, str]] = []
    place = "warm"

    def watch(event: str, args: tuple) -> None:
        reading = event == "open" and isinstance(args[2], int) and not args[2] & WRITING
        if place != "warm" and not reading:
            events.append((place, f"{event} {args!r}"[:120]))

    sys.addaudithook(watch)
    results = []
    for place in todo.get("files", []):
        results.append(visit(project.open_project, place))
    for place in todo.get("texts", []):
        results.append(visit(project.read_text, place))
    if place := todo.get("control", ""):
        CONTROLS[place]()
    place = "warm"
    json.dump({"events": events, "results": results}, sys.stdout)


main()
