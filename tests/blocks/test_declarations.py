"""Every block says what torch says: names, defaults, and statements that really run."""

import inspect
import json
import re
from typing import Any

import pytest
import torch
from torch import nn

from blocks import CATALOGUE, Block
from blocks.catalogue import (
    BEGINNERS,
    FAMILIES,
    SUGGESTED,
    beginners_json,
    catalogue_json,
)
from blocks.spec import REQUIRED, Setting
from blocks.validate import bad_setting, setting_problems
from blocks.versions import has
from tests.blocks.torch_truth import constructor

MODULES = [
    b
    for b in CATALOGUE.values()
    if b.init == f"nn.{b.name}" and not b.built and has(b, torch.__version__)
]
every_block = pytest.mark.parametrize("block", CATALOGUE.values(), ids=lambda b: b.name)

# What torch has and a block leaves out, each for a reason.
LEFT_OUT = {
    "_random_samples": "private in torch",
    "size_average": "torch's deprecated name of reduction",
    "reduce": "torch's deprecated name of reduction",
    "custom_encoder": "a module, not a setting",
    "custom_decoder": "a module, not a setting",
    "min_value": "torch's deprecated name of min_val",
    "max_value": "torch's deprecated name of max_val",
    "_weight": "a tensor, not a setting",
    "_freeze": "private in torch",
}
RECURRENT = {
    "input_size": REQUIRED,
    "hidden_size": REQUIRED,
    "num_layers": 1,
    "bias": True,
    "batch_first": False,
    "dropout": 0.0,
    "bidirectional": False,
}
# torch's constructors of these take *args; the values are read off a constructed module below.
RECURRENT_MORE = {"RNN": {"nonlinearity": "tanh"}, "LSTM": {"proj_size": 0}, "GRU": {}}


def defaults(block: Block, call: bool = False) -> dict[str, Any]:
    """Ours, without what the torch that is installed does not have yet."""
    there = (s for s in block.settings if has(s, torch.__version__))
    return {s.name: s.default for s in there if s.call == call and s.name != "parametrize"}


def plain(value: Any) -> Any:
    """Compare torch's default with ours: functions by name, lists as tuples."""
    if callable(value) and value is not REQUIRED:
        return value.__name__
    return tuple(value) if isinstance(value, list) else value


@pytest.mark.parametrize("block", MODULES, ids=lambda b: b.name)
def test_settings_and_defaults_of_a_module_are_those_of_torch(block: Block):
    theirs = constructor(block.name)
    if block.name in RECURRENT_MORE:
        theirs = RECURRENT | RECURRENT_MORE[block.name]
    theirs = {k: plain(v) for k, v in theirs.items() if k not in LEFT_OUT}
    assert defaults(block) == theirs


@pytest.mark.parametrize("name", RECURRENT_MORE)
def test_defaults_of_a_recurrent_module_are_what_torch_stores(name: str):
    module = getattr(nn, name)(3, 5)
    expected = {s.name: s.default for s in CATALOGUE[name].settings if s.default is not REQUIRED}
    assert {key: getattr(module, key) for key in expected} == expected


@pytest.mark.parametrize("block", MODULES, ids=lambda b: b.name)
def test_settings_of_a_call_are_arguments_of_torchs_forward(block: Block):
    parameters = inspect.signature(getattr(nn, block.name).forward).parameters
    for name, value in defaults(block, call=True).items():
        assert parameters[name].default == value


NESTED = ("LSTM", "LSTMCell")  # their first states go in as a pair


@pytest.mark.parametrize(
    "block", [b for b in MODULES if b.name not in NESTED], ids=lambda b: b.name
)
def test_ports_of_a_module_are_arguments_of_torchs_forward(block: Block):
    theirs = list(inspect.signature(getattr(nn, block.name).forward).parameters)[1:]
    ours = [port.name for port in block.inputs]
    if theirs[0] in ("args", "x", "log_input"):
        theirs[0] = "input"
    assert [p for p in theirs if p in ours] == ours


@pytest.mark.parametrize("name", ["TransformerEncoder", "TransformerDecoder"])
def test_a_stack_has_the_settings_of_its_stage_and_its_own(name: str):
    stage, own = constructor(f"{name}Layer"), constructor(name)
    del own[f"{name.removeprefix('Transformer').lower()}_layer"]
    expected = {k: plain(v) for k, v in {**stage, **own}.items()}
    assert {**defaults(CATALOGUE[name]), "norm": None} == expected


@pytest.mark.gate
@every_block
def test_a_block_explains_itself(block: Block):
    assert block.summary[0].isupper()
    assert block.summary.endswith(".")
    assert 20 <= len(block.summary) <= 160
    homes = ("https://docs.pytorch.org/docs/stable/", "https://docs.pytorch.org/vision/stable/")
    assert block.reference.startswith(homes)
    assert block.family in FAMILIES
    assert block.formula
    assert block.formula.count("{") == block.formula.count("}")
    assert block.shape_in
    assert block.shape_out
    assert block.keywords


@pytest.mark.gate
@every_block
def test_every_setting_is_explained_in_a_sentence(block: Block):
    for setting in block.settings:
        assert setting.help[0].isupper() or setting.help[0] == "'", setting.name
        assert setting.help.endswith("."), setting.name
        assert len(setting.help) >= 15, setting.name


@every_block
def test_a_paper_names_authors_title_and_year(block: Block):
    assert not block.paper or re.fullmatch(r"[^.]+\. .+\. (19|20)\d\d", block.paper)


