"""Opening a project executes, imports and writes nothing, whatever the file holds."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.graph.names import check_id
from core.project import ProjectError, read_text

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
BROKEN = sorted((ROOT / "tests" / "broken").glob("*.loom.json"))

HOSTILE = [
    "__import__('os').system('touch canary')",
    "=__import__('os').system('touch canary')",
    "=channels if True else exec('open(chr(99),chr(119))')",
    "=().__class__.__bases__[0].__subclasses__()",
    "={channels.__class__}",
    "=channels[0]",
    "=lambda: 0",
    "=0x10",
    "=1e3",
    "=9**9**9",
    "=channels\n* 2",
    "3), open('canary', 'w').close(), (",
    "'); import os; os.system('touch canary'); ('",
    '"""; open("canary", "w"); """',
    "\\x27); open(chr(99)) #",
    "x\nimport os",
    "x\r\nimport os",
    "x\u2028import os",
    "{0.__class__.__init__.__globals__}",
    "{settings}",
    "%(x)s%n",
    "f'{open(1)}'",
    "${jndi:ldap://127.0.0.1/a}",
    "$(touch canary)",
    "`touch canary`",
    "| touch canary",
    "!!python/object/apply:os.system ['touch canary']",
    "cos\nsystem\n(S'touch canary'\ntR.",
    "gASVIgAAAAAAAACMBXBvc2l4lIwGc3lzdGVtlJOUjAd0b3VjaCBhlIWUUpQu",
    "__class__",
    "__init__",
    "__reduce__",
    "__proto__",
    "constructor",
    "forward",
    "parameters",
    "class",
    "lambda",
    "None",
    "eval",
    "self",
    "torch",
    "nn",
    "os.system",
    "torch.hub.load",
    "keras.layers.Lambda",
    "/etc/passwd",
    "../../../../etc/passwd",
    "\\\\127.0.0.1\\share\\x",
    "file:///etc/passwd",
    "http://127.0.0.1:9/x.pt",
    "C:\\Windows\\x",
    "<script>alert(1)</script>",
    "![](http://127.0.0.1:9/beacon.png)",
    "javascript:alert(1)",
    "ｃonv1",
    "𝐢𝐦𝐩𝐨𝐫𝐭",
    "соnv1",
    "conv1\u200b",
    "\u202egnp.exe",
    "conv1\n",
    "conv1\x00",
    "",
    " ",
    "a" * 41,
    "a" * 100_000,
    "tensors.99999999999999999999",
    "conv1 -> fc1 -> conv1",
]


def places(bad: str) -> list[Any]:
    """Put one hostile text everywhere a project file takes a text."""
    fc1 = {"block": "Linear", "settings": {"out_features": 3}}

    def project(nodes: Any = None, edges: Any = (), **top: Any) -> dict[str, Any]:
        nodes = {"fc1": fc1} if nodes is None else nodes
        return {"layerloom": 1, "graph": {"nodes": nodes, "edges": list(edges)}, **top}

    def part(**changes: Any) -> dict[str, Any]:
        return {"settings": {"channels": 2}, "nodes": {}, "edges": [], **changes}

    use = {"block": "Linear", "settings": {"out_features": bad, "in_features": [bad, [bad]]}}
    return [
        project(name=bad),
        project(about=bad),
        project({bad: fc1}),
        project({"fc1": {"block": bad}}),
        project({"fc1": {"block": "Linear", "settings": {"out_features": bad}}}),
        project({"fc1": {"block": "Linear", "settings": {bad: 3}}}),
        project({"fc1": {"block": "Linear", "label": bad}}),
        project({"fc1": {"block": "Linear", "weights_of": bad}}),
        project({"fc1": {"block": "Linear", "repeat": bad}}),
        project({"fc1": {"block": "Linear", bad: bad}}),
        project(edges=[bad]),
        project(edges=[f"fc1 -> {bad}"]),
        project(edges=[f"fc1.{bad} -> fc1.{bad}"]),
        project(composites={bad: part()}),
        project(composites={"Part": part(settings={bad: bad})}),
        project(composites={"Part": part(nodes={"fc1": use})}),
        project(composites={"Part": part(nodes={bad: use})}),
        project(data={"source": bad}),
        project(data={bad: bad}),
        project(training={"loss": bad, bad: bad}),
        project(notes=[bad, {bad: bad}]),
        project(layout={bad: [0, 0]}),
        project(**{"needs": bad, bad: bad}),
        {"layerloom": bad, "graph": {"nodes": {}}},
    ]


TEXTS = [json.dumps(place) for bad in HOSTILE for place in places(bad)]


def run(home: Path, **todo: Any) -> dict[str, Any]:
    """Run the tripwire in a child, in a folder of its own."""
    child = subprocess.run(
        [sys.executable, str(HERE / "tripwire.py")],
        input=json.dumps(todo),
        capture_output=True,
        text=True,
        cwd=home,
        env={"LAYERLOOM_HOME": str(home), "PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        timeout=600,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    return json.loads(child.stdout)


@pytest.mark.gate
def test_opening_broken_and_hostile_files_runs_imports_and_writes_nothing(tmp_path: Path):
    found = run(tmp_path, files=[str(path) for path in BROKEN], texts=TEXTS)
    assert found["events"] == []
    assert len(found["results"]) == len(BROKEN) + len(TEXTS)
    assert list(tmp_path.iterdir()) == []  # no canary, no draft, nothing


@pytest.mark.gate
@pytest.mark.parametrize(
    ("control", "event"),
    [
        ("eval", "compile"),
        ("exec", "exec"),
        ("import", "import"),
        ("unpickle", "pickle.find_class"),
        ("system", "os.system"),
        ("process", "subprocess.Popen"),
        ("connect", "socket.connect"),
        ("write", "open"),
        ("remove", "os.remove"),
        ("dlopen", "ctypes.dlopen"),
    ],
)
def test_the_tripwire_fires(tmp_path: Path, control: str, event: str):
    events = run(tmp_path, control=control)["events"]
    assert any(what.startswith(event) for _, what in events), events


def test_no_hostile_text_becomes_a_name_in_the_source():
    opened, messages = 0, list[str]()
    for text in TEXTS:
        try:
            graph = read_text(text).graph
        except ProjectError as error:
            messages.append(str(error))
            continue
        opened += 1
        parts = [graph, *(part.graph for part in graph.composites.values())]
        names = [*graph.composites, *(name for part in parts for name in part.nodes)]
        names += [s for part in graph.composites.values() for s in part.settings]
        names += [n.weights_of for part in parts for n in part.nodes.values() if n.weights_of]
        assert [name for name in names if check_id(name)] == []
    assert opened > 100
    assert [text for text in messages if not text.isprintable() or len(text) > 500] == []
