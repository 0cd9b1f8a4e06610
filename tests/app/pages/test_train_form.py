"""The form of the Train page: what it says reaches the project, what is wrong is named."""

import time

import pytest

from app.pages.shared import downloads
from app.process import pool
from app.process.pool import PoolError
from app.services import documents
from core.data import SOURCES
from core.graph import edits
from core.project import templates

TEMPLATES = [template.name for template in templates.list_templates()]


def test_training_settings_reach_the_project_and_defaults_stay_out(lenet):
    lenet.go("train")
    key = lenet.document.doc_id
    lenet.at.number_input(key=f"{key}:epochs").set_value(3)
    lenet.at.text_input(key=f"{key}:lr:AdamW").set_value("0.01")
    lenet.at.run()
    training = lenet.document.project.training
    assert (training["epochs"], training["lr"]) == (3, 0.01)
    assert "clip_norm" not in training


def test_classes_are_weighed_and_a_wrong_count_is_named(lenet):
    lenet.go("train")
    field = f"{lenet.document.doc_id}:class_weights"
    lenet.at.selectbox(key=field).set_value("balanced").run()
    assert lenet.document.project.training["class_weights"] == "balanced"
    lenet.at.selectbox(key=field).set_value("one weight per class").run()
    lenet.at.text_input(key=f"{field}:10").set_value("1, 2.5").run()
    assert lenet.document.project.training["class_weights"] == (1.0, 2.5)
    warnings = " ".join(warning.value for warning in lenet.at.warning)
    assert "has 2 numbers but the data has 10 classes" in warnings
    lenet.at.selectbox(key=field).set_value("none").run()
    assert "class_weights" not in lenet.document.project.training


@pytest.mark.gate
def test_labels_are_weighed_and_every_yes_has_a_number_for_each(tab):
    tab.press("open_template_multilabel_digits").go("train")
    key = tab.document.doc_id
    given = f"{key}:BCEWithLogitsLoss:pos_weight"
    tab.at.text_input(key=given).set_value("1, 2.5").run()
    assert tab.document.project.training["loss_settings"] == {"pos_weight": (1, 2.5)}
    warnings = " ".join(warning.value for warning in tab.at.warning)
    assert "has 2 numbers but the data has 10 labels" in warnings
    tab.at.text_input(key=given).set_value("3").run()
    assert tab.document.project.training["loss_settings"] == {"pos_weight": 3}
    tab.at.selectbox(key=f"{key}:class_weights").set_value("balanced").run()
    assert tab.document.project.training["class_weights"] == "balanced"
    assert not tab.at.button(key="train").disabled


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value"),
    [("optimizer_settings", 3), ("loss_settings", "none"), ("scheduler", {"name": [1]})]
    + [("start_from", 7), ("start_from", {"run": 1}), ("losses", 5), ("losses", [{"weight": "x"}])],
)
def test_what_no_form_can_show_is_named_kept_and_left_out_on_demand(name, value, lenet):
    document = lenet.document
    document.change(training={**document.project.training, name: value})
    lenet.go("train").assert_calm()
    assert any(text.startswith(f"training.{name} is ") for text in lenet.texts)
    assert name in document.project.training
    lenet.press(f"{document.doc_id}:odd:{name}").assert_calm()
    assert name not in document.project.training
    assert not lenet.at.button(key="train").disabled


@pytest.mark.slow(keep=["lenet_digits"])
@pytest.mark.parametrize("name", TEMPLATES)
def test_looking_at_the_settings_changes_nothing(name, tab):
    tab.press(f"open_template_{name}").go("train").assert_calm()
    assert tab.document.project == templates.load_template(name)


def test_looking_at_the_settings_of_an_empty_project_changes_nothing(tab):
    tab.press("empty").go("train")
    assert tab.document.project == documents.EMPTY


def test_another_optimiser_brings_its_own_learning_rate(lenet):
    lenet.go("train")
    lenet.at.selectbox(key=f"{lenet.document.doc_id}:optimizer").set_value("Adadelta").run()
    training = lenet.document.project.training
    assert (training["optimizer"], training["lr"]) == ("Adadelta", 0.3)