@every_block
def test_a_block_fresh_from_the_palette_has_legal_settings(block: Block):
    assert setting_problems(block, block.start) == []


@pytest.mark.gate
@every_block
def test_defaults_and_starts_pass_their_own_validation(block: Block):
    for setting in block.settings:
        for value in (setting.default, setting.start):
            if value is not None and value is not REQUIRED:
                assert list(bad_setting(block, setting, value)) == []


@pytest.mark.gate
@every_block
def test_inferred_settings_name_a_port_and_no_start(block: Block):
    for setting in block.settings:
        if setting.infer:
            assert block.input(setting.infer.port)
            assert setting.start is None
            assert setting.default is REQUIRED or block.name == "Transformer"


@pytest.mark.gate
@every_block
def test_text_reaches_source_only_from_choices_or_a_pattern(block: Block):
    def closed(setting: Setting) -> bool:
        free = setting.kind in ("choice", "text") or setting.bare is not None
        return not free or bool(setting.choices or setting.pattern)

    assert all(closed(setting) for setting in block.settings)


@pytest.mark.gate
@every_block
def test_no_two_ports_or_settings_have_one_name(block: Block):
    for names in ([s.name for s in block.settings], [p.name for p in block.inputs]):
        assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "name",
    [
        "RNN",
        "LSTM",
        "GRU",
        "MultiheadAttention",
        "TransformerEncoderLayer",
        "TransformerDecoderLayer",
    ],
)
def test_a_fresh_sequence_block_puts_the_batch_first(name: str):
    assert CATALOGUE[name].start["batch_first"] is True
    assert CATALOGUE[name].setting("batch_first").default is False


def test_the_catalogue_is_json_and_stable():
    first, second = json.dumps(catalogue_json()), json.dumps(catalogue_json())
    assert first == second
    assert json.loads(first) == catalogue_json()


def test_the_catalogue_lists_every_block_once_in_family_order():
    described = catalogue_json()
    listed = [name for family in described["families"] for name in family["blocks"]]
    assert sorted(listed) == sorted(CATALOGUE)
    assert list(described["blocks"]) == listed
    assert [f["name"] for f in described["families"]] == list(FAMILIES)


def test_the_palette_for_beginners_has_about_25_blocks_each_once():
    shown = [name for blocks in BEGINNERS.values() for name in blocks]
    assert 22 <= len(shown) <= 28
    assert len(shown) == len(set(shown))
    assert set(shown) <= set(CATALOGUE)
    assert beginners_json()[1] == {
        "title": "Images",
        "blocks": ["Conv2d", "MaxPool2d", "AdaptiveAvgPool2d"],
    }


def test_no_block_of_the_palette_for_beginners_has_the_name_of_another_in_it():
    shown = [name for blocks in BEGINNERS.values() for name in blocks]
    bare = [name.lower().replace("_", "") for name in shown]
    assert len(bare) == len(set(bare))


@pytest.mark.parametrize(
    ("block", "main"),
    [
        ("Conv2d", ["out_channels", "kernel_size", "stride", "padding"]),
        ("AvgPool2d", ["kernel_size"]),
        ("Linear", ["out_features"]),
        ("LSTM", ["hidden_size", "num_layers", "bidirectional"]),
        ("Dropout", ["p"]),
        ("BatchNorm2d", []),
    ],
)
def test_a_form_shows_first_what_a_block_needs_and_what_is_marked(block, main):
    settings = catalogue_json()["blocks"][block]["settings"]
    assert [s["name"] for s in settings if s.get("main")] == main


def test_what_is_suggested_is_of_the_palette_for_beginners_and_ends_with_any_data():
    shown = {name for blocks in BEGINNERS.values() for name in blocks}
    assert all(set(blocks) <= shown for _, _, blocks in SUGGESTED)
    assert SUGGESTED[-1][:2] == ((), "any")


def test_the_catalogue_describes_conv2d():
    described = catalogue_json()["blocks"]["Conv2d"]
    kernel = next(s for s in described["settings"] if s["name"] == "kernel_size")
    assert kernel == {
        "name": "kernel_size",
        "kind": "size",
        "help": "Side of a filter.",
        "required": True,
        "start": 3,
        "low": 1,
        "high": None,
        "choices": [],
        "length": 2,
        "unit": "pixels",
        "optional": False,
        "inferred": False,
        "pattern": "",
        "main": True,
    }
    inferred = [s["name"] for s in described["settings"] if s["inferred"]]
    assert inferred == ["in_channels"]
    assert described["inputs"][0]["form"] == "(N, C, H, W)"


def sized(block: Block) -> nn.Module:
    """A layer whose sizes are all 4, on the meta device."""
    mine = [s for s in block.settings if not s.call]
    wanted = {s.name: 4 for s in mine if s.default is REQUIRED}
    wanted |= {s.name: s.start for s in mine if s.start is not None}
    with torch.device("meta"):
        return getattr(nn, block.init.removeprefix("nn."))(**wanted)


@pytest.mark.gate
@every_block
def test_a_layer_whose_weight_is_a_matrix_or_more_can_compute_it(block: Block):
    weight = None
    if block.init.startswith("nn.") and not block.built and has(block, torch.__version__):
        weight = getattr(sized(block), "weight", None)
    fits = isinstance(weight, nn.Parameter) and weight.ndim > 1
    assert (block.setting("parametrize") is not None) == fits
