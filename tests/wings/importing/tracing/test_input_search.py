"""What a model takes: read as it is written, found by trying, called by name, checked as drawn."""

import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from core.analyse import build
from core.common.errors import ImportRefused
from core.project.inputs import Input, InputError, read_argument, read_input
from core.wings.importing.from_module import import_module
from core.wings.importing.pipeline import ImportResult, import_model
from core.wings.importing.sources import with_inputs
from core.wings.importing.tracing.input_search import find_inputs
from core.wings.importing.tracing.model_call import InputSpec
from tests.wings.importing import tokens


@pytest.mark.parametrize(("text", "wanted"), [
    ("3,224,224", Input((3, 224, 224))),
    ("12:int64<100", Input((12,), "int64", 100)),
    ("12<100", Input((12,), "int64", 100)),
    ("ids=12:int64", Input((12,), "int64", 0, "ids")),
    ("batch.mask=5", Input((5,), name="batch.mask")),
    (":int64<10", Input((), "int64", 10)),
])  # fmt: skip
def test_an_input_is_read_as_it_is_written(text: str, wanted: Input):
    assert read_input(text) == wanted
    assert read_input(str(wanted)) == wanted


@pytest.mark.parametrize("text", ["", "3x8", "3,,8", "3,0", "a=", "5:int63", "5:float32<3", "5<0",
                                  "12:int64<", "1a=3", "-3"])  # fmt: skip
def test_what_is_no_input_is_refused_with_what_to_write(text: str):
    with pytest.raises(InputError) as error:
        read_input(text)
    assert error.value.message.startswith(text)
    assert error.value.hint.startswith("Write ")


@pytest.mark.parametrize(("text", "wanted"), [
    ("valid_lens=None", None), ("a=True", True), ("a=-3", -3), ("a=0.5", 0.5), ("a=mean", "mean"),
    ("a=(1, 2)", (1, 2)), ("a=", ""), ("a='x=y'", "x=y"),
])  # fmt: skip
def test_an_argument_is_a_literal_or_a_string(text: str, wanted: Any):
    assert read_argument(text)[1] == wanted


@pytest.mark.parametrize(("module", "wanted"), [
    (tokens.Classifier(), ["12:int64<50"]),
    (tokens.TwoTowers(), ["12:int64<20", "5"]),
    (nn.Sequential(nn.Linear(6, 2)), ["6"]),
    (nn.Sequential(nn.Conv2d(1, 4, 5), nn.Flatten(), nn.Linear(4 * 24 * 24, 2)), ["1,28,28"]),
    (nn.Sequential(nn.Conv2d(3, 4, 5), nn.Flatten(), nn.Linear(4 * 28 * 28, 2)), ["3,32,32"]),
    (nn.Sequential(nn.Flatten(), nn.Linear(28 * 28, 10)), ["784"]),
    (nn.Sequential(nn.Conv1d(2, 4, 5)), ["2,64"]),
    (nn.Sequential(nn.Conv3d(1, 2, 3)), ["1,16,112,112"]),
    (nn.Sequential(nn.LazyLinear(3)), ["784"]),
    (nn.LSTM(4, 3, batch_first=True), ["12,4"]),
])  # fmt: skip
def test_what_a_model_takes_is_found_by_trying(module: nn.Module, wanted: list[str]):
    assert [str(one) for one in find_inputs(module.eval(), InputSpec(), "net").inputs] == wanted


def test_a_model_that_takes_nothing_that_is_tried_is_one_sentence_with_what_to_say():
    with pytest.raises(ImportRefused) as error:
        find_inputs(tokens.Anything(), InputSpec(), "Anything")
    assert error.value.message.startswith("does not accept images, features, sequences or tokens.")
    assert error.value.message.endswith("it reports: never fits")
    assert "--input" in error.value.hint


def test_a_name_that_forward_does_not_have_is_refused_with_those_it_has():
    given = InputSpec((Input((5,), name="words"),))
    with pytest.raises(ImportRefused, match=r"has no argument words: .* takes ids, kinds, valid_l"):
        with_inputs(tokens.Pieces(), "Pieces", given)


CASES: dict[str, tuple[list[str], dict[str, Any]]] = {
    "Classifier": ([], {}),
    "SequenceFirst": ([], {}),
    "Pieces": (["kinds=5:int64", "ids=5:int64"], {"valid_lens": None}),
    "Batched": (["batch.ids=5:int64<50", "batch.mask=5"], {"scale": 0.5}),
    "States": (["4", "state.0=6", "state.1=6"], {}),
    "TwoTowers": ([], {}),
    "Cached": ([], {}),
    "CalledForTwo": ([], {}),
    "CountsDown": ([], {}),
}


