"""Nine families of transformers, tiny: drawn from their live models, equal to the bit."""

import warnings

import pytest

pytest.importorskip("transformers")

from tests.wings.importing.bench.transformers_row import MORE, NINE, row

MASKS = ("BERT with a mask", "GPT-2 with a mask", "Llama with a mask", "ModernBERT")


@pytest.mark.slow
@pytest.mark.parametrize("name", [*NINE, *MASKS])
def test_a_family_comes_in_equal_with_its_masks_and_empty_caches(name: str):
    assert name in {**NINE, **MORE}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = row(name)
    assert "refused" not in found, found
    assert {verdict: why for verdict, (equal, why) in found["verdicts"].items()
            if equal is False} == {}  # fmt: skip
    assert [found["verdicts"][verdict][0] for verdict in found["order"][:2]] == [True, True]
