"""Hostile bundles: each is refused in one sentence, and nothing of it is written anywhere."""

import hashlib
import io
import json
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import ProjectError
from core.wings.bundle import open_bundle
from core.wings.bundle.archive import MOST_MEMBERS, list_members, write_archive
from tests.core.small_runs import project, table_net, train_here
from tests.wings.bundle.shared import bundled, saved

RUN = "runs/small-net-001"
Members = dict[str, bytes]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Members:
    """The members of a bundle with one run."""
    from core.analyse import analyse_project
    from core.prepare.create import prepare

    folder = tmp_path_factory.mktemp("good")
    found = project(table_net(4, 3), {"source": "iris"}, epochs=1, threads=1)
    run = prepare(found, analyse_project(found), folder / "runs")
    train_here(run)
    made = bundled(saved(found, folder / "mine"), run.parent, run.name)
    with zipfile.ZipFile(made.path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(members: Members, **changed: Any) -> bytes:
    """A bundle of these members, whose manifest agrees with them but for what is changed."""
    made = json.loads(members["bundle.json"])
    rows = [
        [name, len(content), hashlib.sha256(content).hexdigest()]
        for name, content in members.items()
        if name != "bundle.json"
    ]
    text = json.dumps({**made, "members": rows, **changed})
    return archived({**members, "bundle.json": text.encode()})


def archived(members: Members) -> bytes:
    file = io.BytesIO()
    write_archive(file, list(members.items()))
    return file.getvalue()


def with_member(name: str, content: bytes = b"x", **changed: Any) -> Callable[[Members], bytes]:
    return lambda good: packed({**good, name: content}, **changed)


def with_two(one: str, other: str) -> Callable[[Members], bytes]:
    return lambda good: packed({**good, one: b"x", other: b"x"})


def without(name: str) -> Callable[[Members], bytes]:
    return lambda good: packed({k: v for k, v in good.items() if k != name})


def with_json(name: str, **changed: Any) -> Callable[[Members], bytes]:
    def make(good: Members) -> bytes:
        return packed({**good, name: json.dumps({**json.loads(good[name]), **changed}).encode()})

    return make


def with_zip(change: Callable[[zipfile.ZipInfo], None], how: int = 0) -> Callable[..., bytes]:
    """The same members, of which one is written otherwise by a zip library."""

    def make(good: Members) -> bytes:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for name, content in good.items():
                info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
                info.create_system, info.external_attr = 3, (stat.S_IFREG | 0o644) << 16
                if name == "project.loom.json":
                    change(info)
                archive.writestr(info, content, how)
        return file.getvalue()

    return make


def as_link(info: zipfile.ZipInfo) -> None:
    info.external_attr = (stat.S_IFLNK | 0o777) << 16


def as_folder(info: zipfile.ZipInfo) -> None:
    info.external_attr = (stat.S_IFDIR | 0o755) << 16


def with_comment(info: zipfile.ZipInfo) -> None:
    info.comment = b"hidden"


def with_extra(info: zipfile.ZipInfo) -> None:
    info.extra = struct.pack("<HH4s", 0x9999, 4, b"abcd")


def unchanged(info: zipfile.ZipInfo) -> None: ...


def twice(good: Members) -> bytes:
    """A member twice, and twice in the manifest."""
    file, made = io.BytesIO(), json.loads(good["bundle.json"])
    rows = [*made["members"], made["members"][0]]
    text = json.dumps({**made, "members": rows}).encode()
    name = "project.loom.json"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write_archive(file, [*{**good, "bundle.json": text}.items(), (name, good[name])])
    return file.getvalue()


def another_local_name(good: Members) -> bytes:
    content = archived(good)
    at = content.index(b"project.loom.json", content.index(b"PK\3\4", 4))
    return content[:at] + b"project.evil.json" + content[at + 17 :]


def overlapping(good: Members) -> bytes:
    """Two entries of the directory that share the bytes of one member."""
    content = bytearray(archived(good))
    places = [i for i in range(len(content)) if content[i : i + 4] == b"PK\1\2"]
    first = struct.unpack_from("<L", content, places[1] + 42)[0]
    struct.pack_into("<L", content, places[2] + 42, first)
    return bytes(content)


def of_many(good: Members) -> bytes:
    head = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, *[MOST_MEMBERS + 1] * 2, 0, 0, 0)
    return archived(good)[:-22] + head


