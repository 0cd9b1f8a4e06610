"""Explanations without an oracle: what must hold of each, and that looking changes nothing."""

import copy

import numpy as np
import pytest
import torch
from torch import nn

from core.analyse import analyse, build
from core.common.network_ref import ProjectRef
from core.insight.attribution import explain
from core.insight.attribution.attention_maps import attention_maps, rollout
from core.insight.attribution.block_gradients import block_gradients
from core.insight.attribution.integrated_gradients import integrated_gradients
from core.insight.attribution.methods import METHODS
from core.insight.attribution.saliency import saliency
from core.insight.attribution.sanity_check import rank_correlation, sanity_check
from core.insight.attribution.subject import NotExplained, ScoredSample, score_of, windows
from core.insight.network_cache import opened
from core.project import graph_from_json, write_text
from core.project.templates import load_template
from core.tasks.readings.classes import ClassScores
from tests.core.insight.drawn import chain

EXPLAINED = ("lenet_digits", "resnet_digits", "gru_digits", "transformer_digits", "vit_digits",
             "mlp_wine", "regression_diabetes", "multilabel_digits", "gpt_text", "lstm_text",
             "seq2seq_dates", "rnn_letter_names", "unet_digits", "siamese_digits",
             "lstm_waves")  # fmt: skip
MAPS = ("lenet_digits", "resnet_digits", "vit_digits", "multilabel_digits", "unet_digits",
        "siamese_digits")  # fmt: skip


def ref(name):
    return ProjectRef(write_text(load_template(name)))


def state(module):
    weights = {k: v.clone() for k, v in module.state_dict().items()}
    grads = {n: None if p.grad is None else p.grad.clone() for n, p in module.named_parameters()}
    return weights, grads, [m.training for m in module.modules()], torch.get_rng_state()


@pytest.mark.gate
@pytest.mark.parametrize("name", EXPLAINED)
def test_explaining_leaves_weights_gradients_modes_and_random_state(name):
    network = opened(ref(name))
    network.module.train()
    weight = next(network.module.parameters())
    weight.grad = torch.ones_like(weight)
    before = state(network.module)
    for method in METHODS:
        if method == "gradcam" and name not in MAPS:
            continue
        found = explain.explain(ref(name), 2, method)
        assert np.isfinite(found.values).all()
        assert found.values.any()
    after = state(network.module)
    weight.grad = None
    network.module.eval()
    for mine, theirs in zip(before[0].values(), after[0].values(), strict=True):
        assert torch.equal(mine, theirs)
    assert [g is None for g in before[1].values()] == [g is None for g in after[1].values()]
    assert before[2] == after[2]
    assert torch.equal(before[3], after[3])


@pytest.mark.gate
@pytest.mark.parametrize("name", EXPLAINED)
def test_parts_of_integrated_gradients_sum_to_the_difference_of_the_scores(name):
    facts = explain.explain(ref(name), 2, "integrated_gradients").facts
    whole = facts["score"] - facts["score of zeros"]
    assert facts["sum"] == pytest.approx(whole, rel=0.01, abs=1e-6)


def test_saliency_of_a_linear_network_is_the_row_of_its_weights():
    report = chain([5], ("fc", "Linear", {"out_features": 3}))
    module = build(report.source, report.class_name)
    made = ScoredSample(
        module, report, (torch.randn(1, 5),), score_of(ClassScores(), 0, 2), kind="row"
    )
    assert torch.equal(saliency(made).values, module.fc.weight[2].abs())


def test_gradients_of_blocks_are_those_of_a_plain_script_before_layers_that_work_in_place():
    report = chain(
        [1, 6, 6],
        ("conv", "Conv2d", {"out_channels": 2, "kernel_size": 3}),
        ("relu", "ReLU", {"inplace": True}),
        ("flat", "Flatten", {}),
        ("fc", "Linear", {"out_features": 2}),
    )
    torch.manual_seed(0)
    module, x = build(report.source, report.class_name), torch.randn(1, 1, 6, 6)
    values, gradients = block_gradients(module, report, [x], lambda out: out[0, 1])
    conv = module.conv(x)
    kept = conv.clone()
    conv.retain_grad()
    relu = nn.functional.relu(conv)
    relu.retain_grad()
    module.fc(relu.flatten(1))[0, 1].backward()
    assert torch.equal(values["conv"], kept)
    assert torch.equal(values["relu"], relu)
    assert torch.equal(gradients["conv"], conv.grad)
    assert torch.equal(gradients["relu"], relu.grad)


