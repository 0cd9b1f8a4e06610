"""A drawing for cards: its blocks with shapes and costs, its data. Imports no torch.

Read from the report as `layerloom check --json` prints it, so that a page, which has no torch, and
a command ask the same.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from blocks.signature import N, Signature
from core.data import DataError, DataInfo, describe_project, ends
from core.project import Project

Json = Mapping[str, Any]


@dataclass(frozen=True)
class BlockInfo:
    """A block that owns a module. path: in the drawing and, as a submodule, in the model.

    shape: of its first result for one sample, None where it has another form.
    """

    path: str
    block: str
    shape: tuple[int, ...] | None
    params: int
    mult_adds: int
    activation_bytes: int
    settings: Json


@dataclass(frozen=True, eq=False)
class Drawing:
    """A project, its report and its data, which is read when first needed. Results are cached."""

    project: Project
    report: Json

    @property
    def problem(self) -> str:
        """Why it cannot run: an error, untrusted Python; "" if it can."""
        if errors := self.report["errors"]:
            return f"{errors[0]['message']} {errors[0]['hint']}".strip()
        if not self.report["source"]:
            return "The drawing needs an Input and an Output. Finish it on the canvas first."
        return ""

    @property
    def half(self) -> str:
        """The first Input in half precision, "" for none."""
        found = (e["node"] for e in self.report["inputs"] if e["dtype"] in ("float16", "bfloat16"))
        return next(found, "")

    @property
    def end_counts(self) -> tuple[int, int]:
        """Its number of Inputs and of Outputs."""
        return len(self.report["inputs"]), len(self.report["outputs"])

    @property
    def dtype(self) -> str:
        """The dtype of its first Input."""
        return self.report["inputs"][0]["dtype"]

    @property
    def input_shape(self) -> tuple[int, ...] | None:
        """The shape of a sample, without the batch; None where it is not fixed."""
        return _sample(self.report["inputs"][0]["shape"])

    @property
    def output_shape(self) -> tuple[int, ...] | None:
        """The shape of an output, without the batch; None where it is not fixed."""
        return _sample(self.report["outputs"][0]["shape"])

    @cached_property
    def parts(self) -> dict[str, BlockInfo]:
        """The blocks that are modules, by path, those inside of composites among them."""
        chains = _chains(self.report["source"] or "")
        nodes: Json = self.report["nodes"]
        named = {path: node for path, node in nodes.items() if _named(path, nodes, chains)}
        return {p: _part(p, n) for p, n in named.items() if n["init"] and _is_module(n["init"])}

    @property
    def params(self) -> int:
        """Learnable numbers."""
        return self.report["total_params"]

    @property
    def mult_adds(self) -> int:
        """Multiplications with additions for one sample."""
        return self.report["mult_adds"]

    @cached_property
    def activation_bytes(self) -> int:
        """Bytes of the outputs of all blocks for one sample."""
        nodes: Json = self.report["nodes"]
        return sum(n["activation_bytes"] for n in nodes.values() if not n["children"])

    @cached_property
    def _described(self) -> tuple[DataInfo | None, str]:
        if not self.project.data:
            return None, "The project has no data. Choose some on the Data page."
        try:
            found = describe_project(
                self.project, *ends(self._ends("inputs"), self._ends("outputs"))
            )
        except DataError as error:
            return None, f"{error.message} {error.hint}".strip()
        if not found.here:
            return None, f"{found.source} is not on this machine yet. Download it on the Data page."
        return found, ""

    def _ends(self, which: str) -> list[tuple[str, Signature]]:
        found = self.report[which]
        shapes = [
            tuple(N if d == "N" else d if isinstance(d, int) else None for d in end["shape"])
            for end in found
        ]
        return [(e["node"], Signature(s, e["dtype"])) for e, s in zip(found, shapes, strict=True)]

    @property
    def info(self) -> DataInfo | None:
        """Its data, None if it has none that suits."""
        return self._described[0]

    @property
    def without_targets(self) -> str:
        """Why there is no batch with one target and one loss; "" where there is."""
        info, why = self._described
        if info is None:
            return why
        compared = [term for term in info.terms if term.column]
        if len(info.terms) != 1 or not compared:
            return f"It needs one loss against one target, and there are {len(info.terms)} losses."
        return ""


def _sample(shape: list[Any]) -> tuple[int, ...] | None:
    first, *rest = shape or [None]
    sizes = tuple(size for size in rest if isinstance(size, int))
    return sizes if first == "N" and len(sizes) == len(rest) else None


def _is_module(init: str) -> bool:
    return not init.startswith(("nn.Parameter(", "torch."))


def _chains(source: str) -> set[str]:
    """Classes whose blocks are numbered, not named."""
    classes = (part for part in ast.parse(source).body if isinstance(part, ast.ClassDef))
    return {c.name for c in classes if c.bases and ast.unparse(c.bases[0]) == "nn.Sequential"}


def _named(path: str, nodes: Json, chains: set[str]) -> bool:
    """Whether the path of a block is that of its module, too."""
    outer = path.rpartition(".")[0]
    while outer:
        if nodes[outer]["block"] in chains:
            return False
        outer = outer.rpartition(".")[0]
    return True


def _part(path: str, node: Json) -> BlockInfo:
    first = next(iter(node["outputs"].values()), {"shape": []})
    return BlockInfo(
        path,
        node["block"],
        _sample(first["shape"]),
        node["params"],
        node["mult_adds"],
        node["activation_bytes"],
        node["settings"],
    )
