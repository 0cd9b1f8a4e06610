"""A profile is of real steps: its parts add up, its blocks are those of the drawing."""

import json

import pytest
import torch

from core.analyse import analyse_project
from core.common.network_ref import ProjectRef
from core.engine.rng import seed_all
from core.insight.look.catalogue import look
from core.insight.look.view import LookRequest
from core.insight.network_cache import opened
from core.insight.profiling import api, memory_over_time
from core.insight.profiling.cost import PHASES
from core.insight.profiling.profiler import profile_steps
from core.project import write_text
from core.project.templates import load_template


@pytest.fixture(scope="module")
def lenet():
    project = load_template("lenet_digits")
    seed_all(5)
    before = torch.get_rng_state()
    found = profile_steps(write_text(project), analyse_project(project))
    assert torch.equal(torch.get_rng_state(), before)
    return found


@pytest.mark.gate
def test_phases_add_up_to_the_step_and_all_are_there(lenet):
    profile = lenet.profile
    assert (profile.steps, profile.batch) == (3, 64)
    assert tuple(profile.phases) == PHASES
    assert all(profile.phases[name] > 0 for name in ("data", "forward", "backward", "optimizer"))
    forward = sum(block.forward_ms for block in profile.blocks)
    assert 0 < forward <= profile.phases["forward"]
    assert 0 < sum(block.backward_ms for block in profile.blocks) <= profile.phases["backward"]


def test_every_block_has_a_forward_and_those_with_weights_a_backward(lenet):
    spent = {block.path: block for block in lenet.profile.blocks}
    report = opened(ProjectRef(write_text(load_template("lenet_digits")))).report
    assert list(spent) == [n for n, r in report.nodes.items() if r.block not in ("Input", "Output")]
    assert all(block.forward_ms > 0 for block in spent.values())
    assert all(spent[n].backward_ms > 0 for n in ("conv1", "conv2", "fc1", "fc2", "fc3", "tanh1"))


def test_memory_is_what_the_tensors_hold(lenet):
    weights = 61_706 * 4
    memory = lenet.profile.memory
    assert memory["weights"] == memory["gradients"] == weights
    steps = 10 * 4  # a counter of each parameter
    assert memory["optimizer"] == 2 * weights + steps
    predicted = api.predicted(ProjectRef(write_text(load_template("lenet_digits"))), 64)
    assert predicted["optimizer"] == 2 * weights + steps
    inside = sum(block.kept for block in lenet.profile.blocks)
    assert inside == predicted["kept"]
    assert memory["kept"] >= inside  # and what the loss keeps


def test_the_trace_is_chromes_and_names_the_blocks(lenet):
    names = {event.get("name") for event in json.loads(lenet.trace)["traceEvents"]}
    assert {"block:conv1", "block:fc3", "phase:forward", "phase:step"} <= names


def test_spans_lie_within_the_step(lenet):
    kinds = {span.kind for span in lenet.profile.spans}
    assert {"forward", "backward", "optimizer", "data", "loss"} <= kinds
    assert {"conv1", "fc3"} <= {span.name for span in lenet.profile.spans}
    assert all(span.start_ms >= 0 for span in lenet.profile.spans)
    assert max(size for _, size in lenet.profile.over_time) > 1_000_000


def test_memory_is_predicted_for_each_phase_on_the_scale_of_the_measured(lenet):
    profile, state, weights = lenet.profile, 493_688, 246_824
    predicted = api.predicted(ProjectRef(write_text(load_template("lenet_digits"))), 64)
    levels = memory_over_time.predicted(profile, predicted)
    kept = 2_270_208
    assert [(name, held) for name, _, _, held in levels] == [
        ("data", state + 2 * weights),
        ("forward", state + 2 * weights + kept),
        ("loss", state + 2 * weights + kept),
        ("backward", state + weights + kept),
        ("optimizer", state + 2 * weights),
    ]
    assert [end for _, _, end, _ in levels[:-1]] == [start for _, start, _, _ in levels[1:]]
    points = memory_over_time.measured(profile)
    assert points[-1][1] == pytest.approx(state + 2 * weights, rel=1e-3)
    backward = levels[3][1]
    before = [held for at, held in points if at < backward][-1]
    assert before == pytest.approx(levels[1][3], rel=0.1)
    assert memory_over_time.predicted(profile, {**predicted, "kept": None}) == ()


@pytest.mark.gate
@pytest.mark.parametrize("name", ["resnet_digits", "dcgan_digits", "transformer_digits"])
def test_residual_blocks_players_and_layers_of_torch_have_their_backward(name):
    ref = ProjectRef(write_text(load_template(name)))
    found = api.profile(ref, 8)
    whole = [block for block in found.blocks if block.depth == 1]
    assert found.batch == 8
    assert [block.path for block in whole if block.backward_ms <= 0] == []
    assert found.phases["backward"] > 0
    nested = {"resnet_digits": "stage1.0.conv1", "dcgan_digits": "generator.up1",
              "transformer_digits": "encoder.1"}[name]  # fmt: skip
    assert any(b.path == nested and b.backward_ms > 0 for b in found.blocks)


def test_memory_of_the_command_says_predicted_and_measured():
    ref = ProjectRef(write_text(load_template("mlp_iris")))
    found = look(ref, LookRequest("memory"))
    held = found.document["memory"]
    assert held["weights"]["predicted_bytes"] == held["weights"]["measured_bytes"] > 0
    assert any(line.startswith("kept: predicted") for line in found.lines)
