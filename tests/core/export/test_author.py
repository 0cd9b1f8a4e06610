"""What is exported names nobody and no machine: no home folder, user, nor place of installation."""

import io
import re
import zipfile
import zlib
from pathlib import Path

import pytest
import torch

from core.export import FORMATS
from core.export.run import export_subject
from core.export.subject import subject_of
from core.project.templates import load_template

AUTHOR = "marie_weber"
ROOTS = (Path(torch.__file__).parents[1], Path(__file__).parents[3])
PLACES = (AUTHOR, "site-packages", *map(str, ROOTS))
STREAM = re.compile(rb"stream\r?\n(.*?)endstream", re.DOTALL)


def inside(content: bytes) -> bytes:
    """The content with all that is packed or compressed in it beside it."""
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return b"".join(
                name.encode() + inside(archive.read(name)) for name in archive.namelist()
            )
    if content.startswith(b"%PDF"):
        packed = STREAM.findall(content)
        return content + b"".join(zlib.decompressobj().decompress(part) for part in packed)
    return content


def places_in(content: bytes) -> list[str]:
    return [place for place in PLACES if place.encode() in inside(content)]


@pytest.mark.slow
@pytest.mark.needs("dot")
@pytest.mark.filterwarnings("ignore")
def test_no_format_names_the_author_or_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / AUTHOR
    home.mkdir()
    for name in ("HOME", "USER", "LOGNAME"):
        monkeypatch.setenv(name, str(home) if name == "HOME" else AUTHOR)
    monkeypatch.chdir(home)
    subject = subject_of(load_template("transformer_digits"))
    names = [name for name, kind in FORMATS.items() if not kind.needs]  # compiled: test_compiled.py
    made = {name: export_subject(subject, name, home / name).path for name in names}
    assert {name: places_in(path.read_bytes()) for name, path in made.items()} == {
        n: [] for n in made
    }
    traced = io.BytesIO()
    torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), traced)
    assert "site-packages" in places_in(traced.getvalue())  # what would be found


def test_places_are_found_in_archives_and_compressed_pages() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", f"by {AUTHOR}")
    page = b"%PDF stream\n" + zlib.compress(AUTHOR.encode()) + b"endstream"
    assert places_in(packed.getvalue()) == places_in(page) == [AUTHOR]
    assert places_in(b"by nobody") == []
