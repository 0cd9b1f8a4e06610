"""Names stand with the article that is spoken."""

import pytest

from core.common.article import an


@pytest.mark.parametrize(
    "phrase",
    """a Linear, an Embedding, an AvgPool2d, an LSTM, an RNN, an NLLLoss, an MSELoss, an L1Loss,
    an RReLU, a ReLU, a SELU, a SiLU, an ELU, a Conv2d, an Unfold, a Softmax, a LayerNorm,
    a GRU, an RMSNorm, a Mish, a Hardtanh""".split(","),
)
def test_a_name_stands_with_its_article(phrase: str):
    article, name = phrase.split()
    assert an(name) == f"{article} {name}"
