"""Numbers of the cards on speed that are no times: counted, or calculated another way."""

import pytest
import torch
from torch import nn

from tests.wings.cards.conftest import Alone, subject


def test_every_layout_precision_and_number_of_threads_is_measured(alone: Alone) -> None:
    values = alone.values("layout-precision-threads")
    assert values["combinations"] == 2 * 2 * 2
    assert alone.values("layout-precision-threads", "mlp_iris")["combinations"] == 2 * 2
    assert min(values["times"]) > 0
    assert values["gain"] == values["times"][0] / min(values["times"])
    it = subject("layout-precision-threads")
    with torch.no_grad():
        expected = it.model(it.x)
        lies = (it.model.bfloat16()(it.x.bfloat16()).float() - expected).abs().max().item()
    assert values["difference"] == pytest.approx(lies, rel=0.5)


def test_ways_of_attention_agree_and_the_formula_writes_all_scores(alone: Alone) -> None:
    values = alone.values("sdpa-backends", "gpt_text")
    assert values["score_bytes"] == 16 * 4 * 64 * 64 * 4  # batch, heads, length twice, float32
    assert values["names"][0] == "math"
    assert values["there"] == len(values["times"])
    assert values["difference"] < 1e-5


@pytest.mark.parametrize(
    ("template", "heads", "sharing"), [("gpt_text", 4, 1), ("llama_text", 2, 2)]
)
def test_a_cache_gives_what_attention_to_the_whole_text_gives(
    alone: Alone, template: str, heads: int, sharing: int
) -> None:
    values = alone.values("key-value-cache", template)
    assert values["fewer"] == (2 * 64 + 1) / 3  # the sum of n * n over the sum of n, up to 64
    assert values["each"] == 2 * heads * 64 * 16 * 4  # keys and values, length, width, float32
    assert (values["layers"], values["sharing"]) == (2, sharing)
    assert 0 <= values["difference"] < 1e-5


@pytest.mark.gate
def test_each_sample_comes_once_however_many_workers(alone: Alone) -> None:
    values = alone.values("loader-workers", "mlp_iris")
    assert values["samples"] == 64
    assert values["gain"] == values["times"][0] / min(values["times"][1:])


def test_jagged_texts_hold_their_tokens_and_no_padding(alone: Alone) -> None:
    values = alone.values("jagged-texts", "gpt_text")
    lengths = torch.randint(4, 65, (16,), generator=torch.Generator().manual_seed(0)).tolist()
    assert values["kept"] == sum(lengths)
    assert values["waste"] == pytest.approx(1 - sum(lengths) / (16 * max(lengths)))
    assert values["difference"] < 1e-6


def test_autocast_puts_out_bfloat16_where_products_are_made(alone: Alone) -> None:
    values = alone.values("mixed-precision", "gpt_text")
    model = subject("mixed-precision", "gpt_text").model
    halved = [n for n, part in model.named_modules() if isinstance(part, nn.Linear | nn.GELU)]
    assert values["halved"] == len(halved)
    assert [row[0] for row in values["rows"] if row[1] == "bfloat16"] == halved
    assert values["gain"] == values["times"][0] / values["times"][1]


def test_a_network_of_products_alone_answers_as_if_it_were_bfloat16(alone: Alone) -> None:
    it = subject("mixed-precision")
    with torch.no_grad():
        expected = it.model(it.x)
        lies = (it.model.bfloat16()(it.x.bfloat16()).float() - expected).abs().max().item()
    values = alone.values("mixed-precision")
    assert values["halved"] == 11
    assert values["difference"] == pytest.approx(lies, rel=0.5)


@pytest.mark.slow
def test_a_trace_is_divided_and_one_sample_at_a_time_calls_sixteen_times(alone: Alone) -> None:
    values = alone.values("two-traces", "mlp_iris")
    rows = {row[0]: row for row in values["rows"]}
    assert (rows["aten::linear"][1], rows["aten::linear"][3]) == ("3", "48")
    assert (rows["aten::relu"][1], rows["aten::relu"][3]) == ("2", "32")
    assert values["calls_single"] >= 16 * values["operators"]
    shares = [100 * times[0] / sum(times) for times in (values["at_once"], values["one_by_one"])]
    assert [values["idle_whole"], values["idle_single"]] == pytest.approx(shares, rel=1e-3)
    apart = [abs(b - a) for a, b in zip(values["at_once"], values["one_by_one"], strict=True)]
    assert values["most"] == values["kinds"][apart.index(max(apart))]
