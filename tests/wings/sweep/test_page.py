"""The Sweeps page: what it offers to search, what it begins, and what it takes from a trial."""

import json

import pytest

from app.services import paths
from app.wings.sweep import form, page, space, trial_settings
from app.wings.sweep import service as sweeps
from core.project import templates
from core.runs.files import read_json
from core.wings.sweep import files
from core.wings.sweep.files import SweepRequest


def of(name):
    return {each.key: each for each in space.searchable(templates.load_template(name))}


def test_what_is_searched_comes_from_the_declarations_of_training_and_blocks():
    found = of("mlp_iris")
    assert list(found)[:3] == ["lr", "batch_size", "optimizer"]
    assert {"fc1.out_features", "optimizer_settings.weight_decay", "relu1.block"} <= set(found)
    assert not {"fc1.in_features", "optimizer_settings.betas", "epochs", "loss"} & set(found)
    assert (found["lr"].kind, found["lr"].title) == ("float", "Learning rate")
    assert found["relu1.block"].choices[0] == "ReLU"


def test_a_range_is_suggested_around_what_a_number_is_now():
    found = of("mlp_iris")
    assert space.suggestion(found["fc1.out_features"]) == ("8", "32", False)
    assert space.suggestion(found["lr"]) == ("0.001", "0.1", True)
    large = space.Searchable("lr", "learning rate", "float", 3.0)
    assert space.suggestion(large) == ("0.3", "9", True)
    assert space.suggestion(space.Searchable("drop1.p", "drop1.p", "float", 0.5)) == (
        "0", "0.9", False,
    )  # fmt: skip
    assert space.range_text("lr", " 1e-4", "0.1 ", True) == "lr=1e-4..0.1:log"
    assert space.choices_text("optimizer", ["SGD", "AdamW"]) == "optimizer=SGD,AdamW"
    assert space.choices_text("fc1.bias", [True, False]) == "fc1.bias=true,false"


@pytest.mark.parametrize(
    ("block", "some"),
    [
        ("MaxPool2d", {"MaxPool2d", "AvgPool2d"}),
        ("LSTM", {"LSTM", "GRU", "RNN"}),
        ("BatchNorm1d", {"BatchNorm1d", "InstanceNorm1d"}),
        ("ReLU", {"ReLU", "GELU", "Tanh"}),
    ],
)
def test_blocks_are_offered_in_place_of_one_another(block, some):
    assert some <= set(space.alternatives(block))
    assert not {"AvgPool1d", "BatchNorm2d", "Linear"} & set(space.alternatives(block))


def test_a_block_without_a_counterpart_offers_none():
    assert (space.alternatives("Linear"), space.alternatives("none")) == ((), ())


def test_repeats_and_settings_of_composites_are_offered():
    found = of("resnet_digits")
    project = templates.load_template("resnet_digits")
    name, node = next(
        pair for pair in project.graph.nodes.items() if pair[1].block in project.graph.composites
    )
    assert found[f"{name}.repeat"] == space.Searchable(
        f"{name}.repeat", f"{name}: repeats", "int", node.repeat
    )
    assert found[f"{name}.channels"].kind == "int"


def test_what_keeps_the_shape_is_offered_to_be_left_out():
    found = of("resnet_digits")
    kept = [key for key in found if key.endswith(".kept")]
    assert kept == [
        "bn1.kept",
        "relu1.kept",
        "stage1.kept",
        "bn2.kept",
        "relu2.kept",
        "stage2.kept",
    ]
    assert space.choices_text("bn1.kept", found["bn1.kept"].choices) == "bn1.kept=true,false"


@pytest.fixture
def iris(tab, monkeypatch):
    """A tab with the MLP on iris open, where no process is started."""
    started = []
    monkeypatch.setattr(sweeps, "go_on", lambda name, jobs=1: started.append((name, jobs)))
    tab.press("open_template_mlp_iris")
    tab.started = started
    return tab


def field(tab, name):
    return f"{tab.document.doc_id}:sweep:{name}"


