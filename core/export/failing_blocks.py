"""Which blocks an exporter cannot write: each alone, on what it receives in the network.

A message of an exporter names its own operators, and seldom the block that they came from.
"""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from core.data import DataError
from core.export.parity import Inputs
from core.export.result import CannotHold, ExportError
from core.export.subject import Subject, subject
from core.insight.load_model import NotReady, OpenedNetwork
from core.insight.one_sample.values import Forward, forward
from core.insight.part.check import entered
from core.insight.part.extract import take

SECONDS = 60.0
"""After so long no further block is tried: a compiler takes a while for each."""
MOST = 3
"""So many reasons are given."""
Make = Callable[[Subject], Any]


def named(whole: Subject, make: Make, error: CannotHold) -> ExportError:
    """The refusal of a network with the blocks that `make` refuses alone, and why; as it is where
    it takes each of them alone."""
    found = failing_blocks(whole, make, error.why)
    reasons: dict[str, list[str]] = {}
    for block, why in found.items():
        reasons.setdefault(why, []).append(block)
    words = [f"{', '.join(blocks)}: {why}" for why, blocks in reasons.items()]
    return CannotHold(error.start, " ".join(words[:MOST]) or error.why, error.hint)


def failing_blocks(whole: Subject, make: Make, message: str = "") -> dict[str, str]:
    """Blocks that `make` refuses alone, as "p (AdaptiveMaxPool2d)", each with its reason.

    message: of the whole; blocks of a kind that it mentions are tried first.
    """
    if whole.opened is None:
        return {}
    known: dict[str, str] = {}
    found: dict[str, str] = {}
    opened, end = whole.opened, time.monotonic() + SECONDS
    ran = lru_cache(maxsize=4)(lambda batch: forward(opened, whole.sample(batch)))
    for path in _ordered(opened, message):
        node = opened.report.nodes[path]
        key = repr((node.block, node.settings, node.inputs))
        if key not in known and time.monotonic() < end:
            known[key] = _reason(opened, path, ran, make)
        if reason := known.get(key):
            found[f"{path} ({node.block})"] = reason
    return found


def _ordered(opened: OpenedNetwork, message: str) -> Iterator[str]:
    """Paths of all blocks without blocks inside."""
    nodes = opened.report.nodes
    inside = [path for path, node in nodes.items() if not node.children]
    leaves = [p for p in inside if nodes[p].block != "Input" and nodes[p].block != "Output"]
    plain = re.sub(r"[^a-z0-9]", "", message.lower())
    yield from sorted(leaves, key=lambda path: nodes[path].block.lower() not in plain)


def _reason(opened: OpenedNetwork, path: str, ran: Callable[[int], Forward], make: Make) -> str:
    """Why `make` refuses a block alone; "" where it does not, or it cannot stand alone."""
    head, dot, name = path.rpartition(".")
    try:
        taken = take(opened, [name], head + dot)
        alone = subject(taken.opened, "")
    except (NotReady, DataError, ExportError):
        return ""  # it needs others, such as the one whose weights it shares

    def sample(batch: int) -> Inputs:
        return entered(opened, taken, ran(batch))

    try:
        make(replace(alone, sample=sample))
    except (NotReady, DataError):
        return ""
    except CannotHold as error:
        return error.why
    except ExportError as error:
        return error.message
    return ""
