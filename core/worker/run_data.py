"""The data of a run: read with progress in its status, and compared with what it began with."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from blocks import CATALOGUE
from core.common.errors import RunError
from core.data import ends
from core.data.batches.dataset import Dataset, load_project
from core.data.pictures.decoding import shorten_names
from core.engine.fingerprint import shorten
from core.engine.load_module import LoadedNetwork
from core.graph import Graph, Node
from core.runs.status import Status
from core.runs.vocabulary import digest_of

ROWS = "num_embeddings"
"""The setting of blocks whose weights stand in the order of the tokens."""
TELL_S = 0.5  # between two reports of how far decoding is


def load_data(network: LoadedNetwork, seed: int, status: Status) -> Dataset:
    """Read what a run learns from, telling how far a folder of pictures is. Raises DataError."""
    inputs, outputs = ends(network.report.inputs, network.report.outputs)
    data = load_project(network.project, inputs, outputs, seed, _progress_writer(status))
    if data.left_out and data.labels is not None:
        count, total = len(data.left_out), len(data.left_out) + len(data.labels)
        status.warn(
            f"{count:,} of {total:,} pictures cannot be read and are skipped: "
            f"{shorten_names(data.left_out)}."
        )
    for text in absent_classes(data):
        status.warn(text)
    return data


def absent_classes(data: Dataset) -> list[str]:
    """A sentence for each split that has no sample of some class."""
    if data.labels is None:
        return []
    sentences: list[str] = []
    parts = {"training": data.train_indices, "validation": data.validation_indices}
    for what, rows in parts.items():
        present = set(data.labels[rows.to(data.labels.device)].unique().tolist())
        missing = tuple(name for i, name in enumerate(data.classes) if i not in present)
        if missing:
            sentences.append(f"The {what} split has no samples of class {shorten_names(missing)}.")
    return sentences


def _progress_writer(status: Status) -> Callable[[int, int, int], None]:
    """Write how far it is twice a second, so that a long wait is never taken for silence."""
    written_at = -TELL_S

    def tell(done: int, total: int, damaged: int) -> None:
        nonlocal written_at
        now = time.monotonic()
        if done < total and now - written_at < TELL_S:
            return
        written_at = now
        bad = f", {damaged:,} cannot be read" if damaged else ""
        status.write(phase=f"decoding pictures: {done:,} of {total:,}{bad}")

    return tell


def check_same(state: dict[str, Any] | None, data: Dataset) -> None:
    """Refuse to go on with other files: what validates might have been learned from before.

    state: the checkpoint, None for a run at its start. Data that we make ourselves can differ in
    its last bits on another machine; that is a warning, as for all else a run depends on.
    Raises RunError.
    """
    began = str(state["fingerprint"].get("data", "")) if state else data.content
    if began == data.content or data.info.custom is None:
        return
    message = (
        f"{data.info.custom.path} is not the data that this run started with: its checksum was "
        f"{shorten(began)} and is {shorten(data.content)} now."
    )
    hint = "Restore the original file and resume, or start a new run; the weights so far are kept."
    raise RunError("data", message, hint)


def _looks_up(node: Node) -> bool:
    block = CATALOGUE.get(node.block)
    return block is not None and block.setting(ROWS) is not None


def check_vocabulary(spec: Mapping[str, Any], data: Dataset, graph: Graph) -> None:
    """Refuse weights of another run whose tokens have other numbers. Raises RunError.

    Weights of a file without its vocabulary are taken as they are.
    """
    start, tokens = spec.get("start") or {}, data.info.origin.vocabulary
    known, left = start.get("vocabulary"), set(start.get("left_out", ()))
    looked_up = [n for n, node in graph.nodes.items() if _looks_up(node) and n not in left]
    if known is None or known == digest_of(tokens) or not looked_up:
        return
    theirs = f"another vocabulary ({shorten(known)})" if known else "no vocabulary"
    ours = f"one of {len(tokens):,} tokens ({shorten(digest_of(tokens))})" if tokens else "none"
    raise RunError(
        "training.start_from",
        f"{start['from']} were trained with {theirs}, and this data has {ours}: the same number "
        "would stand for another token.",
        f"Leave out {', '.join(looked_up)}, or use the data and split of that run.",
    )
