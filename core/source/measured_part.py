"""The part of a training file that measures a network beside its loss, as a run does."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.data.terms import Term
from core.source.literal import literal
from core.source.training_part import Learning

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


def measured(learning: Learning, outputs: list[str], target: str) -> Measured | None:
    """How the outputs are measured; None where there are several losses, or only the loss.

    outputs: names of what the only loss reads. target: name of the column they are held against.
    """
    terms = learning.info.terms
    if len(terms) != 1 or terms[0].kind not in _KINDS or terms[0].constant is not None:
        return None
    return _KINDS[terms[0].kind](learning, terms[0], outputs, target)


def _loss(learning: Learning, term: Term) -> str:
    return term.loss or learning.training["loss"]


def _above(learning: Learning, term: Term) -> str:
    return "0" if _loss(learning, term) in LOGITS else "0.5"


def _right(line: str, of: str = "len(columns[0])") -> Measured:
    return Measured((f"right += {line}.sum().item()",), ("right",), {"accuracy": f"right / {of}"})


def _classes(_learning: Learning, _term: Term, outputs: list[str], target: str) -> Measured:
    return _right(f"({outputs[0]}.argmax(1) == {target})")


def _yes_no(learning: Learning, term: Term, outputs: list[str], target: str) -> Measured:
    return _right(f"(({outputs[0]} > {_above(learning, term)}) == {target}.bool())")


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


def _labels(learning: Learning, term: Term, outputs: list[str], target: str) -> Measured:
    lines = (
        f"said, wanted = {outputs[0]} > {_above(learning, term)}, {target}.bool()",
        "right += (said == wanted).sum().item()",
        "count += wanted.numel()",
        "both += (said & wanted).sum().item()",
        "either += (said | wanted).sum().item()",
    )
    told = {"accuracy": "right / count", "f1": "2 * both / max(1, both + either)"}
    return Measured(lines, ("right", "count", "both", "either"), told)


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


_KINDS = {
    "classes": _classes,
    "yes_no": _yes_no,
    "pair": _pair,
    "cosine": _cosine,
    "triplet": _triplet,
    "labels": _labels,
    "tokens": _tokens,
}
