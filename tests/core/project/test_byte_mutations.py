"""A damaged file is refused with a ProjectError or opens; nothing else ever comes out."""

import random
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.files.strict import decode
from core.project import Project, ProjectError, open_project, read_text, write_text

FILES = Path(__file__).parents[2] / "files"
SAMPLES = [(FILES / name / "sample.loom.json").read_bytes() for name in ("v0", "v1")]
TOKENS = [b"{", b"}", b"[", b"]", b'"', b",", b":", b"null", b"true", b"-1", b"1e999", b"[]", b"{}"]
TOKENS += [
    b"\\ud800",
    b"\xff",
    b"\x00",
    b"=",
    b" -> ",
    b".",
    b'"block"',
    b'"repeat": 0',
    b"9" * 5000,
]


def damage(data: bytes, seed: int) -> bytes:
    """Change, drop, insert or double some bytes."""
    rng = random.Random(seed)
    for _ in range(rng.randint(1, 6)):
        start = rng.randrange(len(data) or 1)
        end = start + rng.choice([0, 1, 1, 2, 8, 100])
        new = rng.choice([b"", bytes([rng.randrange(256)]), rng.choice(TOKENS)])
        data = data[:start] + (new or data[start:end] * 2) + data[end:]
    return data if rng.random() < 0.9 else data[: rng.randrange(len(data))]


@pytest.mark.gate
@pytest.mark.parametrize("sample", [0, 1])
def test_500_damaged_files_open_or_are_refused(sample: int):
    opened = refused = 0
    for seed in range(500):
        try:
            project = read_text(decode(damage(SAMPLES[sample], seed)), "damaged")
        except ProjectError:
            refused += 1
        else:
            assert read_text(write_text(project)) == project
            opened += 1
    assert refused > 250
    assert opened > 5


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes):
    path = tmp_path_factory.getbasetemp() / "any.loom.json"
    path.write_bytes(data)
    with pytest.raises(ProjectError):
        open_project(path)


def test_a_value_of_any_type_in_any_place_is_refused_or_kept():
    values = ["null", "true", "1", "-1.5", '""', '"a"', "[]", "[1]", "{}", '{"a": 1}']
    lines = SAMPLES[1].decode().splitlines()
    for index, line in enumerate(lines):
        key, colon, _ = line.partition(": ")
        for value in values if colon else ():
            changed = f"{key}: {value}{',' if line.endswith(',') else ''}"
            text = "\n".join([*lines[:index], changed, *lines[index + 1 :]])
            with suppress(ProjectError):
                assert isinstance(read_text(text), Project)
