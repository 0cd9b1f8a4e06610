"""The page on the project file's keys is written from the code that reads them."""

import re

from core.settings.keys import PLACE, page


def test_the_page_is_what_the_code_says():
    assert PLACE.read_text("utf-8") == page(), "run: python -m core.settings.keys"


def test_the_page_names_every_key_that_a_run_or_a_node_may_have():
    named = set(re.findall(r"^\| `(\w+)` \|", page(), re.MULTILINE))
    assert {
        *("layerloom", "graph", "composites", "block", "weights_of", "frozen", "lr_factor"),
        *("source", "target", "transform", "root", "target_column", "losses", "samples_from"),
        *("precision", "channels_last", "compile", "cuda_graph", "deterministic", "distil"),
        *("start_from", "class_weights", "keep_best", "on_not_finite", "decay_of", "temperature"),
    } <= named
