"""The training settings of a project: what there is, with help, default and range.

The form on the Train page, the command line's --set and the documentation derive from `TRAINING`,
`LOSSES`, `OPTIMIZERS` and `SCHEDULES`: a setting with a `group` needs no line in the form. No torch
is imported here.
"""

from typing import Any

from blocks.spec import Setting
from core.settings import devices
from core.settings.lr_schedulers import SCHEDULES
from core.settings.optimizers import OPTIMIZERS
from core.settings.sampler import SAMPLERS
from core.tasks.registry import LOSSES

BEST = ("val_loss", "val_accuracy", "last")
DECAYED = ("all", "matrices")
NOT_FINITE = ("stop", "skip")
PRECISIONS = ("float32", "bfloat16", "float16")
SWITCH = ("auto", "on", "off")

STEPS, ENDS, KEPT, CALCULATES = "Steps", "When it ends", "What is kept", "How it calculates"
"""Headings of the Train form: a setting with one appears under it, in the order of `TRAINING`."""
HEADINGS = (STEPS, ENDS, KEPT, CALCULATES)

TRAINING: tuple[Setting, ...] = (
    Setting("loss", "choice", "What training makes small.", choices=tuple(LOSSES)),
    Setting(
        "optimizer",
        "choice",
        "How weights follow the gradient.",
        default="AdamW",
        choices=tuple(OPTIMIZERS),
        title="Optimiser",
    ),
    Setting(
        "lr",
        "float",
        "Learning rate: the length of a step.",
        default=1e-3,
        low=0.0,
        title="Learning rate",
    ),
    Setting(
        "epochs", "int", "Passes over the data.", default=10, low=1, high=1_000_000, unit="epochs"
    ),
    Setting(
        "batch_size",
        "int",
        "Samples that make one step.",
        default=64,
        low=1,
        high=1_000_000,
        unit="samples",
        title="Batch size",
    ),
    Setting(
        "seed",
        "int",
        "Number that fixes all chance: split, first weights, order, dropout.",
        default=0,
        low=0,
        high=2**31 - 1,
    ),
    Setting(
        "scheduler",
        "choice",
        "How the learning rate changes; none: it stays.",
        default=None,
        choices=tuple(SCHEDULES),
        optional=True,
        title="Schedule",
    ),
    Setting(
        "warmup",
        "int",
        "Epochs in which the rate climbs to its full size; the schedule begins after them.",
        default=0,
        low=0,
        high=1_000_000,
        unit="epochs",
        title="Warm-up epochs",
    ),
    Setting(
        "accumulate",
        "int",
        "Batches whose gradients make one step: as a larger batch, without its memory.",
        default=1,
        low=1,
        high=10_000,
        unit="batches",
        title="Batches per step",
        group=STEPS,
    ),
    Setting(
        "ema_decay",
        "float",
        "Judge and keep weights averaged over the steps, this share of the average staying each"
        " time; none: the weights as they are.",
        default=None,
        low=0.0,
        high=0.999999,
        optional=True,
        title="Average of weights",
        group=KEPT,
    ),
    Setting(
        "clip_norm",
        "float",
        "Longest gradient allowed: a longer one is shortened, all weights together; none: any.",
        default=None,
        low=0.0,
        high=1e12,
        optional=True,
        title="Clip gradients at",
        group=STEPS,
    ),
    Setting(
        "clip_value",
        "float",
        "Largest number allowed in a gradient, above 0 and below: each that is larger is cut to it;"
        " none: any.",
        default=None,
        low=0.0,
        high=1e12,
        optional=True,
        title="Clip each number at",
        group=STEPS,
    ),
    Setting(
        "grad_noise",
        "float",
        "Spread of the normal noise added to each number of a gradient, after clipping; helps deep"
        " networks out of a bad start (arxiv.org/abs/1511.06807); none: no noise.",
        default=None,
        low=0.0,
        high=1e12,
        optional=True,
        title="Noise on gradients",
        group=STEPS,
    ),
    Setting(
        "sampler",
        "choice",
        "Order of the samples in an epoch; shuffle: each once, by chance; sequential: each once, as"
        " they are kept; balanced: drawn by 1 / samples of its class, so that rare classes come as"
        " often as common ones, and some samples twice or never (classification).",
        default="shuffle",
        choices=SAMPLERS,
        title="Order of samples",
        group=STEPS,
    ),
    Setting(
        "drop_last",
        "bool",
        "Leave the last batch of an epoch out where it is smaller than the others; a last one of"
        " one sample otherwise joins the one before.",
        default=False,
        title="Drop the last, smaller batch",
        group=STEPS,
    ),
    Setting(
        "class_weights",
        "choice",
        "How much each class counts in the loss; balanced: rare ones as much as common ones; a"
        " list: a number for each class; none: every sample the same.",
        default=None,
        choices=("balanced",),
        optional=True,
    ),
    Setting(
        "on_not_finite",
        "choice",
        "What to do when a gradient is NaN or infinite; stop: end the run and look for the block"
        " where it began; skip: leave that step out and go on.",
        default="stop",
        choices=NOT_FINITE,
        title="When a gradient is not finite",
        group=STEPS,
    ),
    Setting(
        "device",
        "choice",
        "Where to train; auto: an NVIDIA GPU if there is one; cuda:0, cuda:1, xpu:0: that one of"
        " several; mps: the GPU of a Mac.",
        default="auto",
        choices=devices.KINDS,
        pattern=devices.NUMBERED,
        group=CALCULATES,
    ),
    Setting(
        "precision",
        "choice",
        "Numbers that a step calculates with; bfloat16, float16: products in 16 bits, weights and"
        " sums in 32 (torch.autocast). Validation is always in 32.",
        default="float32",
        choices=PRECISIONS,
        group=CALCULATES,
    ),
    Setting(
        "channels_last",
        "choice",
        "Keep the channels of a pixel beside each other; auto: for 2-D convolutions on a GPU.",
        default="auto",
        choices=SWITCH,
        group=CALCULATES,
    ),
    Setting(
        "compile",
        "choice",
        "Compile the network before the first step (torch.compile), for long runs of large"
        " networks; auto: not, as it takes from seconds to minutes.",
        default="auto",
        choices=SWITCH,
        title="Compile the network",
        group=CALCULATES,
    ),
    Setting(
        "compile_step",
        "choice",
        "Compile the whole step on a processor: batch, network, loss, backward pass and optimiser"
        " as one function; on: before the first step, which takes up to a minute the first time;"
        " auto: beside a long run, which changes over once that pays.",
        default="off",
        choices=SWITCH,
        title="Compile whole steps",
        group=CALCULATES,
    ),
    Setting(
        "cuda_graph",
        "choice",
        "Record a whole step on the GPU and play it again and again, without the processor's part;"
        " auto: where the step can be recorded.",
        default="auto",
        choices=SWITCH,
        title="Record steps as a CUDA graph",
        group=CALCULATES,
    ),
    Setting(
        "deterministic",
        "bool",
        "Only use ways of calculating that give the same bits each time; a block that has none"
        " ends the run.",
        default=False,
        group=CALCULATES,
    ),
    Setting(
        "best_by",
        "choice",
        "What makes a checkpoint the best one; last: the newest.",
        default=None,
        choices=BEST,
        optional=True,
        title="Best checkpoint by",
        group=KEPT,
    ),
    Setting(
        "keep_best",
        "int",
        "Best epochs kept whole, so that a new run can branch off there; 1: the best one's weights"
        " alone.",
        default=1,
        low=1,
        high=20,
        unit="checkpoints",
        title="Best checkpoints kept",
        group=KEPT,
    ),
    Setting(
        "patience",
        "int",
        "Epochs without a new best one after which training ends; none: never.",
        default=None,
        low=1,
        high=1_000_000,
        unit="epochs",
        optional=True,
        group=ENDS,
    ),
    Setting(
        "min_delta",
        "float",
        "How much better than before an epoch has to be, so that patience starts anew: the loss"
        " lower, or the share of right answers higher, by more than this.",
        default=0.0,
        low=0.0,
        high=1e12,
        title="Least progress",
        group=ENDS,
    ),
    Setting(
        "decay_of",
        "choice",
        "What weight decay shrinks; matrices: no biases and no weights of normalisation.",
        default="all",
        choices=DECAYED,
        title="What weight decay shrinks",
    ),
    Setting(
        "max_minutes",
        "float",
        "Time after which the run stops with a checkpoint, to be resumed; none: no limit.",
        default=None,
        low=0.0,
        high=1e6,
        unit="minutes",
        optional=True,
        title="Time limit (minutes)",
        group=ENDS,
    ),
    Setting(
        "checkpoint_every_s",
        "float",
        "Time between two checkpoints.",
        default=30.0,
        low=0.0,
        high=86_400.0,
        unit="seconds",
        title="Checkpoint every (seconds)",
        group=KEPT,
    ),
    Setting(
        "threads",
        "int",
        "Processor threads; 0: one for small steps, for larger ones as many as a trial at the start"
        " finds fastest.",
        default=0,
        low=0,
        high=1024,
        title="Processor threads",
        group=CALCULATES,
    ),
    Setting(
        "histograms",
        "bool",
        "Write histograms of weights and gradients for TensorBoard after every epoch, not only as "
        "often as 1 % of the time of the run allows, and at its end.",
        default=False,
        title="Histograms of every epoch",
        group=KEPT,
    ),
)
"""Settings of a run under their names in the project file, beside `*_settings` and `scheduler`."""

GROUPS = {"optimizer_settings": "optimizer", "loss_settings": "loss"}
OWN = ("losses", "samples_from", "start_from", "distil")
"""What a project may say besides: several losses, the block that makes new samples, whose weights a
run begins with, which run teaches it."""


def defaults() -> dict[str, Any]:
    """What every setting was before it was there: a run folder may be older than a setting."""
    return {s.name: s.default for s in TRAINING}
