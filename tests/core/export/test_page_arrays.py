"""The exported page reads arrays of NumPy and numbers of a text as these programs save them."""

import base64
import io
import json
import subprocess
from importlib.resources import files

import numpy as np
import pytest

CODE = """
const RULES = {}, count = (shape) => shape.reduce((a, b) => a * b, 1);
const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
async function tried([content, shape]) {
  try {
    const { numbers, note } = await numbersOfFile(new Blob([Buffer.from(content, "base64")]), "wave", shape);
    return [Array.from(numbers), note];
  } catch (error) { return error instanceof Refusal ? error.message : String(error); }
}
Promise.all(cases.map(tried)).then((found) => console.log(JSON.stringify(found)));
"""  # noqa: E501
WAVE = np.linspace(-1, 1, 6)
GRID, TWO = WAVE.reshape(2, 3), np.stack([WAVE, -WAVE])


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def npz(packed: bool, **arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(file, **arrays)
    return file.getvalue()


FIRST = "The first of 2 samples is used."
READ = {
    "decimals of 64 bits": (npy(WAVE), [6, 1], ""),
    "the other order of bytes": (npy(GRID.astype(">f8")), [2, 3], ""),
    "column by column": (npy(np.asfortranarray(GRID)), [2, 3], ""),
    "samples column by column": (npy(np.asfortranarray(TWO.reshape(2, 2, 3))), [2, 3], FIRST),
    "a set": (npz(True, y=np.array(["a"]), z=np.ones(5), x=TWO), [6], f"The array x. {FIRST}"),
    "of this name": (npz(False, x=-WAVE, wave=WAVE), [6], "The array wave. "),
    "a column with its name": (("value\n" + "\n".join(map(repr, WAVE.tolist()))).encode(), [6], ""),
    "a row with a mark": (("\ufeff" + ";".join(map(repr, WAVE.tolist()))).encode(), [6], ""),
}
KINDS = ["f2", "f4", ">f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i8", "?"]
REFUSED = {
    "cut off": (npy(WAVE)[:-8], "it is cut off."),
    "words": (npy(np.array(["a"] * 6)), "its numbers are of the type U1. Save them as float32."),
    "too few": (b"1 2 3", "the network takes 6 numbers (6), but it has 3."),
    "none": (b"", "the network takes 6 numbers (6), but it has 0."),
    "no number": (b"1,2\nfour,5", '"four" is not a number.'),
    "other shapes": (npz(True, x=np.zeros(5)), "its arrays x do not have the shape 6."),
}


def by_node(cases: list[tuple[bytes, list[int]]]) -> list:
    parts = ("png.js", "pictures.js", "cells.js", "arrays.js")
    text = "\n".join(files("core.export.web").joinpath(part).read_text("utf-8") for part in parts)
    sent = json.dumps([[base64.b64encode(content).decode(), shape] for content, shape in cases])
    done = subprocess.run(
        ["node", "-e", text + CODE], input=sent, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.needs("node")
def test_the_page_reads_what_numpy_and_spreadsheets_save() -> None:
    found = by_node([(content, shape) for content, shape, _ in READ.values()])
    for name, (numbers, note) in zip(READ, found, strict=True):
        assert numbers == pytest.approx(WAVE), name
        assert note == READ[name][2], name
    small = np.array([0, 1, 3, 0, 2, 1])
    for kind, found in zip(
        KINDS, by_node([(npy(small.astype(kind)), [6]) for kind in KINDS]), strict=True
    ):
        assert found == [small.astype(kind).astype(float).tolist(), ""], kind


@pytest.mark.needs("node")
def test_the_page_says_why_it_does_not_take_a_file() -> None:
    found = by_node([(content, [6]) for content, _ in REFUSED.values()])
    assert dict(zip(REFUSED, found, strict=True)) == {k: said for k, (_, said) in REFUSED.items()}
