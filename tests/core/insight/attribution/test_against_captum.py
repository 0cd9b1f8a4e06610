"""Explanations of the templates equal what Captum gives on the same module."""

import pytest
import torch

from core.insight.attribution.grad_cam import grad_cam
from core.insight.attribution.integrated_gradients import path_integral
from core.insight.attribution.occlusion import covered, usual_window
from core.insight.attribution.of_sample import map_blocks, subject_of
from core.insight.remembered import opened
from core.project import write_text
from core.project.templates import load_template
from core.source.paths import node_paths

captum = pytest.importorskip("captum.attr")

PICTURES = ("lenet_digits", "resnet_digits", "senet_digits", "inception_digits", "vit_digits",
            "unet_digits", "siamese_digits")  # fmt: skip
FLOATS = (*PICTURES, "mlp_iris", "quantiles_diabetes", "two_inputs_diabetes", "lstm_waves",
          "transformer_digits")  # fmt: skip
TOKENS = ("gpt_text", "bert_text", "rnn_letter_names", "transformer_dates")
CLOSE = {"rtol": 1e-4, "atol": 1e-6}


def subject(name, index=3):
    return subject_of(("project", write_text(load_template(name)), ""), index)[0]


def scored(made):
    """The score as Captum calls it: of the point alone."""

    def forward(point):
        rest = [x.expand(len(point), *x.shape[1:]) for x in made.inputs]
        rest[made.place] = point
        return made.score(made.module(*rest))

    return forward


@pytest.mark.parametrize("name", FLOATS)
def test_saliency_is_captums(name):
    made = subject(name)
    theirs = captum.Saliency(scored(made)).attribute(made.point.clone())
    torch.testing.assert_close(made.gradients(made.point).abs(), theirs, **CLOSE)


@pytest.mark.parametrize("name", FLOATS)
def test_integrated_gradients_are_captums_by_the_same_quadrature(name):
    made = subject(name)
    theirs = captum.IntegratedGradients(scored(made)).attribute(made.point, n_steps=50)
    torch.testing.assert_close(path_integral(made, 50), theirs.float(), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("name", PICTURES)
def test_occlusion_is_captums(name):
    made = subject(name)
    window, stride = usual_window(made)
    channels = made.point.shape[1]
    theirs = captum.Occlusion(scored(made)).attribute(
        made.point, sliding_window_shapes=(channels, *window), strides=(channels, *stride),
        perturbations_per_eval=16,
    )  # fmt: skip
    torch.testing.assert_close(covered(made, window, stride), theirs[0, 0], **CLOSE)


@pytest.mark.parametrize("name", ["lenet_digits", "resnet_digits", "senet_digits", "unet_digits"])
def test_grad_cam_is_captums_at_every_layer_that_puts_out_maps(name):
    made, ref = subject(name), ("project", write_text(load_template(name)), "")
    network = opened(ref)
    layers = {node: own for own, node in node_paths(network.module, network.report.lines).items()}
    compared = 0
    for node in map_blocks(network):
        layer = network.module.get_submodule(layers[node]) if node in layers else None
        if layer is None or getattr(layer, "inplace", False) or list(layer.children()):
            continue
        theirs = captum.LayerGradCam(scored(made), layer).attribute(
            made.point.clone(), relu_attributions=True
        )
        torch.testing.assert_close(grad_cam(made, node).values, theirs[0, 0], **CLOSE)
        compared += 1
    assert compared >= 4


@pytest.mark.parametrize("name", TOKENS)
def test_tokens_are_explained_as_captum_explains_their_embedding(name):
    made = subject(name)
    lookups = [m for m in made.module.modules() if isinstance(m, torch.nn.Embedding)]
    point = made.point

    def forward(tokens):
        rest = [x.expand(len(tokens), *x.shape[1:]) for x in made.inputs]
        rest[made.place] = tokens
        return made.score(made.module(*rest))

    own = next(m for m in lookups if torch.equal(m(made.inputs[made.place]), point))
    theirs = captum.LayerIntegratedGradients(forward, own).attribute(
        made.inputs[made.place],
        baselines=torch.zeros_like(made.inputs[made.place]),
        n_steps=50,
    )
    zero = own(torch.zeros_like(made.inputs[made.place])).detach()  # token 0 is Captum's baseline
    torch.testing.assert_close(path_integral(made, 50, zero), theirs, rtol=1e-3, atol=1e-5)
