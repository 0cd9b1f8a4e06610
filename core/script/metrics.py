"""The part of a training file that measures a network beside its loss, as a run does."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.data.loss_terms import Term
from core.script.training import Learning
from core.source.literal import literal

LOGITS = ("BCEWithLogitsLoss", "MultiLabelSoftMarginLoss")


@dataclass(frozen=True)
class Measured:
    """lines: of a batch. sums: what they add to. told: name of a metric to its expression."""

    lines: tuple[str, ...]
    sums: tuple[str, ...]
    told: Mapping[str, str]

    @property
    def words(self) -> str:
        """What is told, for a docstring."""
        *first, last = ("loss", *self.told)
        return f"Mean {', '.join(first)} and {last}."

    @property
    def shown(self) -> str:
        """What a line of output says of it."""
        forms = {name: ".2%" if name == "accuracy" else ".4g" for name in self.told}
        return ", ".join(f"{name} {{{name}:{form}}}" for name, form in forms.items())

    def apart(self, number: int, name: str) -> "Measured":
        """The same with sums and metrics of its own, for one loss among several."""
        end = "" if number == 1 else f"_{number}"
        old = re.compile(rf"\b({'|'.join(self.sums)})\b(?= \+=)")
        inside = re.compile(rf"\b({'|'.join(self.sums)})\b")
        lines = tuple(old.sub(rf"\1{end}", line) for line in self.lines)
        told = {f"{name}{key}": inside.sub(rf"\1{end}", text) for key, text in self.told.items()}
        return Measured(lines, tuple(f"{sum_}{end}" for sum_ in self.sums), told)


def measured(learning: Learning, term: Term, outputs: list[str], target: str) -> Measured | None:
    """How the outputs of a loss are measured; None where it says everything itself.

    outputs: names of what it reads. target: name of the column they are held against.
    """
    kind = _KINDS.get(term.kind)
    return kind(learning, term, outputs, target) if kind else None


def _loss(learning: Learning, term: Term) -> str:
    return term.loss or learning.training["loss"]


def logarithm(learning: Learning, term: Term | None = None) -> bool:
    """Whether outputs are logarithms of the numbers that are told."""
    settings = term.settings if term and term.loss else learning.training["loss_settings"]
    loss = (term.loss if term else "") or learning.training["loss"]
    return loss == "PoissonNLLLoss" and settings.get("log_input", True)


def _above(learning: Learning, term: Term) -> str:
    return "0" if _loss(learning, term) in LOGITS else "0.5"


def _right(line: str, of: str = "len(columns[0])") -> Measured:
    return Measured((f"right += {line}.sum().item()",), ("right",), {"accuracy": f"right / {of}"})


def _classes(_learning: Learning, _term: Term, outputs: list[str], target: str) -> Measured:
    return _right(f"({outputs[0]}.argmax(1) == {target})")


def _yes_no(learning: Learning, term: Term, outputs: list[str], target: str) -> Measured:
    return _right(f"(({outputs[0]} > {_above(learning, term)}) == {target}.bool())")


def _judged(learning: Learning, term: Term, outputs: list[str], _target: str) -> Measured:
    sign = ">" if term.constant else "<="
    lines = (
        f"right += ({outputs[0]} {sign} {_above(learning, term)}).sum().item()",
        f"count += {outputs[0]}.numel()",
    )
    return Measured(lines, ("right", "count"), {"accuracy": "right / count"})


def _pair(learning: Learning, term: Term, outputs: list[str], target: str) -> Measured:
    settings = term.settings if term.loss else learning.training["loss_settings"]
    near = literal(settings.get("margin", 1.0) / 2)
    return _right(f"(({outputs[0]} < {near}) == ({target} > 0))")


def _cosine(_learning: Learning, _term: Term, outputs: list[str], target: str) -> Measured:
    alike = f"nn.CosineSimilarity()({', '.join(outputs)}) > 0.5"
    made = _right(f"(said == ({target} > 0))")
    return Measured((f"said = {alike}", *made.lines), made.sums, made.told)


def _triplet(_learning: Learning, _term: Term, outputs: list[str], _target: str) -> Measured:
    anchor, same, other = outputs
    made = _right("(said < wanted)")
    first = (
        f"said = ({anchor} - {same}).norm(dim=1)",
        f"wanted = ({anchor} - {other}).norm(dim=1)",
    )
    return Measured((*first, *made.lines), made.sums, made.told)


def _both(first: tuple[str, ...], name: str, share: str) -> Measured:
    """Of yes and no for many things: how many are right, and how well the yes agree."""
    lines = (
        *first,
        "right += (said == wanted).sum().item()",
        "count += wanted.numel()",
        "both += (said & wanted).sum().item()",
        "either += (said | wanted).sum().item()",
    )
    told = {"accuracy": "right / count", name: share}
    return Measured(lines, ("right", "count", "both", "either"), told)


def _labels(learning: Learning, term: Term, outputs: list[str], target: str) -> Measured:
    first = f"said, wanted = {outputs[0]} > {_above(learning, term)}, {target}.bool()"
    return _both((first,), "f1", "2 * both / max(1, both + either)")


def _mask(learning: Learning, term: Term, outputs: list[str], target: str) -> Measured:
    said = f"{outputs[0]} > {_above(learning, term)}"
    if term.kind == "mask_classes":
        said = f"{outputs[0]}.argmax(1).bool()"
    return _both((f"said, wanted = {said}, {target}.bool()",), "iou", "both / max(1, either)")


def _tokens(_learning: Learning, _term: Term, outputs: list[str], target: str) -> Measured:
    lines = (
        f"scores, truth = {outputs[0]}.flatten(0, 1), {target}.flatten()",
        "scores, truth = scores[truth >= 0], truth[truth >= 0]",
        "count += len(truth)",
        "right += (scores.argmax(1) == truth).sum().item()",
        'surprise += nn.CrossEntropyLoss(reduction="sum")(scores, truth).item()',
    )
    told = {"accuracy": "right / count", "perplexity": "math.exp(surprise / count)"}
    return Measured(lines, ("right", "count", "surprise"), told)


def _sequence(_learning: Learning, _term: Term, outputs: list[str], target: str) -> Measured:
    lines = (
        f"said = greedy_decode({outputs[0]})",
        f"wanted = [row[row > 0].tolist() for row in {target}]",
        "right += sum(map(list.__eq__, said, wanted))",
        "misses += sum(map(edit_distance, said, wanted))",
        "count += sum(map(len, wanted))",
    )
    told = {"accuracy": "right / len(columns[0])", "ler": "misses / count"}
    return Measured(lines, ("right", "misses", "count"), told)


def _numbers(learning: Learning, term: Term, outputs: list[str], target: str) -> Measured:
    said = f"{outputs[0]}.double()" + (".exp()" if logarithm(learning, term) else "")
    unit = " * unit" if term.kind == "regression" and learning.info.standardised_target else ""
    lines = (
        f"truth, errors = {target}.double(), {said} - {target}.double()",
        "count += truth.numel()",
        "misses += errors.abs().sum().item()",
        "squares += errors.square().sum().item()",
        "whole += truth.sum().item()",
        "power += truth.square().sum().item()",
    )
    spread = "max(1e-12, power - whole * whole / count)"
    told = {"mae": f"misses / count{unit}", "r2": f"1 - squares / {spread}"}
    return Measured(lines, ("count", "misses", "squares", "whole", "power"), told)


def _image(learning: Learning, term: Term, outputs: list[str], target: str) -> Measured:
    said = f"{outputs[0]}.sigmoid()" if _above(learning, term) == "0" else outputs[0]
    lines = (
        f"misses += ({said} - {target}).abs().sum().item()",
        f"count += {target}.numel()",
    )
    return Measured(lines, ("misses", "count"), {"mae": "misses / count"})


_KINDS = {
    "classes": _classes,
    "yes_no": _yes_no,
    "judged": _judged,
    "pair": _pair,
    "cosine": _cosine,
    "triplet": _triplet,
    "labels": _labels,
    "mask": _mask,
    "mask_classes": _mask,
    "tokens": _tokens,
    "sequence": _sequence,
    "regression": _numbers,
    "series": _numbers,
    "image": _image,
}
