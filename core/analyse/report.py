"""Results of an analysis: shapes, costs, errors with fixes, and the source."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, Literal

from blocks import Batch, Signature
from blocks.signature import show_dim

State = Literal["ok", "waiting", "error"]
BYTES = {"float32": 4, "float64": 8, "int64": 8, "int32": 4, "bool": 1, "float16": 2, "bfloat16": 2}


@dataclass(frozen=True)
class Finding:
    """An error or warning on one node; `message` starts with the node's id.

    fixes: {"title": ..., "edits": [absolute edits]}; each is one undo step. hint: what to do.
    details: torch's own words where they say more.
    """

    node: str
    code: str
    message: str
    hint: str
    fixes: tuple[Mapping[str, Any], ...] = ()
    details: str = ""

    def json(self) -> dict[str, Any]:
        """The finding as `check --json` prints it."""
        found = {"node": self.node, "code": self.code, "message": self.message, "hint": self.hint}
        extra = {"details": self.details} if self.details else {}
        return {**found, "fixes": [dict(fix) for fix in self.fixes], **extra}


@dataclass(frozen=True)
class NodeReport:
    """One node by its path. Costs are for batch 1; a sharer of weights owns none.

    init: the constructor as written in the source, "" for an expression. children: paths inside
    a composite, in order of execution.
    """

    path: str
    block: str
    state: State
    settings: Mapping[str, Any] = field(default_factory=lambda: {})
    inferred: tuple[str, ...] = ()
    inputs: Mapping[str, Signature | tuple[Signature, ...]] = field(default_factory=lambda: {})
    outputs: Mapping[str, Signature] = field(default_factory=lambda: {})
    params: int = 0
    trainable_params: int = 0
    mult_adds: int = 0
    activation_bytes: int = 0
    depth: int = 1
    init: str = ""
    children: tuple[str, ...] = ()

    def json(self) -> Mapping[str, Any]:
        """The node as `check --json` prints it. Made once, so only to be read."""
        return self._json

    @cached_property
    def _json(self) -> Mapping[str, Any]:
        return {
            "block": self.block,
            "state": self.state,
            "outputs": {port: signature_json(s) for port, s in self.outputs.items()},
            "settings": {k: _plain(v) for k, v in self.settings.items()},
            "inferred": list(self.inferred),
            "params": self.params,
            "trainable_params": self.trainable_params,
            "mult_adds": self.mult_adds,
            "activation_bytes": self.activation_bytes,
            "init": self.init,
            "children": list(self.children),
        }


@dataclass(frozen=True)
class Report:
    """The result of one analysis of a graph. `source` is there when there is no error.

    rates: factors of the learning rate by path in the module, 0 where frozen; where it is 1, none.
    """

    ok: bool
    nodes: Mapping[str, NodeReport]
    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    wires: Mapping[str, Signature]
    inputs: tuple[tuple[str, Signature], ...]
    outputs: tuple[tuple[str, Signature], ...]
    class_name: str
    source: str | None = None
    lines: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: {})
    rates: Mapping[str, float] = field(default_factory=lambda: {})

    def _total(self, what: str) -> int:
        return sum(getattr(n, what) for path, n in self.nodes.items() if "." not in path)

    @property
    def params(self) -> dict[str, int]:
        """Learnable numbers of each node, by its path; those of a composite are its blocks'."""
        return {path: node.params for path, node in self.nodes.items()}

    @property
    def total_params(self) -> int:
        """Learnable numbers, frozen ones included."""
        return self._total("params")

    @property
    def trainable_params(self) -> int:
        """Learnable numbers that training changes."""
        return self._total("trainable_params")

    @property
    def mult_adds(self) -> int:
        """Multiplications with additions for one sample, as torchinfo counts them."""
        return self._total("mult_adds")


def signature_json(signature: Signature) -> dict[str, Any]:
    """A signature as {"shape": ["N", 6, 28, 28], "dtype": "float32"}."""
    shape = [d if isinstance(d, int) else show_dim(d) for d in signature.shape]
    value = {"value": str(signature)} if signature.is_size else {}
    return {"shape": shape, "dtype": signature.dtype, **value}


def size(signature: Signature, batch: int = 1) -> tuple[int, ...]:
    """The shape for a given batch. Raises ValueError if a size depends on the data."""
    if None in signature.shape:
        raise ValueError(f"{signature} depends on the data")
    return tuple(
        d.times * batch + d.plus if isinstance(d, Batch) else int(d or 0) for d in signature.shape
    )


def activation_bytes(signature: Signature) -> int:
    """Bytes of one sample's tensor; 0 if its size depends on the data."""
    if None in signature.shape or signature.is_size:
        return 0
    return prod(size(signature)) * BYTES.get(signature.dtype, 4)


def _plain(value: Any) -> Any:
    return [_plain(v) for v in value] if isinstance(value, tuple) else value


def report_json(report: Report) -> dict[str, Any]:
    """The report as `layerloom check --json` prints it; further keys serve the canvas."""
    return {
        "ok": report.ok,
        "nodes": {path: node.json() for path, node in report.nodes.items()},
        "errors": [finding.json() for finding in report.errors],
        "warnings": [finding.json() for finding in report.warnings],
        "edges": {wire: str(signature) for wire, signature in report.wires.items()},
        "inputs": [{"node": n, **signature_json(s)} for n, s in report.inputs],
        "outputs": [{"node": n, **signature_json(s)} for n, s in report.outputs],
        "class_name": report.class_name,
        "source": report.source,
        "lines": {path: list(lines) for path, lines in report.lines.items()},
        "rates": dict(report.rates),
        "total_params": report.total_params,
        "trainable_params": report.trainable_params,
        "mult_adds": report.mult_adds,
    }
