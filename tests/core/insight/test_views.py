"""What pages show of a run agrees with what the run measured, live and after."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import save_file

from core.common.network_ref import ImportedRef, ProjectRef, RunRef
from core.data import DataError
from core.engine.weights_file import write_weights
from core.insight import live, sample_views, views, weight_views
from core.insight.confusion import confusion
from core.insight.load_model import NotReady, open_imported, open_network, open_run, open_untrained
from core.project import Project, read_text, write_text
from core.project.templates import list_templates
from core.runs.listing import view_run
from tests.core.insight.drawn import PROJECT

UNTRAINED = ProjectRef(PROJECT)


def place(run: Path) -> RunRef:
    return RunRef(run)


def pixels(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)))


@pytest.mark.slow
def test_the_confusion_matrix_has_the_accuracy_the_run_measured(trained: Path) -> None:
    found = views.confusion_of(place(trained))
    best = view_run(trained).best
    assert found is not None
    assert best is not None
    assert found.accuracy == pytest.approx(best["metrics"]["val_accuracy"], abs=1e-6)
    assert sum(map(sum, found.counts)) == 359
    assert found.accuracy > 0.5


@pytest.mark.slow
def test_live_files_give_the_same_matrix_as_the_weights_of_that_epoch(trained: Path) -> None:
    during = live.confusion(trained)
    opened = open_run(trained, "last")
    samples, targets = opened.dataset.validation()
    predicted = opened.module(samples).argmax(dim=1)
    assert during == confusion(targets, predicted, opened.dataset.classes)


def test_mistakes_are_wrong_and_the_worst_comes_first(trained: Path) -> None:
    for found in (views.misses(place(trained)), live.misses(trained)):
        assert 0 < len(found) <= 24
        assert all(m.predicted != m.sample.answer for m in found)
        losses = [m.loss for m in found]
        assert losses == sorted(losses, reverse=True)
        assert pixels(found[0].sample.picture).shape[2] == 4


def test_samples_can_be_asked_for_by_class_and_in_turn(trained: Path) -> None:
    sevens = views.samples(place(trained), "7", 0, 5)
    assert [s.answer for s in sevens] == ["7"] * 5
    everything = views.samples(place(trained), "", 0, 6)
    assert [s.index for s in everything] == [0, 1, 2, 3, 4, 5]
    assert [s.index for s in views.samples(place(trained), "", 4, 2)] == [4, 5]


def test_a_strip_shows_every_block_that_was_asked_for(trained: Path) -> None:
    blocks = [path for path, _, depth in views.overview(place(trained))["blocks"] if depth == 1]
    assert blocks == ["image", "conv1", "relu1", "flat", "fc1"]
    shots = views.strip(place(trained), 3, blocks)
    assert [(s.node, s.shape) for s in shots] == [
        ("image", (1, 8, 8)),
        ("conv1", (8, 6, 6)),
        ("relu1", (8, 6, 6)),
        ("flat", (288,)),
        ("fc1", (10,)),
    ]
    conv, relu = shots[1], shots[2]
    assert conv.low < 0 == relu.low
    assert conv.high == relu.high
    assert relu.zeros > 0


def test_the_last_block_gives_its_values_for_the_bars(trained: Path) -> None:
    shot = views.maps(place(trained), 0, "fc1")
    opened = open_run(trained)
    with torch.no_grad():
        truth = opened.module(opened.dataset.validation()[0][:1])[0]
    assert shot.values == pytest.approx(truth.tolist())


def test_first_layer_filters_are_those_of_the_checkpoint(trained: Path) -> None:
    conv1, fc1 = weight_views.layers(place(trained))
    during = live.filters(trained)
    assert during is not None
    assert (conv1.node, conv1.shape) == (during.node, during.shape) == ("conv1", (8, 1, 3, 3))
    assert (fc1.node, fc1.shape, fc1.pictured) == ("fc1", (10, 8, 6, 6), True)


def test_the_run_s_eight_samples_are_the_first_of_the_validation_part(trained: Path) -> None:
    during, after = live.samples(trained), views.samples(place(trained), "", 0, 8)
    assert [s.answer for s in during] == [s.answer for s in after]
    assert during[0].picture == after[0].picture


def test_feature_files_are_shown_as_they_come(trained: Path) -> None:
    assert live.maps(trained, 0, "conv1", "Conv2d") is None
    opened = open_run(trained)
    with torch.no_grad():
        value = opened.module.get_submodule("conv1")(opened.dataset.validation()[0][:8])
    folder = trained / "live" / "features"
    np.savez(folder / "conv1.npz", value=value.numpy(), step=np.array(3))
    shot = live.maps(trained, 2, "conv1", "Conv2d")
    assert shot is not None
    assert shot.picture == views.maps(place(trained), 2, "conv1").picture
    assert [s.node for s in live.strip(trained, 2, {"conv1": "Conv2d", "fc1": "Linear"})] == [
        "conv1"
    ]


def test_files_half_written_or_strange_show_nothing(tmp_path: Path) -> None:
    (tmp_path / "live" / "features").mkdir(parents=True)
    (tmp_path / "live" / "features" / "a.npz").write_bytes(b"PK\x03\x04 torn")
    (tmp_path / "live" / "confusion.json").write_text('{"matrix": [[1')
    np.savez(tmp_path / "live" / "filters.npz", weight=np.array({"a": 1}), node=np.array("x"))
    assert live.maps(tmp_path, 0, "a", "Conv2d") is None
    assert live.confusion(tmp_path) is None
    assert live.filters(tmp_path) is None
    assert live.samples(tmp_path) == []
    assert live.misses(tmp_path) == []


def test_watching_touches_the_viewer_file(tmp_path: Path) -> None:
    live.watch(tmp_path)
    assert (tmp_path / "viewer").exists()


def test_an_untrained_drawing_can_be_looked_into() -> None:
    found = views.overview(UNTRAINED)
    assert (found["samples"], found["task"], found["problem"]) == (359, "classification", "")
    assert views.maps(UNTRAINED, 0, "relu1").shape == (8, 6, 6)
    first, again = (open_untrained(read_text(PROJECT)).module.state_dict() for _ in range(2))
    assert all(torch.equal(first[key], again[key]) for key in first)


def test_imported_weights_are_looked_into_until_they_change(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    keys = {"key:conv1.weight": "stem.weight"}
    state = {"conv1.bias": torch.zeros(8), "fc1.weight": torch.ones(10, 288)}
    state |= {"fc1.bias": torch.arange(10.0), "stem.weight": torch.rand(8, 1, 3, 3)}
    save_file(state, path, keys)  # as earlier versions wrote it
    first = ImportedRef(PROJECT, path, "1-1")
    opened = open_network(first)
    assert (opened.run, opened.weights) == (None, "net.safetensors")
    assert torch.equal(opened.module.state_dict()["conv1.weight"], state["stem.weight"])
    assert views.confusion_of(first).counts[0][9] > 0  # type: ignore[union-attr]
    save_file(state | {"stem.weight": torch.rand(8, 1, 3, 3)}, path, keys)
    refs = [ImportedRef(PROJECT, path, f"{n}-1") for n in (1, 2)]
    shots = [weight_views.one_filter(ref, "conv1", 0, 0) for ref in (*refs, first)]
    assert shots[0] != shots[1]
    assert shots[0] == shots[2]


def test_imported_weights_of_another_network_are_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    write_weights(path, {"conv1.weight": torch.ones(1, 1, 3, 3)}, {})
    message = r"conv1.weight needs \(8, 1, 3, 3\) but net.safetensors holds \(1, 1, 3, 3\)"
    with pytest.raises(NotReady, match=message):
        open_imported(read_text(PROJECT), path)


def test_a_drawing_with_errors_says_which_block_and_what_to_do() -> None:
    broken = read_text(PROJECT.replace('"kernel_size": 3', '"kernel_size": 12'))
    with pytest.raises(
        NotReady, match="conv1 has a 12x12 kernel but receives a 8x8 image"
    ) as raised:
        open_untrained(broken)
    assert raised.value.hint


def test_data_that_is_not_here_leaves_filters_and_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    other = ProjectRef(PROJECT.replace('"digits"', '"MNIST"').replace("8, 8", "28, 28"))
    monkeypatch.setenv("LAYERLOOM_HOME", "/nonexistent")
    found = views.overview(other)
    assert "MNIST" in found["problem"]
    assert weight_views.one_filter(other, "conv1", 0, 0).picture
    assert views.table(other, 1)["total_params"] == 80 + 26 * 26 * 8 * 10 + 10
    with pytest.raises(DataError):
        views.samples(other, "", 0, 1)


TEMPLATES = [template.name for template in list_templates()]


@pytest.mark.slow(keep=["lenet_digits", "gpt_text"])
@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_can_be_looked_into(name: str) -> None:
    from core.project.templates import load_template

    project: Project = load_template(name)
    here = ProjectRef(write_text(project))
    found = views.overview(here)
    blocks = [path for path, block, _ in found["blocks"] if block != "size"]
    assert [shot.node for shot in views.strip(here, 0, blocks)] == blocks
    assert views.misses(here, 3) or found["task"] == "triplets"
    opened = sample_views.detail(here, 0, blocks)
    assert [shot.node for shot in opened.blocks] == blocks
    sample_views.neighbours(here, 0)
    layer = next(each for each in weight_views.layers(here) if each.drawn)
    assert weight_views.one_filter(here, layer.node, 0, 0).values
    assert len(weight_views.exciting(here, layer.node, 0, 1).samples) == 1
    assert json.dumps(views.table(here, 2))
