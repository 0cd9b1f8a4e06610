"""Every format names a function that exists: it is found by text, so that a rename can miss it."""

import subprocess
import sys
from dataclasses import replace

import pytest

from core.export.formats import FORMATS, GROUPS, in_order


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_a_maker_that_takes_a_subject(name: str) -> None:
    with pytest.raises(TypeError, match=r"make_\w+\(\) missing 1 required .*'subject'"):
        FORMATS[name].maker()


def test_a_format_of_a_wing_stands_behind_the_one_it_names_or_at_the_front_of_its_group() -> None:
    web, script = FORMATS["web"], FORMATS["torchscript-script"]
    wings = [
        replace(web, name="lost", after="gone"),
        replace(web, name="far", after="near"),
        replace(web, name="near", after="web"),
        replace(script, name="front"),
        replace(web, name="served", group="server"),
    ]
    names = [kind.name for kind in in_order([FORMATS["pt2"], web, script], wings)]
    assert names == ["pt2", "web", "near", "far", "lost", "served", "front", "torchscript-script"]


def test_a_group_without_a_format_is_not_shown() -> None:
    assert set(GROUPS) == {kind.group for kind in FORMATS.values()}


def test_formats_are_known_without_torch() -> None:
    code = "import sys, core.export.formats; print('torch' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"
