"""The Input for a project's data has its name and its shape."""

from dataclasses import replace

import pytest

from app.services import first_input
from core.project.templates import load_template

IRIS = load_template("mlp_iris")


@pytest.mark.parametrize(
    ("data", "name", "settings", "about"),
    [
        ({"source": "iris"}, "features", {"shape": [4]}, "iris: 4 columns"),
        ({"source": "digits"}, "image", {"shape": [1, 8, 8]},
         "digits: handwritten digits, (1, 8, 8)"),
        ({"source": "STL10"}, "image", {"shape": [3, 96, 96]}, "STL10: photos, (3, 96, 96)"),
        ({"source": "Food101"}, "image", {"shape": [3, 64, 64]}, "Food101: meals, (3, 64, 64)"),
        ({"source": "letter_names"}, "tokens", {"shape": [16], "dtype": "int64"},
         "letter_names: names of letters, up to 16 characters"),
        ({"source": "waves"}, "series", {"shape": [64, 1]}, "waves: (64, 1)"),
    ],
)  # fmt: skip
def test_an_input_is_named_and_sized_for_the_data(data, name, settings, about):
    made = first_input.of(replace(IRIS, data=data))
    assert made == {"name": name, "settings": settings, "about": about}


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"source": "python_docs"},
        {"source": "digits", "target": "pair"},
        {"source": "iris", "inputs": {"features": "input"}},
        {"source": "gone.csv"},
    ],
)
def test_there_is_none_where_the_data_does_not_decide_on_one(data, workspace):
    assert first_input.of(replace(IRIS, data=data)) is None