def test_a_sweep_begins_as_the_command_begins_it(iris):
    iris.go("sweeps").assert_calm()
    assert primary(iris) == ["sweep_start"]
    iris.at.multiselect(key=field(iris, "keys")).set_value(["lr", "fc1.out_features"]).run()
    iris.at.text_input(key=field(iris, "fc1.out_features:high")).set_value("16").run()
    iris.at.number_input(key=field(iris, "epochs")).set_value(2).run()
    iris.at.number_input(key=field(iris, "n")).set_value(3).run()
    command = next(block.value for block in iris.at.code)
    assert command == (
        "layerloom sweep mlp-on-iris.loom.json --search lr=0.001..0.1:log "
        "--search fc1.out_features=8..16 --set epochs=2 --trials 3"
    )
    iris.press("sweep_start").assert_calm()
    name = "mlp-on-iris-sweep-1"
    assert iris.started == [(name, 1)]
    asked = files.read_request(paths.runs_dir() / "sweeps" / name)
    assert asked.search == ("lr=0.001..0.1:log", "fc1.out_features=8..16")
    assert (asked.trials, asked.fixed, asked.prune) == (3, {"epochs": 2}, True)
    assert (asked.file, asked.document) == ("", iris.document.doc_id)


def test_what_cannot_be_searched_is_reported_and_nothing_begins(iris):
    iris.go("sweeps")
    iris.at.text_input(key=field(iris, "lr:low")).set_value("fast").run()
    captions = " ".join(caption.value for caption in iris.at.caption)
    assert "log needs numbers but receives fast" in captions
    assert iris.at.button(key="sweep_start").disabled
    iris.at.text_input(key=field(iris, "lr:low")).set_value("0.01").run()
    iris.at.multiselect(key=field(iris, "keys")).set_value(["lr", "fc3.out_features"]).run()
    assert not iris.at.button(key="sweep_start").disabled
    iris.at.multiselect(key=field(iris, "keys")).set_value([]).run()
    assert iris.at.button(key="sweep_start").disabled
    assert iris.started == []


def made(document, trials, state="finished", **more):
    """The folder of a sweep as its process leaves it."""
    folder = paths.runs_dir() / "sweeps" / "widths"
    folder.mkdir(parents=True)
    asked = SweepRequest("", "0", ("lr=0.001..0.1:log", "fc1.out_features=4..32"), len(trials),
                         fixed={"epochs": 2}, name="widths", document=document.address)  # fmt: skip
    (folder / files.ASKED).write_text(json.dumps(vars(asked) | {"search": list(asked.search)}))
    (folder / files.PROJECT).write_text(document.text())
    rows = [
        {"trial": number, "state": state, "value": value, "run": None, "settings": settings,
         "epoch": 2, "seconds": 1.0, "as": None, "reason": ""}
        for number, value, settings in trials
    ]  # fmt: skip
    goal = {"metric": "val_accuracy", "direction": "maximize"}
    results = {"ok": True, "goal": goal, "trials": rows, "total": len(rows), "importances": None}
    (folder / files.RESULTS).write_text(json.dumps(results | more))
    return folder


def primary(tab):
    """Keys of the buttons of the page that are drawn as what one does next."""
    return [button.key for button in tab.at.button if button.proto.type == "primary"]


TRIALS = [(2, 0.9, {"lr": 0.02, "fc1.out_features": 8}), (1, 0.5, {"lr": 0.001})]


def test_the_best_is_taken_with_a_button_and_given_back_with_another(iris):
    made(iris.document, TRIALS)
    before = iris.document.project
    iris.go("sweeps").assert_calm()
    assert "#### 90.0%" in [block.value.replace("\\", "") for block in iris.at.markdown]
    assert (
        "Validation accuracy with learning rate 0.02, fc1.out_features 8, in trial 2. 2 epochs to "
        "save time; applying it keeps the epochs of this project."
    ) in [caption.value.replace("\\", "") for caption in iris.at.caption]
    assert primary(iris) == ["sweep_take"]
    epoch = iris.document.session.epoch
    iris.press("sweep_take").assert_calm()
    project = iris.document.project
    assert project.training["lr"] == 0.02
    assert project.training["epochs"] == before.training["epochs"]  # 2 were to save time
    assert project.graph.nodes["fc1"].settings["out_features"] == 8
    assert iris.document.session.epoch == epoch + 1  # a new drawing: one undo step of the canvas
    iris.press("sweep_undo").assert_calm()
    assert iris.document.project == before
    assert "sweep_undo" not in [button.key for button in iris.at.button]