@pytest.mark.parametrize("name", ["transformer_digits", "bert_text", "vit_digits", "gpt_text",
                                  "transformer_dates", "seq2seq_dates"])  # fmt: skip
def test_attention_weights_sum_to_one_and_the_output_is_that_of_a_plain_forward(name):
    network, inputs = opened(ref(name)), explain.inputs_of(ref(name), 0, 1)
    fast = torch.backends.mha.get_fastpath_enabled()
    maps = attention_maps(network.module, network.report, inputs)
    assert torch.backends.mha.get_fastpath_enabled() == fast
    for each in maps:
        assert each.node in network.report.nodes
        torch.testing.assert_close(each.weights.sum(-1), torch.ones(each.weights.shape[:-1]))
    if name == "gpt_text":
        assert all(not each.weights.triu(1).any() for each in maps)
    if name not in ("transformer_dates", "seq2seq_dates"):
        rolled = rollout(maps)
        torch.testing.assert_close(rolled.sum(-1), torch.ones(len(rolled)))


def test_the_weights_of_torchs_own_layer_are_those_it_returns_itself():
    torch.manual_seed(0)
    layer, x = nn.MultiheadAttention(8, 2, batch_first=True).eval(), torch.randn(1, 5, 8)
    graph = {
        "nodes": {
            "image": {"block": "Input", "settings": {"shape": [5, 8]}},
            "attend": {
                "block": "MultiheadAttention",
                "settings": {"num_heads": 2, "batch_first": True},
            },
            "y": {"block": "Output"},
        },
        "edges": [
            "image -> attend.query",
            "image -> attend.key",
            "image -> attend.value",
            "attend -> y",
        ],
    }
    report = analyse(graph_from_json({**graph, "composites": {}}), "Net")
    assert report.ok, report.errors
    module = build(report.source, report.class_name).eval()
    module.attend.load_state_dict(layer.state_dict())
    (found,) = attention_maps(module, report, [x])
    _, wanted = layer(x, x, x, average_attn_weights=False)
    assert found.node == "attend"
    torch.testing.assert_close(found.weights, wanted[0])


def test_an_explanation_of_random_weights_is_unlike_that_of_the_learned_ones():
    made, _ = explain.subject_of(ref("lenet_digits"), 0)
    before = copy.deepcopy(made.module.state_dict())
    stages = sanity_check(integrated_gradients, made)
    assert [stage.layer for stage in stages] == ["fc3", "fc2", "fc1", "conv2", "conv1"]
    assert all(-1 <= stage.correlation <= 1 for stage in stages)
    assert abs(stages[-1].correlation) < 0.9
    assert all(torch.equal(v, before[k]) for k, v in made.module.state_dict().items())


def test_an_explanation_that_ignores_the_weights_fails_the_sanity_check():
    made, _ = explain.subject_of(ref("lenet_digits"), 0)
    edges = type("Edges", (), {"values": made.inputs[0][0]})
    found = [s.correlation for s in sanity_check(lambda *_: edges, made)]
    assert found == pytest.approx([1.0] * 5)


def test_ranks_of_equal_values_are_shared():
    a, b = torch.tensor([1.0, 1.0, 3.0, 0.0]), torch.tensor([2.0, 2.0, 5.0, 1.0])
    assert rank_correlation(a, b) == pytest.approx(1.0)
    assert rank_correlation(a, torch.zeros(4)) == 0.0


def test_windows_reach_every_place_and_end_with_the_sample():
    cuts = list(windows((5,), (2,), (2,)))
    assert cuts == [(slice(0, 2),), (slice(2, 4),), (slice(4, 5),)]


@pytest.mark.parametrize(
    ("name", "method", "more", "says"),
    [
        ("autoencoder_digits", "saliency", {}, "The output is a picture, not the score of a class"),
        ("lenet_digits", "saliency", {"score_name": "cat"}, "no class called 'cat'"),
        ("lenet_digits", "gradcam", {"node": "nope"}, "no block called nope"),
        ("lenet_digits", "gradcam", {"node": "fc1"}, "needs feature maps (N, C, H, W)"),
        ("mlp_iris", "gradcam", {}, "Grad-CAM is for pictures"),
        ("gpt_text", "saliency", {"position": 64}, "no position 64"),
    ],
)
def test_what_cannot_be_explained_says_why(name, method, more, says):
    with pytest.raises(NotExplained) as refused:
        explain.explain(ref(name), 0, method, **more)
    assert says in refused.value.message
    assert refused.value.hint or "position" in says


def test_a_network_without_attention_says_so():
    with pytest.raises(NotExplained, match="has no attention"):
        explain.attention_of(ref("lenet_digits"), 0)