def declared_larger(good: Members) -> bytes:
    """A member that claims to have more bytes than the archive."""
    content = bytearray(archived(good))
    at = content.rindex(b"PK\1\2")
    struct.pack_into("<LL", content, at + 20, 1 << 30, 1 << 30)
    struct.pack_into("<LL", content, struct.unpack_from("<L", content, at + 42)[0] + 18,
                     1 << 30, 1 << 30)  # fmt: skip
    return bytes(content)


def forged(good: Members) -> bytes:
    made = json.loads(good["bundle.json"])
    rows = [[name, size, "0" * 64] for name, size, _ in made["members"]]
    return archived({**good, "bundle.json": json.dumps({**made, "members": rows}).encode()})


def encrypted(good: Members) -> bytes:
    content = bytearray(archived(good))
    struct.pack_into("<H", content, content.rindex(b"PK\1\2") + 8, 1)
    return bytes(content)


def tensors(head: dict[str, Any], content: bytes = b"\0" * 16) -> bytes:
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text + content


def of_two(dtype: str, *spans: tuple[int, int]) -> bytes:
    return tensors({f"t{i}": {"dtype": dtype, "shape": [(b - a) // 4], "data_offsets": [a, b]}
                    for i, (a, b) in enumerate(spans)})  # fmt: skip


METRICS = f"{RUN}/metrics.jsonl"
WORDS, NAN = (b'{"kind":"step","attempt":1,"step":[%s]}\n' % v for v in (b'"x"', b"NaN"))
BEST = f"{RUN}/best.safetensors"
HOSTILE: dict[str, tuple[Callable[[Members], bytes], str]] = {
    "empty": (lambda good: b"", "is not a bundle: the file is too short"),
    "no zip": (lambda good: b"GIF89a" * 99, "its end is missing"),
    "torn": (lambda good: archived(good)[:-30], "its end is missing"),
    "before": (lambda good: b"#!/bin/sh\n" + archived(good), "bytes outside its files"),
    "after": (lambda good: archived(good) + b"x" * 30, "its end is missing"),
    "zip slip": (with_member("../evil.py"), "is not a file of a bundle"),
    "weights slip": (with_member("weights/../../evil.safetensors"), "a path that is not allowed"),
    "data slip": (with_member("files/../../evil.csv"), "a path that is not allowed"),
    "run slip": (with_member("runs/../spec.json"), "is not a file of a run"),
    "absolute": (with_member("/etc/passwd"), "is not a file of a bundle"),
    "drive": (with_member("files/C:/evil.csv"), "a path that is not allowed"),
    "backslash": (with_member("files\\..\\evil.csv"), "is not a file of a bundle"),
    "hidden": (with_member("files/.bashrc"), "a path that is not allowed"),
    "link": (with_zip(as_link), "is a link or a folder"),
    "folder": (with_zip(as_folder), "is a link or a folder"),
    "comment": (with_zip(with_comment), "zip fields that bundles do not use"),
    "extra": (with_zip(with_extra), "zip fields that bundles do not use"),
    "compressed bomb": (with_zip(unchanged, zipfile.ZIP_DEFLATED), "is compressed"),
    "encrypted": (encrypted, "is encrypted or of unknown length"),
    "overlap": (overlapping, "does not start where the previous file in the bundle ends"),
    "too many": (of_many, "at most 20,000"),
    "larger than it is": (declared_larger, "is longer than the bundle"),
    "two names": (another_local_name, "another name or size"),
    "duplicate": (twice, "is in the bundle twice"),
    "case": (with_member("Project.loom.json"), "is not a file of a bundle"),
    "forged hash": (forged, "damaged or was changed"),
    "unlisted": (lambda good: archived({**good, "evil.py": b"x"}), 'contains "evil.py"'),
    "python": (with_member(f"{RUN}/model.py"), "is not a file of a run"),
    "pickle": (with_member(f"{RUN}/best.pt"), "is not a file of a run"),
    "pickle by another name": (with_member(BEST, b"\x80\4\x95pickled."), "not a safetensors file"),
    "overlapping tensors": (with_member(BEST, of_two("F32", (0, 16), (8, 16))), "overlap or leave"),
    "tensors not there": (with_member(BEST, of_two("F32", (0, 64))), "declares 64 bytes"),
    "sizes of tensors": (with_member(BEST, of_two("F64", (0, 16))), "does not match its bytes"),
    "no manifest": (lambda good: archived({k: v for k, v in good.items() if k != "bundle.json"}),
                    "does not start with bundle.json"),
    "newer format": (lambda good: packed(good, layerloom_bundle=2), "has bundle format 2"),
    "deep": (lambda good: archived({"bundle.json": b"[" * 99}), "is nested more than"),
    "keys twice": (lambda good: archived({"bundle.json": b'{"runs": {}, "runs": {}}'}),
                   'repeats the key "runs"'),
    "run name": (lambda good: packed(good, runs={"../x": {}}), "an invalid name of a run"),
    "run by case": (lambda good: packed(good, runs={"a": {}, "A": {}}), "an invalid name of a run"),
    "no project": (without("project.loom.json"), "has no project.loom.json"),
    "no spec": (without(f"{RUN}/spec.json"), "has no spec.json"),
    "evil project": (with_json("project.loom.json", data={"source": "../../etc/passwd"}),
                     "needs the name of a data set"),
    "evil run project": (with_json(f"{RUN}/project.loom.json", data={"source": "/etc/passwd"}),
                         "needs the name of a data set"),
    "newer run": (with_json(f"{RUN}/spec.json", format=9), "has format 9"),
    "run under way": (with_json(f"{RUN}/status.json", state="running"), "state of a finished run"),
    "strange status": (with_json(f"{RUN}/status.json", metrics=[1]), "is not a complete run"),
    "curves of words": (with_member(METRICS, WORDS), "line 1 is not a valid record"),
    "curves of NaN": (with_member(METRICS, NAN), "line 1 is not a valid record"),
    "notes of a list": (with_member(f"{RUN}/marks.json", b"[]"), "needs an object"),
    "tokens of numbers": (with_member(f"{RUN}/vocabulary.json", b'{"tokens": [1]}'),
                          "needs a list of texts"),
    "classes of a text": (with_json(f"{RUN}/spec.json", classes="ab"), "needs a list of texts"),
    "weights of nobody": (with_member("weights/evil.safetensors", of_two("F32", (0, 16))),
                          "is not named in the project"),
    **{
        f"data called {name}": (with_member(f"files/{name}"), "not have the ending of a data file")
        for name in ("pickle.py", "x.pyc", "x.PTH", "lib.so", "Makefile", "conftest.py", "a.csv.py",
                     "data/setup.cfg", "x.csv/torch.py", "evil")
    },
    "data of nobody": (with_member("files/evil.csv"), "does not match the manifest"),
    "control signs": (with_member("files/\x1b]52;c;eA==\x07.csv"), "a path that is not allowed"),
    "a line end": (with_member("files/a\nb.csv"), "a path that is not allowed"),
    "a stream of NTFS": (with_member("files/a.csv:b.csv"), "a path that is not allowed"),
    "a point at the end": (with_member("files/a.csv."), "not have the ending of a data file"),
    "two spellings": (with_two("files/\u00e9.csv", "files/e\u0301.csv"), "is in the bundle twice"),
    "a file as a folder": (with_two("files/a.csv", "files/A.csv/b.csv"), "is inside a file of"),
    "format true": (lambda good: packed(good, layerloom_bundle=True), "needs a format number"),
    "half a character": (with_member(f"{RUN}/marks.json", b'{"note": "\\ud800"}'),
                         "half a character"),
    "curves that are deep": (with_member(METRICS, b'{"kind":' + b"[" * 5000 + b"]" * 5000 + b"}\n"),
                             "line 1 is not a valid record"),
    "a header of 2^62": (with_member(BEST, struct.pack("<Q", 1 << 62) + b"{}"),
                         "not a safetensors file"),
    "a negative side": (with_member(BEST, tensors({"t": {"dtype": "F32", "shape": [-4],
                                                         "data_offsets": [0, 16]}})),
                        "not a safetensors file"),
}  # fmt: skip


def everything(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("what", HOSTILE)
def test_it_is_refused_in_a_sentence_and_nothing_is_written(
    what: str, good: Members, tmp_path: Path
):
    make, words = HOSTILE[what]
    workspace = tmp_path / "a" / "workspace"
    workspace.mkdir(parents=True)
    content = make(good)
    with pytest.raises(ProjectError) as raised:
        open_bundle(io.BytesIO(content), "evil.loom.zip", workspace, workspace / "runs")
    assert words in str(raised.value)
    assert str(raised.value).startswith("evil.loom.zip")
    assert "\n" not in str(raised.value)
    assert raised.value.message.count(". ") == 0
    assert everything(tmp_path) == {}
    assert [p.name for p in (workspace / "runs").iterdir()] == []


def test_the_members_they_are_made_of_open(good: Members, tmp_path: Path):
    made = open_bundle(io.BytesIO(packed(good)), "good.loom.zip", tmp_path, tmp_path / "runs")
    assert list(made.runs) == ["small-net-001"]
    assert [entry.name for entry in list_members(io.BytesIO(archived(good)))] == list(good)


def test_data_that_a_link_leads_out_of_the_workspace_is_not_brought(tmp_path: Path, monkeypatch):
    from tests.core.small_runs import table_project
    from tests.wings.bundle.shared import CSV, opened

    mine, theirs, outside = tmp_path / "mine", tmp_path / "theirs", tmp_path / "outside"
    file = saved(table_project(), mine)
    (mine / "data").mkdir()
    (mine / "data/kinds.csv").write_text(CSV)
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(mine))
    bundle = bundled(file, mine / "runs", data=True).path
    outside.mkdir()
    theirs.mkdir()
    (theirs / "data").symlink_to(outside)
    with pytest.raises(ProjectError, match="data is a link"):
        opened(bundle, theirs)
    assert list(outside.iterdir()) == []


@pytest.mark.gate
def test_no_byte_of_it_can_change_unnoticed(good: Members, tmp_path: Path):
    """One byte flipped anywhere: refused, or a part of a zip that says nothing of the members."""
    content = packed(good)
    workspace = tmp_path / "w"
    workspace.mkdir()
    refused = 0
    for at in range(0, len(content), max(1, len(content) // 150)):
        changed = content[:at] + bytes([content[at] ^ 0x41]) + content[at + 1 :]
        try:
            open_bundle(io.BytesIO(changed), "x.loom.zip", workspace, workspace / "runs")
        except ProjectError as error:
            refused += str(error).startswith("x.loom.zip")
        else:
            refused += is_idle(at, content)
    assert refused == len(range(0, len(content), max(1, len(content) // 150))) > 140


def is_idle(at: int, content: bytes) -> bool:
    """Whether a byte is one that says nothing here: a version, a time, a check sum of a zip."""
    marks = [content.rfind(mark, 0, at + 1) for mark in (b"PK\3\4", b"PK\1\2")]
    return at - marks[0] in range(4, 18) or at - marks[1] in range(4, 20)


def test_a_manifest_that_is_too_large_is_refused_with_both_sizes(tmp_path: Path) -> None:
    content = archived({"bundle.json": b" " * 8_000_001})
    with pytest.raises(ProjectError, match=r"is too large: 8,000,001 bytes, at most 8,000,000\."):
        open_bundle(io.BytesIO(content), "a.loom.zip", tmp_path, tmp_path / "runs")