def test_data_is_downloaded_only_on_the_button_and_a_failure_shown(lenet, workspace, monkeypatch):
    asked = []

    def fail(what, function, name, timeout_s):
        asked.append(name)
        raise PoolError("MNIST could not be downloaded: no connection.", "Try again.")

    monkeypatch.setenv("LAYERLOOM_DATA", str(workspace))
    monkeypatch.setattr(pool, "alone", fail)
    lenet.document.change(data={"source": "MNIST"})
    lenet.go("train")
    assert asked == []
    assert lenet.at.button(key="train").disabled
    assert "MNIST is not on this machine yet; download it first." in lenet.texts
    lenet.press("download")
    while downloads._downloads.running("MNIST"):
        time.sleep(0.01)
    lenet.at.run()
    assert asked == ["MNIST"]
    assert "MNIST could not be downloaded: no connection. Try again." in lenet.texts


def test_a_broken_network_cannot_be_trained_and_the_page_says_why(lenet):
    project = lenet.document.project
    lenet.document.session.update(
        graph=edits.set_settings(project.graph, "fc1", {"in_features": 7})
    )
    lenet.go("train")
    assert lenet.at.button(key="train").disabled
    assert any("fc1" in text for text in lenet.texts)


def test_a_setting_that_is_no_number_cannot_be_trained_and_is_named(lenet):
    lenet.go("train")
    lenet.at.text_input(key=f"{lenet.document.doc_id}:lr:AdamW").set_value("fast").run()
    assert not lenet.at.exception
    assert lenet.at.button(key="train").disabled
    assert lenet.texts == [
        'training.lr needs a number from 0 but receives "fast". '
        "Learning rate: the step size of the optimiser."
    ]
    assert f":red[:material/error:] {lenet.texts[0]}" in captions(lenet)  # below the form too


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_the_form_asks_what_the_network_should_tell_of_every_source(source, tab):
    tab.press("empty")
    tab.document.change(data={"source": source})
    tab.go("train")
    assert not tab.at.exception
    assert tab.document.project.data == {"source": source}


def captions(tab) -> list[str]:
    return [caption.value.replace("\\", "") for caption in tab.at.caption]


def test_a_setting_without_effect_is_named_below_the_settings(lenet):
    lenet.go("train")
    field = f"{lenet.document.doc_id}:patience"
    note = ":material/info: A patience of 30 epochs cannot stop a run of 12 epochs early."
    assert note not in captions(lenet)
    lenet.at.text_input(key=field).set_value("30").run()
    assert note in captions(lenet)
    lenet.at.text_input(key=field).set_value("3").run()
    assert note not in captions(lenet)


def test_a_rate_that_nothing_moves_is_drawn_too(lenet):
    lenet.go("train")
    description = "Stays at 0.002 in every epoch: there is no schedule."
    assert description in captions(lenet)
    assert any(description in block.proto.body for block in lenet.at.get("html"))
    lenet.at.text_input(key=f"{lenet.document.doc_id}:lr:AdamW").set_value("fast").run()
    assert not any("Stays at" in text for text in captions(lenet))


def test_a_limit_that_leaves_nothing_out_is_named(lenet):
    lenet.go("train")
    field = f"{lenet.document.doc_id}:data:limit"
    lenet.at.text_input(key=field).set_value("1437").run()
    assert not any("training samples." in text for text in captions(lenet))
    lenet.at.text_input(key=field).set_value("1438").run()
    assert ":material/info: There are only 1,438 training samples." in captions(lenet)


def test_the_best_checkpoint_is_by_the_usual_metric_of_the_task(lenet):
    lenet.go("train")
    key = lenet.document.doc_id
    box = lenet.at.selectbox(key=f"{key}:best_by:classification")
    words = ["validation loss", "validation accuracy", "validation balanced accuracy", "the latest"]
    assert (box.value, box.options) == ("val_accuracy", words)
    assert "best_by" not in lenet.document.project.training
    box.set_value("last").run()
    assert lenet.document.project.training["best_by"] == "last"


@pytest.mark.slow
def test_a_text_is_not_asked_for_noise_unless_its_file_says_some(tab):
    tab.press("open_template_lstm_text").go("train")
    key = tab.document.doc_id
    assert not [field for field in tab.at.text_input if field.key == f"{key}:data:noise"]
    tab.document.change(data={**tab.document.project.data, "noise": 0.5})
    tab.at.run()
    assert tab.at.text_input(key=f"{key}:data:noise").value == "0.5"


@pytest.mark.slow
def test_what_the_finder_found_is_shown_for_this_network_and_data_only(lenet):
    lenet.go("train").press("find_rate")
    assert any(button.key == "use_steepest" for button in lenet.at.button)
    lenet.press("use_steepest")
    assert any(button.key == "use_steepest" for button in lenet.at.button)
    lenet.at.number_input(key=f"{lenet.document.doc_id}:batch_size").set_value(256).run()
    assert not any(button.key == "use_steepest" for button in lenet.at.button)
