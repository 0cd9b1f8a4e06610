"""TensorBoard event files of a run, by tensorboardX: scalars, weights, the graph, settings."""

import warnings
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from torch import nn

from core.graph import Graph


class Nowhere:
    """Takes what is written where there is nothing to write it with."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


class Board:
    """Writes RUN/tensorboard. Nothing here is worth stopping a run for: see `missing`."""

    def __init__(self, run_dir: Path, step: int) -> None:
        self.missing, self.writer = False, Nowhere()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the libraries it imports, not of ours
                from tensorboardX import SummaryWriter
        except ModuleNotFoundError:
            self.missing = True
            return
        purge = step + 1 if step else None
        self.writer = SummaryWriter(
            str(run_dir / "tensorboard"), purge_step=purge, max_queue=100, flush_secs=2
        )

    @property
    def _files(self) -> Any:
        return self.writer._get_file_writer()

    def points(self, points: Mapping[str, list[Any]]) -> None:
        """The newest step of a flush: its loss and learning rate."""
        if points["step"]:
            step = points["step"][-1]
            for name in ("loss", "lr"):
                if (value := points[name][-1]) is not None:
                    self.writer.add_scalar(f"step/{name}", value, step)

    def pulse(self, pulse: Mapping[str, list[Any]]) -> None:
        """Gradient norm and throughput of a flush."""
        for name in ("grad_norm", "samples_per_s"):
            for step, value in zip(pulse.get("step", ()), pulse.get(name, ()), strict=True):
                if value is not None:
                    self.writer.add_scalar(f"step/{name}", value, step)

    def epoch(self, record: Mapping[str, Any]) -> None:
        """The metrics of an epoch."""
        for name, value in record.items():
            if name not in ("epoch", "step") and isinstance(value, int | float):
                self.writer.add_scalar(f"epoch/{name}", value, record["step"])

    def histograms(self, module: nn.Module, step: int) -> None:
        """The values of every weight."""
        for name, weight in module.named_parameters():
            self.writer.add_histogram(name, weight.detach().cpu().numpy(), step)

    def graph(self, graph: Graph, shapes: Mapping[str, tuple[Any, ...]]) -> None:
        """The drawing: one node per block under its id, composites as scopes."""
        if self.missing:
            return
        nodes = list(_nodes(graph, graph, "", shapes))
        versions = _proto("versions", "VersionDef")(producer=22)
        found = _proto("graph", "GraphDef")(node=nodes, versions=versions)
        event = _proto("event", "Event")(graph_def=found.SerializeToString())
        self._files.add_event(event)

    def settings(self, settings: Mapping[str, Any], metrics: Mapping[str, Any]) -> None:
        """Settings beside the metrics they led to, for the HPARAMS tab."""
        if self.missing:
            return
        from tensorboardX.summary import hparams

        plain = {k: v if isinstance(v, bool | int | float) else str(v) for k, v in settings.items()}
        numbers = {k: v for k, v in metrics.items() if isinstance(v, int | float)}
        named = {f"hparam/{name}": value for name, value in numbers.items()}
        for part in hparams(plain, named):
            self._files.add_summary(part)
        for name, value in named.items():
            self.writer.add_scalar(name, value)

    def close(self) -> None:
        """Write what is left."""
        self.writer.close()


def _nodes(graph: Graph, top: Graph, scope: str, shapes: Mapping[str, tuple[Any, ...]]) -> Any:
    for name, node in graph.nodes.items():
        path = f"{scope}{name}"
        inputs = [f"{scope}{e.source}" for e in graph.edges if e.target == name]
        attr = {}
        if shape := shapes.get(path.replace("/", ".")):
            attr["_output_shapes"] = _shape(shape)
        yield _proto("node_def", "NodeDef")(name=path, op=node.block, input=inputs, attr=attr)
        if inner := top.composites.get(node.block):
            yield from _nodes(inner.graph, top, f"{path}/", shapes)


def _shape(shape: tuple[Any, ...]) -> Any:
    kind, value = _proto("tensor_shape", "TensorShapeProto"), _proto("attr_value", "AttrValue")
    dims = [kind.Dim(size=d if isinstance(d, int) else -1) for d in shape]
    return value(list=value.ListValue(shape=[kind(dim=dims)]))


def _proto(file: str, name: str) -> Any:
    """A message of TensorBoard's protocol; these classes are made at run time."""
    return getattr(import_module(f"tensorboardX.proto.{file}_pb2"), name)
