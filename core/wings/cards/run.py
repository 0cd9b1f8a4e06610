"""Run a card on a drawing: check that it can run, execute its text, return the outcome.

The text is executed by `process.py`, which knows nothing of Layerloom, in an empty folder, with a
limit on time and memory. Nothing of the project is touched.
"""

import contextlib
import json
import os
import signal
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.common.errors import LayerloomError
from core.common.memory import available_bytes, size
from core.project import read_text
from core.wings.cards.card import Card
from core.wings.cards.drawing import Drawing
from core.wings.cards.text import RESULT, WEIGHTS, CardText, card_text
from core.worker import child_process

PROCESS = Path(__file__).with_name("process.py")
STEP_S = 1.2e-9
"""Seconds for a multiplication with an addition, on one thread of a slow machine."""
STEP_BYTES_S = 0.6e-9
"""Seconds for each byte of a block's output."""
MEMORY_BYTES = 4_000_000_000
"""The memory limit of a card, however much is free."""
SHARE = 0.5
"""The share of free memory that a card may take."""
START_S = 20.0
"""Seconds of the processor that torch and the data may take before."""
WAIT = 5.0
"""Factor from CPU time to clock time: the machine may be busy."""
LONG_S = 10.0
"""Seconds from which a card announces how long it takes."""
START_BYTES = 500_000_000
"""Memory of torch before anything is calculated."""


class CardError(LayerloomError):
    """Why a card cannot run here, or how it ended; `hint`: what to do about it."""


@dataclass(frozen=True)
class CardOutcome:
    """The outcome of a card. values: of its numbers and pictures, by variable."""

    card: Card
    block: str
    text: CardText
    values: Mapping[str, Any] = field(default_factory=lambda: {})
    printed: str = ""
    seconds: float = 0.0

    def json(self) -> dict[str, Any]:
        """The outcome as `layerloom card --json` prints it."""
        numbers = {
            n.name: {
                "title": n.title,
                "value": self.values[n.name],
                "unit": n.unit,
                "measured": n.measured,
            }
            for n in self.card.numbers
        }
        return {
            "card": self.card.name,
            "block": self.block,
            "numbers": numbers,
            "values": dict(self.values),
            "explanation": self.card.explanation(self.values),
            "printed": self.printed,
            "seconds": self.seconds,
        }


def weights_of(project: str, run: str) -> bytes:
    """The best weights of a run that trained a drawing, as safetensors. project: its file's text.

    Raises NotReady, also where the run trained another source; RunError where a checkpoint is
    damaged.
    """
    from safetensors.torch import save

    from core.insight.load_model import open_drawn

    state = open_drawn(read_text(project), Path(run)).module.state_dict()
    return save({name: tensor.contiguous().clone() for name, tensor in state.items()})


def objection(card: Card, drawing: Drawing) -> str:
    """Why a card cannot work on a drawing, in a sentence; "" where it can."""
    if drawing.problem:
        return drawing.problem
    if drawing.half:
        return f"Cards calculate in float32, and {drawing.half} is in half precision."
    inputs, outputs = drawing.end_counts
    if (inputs, outputs) != (1, 1):
        return f"It needs one Input and one Output; this drawing has {inputs} and {outputs}."
    if drawing.input_shape is None or drawing.output_shape is None:
        return (
            "It needs samples of a fixed shape, and the shape in this drawing depends on the data."
        )
    why = drawing.without_targets if card.targets else ""
    why = why or card.find_problem(drawing)
    if not why and card.parts and not card.parts(drawing):
        why = card.without_part
    return why or card.missing_requirement or too_large(card, drawing)


def block_of(card: Card, drawing: Drawing, block: str) -> str:
    """The block of a card: the named one, else the first that suits; "" for none.

    Raises CardError for one that does not suit.
    """
    if card.parts is None:
        if block:
            raise CardError(f"{card.title} is about the whole drawing.", "Leave the block out.")
        return ""
    suited = card.parts(drawing)
    if block and block not in suited:
        listed = ", ".join(suited[:8])
        raise CardError(f"{card.title} does not suit {block}.", f"It suits {listed}.")
    return block or suited[0]


def expected(card: Card, drawing: Drawing, block: str = "") -> tuple[float, float]:
    """Seconds and bytes that a card is going to take on a drawing, about."""
    part = drawing.parts.get(block or (card.parts(drawing)[0] if card.parts else ""))
    cost = card.cost(drawing, part)
    one = card.batch * (STEP_S * drawing.mult_adds + STEP_BYTES_S * drawing.activation_bytes)
    seconds = one * cost.passes + 1e-9 * drawing.params * cost.copies + cost.compile_s
    held = (
        4 * drawing.params * cost.copies + 2 * card.batch * drawing.activation_bytes * cost.batches
    )
    return seconds, held + START_BYTES + cost.compile_bytes


