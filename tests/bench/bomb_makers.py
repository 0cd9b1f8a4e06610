"""Files of a few bytes, or of many empty parts, that would take gigabytes or minutes to read."""

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

from tests import wing_parts

Make = Callable[[Path], Path]


def rows(folder: Path) -> Path:
    """A table of 20,000,000 rows."""
    path = folder / "rows.csv"
    with path.open("wb") as file:
        for _ in range(200):
            file.write(b"1,2\n" * 100_000)
    return path


def cells(folder: Path) -> Path:
    """A table of 190 MB, of 4,000 cells in each row."""
    path = folder / "cells.csv"
    line = b",".join([b"1"] * 4000) + b"\n"
    path.write_bytes(line * (190_000_000 // len(line)))
    return path


def one_line(name: str, content: bytes, count: int) -> Make:
    """A file that repeats some bytes without a line end."""

    def make(folder: Path) -> Path:
        (folder / name).write_bytes(content * count)
        return folder / name

    return make


def png_bytes(width: int, height: int, *more: tuple[bytes, bytes]) -> bytes:
    """A PNG of 1 bit a pixel, all black, with further chunks before its pixels."""
    packer, row = zlib.compressobj(9), bytes(1 + -(-width // 8))
    step = max(1, (1 << 20) // len(row))
    data = b"".join(packer.compress(row * min(step, height - y)) for y in range(0, height, step))
    head = struct.pack(">2L5B", width, height, 1, 0, 0, 0, 0)
    parts = ((b"IHDR", head), *more, (b"IDAT", data + packer.flush()), (b"IEND", b""))
    chunks = (struct.pack(">L", len(d)) + k + d + struct.pack(">L", zlib.crc32(k + d))
              for k, d in parts)  # fmt: skip
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def png(width: int, height: int, *more: tuple[bytes, bytes]) -> Make:
    """A picture of a size, as a file."""

    def make(folder: Path) -> Path:
        (folder / "picture.png").write_bytes(png_bytes(width, height, *more))
        return folder / "picture.png"

    return make


def texts(folder: Path) -> Path:
    """A picture with forty compressed texts of 1 MB each."""
    packed = zlib.compress(b"a" * (1 << 20), 9)
    return png(8, 8, *[(b"zTXt", b"note%d\0\0" % i + packed) for i in range(40)])(folder)


def large_pictures(folder: Path) -> Path:
    """A folder with eight pictures of 100,000,000 pixels."""
    for name in "ab":
        (folder / "pictures" / name).mkdir(parents=True)
        for number in range(4):
            path = folder / "pictures" / name / f"{number}.png"
            path.write_bytes(png_bytes(10_000, 10_000))
    return folder / "pictures"


def frames(kind: str) -> Make:
    """A picture file of many pictures: GIF frames or TIFF pages."""

    def make(folder: Path) -> Path:
        from PIL import Image

        path = folder / f"frames.{kind}"
        first = Image.new("P", (64, 64))
        rest = [Image.new("P", (64, 64), 1 + i % 250) for i in range(3000)]
        for picture in (first, *rest):
            picture.putpalette(bytes(768))
        first.save(path, save_all=True, append_images=rest)
        return path

    return make


def network(nodes: Iterator[tuple[str, list[str], list[str], dict[str, object]]],
            constants: dict[str, list[int]], last: str) -> Make:  # fmt: skip
    """An ONNX file of nodes over an input x of (N, 4) and some integer constants."""

    def make(folder: Path) -> Path:
        import numpy as np
        from onnx import TensorProto, helper, numpy_helper, save

        made = [helper.make_node(op, given, out, **more) for op, given, out, more in nodes]
        held = [numpy_helper.from_array(np.array(v, np.int64), k) for k, v in constants.items()]
        graph = helper.make_graph(
            made, "main_graph",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 4])],
            [helper.make_tensor_value_info(last, TensorProto.FLOAT, [None, None])], held,
        )  # fmt: skip
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        save(model, folder / "net.onnx")
        return folder / "net.onnx"

    return make


def doubled(count: int, op: str = "Concat") -> Make:
    """A tensor that is joined to itself again and again."""
    more: dict[str, object] = {"axis": 1} if op == "Concat" else {}
    names = ["x", *(f"y{i}" for i in range(count))]
    return network(((op, [a, a], [b], more) for a, b in pairwise(names)), {}, names[-1])


def doubled_constant(folder: Path) -> Path:
    """A constant that is joined to itself, and added to the input in the end."""
    names = ["c", *(f"y{i}" for i in range(34))]
    joined = [("Concat", [a, a], [b], {"axis": 0})
              for a, b in pairwise(names)]  # fmt: skip
    last = [("ReduceSum", [names[-1]], ["s"], {"keepdims": 0}),
            ("Cast", ["s"], ["f"], {"to": 1}), ("Add", ["x", "f"], ["out"], {})]  # fmt: skip
    return network(iter([*joined, *last]), {"c": [1, 2]}, "out")(folder)


def expanded(op: str, sizes: list[int]) -> Make:
    """A tensor that one node makes far larger."""
    return network(iter([(op, ["x", "sizes"], ["out"], {})]), {"sizes": sizes}, "out")


def filled(folder: Path) -> Path:
    """A constant of 2^40 values."""
    return network(
        iter([("ConstantOfShape", ["sizes"], ["c"], {}), ("Add", ["x", "c"], ["out"], {})]),
        {"sizes": [1 << 20, 1 << 20]}, "out",
    )(folder)  # fmt: skip


def looped(folder: Path) -> Path:
    """A constant that a loop of 10^9 turns makes."""
    from onnx import TensorProto, helper

    number, flag = TensorProto.INT64, TensorProto.BOOL
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Add", ["a", "a"], ["b"])],
        "body",
        [helper.make_tensor_value_info("i", number, []),
         helper.make_tensor_value_info("go", flag, []),
         helper.make_tensor_value_info("a", number, [])],
        [helper.make_tensor_value_info("on", flag, []),
         helper.make_tensor_value_info("b", number, [])],
    )  # fmt: skip
    return network(
        iter([("Loop", ["turns", "", "a0"], ["r"], {"body": body}),
              ("Cast", ["r"], ["f"], {"to": 1}), ("Add", ["x", "f"], ["out"], {})]),
        {"turns": 10**9, "a0": 1}, "out",  # type: ignore[dict-item]
    )(folder)  # fmt: skip


def counted(folder: Path) -> Path:
    """A constant that counts to 10^12."""
    return network(
        iter([("Range", ["a", "b", "c"], ["r"], {}), ("Cast", ["r"], ["f"], {"to": 1}),
              ("Add", ["x", "f"], ["out"], {})]),
        {"a": 0, "b": 10**12, "c": 1}, "out",  # type: ignore[dict-item]
    )(folder)  # fmt: skip


def strided(folder: Path) -> Path:
    """A checkpoint with a tensor of 10^12 numbers that stands on one."""
    import torch

    from core.runs import checkpoint

    (folder / "run" / "ckpt").mkdir(parents=True)
    tensor = torch.zeros(1).expand(10**12)
    checkpoint.save(folder / "run", "last", {"model": {"w": tensor}, "epoch": 1, "step": 1})
    return folder / "run"


def zeros(folder: Path) -> Path:
    """An NPZ of 3.9 GB of zeros, compressed to 4 MB."""
    head = b"{'descr': '|u1', 'fortran_order': False, 'shape': (3900, 1000000), }\n"
    path = folder / "zeros.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("x.npy", "w", force_zip64=True) as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head)
            for _ in range(3900):
                file.write(bytes(1_000_000))
        archive.writestr("y.npy", b"")
    return path


def names(ending: str, count: int) -> Make:
    """An archive of many empty members."""

    def make(folder: Path) -> Path:
        path = folder / "many.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for number in range(count):
                archive.writestr(zipfile.ZipInfo(f"a/{number}{ending}"), b"")
        return path

    return make


def twice(folder: Path) -> Path:
    """A zip of 49,999 names, of which the last is there twice."""
    path = names(".png", 49_998)(folder)
    content = path.read_bytes()
    file = io.BytesIO(content.replace(b"a/49997.png", b"a/49996.png"))
    path.write_bytes(file.getvalue())
    return path


def project_file(text: Callable[[], str]) -> Make:
    """A project of a text."""

    def make(folder: Path) -> Path:
        (folder / "net.loom.json").write_text(text(), encoding="utf-8")
        return folder / "net.loom.json"

    return make


def repeats() -> str:
    """A project whose block is repeated 10^9 times."""
    return _project({"a": {"block": "Linear", "settings": {"out_features": 4}, "repeat": 10**9}})


def nested() -> str:
    """A project of ten composites, each of which holds ten of the next."""
    parts = {}
    for level in range(10):
        inner = f"C{level + 1}" if level < 9 else "ReLU"
        ids = [f"n{i}" for i in range(10)]
        parts[f"C{level}"] = {
            "settings": {},
            "nodes": {"entry": {"block": "Input"}, **{i: {"block": inner} for i in ids},
                      "end": {"block": "Output"}},
            "edges": [f"{a} -> {b}" for a, b in zip(["entry", *ids], [*ids, "end"], strict=True)],
        }  # fmt: skip
    return _project({"a": {"block": "C0"}}, parts)


def wide() -> str:
    """A project with a layer of 10^12 units."""
    return _project({"a": {"block": "Linear", "settings": {"out_features": 10**12}}})


def _project(nodes: dict[str, object], composites: dict[str, object] | None = None) -> str:
    held = {"image": {"block": "Input", "settings": {"shape": [4]}}, **nodes,
            "out": {"block": "Output"}}  # fmt: skip
    ids = list(held)
    edges = [f"{a} -> {b}" for a, b in pairwise(ids)]
    return json.dumps({"layerloom": 1, "name": "Bomb", "graph": {"nodes": held, "edges": edges},
                       "composites": composites or {}})  # fmt: skip


def deep() -> str:
    """JSON of 2,000,000 lists in lists."""
    return "[" * 2_000_000


def power(folder: Path) -> Path:
    """Source with a number of more digits than there are atoms."""
    path = folder / "model.py"
    path.write_text(
        "import torch\nfrom torch import Tensor, nn\n\n\nclass Net(nn.Module):\n"
        "    def __init__(self) -> None:\n        super().__init__()\n\n"
        "    def forward(self, x: Tensor) -> Tensor:\n        y = 9**9**9**9\n        return x\n"
    )
    return path


BOMBS: dict[str, tuple[str, Make]] = {
    "CSV of 20,000,000 rows": ("table", rows),
    "CSV of 95,000,000 cells": ("table", cells),
    "CSV of one line": ("table", one_line("line.csv", b"1,", 50_000_000)),
    "CSV of one cell": ("table", one_line("cell.csv", b"1", 100_000_000)),
    "text of one line": ("text", one_line("line.txt", b"ab", 24_000_000)),
    "PNG of 1 x 99,999,999": ("picture", png(1, 99_999_999)),
    "PNG of 99,999,999 x 1": ("picture", png(99_999_999, 1)),
    "PNG of 10,000 x 10,000": ("picture", png(10_000, 10_000)),
    "the same, sent to a server": ("sent picture", png(10_000, 10_000)),
    "PNG of 1 x 60,000,000, sent": ("sent picture", png(1, 60_000_000)),
    "folder of eight such PNG": ("pictures", large_pictures),
    "PNG with texts": ("picture", texts),
    "GIF of 3,001 frames": ("picture", frames("gif")),
    "TIFF of 3,001 pages": ("picture", frames("tiff")),
    "ONNX, joined to itself 34 times": ("network", doubled(34)),
    "ONNX, joined to itself 26 times": ("network", doubled(26)),
    "ONNX, a constant joined to itself": ("network", doubled_constant),
    "ONNX, Expand": ("network", expanded("Expand", [1 << 20, 1 << 10, 1, 4])),
    "ONNX, Tile": ("network", expanded("Tile", [1, 1 << 28])),
    "ONNX, Pad": ("network", expanded("Pad", [0, 0, 0, 1 << 30])),
    "ONNX, ConstantOfShape": ("network", filled),
    "ONNX, Loop": ("network", looped),
    "ONNX, Range": ("network", counted),
    "checkpoint, tensor of stride 0": ("checkpoint", strided),
    "NPZ of zeros": ("arrays", zeros),
    "NPZ of 400,000 names": ("arrays", names(".npy", 400_000)),
    "zip of 400,000 names": ("zip", names(".png", 400_000)),
    "zip of 49,998 names, one twice": ("zip", twice),
    "project, repeat of 10^9": ("project", project_file(repeats)),
    "project, ten times ten composites": ("project", project_file(nested)),
    "project, layer of 10^12": ("project", project_file(wide)),
    "project, nested JSON": ("project", project_file(deep)),
    "source, 9**9**9**9": ("source", power),
    **wing_parts.rows("bombs", "MAKERS"),
}
