"""Remedies of badly configured runs: the fault in their settings, and the change that helps.

Each was measured with and without (tests/bench/verdicts.md). No torch.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from blocks import declaration, has
from blocks.shared import POSITIVE
from core.runs.verdict_facts import Facts
from core.settings.optimizers import has_trait, optimizer_name
from core.settings.usual_rates import CONSTANT, ORDINARY, highest_rate, usual_rate
from core.tasks import registry
from core.tasks.losses import CROSS_ENTROPY
from core.tasks.output_range import cut_off
from core.tasks.registry import LOSSES

ADAM_LR = CONSTANT * ORDINARY
STEPS = 600  # that a small network needs at least to learn something small


@dataclass(frozen=True)
class Remedy:
    """title: of its button. changes: settings as `--set` takes them, "lr", "drop1.p"."""

    title: str
    changes: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Cause:
    """A setting that is far from the usual: a sentence about it, and what changes it."""

    text: str
    remedy: Remedy


FAR = 30.0  # times the usual rate: so far no schedule or batch explains it
HIGH = 8.0  # times the usual rate: what failed may have failed by it


def usual_lr(facts: Facts) -> float:
    """The rate at which the optimiser of a run usually learns with such a network."""
    momentum = float(_of(facts, "optimizer_settings", "momentum") or 0.0)
    schedule = str(_of(facts, "scheduler", "name", ""))
    return usual_rate(facts.network, optimizer_name(facts.training), momentum, schedule)


def _of(facts: Facts, group: str, name: str, default: Any = None) -> Any:
    settings: Mapping[str, Any] = facts.training.get(group) or {}
    return settings.get(name, default)


def causes(facts: Facts) -> list[Cause]:
    """What is wrong with the settings, the gravest first."""
    found = [cause for find in CAUSES for cause in find(facts)]
    given = {
        key for cause in found if len(cause.remedy.changes) > 1 for key in cause.remedy.changes
    }
    return [
        cause
        for cause in found
        if len(cause.remedy.changes) > 1 or not given & set(cause.remedy.changes)
    ]


def _log_probabilities(facts: Facts) -> Iterator[Cause]:
    loss = str(facts.training.get("loss"))
    instead = LOSSES[loss].instead if registry.has_trait(loss, "log_probabilities") else ""
    if instead and any("needs log-probabilities" in text for text in facts.warnings):
        text = f"{loss} needs log-probabilities, but the network outputs other numbers."
        yield Cause(text, Remedy(f"Use {instead}", {"loss": instead}))


def _clipping(facts: Facts) -> Iterator[Cause]:
    clip = facts.training.get("clip_norm")
    plain = not has_trait(facts.training, "scale_free")
    if clip is not None and (clip == 0 or (plain and clip < 0.01)):
        text = f"Gradients are clipped at {clip:g}, which leaves almost nothing of them."
        yield Cause(text, Remedy("Clip gradients at 1", {"clip_norm": 1.0}))


def _average(facts: Facts) -> Iterator[Cause]:
    decay = facts.training.get("ema_decay")
    planned = planned_steps(facts)
    if decay and decay < 1 and 2 / (1 - decay) > planned:
        back = round(1 / (1 - decay))
        text = (
            f"Validation uses weights averaged over about {back:,} steps, "
            f"but the run has {planned:,}."
        )
        yield Cause(text, Remedy("Validate the weights as they are", {"ema_decay": None}))


def planned_steps(facts: Facts) -> int:
    """How many steps the whole run has."""
    per_epoch = facts.steps / max(1, facts.count)
    return round(per_epoch * int(facts.training.get("epochs", facts.count) or 1))


def _smoothing(facts: Facts) -> Iterator[Cause]:
    share = _of(facts, "loss_settings", "label_smoothing") or 0.0
    if share > 0.5:
        text = f"Label smoothing of {share:g} leaves little of the labels."
        yield Cause(text, Remedy("Smooth labels by 0.1", {"loss_settings.label_smoothing": 0.1}))


def _decay(facts: Facts) -> Iterator[Cause]:
    decay = _of(facts, "optimizer_settings", "weight_decay") or 0.0
    strong = has_trait(facts.training, "strong_decay")
    if decay > (2.0 if strong else 0.1):
        text = f"A weight decay of {decay:g} pulls weights to 0 faster than they learn."
        change = {"optimizer_settings.weight_decay": 0.01 if strong else 1e-4}
        yield Cause(text, Remedy("Lower weight decay", change))


def _dropout(facts: Facts) -> Iterator[Cause]:
    large = {
        name: settings.get("p")
        for name, (block, settings) in facts.blocks.items()
        if has(block, "dropout") and isinstance(settings.get("p"), float) and settings["p"] > 0.7
    }
    if large:
        name, share = next(iter(large.items()))
        text = f"{name} drops {share:.0%} of what it receives in training."
        yield Cause(text, Remedy("Drop 20 % instead", {f"{n}.p": 0.2 for n in large}))


def _scale(facts: Facts) -> Iterator[Cause]:
    mean, std = facts.baseline.get("input_mean"), facts.baseline.get("input_std")
    if facts.data.get("normalize") or mean is None or std is None:
        return
    if abs(mean) > 5 or std > 5:
        text = f"Inputs are not normalised: mean {mean:.3g}, standard deviation {std:.3g}."
        change, title = {"data.normalize": True}, "Normalise the data"
        for cause in _rate(facts):  # a rate that suits one scale does not suit the other
            change = {**change, **cause.remedy.changes}
            title = f"{title}, learning rate {change['lr']:g}"
        yield Cause(text, Remedy(title, change))


def too_fast(facts: Facts) -> Cause | None:
    """A learning rate well above the usual one, of a run that went wrong or is slow to settle."""
    lr, usual = float(facts.training.get("lr", ADAM_LR)), usual_lr(facts)
    return next(_rate(facts, HIGH), None) if lr > usual else None


def _rate(facts: Facts, far: float = FAR) -> Iterator[Cause]:
    lr, usual = float(facts.training.get("lr", ADAM_LR)), usual_lr(facts)
    momentum = _of(facts, "optimizer_settings", "momentum") or 0.0
    given = f"{lr:g}" + (f" with momentum {momentum:g}" if momentum else "")
    change = {"lr": float(f"{usual:.2g}")}
    if lr > far * usual or (lr > 3 * usual and momentum > 0.95):
        way = "above"
    elif lr < usual / FAR:
        way = "below"
    else:
        return
    text = f"A learning rate of {given} is far {way} {change['lr']:g}, {_usual(facts)}."
    yield Cause(text, Remedy(f"Learning rate {change['lr']:g}", change))


def _usual(facts: Facts) -> str:
    """For what the rate is usual: the optimiser, and the network where that is not like most."""
    rate, why = highest_rate(facts.network)
    reason = f" {why}" if rate != ORDINARY else ""
    return f"which is usual for {optimizer_name(facts.training)}{reason}"


def _batch(facts: Facts) -> Iterator[Cause]:
    size, lr = int(facts.training.get("batch_size", 64)), float(facts.training.get("lr", ADAM_LR))
    if size <= 4 and lr > 3 * usual_lr(facts):
        text = f"Batches of {size} give gradients too noisy for a learning rate of {lr:g}."
        yield Cause(text, larger_batches())


def _schedule(facts: Facts) -> Iterator[Cause]:
    rates = facts.column("lr")
    schedule = _of(facts, "scheduler", "name")
    third = len(rates) // 3
    if schedule and third and max(rates) > 0 and max(rates[third:]) < 0.02 * max(rates):
        text = (
            f"{schedule} lowers the learning rate so early that two thirds of the run "
            "learn nothing."
        )
        yield Cause(text, Remedy("Keep the learning rate constant", {"scheduler": None}))


def _saturating(facts: Facts) -> Iterator[Cause]:
    found = [name for name, (block, _) in facts.blocks.items() if has(block, "saturating")]
    if len(found) >= 3:
        text = f"{len(found)} activations in a row saturate, so hardly any gradient passes through."
        yield Cause(
            text,
            Remedy(
                "Replace the activations with ReLU", {f"{name}.block": "ReLU" for name in found}
            ),
        )


def _softmax(facts: Facts) -> Iterator[Cause]:
    found = [name for name, (block, _) in facts.blocks.items() if has(block, "probabilities")]
    if found and facts.training.get("loss") == CROSS_ENTROPY:
        text = f"{found[0]} outputs probabilities, but {CROSS_ENTROPY} needs logits."
        change = {f"{name}.block": "Identity" for name in found}
        yield Cause(text, Remedy(f"Leave out {found[0]}", change))


def _cut_off_outputs(facts: Facts) -> Iterator[Cause]:
    """The last block cannot output what the targets need."""
    node, low, high = facts.network.last, *map(facts.baseline.get, ("target_min", "target_max"))
    if node not in facts.blocks or low is None or high is None:
        return
    block, settings = facts.blocks[node]
    cut = cut_off(block, settings, str(facts.training.get("loss")), (low, high))
    if cut is not None:
        text = f"{node} ({block}) outputs {cut.values}, but {cut.need}."
        yield Cause(text, Remedy(f"Leave out {node}", {f"{node}.block": "Identity"}))


CAUSES: tuple[Callable[[Facts], Iterator[Cause]], ...] = (
    _log_probabilities,
    _clipping,
    _average,
    _smoothing,
    _decay,
    _dropout,
    _softmax,
    _cut_off_outputs,
    _scale,
    _rate,
    _batch,
    _schedule,
    _saturating,
)


def more_epochs(facts: Facts) -> Remedy:
    """Train longer: three times, or as long as small networks need; or without what ended it."""
    epochs, per_epoch = int(facts.training.get("epochs", 1)), facts.steps / max(1, facts.count)
    limits = [n for n in ("patience", "max_minutes") if facts.training.get(n) is not None]
    if facts.count < epochs and limits:
        return Remedy(f"Train all {epochs:,} epochs", dict.fromkeys(limits))
    wanted = max(3 * epochs, round(STEPS / max(1.0, per_epoch)))
    wanted = min(wanted, 20 * epochs)
    return Remedy(f"Train {wanted:,} epochs", {"epochs": wanted})


def other_rate(facts: Facts, factor: float) -> Remedy:
    """The learning rate times a factor."""
    lr = float(f"{float(facts.training.get('lr', ADAM_LR)) * factor:.3g}")
    return Remedy(f"Learning rate {lr:g}", {"lr": lr})


def stop_early(facts: Facts) -> Remedy:
    """End soon after the best epoch, whose weights are kept."""
    patience = max(3, min(10, facts.count // 20))
    return Remedy(f"Stop {patience} epochs after the best", {"patience": patience})


def varied(facts: Facts) -> tuple[Remedy, ...]:
    """Training pictures moved and turned a little, where none are varied yet."""
    shapes = (given.get("shape", ()) for block, given in facts.blocks.values() if block == "Input")
    shape = next(shapes, ())
    label = (
        facts.metric in ("val_accuracy", "val_balanced")
        and facts.data.get("target", "label") == "label"
    )
    if not label or len(shape) != 3 or facts.data.get("transform"):
        return ()
    steps = [{"name": "RandomCrop", "padding": max(1, shape[-1] // 8)}, {"name": "RandomRotation"}]
    longer = 3 * int(facts.training.get("epochs", 1))  # each picture is another each time
    return (Remedy("Vary training samples", {"data.transform": steps, "epochs": longer}),)


def unlimited(facts: Facts) -> tuple[Remedy, ...]:
    """Every training sample, where the project takes some of them only."""
    limited = facts.data.get("limit") is not None
    return (Remedy("Use all training samples", {"data.limit": None}),) if limited else ()


def against_overfitting(facts: Facts) -> tuple[Remedy, ...]:
    """More samples, varied pictures, a heavier decay of the weights where it is light."""
    decay = 1.0 if has_trait(facts.training, "strong_decay") else 0.01
    heavier = Remedy(f"Weight decay {decay:g}", {"optimizer_settings.weight_decay": decay})
    before = _of(facts, "optimizer_settings", "weight_decay") or 0.0
    return (*unlimited(facts), *varied(facts), *((heavier,) if before < decay else ()))


def larger_batches() -> Remedy:
    """Batches of 32, whose gradients vary less."""
    return Remedy("Batches of 32", {"batch_size": 32})


def clipped(facts: Facts) -> tuple[Remedy, ...]:
    """Gradients no longer than 1, where their length matters to the optimiser."""
    plain = not has_trait(facts.training, "scale_free")
    return (Remedy("Clip gradients at 1", {"clip_norm": 1.0}),) if plain else ()


def advice(node: str, block: str) -> str:
    """What to do about a block that made the first number that is not finite."""
    domain = declaration(block).domain
    needed = f"{node} ({block}) {domain}. " if domain else ""
    before = "a Softplus" if domain.startswith(POSITIVE) else "a clamp"
    way = f"Put {before} before it, or leave it out" if needed else "Check its input"
    return f"{needed}{way}; no learning rate fixes it."
