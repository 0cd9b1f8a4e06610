"""PCA, probes and CKA equal scikit-learn's and plain formulas on the values of blocks."""

import io
import json

import numpy as np
import pytest
import torch
from PIL import Image
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from app.cli import main
from core.analyse import build
from core.common.network_ref import ProjectRef
from core.insight.attribution.subject import NotExplained
from core.insight.look.catalogue import look
from core.insight.look.view import LookRequest
from core.insight.network_cache import opened, validation, validation_rows
from core.insight.representation import api
from core.insight.representation.channel_input import made
from core.insight.representation.codes import codes
from core.insight.representation.embedding import pca, tsne
from core.insight.representation.excite import ascent_of, excite
from core.insight.representation.faces import COLUMNS, faces
from core.insight.representation.linear_probe import class_accuracy, penalty, ridge
from core.insight.representation.similarity import centred_gram, cka
from core.insight.weight_views import layers
from core.project import write_text
from core.project.templates import load_template
from tests.core.insight.drawn import chain


def ref(name):
    return ProjectRef(write_text(load_template(name)))


def random(seed, *shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_principal_components_are_scikit_learns_up_to_sign():
    rows = random(0, 40, 12)
    places, shares = pca(rows)
    theirs = PCA(2, svd_solver="full").fit(rows.double().numpy())
    np.testing.assert_allclose(
        places.abs(), np.abs(theirs.transform(rows.double().numpy())), atol=1e-9
    )
    assert shares == pytest.approx(theirs.explained_variance_ratio_)
    assert (places.gather(0, places.abs().argmax(0, keepdim=True)) > 0).all()


@pytest.mark.parametrize("rounding", [0.0, 1e-8])
def test_codes_that_are_all_the_same_lie_at_one_point_without_variance(rounding: float) -> None:
    places, shares = pca(torch.full((7, 3), 0.1) + rounding * random(1, 7, 3))
    assert places.tolist() == [[0.0, 0.0]] * 7
    assert shares == (0.0, 0.0)


def test_one_number_a_sample_lies_on_a_line_and_tsne_is_always_the_same():
    places, shares = pca(random(1, 9, 1))
    assert not places[:, 1].any()
    assert shares == (pytest.approx(1.0), 0.0)
    rows = random(2, 20, 3)
    assert torch.equal(tsne(rows), tsne(rows))


@pytest.mark.parametrize("features", [10, 90])
def test_a_probe_is_scikit_learns_logistic_regression_on_standardised_values(features):
    rows, others = 3 + 5 * random(3, 60, features), 3 + 5 * random(4, 200, features)
    labels = (rows[:, 0] > 3).long() + (rows[:, 1] > 5).long()
    truth = (others[:, 0] > 3).long() + (others[:, 1] > 5).long()
    theirs = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    theirs.fit(rows.double().numpy(), labels.numpy())
    wanted = theirs.score(others.double().numpy(), truth.numpy())
    assert class_accuracy(rows, labels, others, truth) == pytest.approx(wanted, abs=0.006)
    assert class_accuracy(rows, labels.clamp(max=0), others, truth) == pytest.approx(
        float((truth == 0).double().mean())
    )


def test_the_probe_of_a_number_is_scikit_learns_ridge_with_the_same_penalty():
    rows, others = random(3, 60, 10), random(4, 30, 10)
    plain = Ridge(alpha=penalty(rows)).fit(rows.double().numpy(), rows[:, :1].double().numpy())
    np.testing.assert_allclose(
        ridge(rows, rows[:, :1], others)[:, 0],
        np.ravel(plain.predict(others.double().numpy())), atol=1e-9,
    )  # fmt: skip


def test_cka_is_the_formula_on_features_and_does_not_see_rotation_or_scale():
    x, y = random(5, 30, 6).double(), random(6, 30, 4).double()
    a, b = x - x.mean(0), y - y.mean(0)
    norm = torch.linalg.matrix_norm
    wanted = norm(b.T @ a) ** 2 / (norm(a.T @ a) * norm(b.T @ b))
    assert cka(centred_gram(x), centred_gram(y)) == pytest.approx(float(wanted))
    turn, _ = torch.linalg.qr(random(7, 6, 6).double())
    assert cka(centred_gram(x), centred_gram(3 * x @ turn)) == pytest.approx(1.0)
    assert cka(centred_gram(x), centred_gram(torch.ones(30, 2))) == 0.0


def test_codes_are_what_a_plain_forward_puts_out():
    network = opened(ref("lenet_digits"))
    inputs = [column[:70] for column in validation_rows(ref("lenet_digits"))[0]]
    found = codes(network.module, network.report, inputs, ["conv1", "fc3"])
    with torch.no_grad():
        torch.testing.assert_close(found["conv1"], network.module.conv1(inputs[0]).flatten(1))
        torch.testing.assert_close(found["fc3"], network.module(inputs[0]))


def test_probes_of_a_classification_and_a_regression_have_a_score_for_each_block():
    found = api.probes(ref("mlp_iris"))
    assert found.metric == "accuracy"
    assert [path for path, _, _ in found.by_block] == api.blocks(ref("mlp_iris"))
    assert all(score > found.guess for _, _, score in found.by_block)
    assert api.probes(ref("regression_diabetes")).metric == "R²"
    with pytest.raises(NotExplained, match="needs classes or one number"):
        api.probes(ref("lstm_waves"))


def test_similarity_with_itself_is_one_and_networks_of_other_inputs_are_refused():
    found = api.similarity(ref("mlp_wine"))
    assert [row[k] for k, row in enumerate(found.values)] == pytest.approx([1.0] * len(found.rows))
    with pytest.raises(NotExplained, match="takes samples of"):
        api.similarity(ref("mlp_wine"), ref("mlp_iris"))


def test_the_map_of_a_block_bears_the_classes_of_its_samples():
    name = "mlp_wine"
    found = api.embedding(ref(name), api.blocks(ref(name))[0])
    dataset = validation(ref(name))[0]
    assert list(found.labels) == dataset.labels[dataset.validation_indices].tolist()
    assert len(found.x) == len(found.y) == len(found.labels)


def test_the_sheet_of_a_map_has_the_picture_of_every_sample_in_its_place():
    name = "two_heads_digits"
    found = faces(ref(name), 30)
    shown = np.asarray(Image.open(io.BytesIO(found.sheet)))[..., 0].astype(int)
    inputs = validation_rows(ref(name))[0][0][:30, 0]
    assert (found.size, found.columns, shown.shape) == ((8, 8), COLUMNS, (16, 200))
    low, high = (inputs.amin((1, 2), keepdim=True), inputs.amax((1, 2), keepdim=True))
    wanted = (255 * (inputs - low) / (high - low)).numpy()
    for k in (0, 7, 26):
        top, left = 8 * (k // COLUMNS), 8 * (k % COLUMNS)
        assert np.abs(shown[top : top + 8, left : left + 8] - wanted[k]).max() <= 1


def test_rows_and_texts_of_a_map_are_shown_in_words_and_their_own_unit():
    found, dataset = faces(ref("mlp_iris"), 5), validation(ref("mlp_iris"))[0]
    raw = load_iris()
    row = validation_rows(ref("mlp_iris"))[0][0][3] * dataset.std + dataset.mean
    place = np.abs(raw.data - row.numpy()).sum(axis=1).argmin()
    with torch.no_grad():
        scores = opened(ref("mlp_iris")).module(validation_rows(ref("mlp_iris"))[0][0][3:4])
    names = "sepal_length", "sepal_width", "petal_length", "petal_width"
    cells = ", ".join(f"{n} {v:.3g}" for n, v in zip(names, raw.data[place], strict=True))
    assert found.words[3].split("\n") == [
        f"target {raw.target_names[raw.target[place]]}",
        f"predicted {raw.target_names[int(scores.argmax())]}",
        cells,
    ]
    assert (found.sheet, faces(ref("gpt_text"), 4).words[3].count("\n")) == (b"", 2)


def test_the_input_that_excites_a_linear_layer_most_follows_the_signs_of_its_weights():
    report = chain([6], ("fc", "Linear", {"out_features": 2}))
    module = build(report.source, report.class_name)
    before = module.fc.weight.clone()
    made, means = excite(module, report, [torch.zeros(1, 6)], 0, "fc", 1, (-2.0, 3.0), last=True)
    assert torch.equal(made[0], torch.where(module.fc.weight[1] > 0, 3.0, -2.0))
    assert means[-1] == pytest.approx(float(module(made)[0, 1].detach()), rel=1e-4)
    assert torch.equal(module.fc.weight, before)
    assert module.fc.weight.grad is None


def test_an_excited_channel_is_above_every_validation_sample():
    name = "lenet_digits"
    found = look(ref(name), LookRequest("excite", block="conv2", channel=3))
    network, inputs = opened(ref(name)), validation_rows(ref(name))[0]
    values = codes(network.module, network.report, inputs, ["conv2"])["conv2"]
    most = values.reshape(len(values), 16, -1)[:, 3].mean(dim=1).max()
    assert found.document["last"] > float(most)
    assert found.document["shape"] == [1, 28, 28]


@pytest.mark.gate
@pytest.mark.parametrize(
    ("name", "node", "channel"),
    [("lenet_digits", "conv2", 3), ("mlp_iris", "fc1", 2), ("siamese_digits", "", 0)],
)
def test_a_made_input_is_that_of_the_plain_script_beside_it(name, node, channel):
    node = node or next(each.node for each in layers(ref(name)) if each.drawn)
    found, network = made(ref(name), node, channel), opened(ref(name))
    held = {"model": build(network.report.source, network.report.class_name)}
    held["model"].load_state_dict(network.module.state_dict())
    held["inputs"] = ascent_of(ref(name), node, channel).given
    exec(found.script, held)
    assert held["means"][0] == pytest.approx(found.first, rel=1e-5)
    assert held["means"][-1] == pytest.approx(found.last, rel=1e-5)
    assert found.last > found.first
    assert not found.flat
    if found.row:
        assert [value for _, value in found.row] == held["made"][0].tolist()
    else:
        truth = look(ref(name), LookRequest("excite", block=node, channel=channel))
        assert truth.document["values"] == held["made"][0].tolist()


def test_a_filter_whose_mean_knows_no_pattern_is_marked_as_flat():
    weight = opened(ref("lenet_digits")).module.get_submodule("conv1").weight
    darkest = int(weight.sum(dim=(1, 2, 3)).argmin())
    assert made(ref("lenet_digits"), "conv1", darkest).flat


def test_no_input_is_made_of_tokens():
    with pytest.raises(NotExplained, match="Tokens cannot be optimised in small steps"):
        made(ref("gpt_text"), "head", 0)


def test_the_command_answers_probe_and_similarity(capsys, tmp_path):
    path = tmp_path / "wine.loom.json"
    path.write_text(write_text(load_template("mlp_wine")), "utf-8")
    assert main(["look", str(path), "--what", "probe", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["by_block"][0]["score"] > found["guess"]
    arguments = ["look", str(path), "--what", "similarity", "--against", str(path), "--json"]
    assert main(arguments) == 0
    values = json.loads(capsys.readouterr().out)["values"]
    assert values[0][0] == pytest.approx(1.0)
    assert main(["look", str(path), "--what", "embedding", "--block", "nope", "--json"]) == 2
