"""The table of ONNX models: how many passed, what is left out by choice, and why the rest."""

import collections
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import onnx
import torch

from core.wings.importing.onnx.ops.registry import BY_OPERATION


@dataclass(frozen=True)
class Outcome:
    """What became of a case. state: passed, refused or failed."""

    kind: str
    name: str
    ops: tuple[str, ...]
    state: str
    reason: str = ""


CHOICES: dict[str, str] = {
    r"an input of (string|u?int[24]|float[48])|constants of (float8|float4|u?int[24])|casts to a":
        "Numbers of less than 8 bits, fractions of less than 16, and texts: torch's layers take "
        "none of them.",
    r"no tensor, such as a sequence|results that are no tensors|takes \d+ inputs, but":
        "Lists, optional values, or nothing at all as input: wires carry tensors.",
    r"has no batch|share no batch|the samples?\b|the batch\b|batch_first|calculates its sizes":
        "The first size is not the number of samples: in a drawing it always is, and free.",
    r"does not depend on the data":
        "The result is the same for all data.",
    r"as in training":
        "Drops, or normalises, as in training: a file of the network in use is drawn.",
    r"random numbers":
        "Draws at random: nobody draws the same numbers again to compare with.",
    r"beyond 3\.4e\+38":
        "Is given doubles that single precision, in which a drawing computes, does not hold.",
    r"\(ai\.onnx\.ml\)":
        "Classical machine learning (ai.onnx.ml), which has no layers.",
}  # fmt: skip
"""What is left out by choice: how its refusals read, and why."""


def choice(found: Outcome) -> str:
    """Why this model is left out by choice; "" where it is not."""
    left = [BY_OPERATION[op] for op in found.ops if op in BY_OPERATION]
    for reason in left:
        if reason in found.reason:
            return f"{reason[0].upper()}{reason[1:]}."
    return next((why for form, why in CHOICES.items() if re.search(form, found.reason)), "")


def reason_of(found: Outcome) -> str:
    """A refusal or failure without what is special to the file, to count the like together."""
    text = found.reason.partition(": ")[2] if found.state == "refused" else found.reason
    text = re.sub(r"\([^)]*\)", "(...)", text)
    text = re.sub(r"result \d+ (differs|is).*", r"result \1 otherwise", text)
    return re.sub(r"\d+(\.\d+)?(e[-+]\d+)?", "n", text)[:110]


def table(found: Sequence[Outcome], kinds: Sequence[str], seconds: float) -> str:
    """The report as Markdown."""
    lines = ["# ONNX: the onnx package's own test models", "",
             f"onnx {onnx.__version__}, torch {torch.__version__.partition('+')[0]}, "
             f"{seconds:.0f} s. Written by `python -m tests.wings.importing.bench.onnx_models`.",
             "",
             "| kind | models | passed | left out by choice | refused with a reason | failed |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    chosen = [o for o in found if o.state == "refused" and choice(o)]
    rest = [o for o in found if o.state != "passed" and o not in chosen]
    for kind in kinds:
        mine = [o for o in found if o.kind == kind]
        if mine:
            states = [o.state for o in mine if o not in chosen]
            left = len(mine) - len(states)
            counts = [states.count("passed"), left, states.count("refused"), states.count("failed")]
            lines.append(f"| {kind} | {len(mine)} | {' | '.join(str(n) for n in counts)} |")
    lines += ["", "## Left out by choice", "", *counted(chosen, choice)]
    lines += ["", "## Other reasons", "", *counted(rest, lambda o: f"{o.state}: {reason_of(o)}")]
    lines += ["", "## Per operation", "", "Single-operation models (`node`).", "",
              "| operation | passed | of |", "|---|---|---|"]  # fmt: skip
    each: dict[str, list[str]] = collections.defaultdict(list)
    for one in found:
        if one.kind == "node" and len(one.ops) == 1:
            each[one.ops[0]].append(one.state)
    lines += [f"| {op} | {s.count('passed')} | {len(s)} |" for op, s in sorted(each.items())]
    return "\n".join(lines) + "\n"


def counted(found: Sequence[Outcome], why: Any) -> list[str]:
    """How many models there are of each reason, and one of them."""
    reasons: dict[str, list[str]] = collections.defaultdict(list)
    for one in found:
        reasons[why(one)].append(one.name)
    ordered = sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0]))
    rows = [
        f"| {len(names)} | {reason.replace('|', chr(92) + '|')} | {names[0]} |".replace("\n", " ")
        for reason, names in ordered
    ]
    return ["| models | reason | such as |", "|---|---|---|", *rows]