def test_what_was_taken_is_given_back_after_a_run_and_keeps_what_was_changed_since(iris):
    made(iris.document, TRIALS)
    before = iris.document.project
    iris.go("sweeps").press("sweep_take").assert_calm()
    training = {**iris.document.project.training, "batch_size": 7}
    iris.document.change(name="Mine", about="A run was made of it.", training=training)
    iris.go("sweeps").press("sweep_undo").assert_calm()
    now = iris.document.project
    assert (now.name, now.about) == ("Mine", "A run was made of it.")
    assert now.graph == before.graph
    assert now.training == {**before.training, "batch_size": 7}
    iris.go("sweeps").press("sweep_take")
    iris.document.change(training={**iris.document.project.training, "lr": 0.5})
    iris.go("sweeps")  # not as taken any more: what would be given back is not what was there
    assert "sweep_undo" not in [button.key for button in iris.at.button]


def test_settings_that_fit_no_more_are_refused_in_a_sentence(iris):
    made(iris.document, [(1, 0.9, {"gone.out_features": 8})])
    before = iris.document.project
    iris.go("sweeps").press("sweep_take")
    assert "gone.out_features is not a setting of a block or of training." in iris.texts[0]
    assert iris.document.project == before


def test_a_sweep_is_stopped_and_goes_on(iris, monkeypatch):
    folder = made(iris.document, TRIALS, total=4)
    iris.go("sweeps").assert_calm()
    assert "sweep_stop" not in [button.key for button in iris.at.button]
    iris.press("sweep_on").assert_calm()
    assert iris.started == [("widths", 1)]
    monkeypatch.setattr(files, "under_way", lambda _: True)
    iris.at.run()
    assert primary(iris) == []
    iris.press("sweep_stop").assert_calm()
    assert files.stop_asked(folder)
    assert sweeps.look("widths").state == "stopping"


def test_this_projects_sweeps_stand_first(iris):
    other = made(iris.document, TRIALS)
    asked = read_json(other / files.ASKED)
    (other / files.ASKED).write_text(json.dumps(asked | {"document": "other.loom.json"}))
    mine = other.parent / "mine"
    mine.mkdir()
    (mine / files.ASKED).write_text(json.dumps(asked | {"name": "mine"}))
    (mine / files.PROJECT).write_text(iris.document.text())
    assert sweeps.names(iris.document) == ["mine", "widths"]
    iris.go("sweeps").assert_calm()
    iris.at.selectbox(key=form.CHOSEN).set_value("widths").run()
    captions = [caption.value for caption in iris.at.caption]
    assert "A sweep of another project: its settings may not fit this one." in captions


def test_a_sweep_with_all_its_trials_is_finished_while_its_process_ends(iris, monkeypatch):
    made(iris.document, TRIALS)
    monkeypatch.setattr(sweeps, "_starts", lambda folder: True)
    assert sweeps.look("widths").state == "finished"


def test_failed_trials_are_told_with_their_reason_and_tried_again(iris, monkeypatch):
    folder = made(iris.document, [TRIALS[0], (9, None, {"lr": 0.1})])
    results = read_json(folder / files.RESULTS)
    results["trials"][1] |= {"state": "failed", "reason": "a\nno memory"}
    (folder / files.RESULTS).write_text(json.dumps(results))
    monkeypatch.setattr(files, "under_way", lambda _: False)
    monkeypatch.setattr(sweeps, "_state", lambda *_: "finished")
    asked = []
    monkeypatch.setattr(sweeps, "go_on", lambda name, again: asked.append((name, again)))
    iris.go("sweeps")
    warnings = [each.value.replace("\\", "") for each in iris.at.warning]
    assert "1 of 2 finished, 1 failed: no memory" in warnings
    assert any(
        " of 1 that finished; 1 failed." in each.value.replace("\\", "") for each in iris.at.caption
    )
    iris.press("sweep_again")
    assert asked == [("widths", True)]


def test_a_process_that_ended_by_an_error_says_so_also_where_trials_ended_before(iris, monkeypatch):
    folder = made(iris.document, TRIALS)
    monkeypatch.setattr(files, "under_way", lambda _: False)
    assert sweeps.look("widths").message == ""
    (folder / files.LOG).write_text("trial 1\nerror: The data have changed.\n  hint: Begin anew.\n")
    assert sweeps.look("widths").message == "The data have changed. Begin anew."
    (folder / files.LOG).write_text("Best: trial 1\n")
    assert sweeps.look("widths").message == ""


