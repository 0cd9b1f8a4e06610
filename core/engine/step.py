# ruff: noqa: B007, B018, F841
# pyright: reportPossiblyUnboundVariable=false, reportUnusedExpression=false
"""The training step, written once: what a run executes, and what a training script shows.

Nobody imports it: `step_text` reads the text of its functions and folds in what is known, so that
branches which the settings never take are gone, and the others where the first names them. Names in
capitals are those of the settings; the others in capitals stand for what depends on the network and
its data (see `step_text`).
"""

import time
from typing import Any

import torch
from torch import nn

COUNTED = False  # whether an epoch may learn from fewer samples than there are
SCRIPT = True  # a file that stands alone adds up its losses; a run keeps them for its curves
ACCUMULATE = 1
SHARES_BUFFERS = False  # whether these keep their buffers alike
SYNCS_NORMS = False  # whether batch norm sees the batch that they divide
DRAWS = False  # whether their batches draw random numbers
RANKS = False  # a file that several processes may run, each with batches of its own
CLIP_NORM: Any = None
CLIP_VALUE: Any = None
GRAD_NOISE: Any = None
EMA_DECAY: Any = None
MAX_MINUTES: Any = None
ON_NOT_FINITE = "stop"
PRECISION = "float32"
MOVES = "epoch"  # when the schedule moves
PREPARE: Any = None  # lines that bring a batch to the network
COMPUTE: Any = None  # what gives LOSS, one or several
DTYPE: Any = None
LOSSES: Any = None  # each ONE of LOSS that has a gradient of its own; usually one
WEIGHTS: Any = None  # the line that finds the weights which it moves, as backward's ARGUMENTS
ARGUMENTS: Any = None
ONE: Any = None
EXCHANGE: Any = None  # the line that adds up the gradients of several processes
RUN_SEED: Any = None
STEP: Any = None  # the number of the step, from 1
LAST: Any = None  # whether a batch is the last one of its step
PARAMETERS: Any = None
TOTAL: Any = None
FIRST: Any = None
MICRO_BATCH: Any = None  # the lines of `micro_batch`
OPTIMIZER_STEP: Any = None  # the lines of `optimizer_step`
OWN_BATCH: Any = None  # the lines of `own_batch`


def train_steps(
    loader: Any,
    model: Any,
    scaler: Any,
    device: Any,
    optimizers: Any,
    train_loss: float,
    seen: int,
    stop_at: float,
    rank: int,
    world: int,
    gradients: Any,
    shared_buffers: Any,
) -> None:
    """Make a step of every ACCUMULATE batches that the loader gives."""
    for number, (BATCH) in enumerate(loader):
        if ACCUMULATE > 1:
            share = min(ACCUMULATE, len(loader) - number // ACCUMULATE * ACCUMULATE)
        if RANKS:
            turn = number % ACCUMULATE
        if ON_NOT_FINITE == "skip" and (ACCUMULATE == 1 or number % ACCUMULATE == 0):
            buffers = [buffer.clone() for buffer in model.buffers()]
        if RANKS:
            if turn % world == rank:
                OWN_BATCH
            if turn % world == world - 1 or turn == share - 1:  # all have one
                gradients.add(turn % world + 1, turn < world)
                if SHARES_BUFFERS:
                    shared_buffers.add(turn % world + 1, turn == share - 1)
        else:
            MICRO_BATCH
        if ACCUMULATE == 1 or LAST:
            OPTIMIZER_STEP
            if ACCUMULATE > 1 and MAX_MINUTES is not None and time.monotonic() >= stop_at:
                break
        if SCRIPT and ACCUMULATE == 1:
            train_loss += TOTAL.item() * len(FIRST)
            if COUNTED:
                seen += len(FIRST)
            if MAX_MINUTES is not None and time.monotonic() >= stop_at:
                break


def own_batch(
    number: int,
    loader: Any,
    turn: int,
    share: int,
    world: int,
    shared_buffers: Any,
    norms: Any,
    own_numbers: Any,
) -> None:
    """Compute a batch that falls to this of several processes."""
    if SHARES_BUFFERS:
        shared_buffers.begin()
    if SYNCS_NORMS:
        norms.begin(share - turn // world * world)
    if DRAWS:
        step = STEP
        with own_numbers(RUN_SEED, step, turn, world):
            MICRO_BATCH
    else:
        MICRO_BATCH
    if SYNCS_NORMS:
        norms.end()


def micro_batch(
    model: Any,
    scaler: Any,
    device: Any,
    optimizers: Any,
    number: int,
    share: int,
    train_loss: float,
    seen: int,
) -> None:
    """Compute the loss of a batch and its gradients."""
    PREPARE
    if PRECISION == "float32":
        LOSS = COMPUTE
    else:
        with torch.autocast(device.type, DTYPE):
            LOSS = COMPUTE
    if RANKS or ACCUMULATE == 1 or number % ACCUMULATE == 0:
        for optimizer in optimizers:
            optimizer.zero_grad()
    for ONE in LOSSES:
        WEIGHTS
        if PRECISION == "float16":
            scaler.scale(ONE if ACCUMULATE == 1 else ONE / share).backward(ARGUMENTS)
        else:
            (ONE if ACCUMULATE == 1 else ONE / share).backward(ARGUMENTS)
    EXCHANGE
    if SCRIPT and ACCUMULATE > 1:
        train_loss += TOTAL.item() * len(FIRST)
        if COUNTED:
            seen += len(FIRST)


def optimizer_step(
    model: Any,
    average: Any,
    scaler: Any,
    optimizers: Any,
    schedulers: Any,
    skips: Any,
    buffers: Any,
) -> None:
    """Update the weights by the gradients of a step, if these are finite or nobody asks."""
    if PRECISION == "float16" and (CLIP_NORM is not None or CLIP_VALUE is not None or GRAD_NOISE):
        for optimizer in optimizers:
            scaler.unscale_(optimizer)
    if CLIP_NORM is not None and ON_NOT_FINITE == "stop":
        nn.utils.clip_grad_norm_(PARAMETERS, CLIP_NORM)
    if CLIP_NORM is not None and ON_NOT_FINITE == "skip":
        norm = nn.utils.clip_grad_norm_(PARAMETERS, CLIP_NORM)
    if CLIP_NORM is None and ON_NOT_FINITE == "skip":
        grads = [p.grad for p in PARAMETERS if p.grad is not None]
        norm = nn.utils.get_total_norm(grads)
    if ON_NOT_FINITE == "stop" or norm.isfinite():
        if CLIP_VALUE is not None:
            nn.utils.clip_grad_value_(PARAMETERS, CLIP_VALUE)
        if GRAD_NOISE:
            for weight in PARAMETERS:
                if weight.grad is not None:
                    weight.grad.add_(torch.randn_like(weight.grad), alpha=GRAD_NOISE)
        if PRECISION == "float16":
            for optimizer in optimizers:
                scaler.step(optimizer)
            scaler.update()
        else:
            for optimizer in optimizers:
                optimizer.step()
        if EMA_DECAY:
            average.update_parameters(model)
    else:  # this step is left out
        for buffer, before in zip(model.buffers(), buffers, strict=True):
            buffer.copy_(before)
        if not SCRIPT:
            skips.leave_out()
    if MOVES == "step":
        for scheduler in schedulers:
            scheduler.step()