def cost_warning(card: Card, drawing: Drawing, block: str = "") -> str:
    """What a card takes, in a sentence, where that is more than a moment; "" where it is not."""
    seconds, need = expected(card, drawing, block)
    if seconds < LONG_S:
        return ""
    return f"It takes about {seconds:.0f} s and {size(need)} of memory on a quiet machine."


def too_large(card: Card, drawing: Drawing, block: str = "") -> str:
    """Why a card would take too long or too much memory; "" where it would not."""
    seconds, need = expected(card, drawing, block)
    if seconds > card.limit_s:
        return (
            f"It would take about {seconds:,.0f} s on this drawing, and may take "
            f"{card.limit_s:.0f} s. Try it on a smaller one."
        )
    most = min(MEMORY_BYTES, SHARE * (available_bytes() or 2 * MEMORY_BYTES))
    if need > most:
        return (
            f"It would take about {size(need)} of memory on this drawing, and "
            f"may take {size(most)}. Try it on a smaller one."
        )
    return ""


def run(
    card: Card, drawing: Drawing, block: str = "", weights: bytes = b"", expression: str = ""
) -> CardOutcome:
    """Run a card on a drawing. weights: of a run, as safetensors. expression: see `card_text`.

    Raises CardError, BenchError.
    """
    if why := objection(card, drawing):
        raise CardError(f"{card.title}: {why}")
    block = block_of(card, drawing, block)
    if block and (why := too_large(card, drawing, block)):
        raise CardError(f"{card.title}: {why}")
    text = card_text(card, drawing, block, bool(weights), expression)
    answer = _executed(card, text.text, weights)
    if "error" in answer:
        raise _failure(card, text, answer)
    return CardOutcome(card, block, text, answer["values"], answer["printed"], answer["seconds"])


def _executed(card: Card, text: str, weights: bytes) -> dict[str, Any]:
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
            folder = Path(name)
            (folder / "card.py").write_text(text, "utf-8")
            if weights:
                (folder / WEIGHTS).write_bytes(weights)
            job = {
                "names": card.variables,
                "memory": available_bytes(),
                "cpu_s": round(card.limit_s + START_S),
            }
            (folder / "job.json").write_text(json.dumps(job), "utf-8")
            return _job(card, folder)
    except OSError as error:
        where = f"The folder for temporary files ({tempfile.gettempdir()}) cannot be used"
        raise CardError(f"{where}: {error.strerror or error}.", "Make room there.") from error


def _job(card: Card, folder: Path) -> dict[str, Any]:
    """The outcome from the process, or the error of the text. Raises CardError."""
    variables = dict.fromkeys(("TMPDIR", "TORCHINDUCTOR_CACHE_DIR"), str(folder))
    alone = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "TORCHINDUCTOR_COMPILE_THREADS")
    more: dict[str, str] = {**variables, **dict.fromkeys(alone, "1")}
    pipe = child_process.PIPE
    child = child_process.start(
        child_process.module(str(PROCESS), str(folder)),
        cwd=folder,
        more=more,
        text=True,
        stdin=pipe,
        stdout=pipe,
        own_session=True,
    )
    over = threading.Event()
    clock = threading.Timer(WAIT * card.limit_s, lambda: (over.set(), _kill(child)))
    clock.start()
    try:
        assert child.stdout is not None
        lines = child.stdout.read().splitlines()  # its input stays open: closing it ends the job
        status = child.wait()
    finally:
        clock.cancel()
        _end(child)
    if over.is_set() or status == -signal.SIGXCPU:
        raise CardError(
            f"{card.title} took longer than {card.limit_s:.0f} s and was stopped.",
            "Try it on a smaller drawing.",
        )
    return _answer_of(card, lines, status)


def _answer_of(card: Card, lines: list[str], status: int) -> dict[str, Any]:
    """The last message of the process. Raises CardError if there is none."""
    try:
        return json.loads(lines[-1])
    except (IndexError, ValueError) as error:
        ended = (
            f"was ended by signal {-status}; memory may be short"
            if status < 0
            else (f"ended with status {status}")
        )
        raise CardError(f"The process of {card.title} {ended}.") from error


def _failure(card: Card, text: CardText, answer: Mapping[str, Any]) -> CardError:
    """How a text failed: at what the user typed, or at another line."""
    line = text.text.splitlines()[answer["line"] - 1] if answer["line"] else ""
    if card.expression and line.startswith(RESULT):
        typed = line.removeprefix(RESULT)
        return CardError(
            f"{typed} cannot be calculated: {answer['error']}.",
            "Type a part of it to see its shape and type.",
        )
    where = f" at line {answer['line']} of its text" if answer["line"] else ""
    return CardError(
        f"{card.title} stopped{where}: {answer['error']}.",
        "Its code, with --code or below it, shows the line.",
    )


def _kill(child: "child_process.Process[str]") -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def _end(child: "child_process.Process[str]") -> None:
    """End a process and all that it started, and close what leads to it."""
    _kill(child)
    child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe:
            pipe.close()