def test_the_epochs_of_short_trials_are_not_taken_over_but_searched_ones_are(iris):
    made(iris.document, TRIALS)
    view = sweeps.look("widths")
    row = {"settings": {"lr": 0.027256}}
    assert sweeps.settings_of(view, row) == {"lr": 0.027256}
    assert sweeps.settings_of(view, {"settings": {"epochs": 9}}) == {"epochs": 9}
    assert trial_settings.summary(iris.document.project, view, row) == "learning rate 0.0273"
    assert trial_settings.saved_epochs(view) == "2 epochs"


def test_a_sweep_of_two_objectives_begins_from_the_form(iris):
    iris.go("sweeps")
    iris.at.multiselect(key=field(iris, "objectives")).set_value(["params"]).run()
    assert "params alone need no training" in " ".join(each.value for each in iris.at.caption)
    assert iris.at.button(key="sweep_start").disabled
    both = ["val_accuracy", "params"]
    iris.at.multiselect(key=field(iris, "objectives")).set_value(both).run()
    command = next(block.value for block in iris.at.code)
    assert command.endswith("--objective val_accuracy --objective params")
    iris.press("sweep_start").assert_calm()
    asked = files.read_request(paths.runs_dir() / "sweeps" / "mlp-on-iris-sweep-1")
    assert (asked.objectives, asked.prune) == (("val_accuracy", "params"), False)


def test_early_stopping_by_halving_is_chosen_on_the_form(iris):
    iris.go("sweeps")
    iris.at.selectbox(key=field(iris, "pruner")).set_value("asha").run()
    command = next(block.value for block in iris.at.code)
    assert command.endswith("--prune asha")


def test_settings_are_repeated_on_folds_and_the_best_mean_is_taken_without_its_fold(iris):
    iris.go("sweeps")
    iris.at.number_input(key=field(iris, "folds")).set_value(5).run()
    captions = " ".join(caption.value.replace("\\", "") for caption in iris.at.caption)
    assert "is a continuous range, but with folds every value is tried on each fold" in captions
    assert iris.at.button(key="sweep_start").disabled
    iris.at.multiselect(key=field(iris, "keys")).set_value([]).run()
    command = next(block.value for block in iris.at.code)
    assert command == "layerloom sweep mlp-on-iris.loom.json --folds 5"
    iris.press("sweep_start").assert_calm()
    asked = files.read_request(paths.runs_dir() / "sweeps" / "mlp-on-iris-sweep-1")
    assert (asked.search, asked.fixed) == (("data.fold=1,2,3,4,5",), {"data.folds": 5})
    assert (asked.trials, asked.prune) == (5, False)
    view = sweeps.look("mlp-on-iris-sweep-1")
    assert sweeps.settings_of(view, {"settings": {"data.fold": 3, "lr": 0.1}}) == {"lr": 0.1}
    folder = made(
        iris.document, TRIALS, folds=[{}], best={"trial": 2, "settings": {}, "value": 0.7}
    )
    assert sweeps.look(folder.name).best == {"trial": 2, "settings": {}, "value": 0.7}


OBJECTIVES = [
    {"name": "val_accuracy", "words": "validation accuracy", "direction": "maximize",
     "unit": "", "kind": "metric"},
    {"name": "params", "words": "parameters", "direction": "minimize", "unit": "", "kind": "cost"},
]  # fmt: skip


def test_a_point_of_the_front_takes_its_trial_to_the_canvas(iris, monkeypatch):
    made(iris.document, TRIALS, objectives=OBJECTIVES, front=[2, 1])
    view = sweeps.look("widths")
    assert (view.front, [each["name"] for each in view.objectives]) == (
        (2, 1), ["val_accuracy", "params"],
    )  # fmt: skip
    iris.go("sweeps").assert_calm()
    captions = [caption.value for caption in iris.at.caption]
    assert "2 trials are on the front of validation accuracy and parameters." in captions
    act = {"what": "canvas", "trial": 2, "id": "1"}
    monkeypatch.setattr(page.state, "event", lambda key, name: act if name == "act" else None)
    left = []
    monkeypatch.setattr(trial_settings.state, "go", lambda *to: left.extend(to))
    monkeypatch.setattr(trial_settings.st, "rerun", lambda: None)
    page._carry_out(iris.document, view)
    assert left[0] == "build"
    assert left[1].replace("\\", "").startswith("The settings of trial 2 were applied: ")
    assert iris.document.project.graph.nodes["fc1"].settings["out_features"] == 8
    assert iris.document.project.training["lr"] == 0.02
