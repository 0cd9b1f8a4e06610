"""The training settings of a project: name, help, default and range of each.

The form on the Train page, the command line's --set and the documentation derive from `TRAINING`,
`LOSSES`, `OPTIMIZERS` and `SCHEDULES`: a setting with a `group` needs no line in the form. No torch
is imported here.
"""

from typing import Any

from blocks.spec import Setting
from core.common.device import AUTO, CHOICES, NUMBERED
from core.settings.lr_schedulers import SCHEDULES
from core.settings.optimizers import DEFAULT, OPTIMIZERS
from core.settings.sampler import SAMPLERS
from core.tasks.registry import LOSSES

BEST = ("val_loss", "val_accuracy", "val_balanced", "last")
DECAYED = ("all", "matrices")
NOT_FINITE = ("stop", "skip")
PRECISIONS = ("float32", "bfloat16", "float16")
SWITCH = ("auto", "on", "off")

STEPS, ENDS, KEPT, CALCULATES = "Steps", "Stopping", "Checkpoints", "Computation"
"""Headings of the Train form: a setting with a `group` stands under it, in this order."""
HEADINGS = (STEPS, ENDS, KEPT, CALCULATES)

TRAINING: tuple[Setting, ...] = (
    Setting("loss", "choice", "The loss function: training minimises it.", choices=tuple(LOSSES)),
    Setting(
        "optimizer",
        "choice",
        "The rule that updates the weights from the gradients.",
        default=DEFAULT,
        choices=tuple(OPTIMIZERS),
        title="Optimiser",
    ),
    Setting(
        "lr",
        "float",
        "Learning rate: the step size of the optimiser.",
        default=1e-3,
        low=0.0,
        title="Learning rate",
    ),
    Setting(
        "epochs",
        "int",
        "Number of passes over the training data.",
        default=10,
        low=1,
        high=1_000_000,
        unit="epochs",
    ),
    Setting(
        "batch_size",
        "int",
        "Number of samples in a batch.",
        default=64,
        low=1,
        high=1_000_000,
        unit="samples",
        title="Batch size",
    ),
    Setting(
        "seed",
        "int",
        "Seed of every random number: split, initial weights, order of samples, dropout.",
        default=0,
        low=0,
        high=2**31 - 1,
    ),
    Setting(
        "scheduler",
        "choice",
        "How the learning rate changes during training; none: it stays constant.",
        default=None,
        choices=tuple(SCHEDULES),
        optional=True,
        title="Schedule",
    ),
    Setting(
        "warmup",
        "int",
        "Epochs at the start over which the learning rate rises to its full value; the schedule"
        " starts after them.",
        default=0,
        low=0,
        high=1_000_000,
        unit="epochs",
        title="Warm-up epochs",
    ),
    Setting(
        "accumulate",
        "int",
        "Number of batches whose gradients are accumulated before each step: acts like a larger"
        " batch without needing its memory.",
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
        "Decay of the moving average (EMA) of the weights that are validated and saved; none: use"
        " the weights themselves.",
        default=None,
        low=0.0,
        high=0.999999,
        optional=True,
        title="Moving average of weights",
        group=KEPT,
    ),
    Setting(
        "clip_norm",
        "float",
        "Largest norm of the gradient of all weights together: a larger gradient is scaled down to"
        " it; none: no limit.",
        default=None,
        low=0.0,
        high=1e12,
        optional=True,
        title="Clip gradient norm at",
        group=STEPS,
    ),
    Setting(
        "clip_value",
        "float",
        "Clip every gradient value to between -this and this; none: no limit.",
        default=None,
        low=0.0,
        high=1e12,
        optional=True,
        title="Clip gradient values at",
        group=STEPS,
    ),
    Setting(
        "grad_noise",
        "float",
        "Standard deviation of Gaussian noise added to the gradients after"
        " clipping; it can help very"
        " deep networks start training (arxiv.org/abs/1511.06807); none: no noise.",
        default=None,
        low=0.0,
        high=1e12,
        optional=True,
        title="Gradient noise",
        group=STEPS,
    ),
    Setting(
        "sampler",
        "choice",
        "Order of the samples in an epoch; shuffle: each once, in random order; sequential: each"
        " once, in the order of the data; balanced: drawn at random so that rare classes come up as"
        " often as common ones; some samples are then drawn twice or not at all (classification).",
        default="shuffle",
        choices=SAMPLERS,
        title="Order of samples",
        group=STEPS,
    ),
    Setting(
        "drop_last",
        "bool",
        "Skip the last batch of an epoch if it is smaller than the others. If it is kept and has a"
        " single sample, that sample is added to the batch before it.",
        default=False,
        title="Drop the last, smaller batch",
        group=STEPS,
    ),
    Setting(
        "class_weights",
        "choice",
        "Weight of each class in the loss; balanced: rare classes count as much as common ones; a"
        " list: one weight for each class; none: every sample counts the same.",
        default=None,
        choices=("balanced",),
        optional=True,
    ),
    Setting(
        "on_not_finite",
        "choice",
        "What to do when a gradient is NaN or infinite; stop: end the run and report the block"
        " where it started; skip: skip that step and continue.",
        default="stop",
        choices=NOT_FINITE,
        title="When a gradient is not finite",
        group=STEPS,
    ),
    Setting(
        "device",
        "choice",
        "Where to train; auto: an NVIDIA GPU if there is one, otherwise the CPU; cuda:0, cuda:1,"
        " xpu:0: one of several GPUs; mps: the GPU of a Mac.",
        default=AUTO,
        choices=CHOICES,
        pattern=NUMBERED,
        group=CALCULATES,
    ),
    Setting(
        "precision",
        "choice",
        "Number format of a training step; bfloat16, float16: mixed precision (torch.autocast),"
        " products in 16 bits, weights and sums in 32 bits. Validation always uses 32 bits.",
        default="float32",
        choices=PRECISIONS,
        group=CALCULATES,
    ),
    Setting(
        "channels_last",
        "choice",
        "Store images channels-last in memory; auto: for 2-D convolutions on a GPU.",
        default="auto",
        choices=SWITCH,
        group=CALCULATES,
    ),
    Setting(
        "compile",
        "choice",
        "Compile the network before the first step (torch.compile); worth it for long runs of large"
        " networks; auto: off, because compiling takes from seconds to minutes.",
        default="auto",
        choices=SWITCH,
        title="Compile the network",
        group=CALCULATES,
    ),
    Setting(
        "compile_step",
        "choice",
        "Compile the whole training step on a CPU: batch, network, loss, backward pass and"
        " optimiser as one function; on: before the first step, which takes up to a minute the"
        " first time; auto: in the background of a long run, which switches when it saves time.",
        default="off",
        choices=SWITCH,
        title="Compile whole steps",
        group=CALCULATES,
    ),
    Setting(
        "cuda_graph",
        "choice",
        "Record a whole training step on the GPU as a CUDA graph and replay it, which saves work on"
        " the CPU; auto: whenever the step can be recorded.",
        default="auto",
        choices=SWITCH,
        title="Record steps as a CUDA graph",
        group=CALCULATES,
    ),
    Setting(
        "sync_batchnorm",
        "bool",
        "On several processes, let batch norm see the whole batch that they divide, as in one"
        " process; off: each process normalises by its own part.",
        default=False,
        title="Batch norm over processes",
        group=CALCULATES,
    ),
    Setting(
        "deterministic",
        "bool",
        "Use only deterministic algorithms, so that a run can be repeated bit for bit; a block"
        " without one ends the run.",
        default=False,
        group=CALCULATES,
    ),
    Setting(
        "best_by",
        "choice",
        "How the best checkpoint is chosen: lowest val_loss, highest val_accuracy,"
        " highest val_balanced (each class counts the same; usual where classes are weighed or one"
        " is rare), or last: the latest one.",
        default=None,
        choices=BEST,
        optional=True,
        title="Best checkpoint by",
        group=KEPT,
    ),
    Setting(
        "keep_best",
        "int",
        "Number of best checkpoints to keep in full, so that a new run can branch off from them; 1:"
        " only the weights of the best one.",
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
        "Early stopping: number of epochs without improvement after which training ends; none: no"
        " early stopping.",
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
        "Smallest improvement that resets patience: the loss has to fall, or the"
        " accuracy to rise, by"
        " more than this.",
        default=0.0,
        low=0.0,
        high=1e12,
        title="Smallest improvement",
        group=ENDS,
    ),
    Setting(
        "decay_of",
        "choice",
        "Which weights weight decay applies to; matrices: not to biases or the weights of"
        " normalisation layers.",
        default="all",
        choices=DECAYED,
        title="Weight decay applies to",
    ),
    Setting(
        "max_minutes",
        "float",
        "Time after which the run stops with a checkpoint and can be resumed; none: no limit.",
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
        "Number of CPU threads; 0: one thread for small steps; for larger ones, the fastest number"
        " in a short trial at the start.",
        default=0,
        low=0,
        high=1024,
        title="CPU threads",
        group=CALCULATES,
    ),
    Setting(
        "histograms",
        "bool",
        "Write histograms of weights and gradients for TensorBoard after every"
        " epoch; off: at the end,"
        " and as often as 1 % of the training time allows.",
        default=False,
        title="Histograms after every epoch",
        group=KEPT,
    ),
)
"""Settings of a run under their names in the project file, beside `*_settings` and `scheduler`."""

GROUPS = {"optimizer_settings": "optimizer", "loss_settings": "loss"}
EXTRA_KEYS = ("losses", "samples_from", "start_from", "distil")
"""Further keys of `training`: several losses, the block that generates samples, initial weights,
the teacher run."""


def defaults() -> dict[str, Any]:
    """Defaults of all settings; they also stand for settings newer than a run folder."""
    return {s.name: s.default for s in TRAINING}


POWERS = ("lr", "weight_decay")
"""Settings that are searched, and drawn, by powers of ten."""
