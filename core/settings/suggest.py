"""Suggested training settings for data and network: rules of thumb, benchmarked. No torch.

Where the rules come from, beside the templates' own settings and `tests/bench/first_networks.md`:

- AdamW: needs least tuning of its rate (Schmidt et al. 2021, arxiv.org/abs/2007.01547).
- OneCycleLR: a rate that climbs and comes far down forgives one that is somewhat too high (Smith
  and Topin 2017, arxiv.org/abs/1708.07120); its climb is the warm-up that attention needs (Xiong et
  al. 2020, arxiv.org/abs/2002.04745).
- Steps, not epochs, make a network learn: few samples need more epochs. Small batches generalise
  better and make more steps (Masters and Luschi 2018, arxiv.org/abs/1804.07612).
- Gradients through time explode, and are shortened to a length of 1 (Pascanu et al. 2013,
  arxiv.org/abs/1211.5063).
- Sigmoids flatten out, so that gradients become small and more steps are needed (Glorot and Bengio
  2010, proceedings.mlr.press/v9/glorot10a.html). Deep networks without normalisation or residual
  connections need a smaller rate (Santurkar et al. 2018, arxiv.org/abs/1805.11604).
- Columns are standardised (LeCun et al. 1998, Efficient BackProp, section 4.3).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from core.data.facts.settings import DataSettings
from core.data.sources.counts import steps_per_epoch
from core.graph import Graph
from core.settings.lr_schedulers import CYCLE
from core.settings.network_facts import Network, facts_of
from core.settings.optimizers import DEFAULT
from core.settings.usual_rates import highest_rate
from core.tasks import registry

BATCHES = ((200, 16), (1_000, 32), (20_000, 64))
"""Up to so many samples, batches of so many; above, LARGE_BATCH."""
LARGE_BATCH = 128
FEWEST_EPOCHS, MOST_EPOCHS = 5, 300
WINDOW_BATCH, WINDOW_STEPS = 32, 700
"""Of pieces of one long text, each of which has as many targets as characters."""
STEPS = {"table": 400, "image": 350, "text": 600, "series": 400, "wave": 500}
SLOW = {"recurrent": 1.5, "attention": 1.5}
"""Factors on the steps, by family of blocks."""
SATURATED = 2.0
TASK_STEPS = {"labels": 4.0, "sequence": 2.0, "text": 3.0}
"""Factors on the steps, by task: several answers of one sample are learned one after the other, and
what is written character by character needs what was read to reach each of them."""


@dataclass(frozen=True)
class Suggestion:
    """Settings for a project's data and training, and one sentence with the reason.

    None: the setting should stand at its default. losses: every one that can be trained with, the
    usual one first.
    """

    data: Mapping[str, Any]
    training: Mapping[str, Any]
    losses: tuple[str, ...]
    sentence: str


def suggest(
    data: DataSettings,
    samples: int,
    graph: Graph,
    losses: Sequence[str] = (),
    training: Mapping[str, Any] | None = None,
) -> Suggestion:
    """Suggest settings for a network that learns from so many samples.

    losses: those that suit its Output, the usual one first, where that is known. training: what the
    project says, for what decides others: several losses, weights to start from.
    """
    network, settings = facts_of(graph), training or {}
    size = WINDOW_BATCH if data.source.windows else _batch(samples)
    lr, why = _rate(network, settings)
    epochs = _epochs(data, network, samples, size)
    found = {
        "optimizer": DEFAULT,
        "lr": lr,
        "epochs": epochs,
        "batch_size": size,
        "scheduler": {"name": CYCLE},
        "clip_norm": 1.0 if network.families & SLOW.keys() else None,
    }
    task = registry.task_of(data.target, data.source)
    fitting = tuple(losses) or registry.exchangeable(task.kinds[0])
    if "losses" not in settings:
        found["loss"] = _loss(network, fitting)
    suitable = losses or dict.fromkeys((*fitting, *registry.suitable_losses(task.name)))
    scale = {"normalize": True} if _scaled(data) else {}
    return Suggestion(scale, found, tuple(suitable), _sentence(data, samples, found, why))


def _scaled(data: DataSettings) -> bool:
    """Whether samples are numbers of any size: tables, and pictures of arrays that are no bytes."""
    source = data.source
    anyhow = (
        source.name in ("NPZ", "Dataset")
        and source.kind == "image"
        and data.layout.get("unit") == 1
    )
    return source.measured or (anyhow and data.target == "label")


def _batch(samples: int) -> int:
    return next((size for most, size in BATCHES if samples <= most), LARGE_BATCH)


def _rate(network: Network, training: Mapping[str, Any]) -> tuple[float, str]:
    """The highest rate of the cycle, and why it is that."""
    if training.get("start_from"):
        return 0.001, "low because training starts from trained weights"
    return highest_rate(network)


def _epochs(data: DataSettings, network: Network, samples: int, size: int) -> int:
    """As many as make the steps that such data and such a network need."""
    task = registry.task_of(data.target, data.source).name
    whole = STEPS[data.source.kind] * TASK_STEPS.get(task, 1.0) * data.source.patience
    steps = WINDOW_STEPS if data.source.windows else whole
    steps *= max([SLOW[family] for family in network.families & SLOW.keys()], default=1.0)
    steps *= SATURATED if network.saturating and "recurrent" not in network.families else 1.0
    epochs = ceil(steps / steps_per_epoch(samples, size))
    return min(max(_round(epochs), FEWEST_EPOCHS), MOST_EPOCHS)


def _round(epochs: int) -> int:
    """A number that people would choose: above 20 in fives."""
    return epochs if epochs <= 20 else 5 * ceil(epochs / 5)


def _loss(network: Network, losses: Sequence[str]) -> str:
    """The usual loss, or the one that suits the last activation."""
    return next((loss for loss in losses if _reads(loss, network.ends)), losses[0])


def _reads(loss: str, activation: str) -> bool:
    """Whether a loss reads what this activation gives."""
    declared = registry.LOSSES.get(loss)
    return bool(declared and declared.after and declared.after[0] == activation)


def _sentence(data: DataSettings, samples: int, settings: Mapping[str, Any], why: str) -> str:
    reason = f", {why}" if why else ""
    normal = ""
    if _scaled(data):
        what = "columns" if data.source.measured else "channels"
        normal = (
            f" The {what} are standardised."
            if data.normalize
            else (f" The {what} are not standardised yet; they should be.")
        )
    return (
        f"Suggested for {samples:,} {_things(data)}: {settings['epochs']} epochs of batches of "
        f"{settings['batch_size']}, {settings['optimizer']} with a learning rate that rises to "
        f"{settings['lr']:g} and falls again ({CYCLE}){reason}.{normal}"
    )


def _things(data: DataSettings) -> str:
    """What samples are, with the size that matters."""
    source = data.source
    if source.kind == "table":
        count = source.shape[0]
        return f"samples of {count} column{'s' * (count != 1)}"
    if registry.made_per_sample(data.target) > 1:
        return f"{data.target}s of {source.things}"
    return "text windows" if source.windows else source.things
