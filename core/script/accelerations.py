"""The lines of a training file for precision, compilation and determinism."""

import re
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from core.common.device import CPU
from core.script.learning import Learning
from core.settings.accelerations import accelerations_of, uncompilable
from core.source.layout import WIDTH
from core.tasks.registry import KINDS

ENVIRONMENT = 'os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"  # before the first use of a GPU'

BACKWARD = "torch._dynamo.config.trace_autograd_ops = True  # the backward pass with the rest"
COMPILE = '@torch.compile(dynamic=False, options={"fallback_random": True})'
"""Recompiles for a smaller last batch; random numbers are those of steps without compilation."""
STEP = (
    '"""Make one step. The first call compiles it: a minute, and a C++ compiler.',
    "",
    "Its sums are in another order than those of the run, so results are close,",
    "not identical.",
    '"""',
)
ZERO = "    optimizer.zero_grad()"
BACKWARDS, DETACHED = (
    "    loss.backward()",
    "    loss = loss.detach()  # its graph is no longer needed",
)
AUTO = "compile_step: auto compiles in runs only, once it pays off; here it is off."
_AFTER = re.compile(r"    (average\.|scheduler\.|train_loss \+=)")


def imports(training: Mapping[str, Any]) -> tuple[str, ...]:
    """The import line that deterministic training needs."""
    return ("import os",) if training["deterministic"] else ()


def deterministic_lines(training: Mapping[str, Any]) -> list[str]:
    """Lines that allow only deterministic algorithms."""
    if not training["deterministic"]:
        return []
    return [ENVIRONMENT, "torch.use_deterministic_algorithms(True)"]


def model_line(learning: Learning) -> str:
    """The statement that builds the network where it is trained."""
    channels_last = accelerations_of(learning.training, CPU, learning.model)["channels_last"]
    more = ", memory_format=torch.channels_last" if channels_last.on else ""
    return f"model = {learning.class_name}().to(device{more})"


def set_up_lines(learning: Learning) -> list[str]:
    """Lines that compile the network and prepare float16."""
    lines = list[str]()
    if _network(learning):
        lines.append("compiled = torch.compile(model, dynamic=False)  # shares the weights")
    if learning.training["precision"] == "float16":
        lines.append("scaler = torch.amp.GradScaler(device.type)")
    return lines


def step_model(learning: Learning) -> str:
    """What calculates a step: the network, or what it was compiled to."""
    return "compiled" if _network(learning) else "model"


def _network(learning: Learning) -> bool:
    """Whether the network is compiled, and not the whole step."""
    return learning.training["compile"] == "on" and not compiles_step(learning)


def compiles_step(learning: Learning) -> bool:
    """Whether the whole step is compiled."""
    return learning.training["compile_step"] == "on" and not _hindrance(learning)


def rate_lines(learning: Learning) -> list[str]:
    """Lines that put learning rates into tensors, where a compiled step reads what changes."""
    if not learning.per or not compiles_step(learning):
        return []
    return [
        "for group in optimizer.param_groups:",
        '    group["lr"] = torch.tensor(group["lr"])  # otherwise each rate is compiled again',
    ]


def remark(learning: Learning) -> list[str]:
    """The comment that explains why steps are not compiled although the setting requests it."""
    asked = learning.training["compile_step"]
    text = {"auto": AUTO, "on": _hindrance(learning), "off": ""}[asked]
    return commented(text, learning.indent)


def commented(text: str, indent: str) -> list[str]:
    """A text as the lines of a comment."""
    return [f"# {line}" for line in wrap(text, WIDTH - len(indent) - 2)]


def _hindrance(learning: Learning) -> str:
    """What keeps the whole step from being compiled, as a sentence; "" when nothing does."""
    terms = learning.info.terms
    reasons = {
        "several processes may share it": learning.ranks,
        "several losses each update their own weights": any(term.trains for term in terms),
        "CTCLoss reads the lengths of sequences": any(
            KINDS[term.kind].reads_lengths for term in terms
        ),
    }
    reason = next((text for text, hinders in reasons.items() if hinders), "")
    sentence = f"The step cannot be compiled: {reason}." if reason else ""
    return uncompilable(learning.training, betas=False) or sentence


def whole_step(learning: Learning, lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """The function that makes a step, and the loop that calls it.

    lines: the loop over batches with the step in it. What follows the optimiser's step stays there,
    and so does zero_grad, at which the compiler would break the step's graph. It would also
    stop before the backward pass where what that has used up is still asked for.
    """
    head, *body = lines
    at = next(index for index, line in enumerate(body) if _AFTER.match(line))
    made = [line for line in body[:at] if line != ZERO]
    made.insert(made.index(BACKWARDS) + 1, DETACHED)
    columns = head.removeprefix("for ").removesuffix(" in loader:").strip("(),").split(", ")
    given = ", ".join(f"{column}: Tensor" for column in columns)
    function = [
        BACKWARD,
        "",
        *([] if learning.indent else [""]),
        COMPILE,
        *learning.lines(f"def train_step({given}) -> Tensor:"),
        *(f"    {line}".rstrip() for line in STEP),
        *(line for text in made for line in _inner(learning, text)),
        "    return loss",
        *([""] if learning.indent else ["", ""]),
    ]
    call = f"    loss = train_step({', '.join(columns)})"
    return function, [head, ZERO, call, *body[at:]]


def _inner(learning: Learning, text: str) -> list[str]:
    deep = " " * (len(text) - len(text.lstrip()))
    return [deep + line.removeprefix(deep) for line in learning.lines(text.lstrip(), deep)]
