"""TensorBoard event files of a run, by tensorboardX: scalars, graph, settings, what views give it.

They are written here and now: tensorboardX's own thread dies on a full disk, and the queue before
it then blocks whoever writes, for ever.
"""

import math
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from core.graph import Graph

FLUSH_S, AGAIN_S = 2.0, 30.0
BINS, MOST_VALUES = 64, 65_536


class NullWriter:
    """A writer that drops everything: tensorboardX is not installed."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


class EventFiles:
    """Event files of a folder, written at once: what tensorboardX's writer is given to write to.

    Where one cannot be written, events are dropped until the next can be begun. problem: why, in
    words, "" where nothing was lost.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.problem = folder, ""
        self.file: Any = None
        self.begun = self.written = 0
        self.next = self.flushed = 0.0

    def get_logdir(self) -> str:
        """The folder."""
        return str(self.folder)

    def before(self) -> int:
        """Bytes of the event files that are there."""
        with suppress(OSError):
            return sum(file.stat().st_size for file in self.folder.glob("events*"))
        return 0

    def add_summary(self, summary: Any, global_step: Any = None, walltime: Any = None) -> None:
        """Write numbers of a step."""
        self.add_event(_proto("event", "Event")(summary=summary), global_step, walltime)

    def add_event(self, event: Any, step: Any = None, walltime: Any = None) -> None:
        """Write an event; drop it where that cannot be done."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        try:
            if self._open():
                self.written += event.ByteSize()
                self.file.write_event(event)
                if time.monotonic() - self.flushed > FLUSH_S:
                    self.flush()
        except OSError as error:
            self._give_up(error)

    def flush(self) -> None:
        """Hand everything to the system."""
        self.flushed = time.monotonic()
        if self.file:
            self.file._py_recordio_writer._writer.flush()

    def close(self) -> None:
        """Write what is left."""
        try:
            self.flush()
            if self.file:
                self.file._py_recordio_writer.close()
        except OSError as error:
            self._give_up(error)
        self.file = None

    def _open(self) -> bool:
        """Begin a file where there is none; after a fault not at once, and under a new name."""
        if self.file is None and time.monotonic() >= self.next:
            from tensorboardX.event_file_writer import EventsWriter

            self.folder.mkdir(exist_ok=True)
            suffix = f".{self.begun}" if self.begun else ""
            self.begun += 1
            self.file = EventsWriter(str(self.folder / "events"), suffix)
        return self.file is not None

    def _give_up(self, error: OSError) -> None:
        """Leave a file that may end in half an event; readers go on with the next one."""
        self.problem = f"The TensorBoard file could not be written: {error.strerror or error}."
        self.next = time.monotonic() + AGAIN_S
        if self.file:
            with suppress(OSError):
                self.file._py_recordio_writer.close()
        self.file = None


class TensorBoardLogger:
    """Writes RUN/tensorboard (Lightning: TensorBoardLogger). A failure is a `problem`, no error."""

    def __init__(self, run_dir: Path, step: int) -> None:
        self.missing, self.writer = False, NullWriter()
        self.files = EventFiles(run_dir / "tensorboard")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the libraries it imports, not of ours
                from tensorboardX import SummaryWriter
        except ModuleNotFoundError:
            self.missing = True
            return
        writer: Any = SummaryWriter(str(self.files.folder), write_to_disk=False)
        writer._write_to_disk = True  # but by us
        writer.file_writer, writer.all_writers = self.files, {"": self.files}
        self.writer = writer
        if step:
            self._begin_again(step + 1)

    def _begin_again(self, step: int) -> None:
        """Have TensorBoard forget what an attempt before wrote from this step on."""
        event = _proto("event", "Event")
        self.files.add_event(event(file_version="brain.Event:2"), step)
        log = _proto("event", "SessionLog")
        self.files.add_event(event(session_log=log(status=log.START)), step)

    @property
    def problem(self) -> str:
        """What is not written, and why; "" where everything is."""
        if self.missing:
            return "Nothing is written for TensorBoard: tensorboardX is not installed."
        return self.files.problem

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
        if self.missing:
            return
        summary = _proto("summary", "Summary")
        values = [
            summary.Value(tag=f"epoch/{name}", simple_value=value)
            for name, value in record.items()
            if name not in ("epoch", "step") and isinstance(value, int | float)
        ]
        self.files.add_summary(summary(value=values), record["step"])  # one event costs a third

    def histograms(self, module: nn.Module, step: int) -> None:
        """The values of every weight, and of its gradient in the newest step."""
        for name, weight in module.named_parameters():
            self._histogram(name, weight, step)
            if weight.grad is not None:
                self._histogram(f"gradients/{name}", weight.grad, step)

    def _histogram(self, tag: str, values: Tensor, step: int) -> None:
        found = histogram(values)
        if found:
            self.writer.add_histogram_raw(tag, **found, global_step=step)

    def picture(self, tag: str, picture: Any, step: int) -> None:
        """A picture (H, W, 3) of bytes."""
        self.writer.add_image(tag, picture, step, dataformats="HWC")

    def tiles(self, tag: str, pictures: Any, step: int) -> None:
        """Pictures (N, C, H, W) of bytes as one, in rows."""
        self.writer.add_images(tag, pictures, step)

    def table(
        self, tag: str, head: Sequence[str], rows: Sequence[Sequence[str]], step: int
    ) -> None:
        """A table of texts."""
        lines = [head, ["---"] * len(head), *rows]
        plain = [[_cell(text) for text in line] for line in lines]
        text = "\n".join(f"| {' | '.join(line)} |" for line in plain)
        self.writer.add_text(tag, text, step)

    def pictures(self, samples: Tensor) -> None:
        """Samples (N, C, H, W) of one or three channels, from black to white; nothing of others."""
        if self.missing or samples.dim() != 4 or samples.shape[1] not in (1, 3):
            return
        low, high = samples.amin(), samples.amax()
        shown = (samples - low) / (high - low).clamp(min=1e-12)
        self.writer.add_images("samples", shown.float().cpu().numpy(), 0)

    def graph(self, graph: Graph, shapes: Mapping[str, tuple[Any, ...]]) -> None:
        """The drawing: one node per block under its id, composites as scopes."""
        if self.missing:
            return
        nodes = list(_nodes(graph, graph, "", shapes))
        versions = _proto("versions", "VersionDef")(producer=22)
        graph_def = _proto("graph", "GraphDef")(node=nodes, versions=versions)
        event = _proto("event", "Event")(graph_def=graph_def.SerializeToString())
        self.files.add_event(event)

    def settings(self, settings: Mapping[str, Any], metrics: Mapping[str, Any]) -> None:
        """Settings beside the metrics they led to, for the HPARAMS tab."""
        if self.missing:
            return
        from tensorboardX.summary import hparams

        plain = {k: v if isinstance(v, bool | int | float) else str(v) for k, v in settings.items()}
        numbers = {k: v for k, v in metrics.items() if isinstance(v, int | float)}
        named = {f"hparam/{name}": value for name, value in numbers.items()}
        for part in hparams(plain, named):
            self.files.add_summary(part)
        for name, value in named.items():
            self.writer.add_scalar(name, value)

    def close(self) -> None:
        """Write what is left."""
        self.files.close()


def histogram(values: Tensor) -> dict[str, Any] | None:
    """What TensorBoard's histogram is made of, from at most MOST_VALUES, evenly chosen.

    None for no values, complex ones, and where one is not finite.
    """
    flat = values.detach().reshape(-1)
    if not len(flat) or flat.is_complex():
        return None
    flat = flat[:: math.ceil(len(flat) / MOST_VALUES)].double().cpu()
    low, high = (limit.item() for limit in flat.aminmax())
    if not math.isfinite(low) or not math.isfinite(high):
        return None
    limits, counts = _buckets(flat, low, high)
    return {
        "min": low,
        "max": high,
        "num": len(flat),
        "sum": flat.sum().item(),
        "sum_squares": flat.square().sum().item(),
        "bucket_limits": limits,
        "bucket_counts": counts,
    }


def _buckets(flat: Tensor, low: float, high: float) -> tuple[Sequence[float], Any]:
    """Upper limits of buckets of one width, and how many values each has."""
    if low == high:
        return [high], [len(flat)]
    limits = torch.linspace(low, high, BINS + 1, dtype=flat.dtype)[1:]
    return limits.tolist(), torch.histc(flat, BINS, low, high).tolist()


def _cell(text: str) -> str:
    """A text as one cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")[:200]


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
