"""Explanations of the templates equal what Captum gives on the same module."""

from pathlib import Path

import pytest
import torch

from core.analyse import build
from core.common.network_ref import ProjectRef
from core.insight.attribution.explain import map_blocks, subject_of
from core.insight.attribution.grad_cam import grad_cam
from core.insight.attribution.integrated_gradients import path_integral
from core.insight.attribution.occlusion import covered, usual_window
from core.insight.attribution.smooth_grad import COPIES, SEED, SPREAD, smooth_grad
from core.insight.attribution.subject import NotExplained, ScoredSample, score_of
from core.insight.network_cache import opened
from core.project import write_text
from core.project.templates import load_template
from core.source.paths import node_paths
from core.tasks.readings.classes import ClassScores
from tests.core.insight.drawn import chain

ROOT = Path(__file__).parents[4]
captum = pytest.importorskip("captum.attr")

ALL = sorted(path.name.partition(".")[0] for path in (ROOT / "projects").glob("*.loom.json"))
UNSCORED = {"autoencoder_digits", "ctc_digit_rows", "triplet_digits", "unlabelled_digits",
            "vae_digits"}  # fmt: skip
CLOSE = {"rtol": 1e-4, "atol": 1e-6}


def subject(name, index=3):
    return subject_of(ProjectRef(write_text(load_template(name))), index)[0]


def scored(made):
    """The score as Captum calls it: of the point alone."""

    def forward(point):
        rest = [x.expand(len(point), *x.shape[1:]) for x in made.inputs]
        rest[made.input_index] = point
        return made.score(made.module(*rest))

    return forward


@pytest.mark.gate
@pytest.mark.parametrize("name", ALL)
def test_explanations_of_a_template_are_captums(name):
    try:
        made = subject(name)
    except NotExplained:
        assert name in UNSCORED
        return
    if made.kind == "tokens":
        tokens_are_captums(made)
        return
    theirs = captum.Saliency(scored(made)).attribute(made.point.clone())
    torch.testing.assert_close(made.gradients(made.point).abs(), theirs, **CLOSE)
    theirs = captum.IntegratedGradients(scored(made)).attribute(made.point, n_steps=50)
    torch.testing.assert_close(path_integral(made, 50), theirs.float(), rtol=1e-3, atol=1e-5)
    if made.kind == "picture" and made.point.ndim == 4:
        occlusion_is_captums(made)
        grad_cam_is_captums(made, name)


def occlusion_is_captums(made):
    window, stride = usual_window(made)
    channels = made.point.shape[1]
    theirs = captum.Occlusion(scored(made)).attribute(
        made.point, sliding_window_shapes=(channels, *window), strides=(channels, *stride),
        perturbations_per_eval=16,
    )  # fmt: skip
    torch.testing.assert_close(covered(made, window, stride), theirs[0, 0], **CLOSE)


def grad_cam_is_captums(made, name):
    """At the maps of every module that is a block of its own."""
    network = opened(ProjectRef(write_text(load_template(name))))
    layers = {node: own for own, node in node_paths(network.module, network.report.lines).items()}
    for node in map_blocks(network):
        layer = network.module.get_submodule(layers[node]) if node in layers else None
        if layer is None or getattr(layer, "inplace", False) or list(layer.children()):
            continue
        if calls_of(layer, made) != 1:  # two blocks share it: Captum takes both as one
            continue
        explainer = captum.LayerGradCam(scored(made), layer)
        try:
            ours = grad_cam(made, node).values
        except NotExplained:  # another head, or the player that is not scored
            with pytest.raises(RuntimeError, match=r"not have been used|not require grad"):
                explainer.attribute(made.point.clone())
            continue
        theirs = explainer.attribute(made.point.clone(), relu_attributions=True)
        torch.testing.assert_close(ours, theirs[0, 0], **CLOSE)


def calls_of(layer, made):
    """How often a module runs for one sample."""
    seen = []
    handle = layer.register_forward_hook(lambda *_: seen.append(1))
    made.scores(made.point)
    handle.remove()
    return len(seen)


def tokens_are_captums(made):
    """Tokens as their embedding is explained."""
    lookups = [m for m in made.module.modules() if isinstance(m, torch.nn.Embedding)]
    point = made.point

    def forward(tokens):
        rest = [x.expand(len(tokens), *x.shape[1:]) for x in made.inputs]
        rest[made.input_index] = tokens
        return made.score(made.module(*rest))

    own = next(m for m in lookups if torch.equal(m(made.inputs[made.input_index]), point))
    zeros = torch.zeros_like(made.inputs[made.input_index])  # token 0 is Captum's baseline
    theirs = captum.LayerIntegratedGradients(forward, own).attribute(
        made.inputs[made.input_index], baselines=zeros, n_steps=50
    )
    ours = path_integral(made, 50, own(zeros).detach())
    torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("name", ["lenet_digits", "mlp_iris", "lstm_waves"])
def test_smooth_grad_is_captums_noise_tunnel_with_the_same_noise(name, monkeypatch):
    made = subject(name)
    drawn = torch.randn(
        COPIES, *made.point.shape[1:], generator=torch.Generator().manual_seed(SEED)
    )
    monkeypatch.setattr(torch, "normal", lambda _mean, spreads: spreads * drawn)
    theirs = captum.NoiseTunnel(captum.Saliency(scored(made))).attribute(
        made.point.clone(), nt_type="smoothgrad", nt_samples=COPIES,
        stdevs=SPREAD * float(made.point.max() - made.point.min()),
    )  # fmt: skip
    torch.testing.assert_close(smooth_grad(made).values, theirs[0], **CLOSE)


def test_grad_cam_along_a_sequence_is_captums():
    report = chain(
        [2, 30],
        ("conv", "Conv1d", {"out_channels": 4, "kernel_size": 5}),
        ("relu", "ReLU", {}),
        ("pool", "MaxPool1d", {"kernel_size": 2}),
        ("flat", "flatten", {"start_dim": 1}),
        ("fc", "Linear", {"out_features": 3}),
    )
    torch.manual_seed(0)
    module = build(report.source, report.class_name).eval()
    made = ScoredSample(
        module,
        report,
        (torch.randn(1, 2, 30),),
        score_of(ClassScores(), 0, 1),
        kind="series",
    )
    for node, places in (("conv", 26), ("pool", 13)):
        found = grad_cam(made, node).values
        theirs = captum.LayerGradCam(scored(made), module.get_submodule(node)).attribute(
            made.point, relu_attributions=True
        )
        assert found.shape == (places,)
        torch.testing.assert_close(found, theirs[0, 0], **CLOSE)
    with pytest.raises(NotExplained, match=r"\(N, C, L\) of a Conv1d"):
        grad_cam(made, "fc")
