"""Names of strangers in every file that an export writes, each read by a parser of its language.

What a file is made of is that of the same network with plain names: no name begins a tag, a link, a
statement or a line of its own.
"""

import ast
import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from core.data.facts.metadata import read_own
from core.export.formats import FORMATS
from core.export.run import export_subject
from core.export.subject import Subject, subject_of
from core.graph import Edge, Graph, Node
from core.project import Project
from tests.core.common.test_escaping import shape as shape_of_markdown
from tests.hostile_names import HOSTILE, commanding
from tests.wing_parts import rows

UNREAD = ("\0", "\ud800")
"""What no table holds."""
NAMES = [n for n in HOSTILE if n.strip() and n != "\\n" and not any(c in n for c in UNREAD)]
TITLE = "\n".join(("Strange `x` <b>$(y)</b> [l](http://e.test)", *HOSTILE[:-1]))
PLAIN = " ".join(re.findall("[A-Za-z0-9]+", TITLE))
BINARY = {
    ".onnx", ".pt", ".pt2", ".safetensors", ".pte", ".pdf", ".png",
}  # fmt: skip
"""Containers with lengths in place of marks: a name ends where its length says."""
FIXED = ("Dockerfile", "CMakeLists.txt", "main.cpp", "sample.h", "requirements.txt")
"""Files that hold no name."""
Shape = Any


def project(workspace: Path, hostile: bool) -> Project:
    """A table whose columns and classes have such names, or plain ones."""
    names = NAMES if hostile else [f"name {i}" for i in range(len(NAMES))]
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([*names, "y"])
    for i in range(2 * len(names)):
        numbers = [(i * 7 + k) % 13 + 0.5 for k in range(len(names))]
        writer.writerow([*numbers, names[i % len(names)]])
    file = "data/odd.csv" if hostile else "data/set.csv"
    (workspace / "data").mkdir(exist_ok=True)
    (workspace / file).write_text(text.getvalue(), "utf-8", newline="")
    data = {"source": "CSV", "file": file, "target_column": "y"}
    facts = read_own(data)
    assert facts is not None
    classes = len(facts.source.classes)
    labels = ["</text>", *HOSTILE[:-1]] if hostile else ["label"] * len(HOSTILE)
    nodes = {
        "row": Node("Input", {"shape": (len(names),)}, label=labels[0]),
        **{f"block{i}": Node("ReLU", label=label) for i, label in enumerate(labels[1:])},
        "fc": Node("Linear", {"out_features": classes}),
        "out": Node("Output"),
    }
    wires = [Edge(one, "output", other, "input") for one, other in pairwise(nodes)]
    about = TITLE if hostile else PLAIN
    return Project(
        name=about, about=about, graph=Graph(nodes, tuple(wires)), data=data,
        training={"loss": "CrossEntropyLoss", "epochs": 1},
    )  # fmt: skip


class Tags(HTMLParser):
    """The tags of a page, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.found = list[tuple[str, list[str]]]()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.found.append((tag, [name for name, _ in attrs]))


def _html(text: str) -> Shape:
    tags = Tags()
    tags.feed(text)
    facts = re.search(r'<script[^>]*id="facts"[^>]*>(.*?)</script>', text, re.DOTALL)
    assert facts
    return tags.found, _json(facts[1])


def _json(text: str) -> Shape:
    def kinds(value: Any) -> Any:
        if isinstance(value, dict):
            return [kinds(each) for each in value.values()]
        return [kinds(each) for each in value] if isinstance(value, list) else type(value).__name__

    return kinds(json.loads(text))


def _python(text: str) -> Shape:
    dumped = ast.dump(ast.parse(text))
    return re.sub(r"value=('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|-?[\d.e-]+)", "value", dumped)


def _notebook(text: str) -> Shape:
    readers = {"markdown": shape_of_markdown, "code": _python}
    return [readers[c["cell_type"]]("".join(c["source"])) for c in json.loads(text)["cells"]]


def _svg(text: str) -> Shape:
    return [element.tag for element in ElementTree.fromstring(text).iter()]


def _strings(text: str) -> Shape:
    return re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)


READERS: dict[str, Callable[[str], Shape]] = {
    ".md": shape_of_markdown,
    ".py": _python,
    ".json": _json,
    ".ipynb": _notebook,
    ".html": _html,
    ".svg": _svg,
    ".pbtxt": _strings,
    ".dot": lambda text: re.sub(r"[-\d.]+", "0", _strings(text)),
    ".txt": lambda text: text.count("\n"),
}


def files_of(subject: Subject, form: str, folder: Path) -> dict[str, bytes]:
    """What an export writes, by name; the files of an archive one by one."""
    path = export_subject(subject, form, folder / f"net{FORMATS[form].ending}").path
    if path.suffix != ".zip":
        return {path.name: path.read_bytes()}
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Subject, Subject]]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("hostile")
        patch.setenv("LAYERLOOM_WORKSPACE", str(folder))
        for name in ("LAYERLOOM_OPEN", "LAYERLOOM_BESIDE"):
            patch.delenv(name, raising=False)
        yield subject_of(project(folder, True)), subject_of(project(folder, False))


CHEAP = ["python", "script*", "lightning", "notebook", *rows("exported", "CHEAP"), "card", "dot"]


@pytest.mark.slow(keep=CHEAP)
@pytest.mark.parametrize("form", [f for f in FORMATS if FORMATS[f].ending not in BINARY])
def test_no_name_is_more_than_text_in_what_is_written(
    form: str, subjects: tuple[Subject, Subject], tmp_path: Path
) -> None:
    for folder in ("hostile", "plain"):
        (tmp_path / folder).mkdir()
    written = files_of(subjects[0], form, tmp_path / "hostile")
    usual = files_of(subjects[1], form, tmp_path / "plain")
    assert written.keys() == usual.keys()
    for name, content in written.items():
        kind, last = Path(name).suffix, Path(name).name
        if kind in BINARY:
            continue
        text = content.decode("utf-8")
        assert not commanding(text), name
        if last in FIXED:
            assert content == usual[name], name
        else:
            reader = READERS[kind]
            assert reader(text) == reader(usual[name].decode("utf-8")), name
