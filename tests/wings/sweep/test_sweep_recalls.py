"""A sweep over class weights is judged by recalls."""

from core.project.templates import load_template
from core.wings.sweep.check import goal_of, info_of, with_goal
from core.wings.sweep.objectives import counts_classes, metrics_of
from core.wings.sweep.search_space import read


def test_a_sweep_over_class_weights_compares_all_trials_by_recalls() -> None:
    iris = load_template("mlp_iris")
    pinned = with_goal(iris, [read("class_weights=null,balanced")])
    goal = goal_of(pinned, info_of(pinned))
    assert (goal.metric, goal.direction) == ("val_balanced", "maximize")
    assert "best_by" not in with_goal(iris, [read("lr=1e-3,1e-2")]).training
    metrics = metrics_of(info_of(pinned), counts_classes(pinned, info_of(pinned)))
    assert metrics == ["val_loss", "val_accuracy", "val_balanced"]
