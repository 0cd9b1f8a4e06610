# ruff: noqa: B018, F821, F841, SIM300
# pyright: basic, reportUndefinedVariable=false, reportUnusedExpression=false
# pyright: reportUnboundVariable=false, reportPossiblyUnboundVariable=false
"""The loop over epochs of a training file, written once: best weights, log, early stopping.

Nobody imports it: `loop` reads its text and folds in what is known, as with the training step,
whose lines stand for TRAIN. A run's own loop hands control back within an epoch, as no file does.
"""


def before_epochs() -> None:
    """What an epoch is compared with."""
    if BEST_BY == "val_accuracy":
        best = (-1.0, 0.0)
    if BEST_BY == "val_loss":
        best = float("inf")
    if PATIENCE:
        best_epoch = 0
    if PATIENCE and MIN_DELTA and BEST_BY == "val_accuracy":
        reached = float("-inf")
    if PATIENCE and MIN_DELTA and BEST_BY == "val_loss":
        reached = float("inf")


def train_epochs() -> None:
    """Train, validate, tell and keep the best, epoch by epoch."""
    BEFORE_EPOCHS
    if MAX_MINUTES is not None:
        stop_at = time.monotonic() + 60 * MAX_MINUTES
    for epoch in range(EPOCHS):
        if not SHUFFLED:
            batches.set_epoch(epoch)
        TRAIN
        VALIDATE
        if MOVES == "epoch":
            for scheduler in schedulers:
                if PLATEAU:
                    scheduler.step(val_loss)
                else:
                    scheduler.step()
        LOG
        AFTER_VALIDATION
        if MAX_MINUTES is not None and LATE:
            OVER
            break
    RESULT


def after_validation() -> None:
    """Tell what an epoch came to, keep its weights where it is the best, stop early."""
    REPORT
    if BEST_BY == "last":
        SAVE
    if BEST_BY == "val_accuracy":
        if (ACCURACY, -val_loss) > best:  # of equals, the surer
            best = (ACCURACY, -val_loss)
            if PATIENCE and not MIN_DELTA:
                best_epoch = epoch
            SAVE
        if PATIENCE and MIN_DELTA and ACCURACY > reached + MIN_DELTA:
            reached, best_epoch = ACCURACY, epoch
    if BEST_BY == "val_loss":
        if val_loss < best:
            best = val_loss
            if PATIENCE and not MIN_DELTA:
                best_epoch = epoch
            SAVE
        if PATIENCE and MIN_DELTA and val_loss < reached - MIN_DELTA:
            reached, best_epoch = val_loss, epoch
    if PATIENCE and epoch - best_epoch >= PATIENCE:
        STOP