@pytest.mark.gate
@pytest.mark.parametrize(
    "made", ["small()", "small(flash=False)", "small(bias=False)", "small(dropout=0.0)"]
)
def test_a_gpt_as_it_is_taught_comes_in_equal(made: str):
    found = import_model(f"python:tests.wings.importing.nano:{made}")
    assert [v.equal for v in found.verdicts if v.equal is not None] == [True] * 4, found.verdicts
    assert found.notes == ("its input was found by trial: 12:int64<40",)
    assert found.imported.project.graph.of_block("Output") == ("output",)


@pytest.mark.gate
@pytest.mark.parametrize("name", CASES)
def test_models_of_tokens_and_several_inputs_are_equal(name: str):
    texts, arguments = CASES[name]
    given = InputSpec(tuple(read_input(text) for text in texts), arguments)
    found = import_model(f"python:tests.wings.importing.tokens:{name}", given)
    untried = ["another image size"] if name == "States" else []
    assert [v.name for v in found.verdicts if v.equal is None] == untried, found.verdicts
    assert all(v.equal is not False for v in found.verdicts), found.verdicts
    graph = found.imported.project.graph
    inputs, outputs = graph.of_block("Input"), graph.of_block("Output")
    assert (name, inputs, outputs) == (name, *ENDS[name])


ENDS = {
    "Classifier": (("tokens",), ("output",)),
    "SequenceFirst": (("tokens",), ("output", "output2")),
    "Pieces": (("kinds", "ids"), ("logits", "pair_first", "pair_second")),
    "Batched": (("ids", "mask"), ("y", "parts_0", "parts_1")),
    "States": (("features", "state1", "state2"), ("output",)),
    "TwoTowers": (("tokens", "features"), ("output",)),
    "Cached": (("ids",), ("output",)),
    "CountsDown": (("ids",), ("output",)),
    "CalledForTwo": (("ids",), ("output", "output2", "output3")),
}


def test_what_a_model_returns_besides_tensors_is_noted():
    first = import_model("python:tests.wings.importing.tokens:Caches").notes[1]
    assert first == "not drawn as outputs, because they are not tensors: cache (Cache)"


def test_a_size_compared_with_itself_decides_nothing():
    found = import_model("python:tests.wings.importing.tokens:ComparesWithItself")
    assert found.imported.specialised == ()


def test_plain_tensors_are_drawn_as_buffers_and_noted(tmp_path: Path):
    path, seen = tmp_path / "net.safetensors", list[ImportResult]()

    def keep(whole: ImportResult) -> None:
        whole.write_weights(path)
        seen.append(whole)

    found = import_model("python:tests.wings.importing.tokens:Plain", on_drawn=keep)
    assert all(v.equal is not False for v in found.verdicts), found.verdicts
    assert found.imported.unregistered == ("masks.0", "places")
    assert any(note.endswith("masks.0, places; make each a buffer there (register_buffer)")
               for note in found.notes)  # fmt: skip
    build(str(seen[0].report.source)).load_state_dict(load_file(path))


def test_a_tensor_made_for_the_samples_of_the_run_is_refused():
    with pytest.raises(ImportRefused, match="created outside torch for each of the"):
        import_model("python:tests.wings.importing.tokens:Drawn", InputSpec((Input((5,)),)))


@pytest.mark.gate
def test_a_sequence_first_model_is_drawn_with_the_batch_in_front_and_noted():
    found = import_model("python:tests.wings.importing.tokens:SequenceFirst")
    assert found.notes == (
        "its input was found by trial: 12:int64<50",
        "the original has the batch in dimension 1 and the drawing in front: the drawing "
        "transposes its input",
    )
    outputs = found.report.nodes["output"].outputs
    assert [str(port.shape[0]) for port in outputs.values()] == ["N"]
    with pytest.raises(ImportRefused, match="would read the samples as steps of one sequence"):
        import_model("python:tests.wings.importing.tokens:SequenceFirst", InputSpec(batch_dim=0))


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_scripted_and_what_cannot_be_copied_are_refused_with_the_reason():
    scripted = torch.jit.script(nn.Sequential(nn.Linear(6, 3)))
    with pytest.raises(ImportRefused, match="is TorchScript"):
        with_inputs(scripted, "net", InputSpec())
    locked = nn.Sequential(nn.Linear(6, 3))
    locked.lock = threading.Lock()  # pyright: ignore
    assert with_inputs(locked, "net", InputSpec()).shapes == ((6,),)
    with pytest.raises(ImportRefused, match="cannot pickle"):
        import_module(locked, [(6,)])
