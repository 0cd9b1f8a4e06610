"""Small modules as books, official examples and homework write them come in equal, or are refused
for a true reason."""

import pytest
import torch

from tests.wings.importing.bench.textbook_modules import fault, pages, row

HABITS = (
    "plain_sequential", "lazy_mlp", "linear_regression", "ordered_sequential", "MySequential",
    "shared_layer", "CenteredLayer", "DynamicNet", "FixedHiddenMLP", "ByName", "Seq2Seq",
    "WordRNN", "MaskedAttention", "BertLike", "WeightNormed", "Pruned", "SkipGates", "Functional",
)  # fmt: skip
"""One module for each habit; the others take longer together than they tell."""
REST = sorted(set(pages()) - set(HABITS))


def test_the_table_has_at_least_sixty_modules():
    assert len(pages()) >= 60


@pytest.mark.gate
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", HABITS)
def test_a_module_with_a_habit_comes_in_equal_or_is_refused_for_its_reason(name: str):
    torch.set_num_threads(1)
    assert fault(pages()[name], row(pages()[name])) == ""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_all_other_modules_come_in_equal_or_are_refused_for_their_reason():
    torch.set_num_threads(1)
    found = {name: fault(pages()[name], row(pages()[name])) for name in REST}
    assert {name: reason for name, reason in found.items() if reason} == {}
