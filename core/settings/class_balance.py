"""Whether each class counts the same in what a run is judged by: balanced accuracy. No torch.

With 4 % faults "never a fault" is right 96 times of 100. Brodersen et al. (2010), "The balanced
accuracy and its posterior distribution": the mean of the recall of each class.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from core.tasks.registry import TASKS, default_best_by, has_trait

ACCURACY, BALANCED = "val_accuracy", "val_balanced"


def counts_each_class(training: Mapping[str, Any], task: str, rare: bool) -> bool:
    """Whether a run goes by balanced accuracy: what it learns from is weighed, or a class is rare.

    training: resolved settings. rare: whether the data has a rare class.
    """
    if task not in TASKS or not TASKS[task].one_class:
        return False
    if training.get("best_by") == BALANCED:
        return True
    if rare or training.get("class_weights") or training.get("sampler") == "balanced":
        return True
    several: Sequence[Mapping[str, Any]] = training.get("losses") or ()
    first: Mapping[str, Any] = several[0] if several else {}
    loss = first.get("loss") or training["loss"]
    settings: Mapping[str, Any] = first.get("settings") or training["loss_settings"]
    return has_trait(loss, "rare_classes") or settings.get("pos_weight") not in (None, 1)


def best_by(training: Mapping[str, Any], task: str, rare: bool) -> str:
    """What chooses the best checkpoint where the project leaves it open."""
    usual = default_best_by(task)
    return BALANCED if usual == ACCURACY and counts_each_class(training, task, rare) else usual
