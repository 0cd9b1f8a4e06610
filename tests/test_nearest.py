"""After a change one knows which tests to run: `python -m tests.nearest FILE`."""

from pathlib import Path

import pytest

from tests.nearest import PRODUCT, ROOT, main, nearest


@pytest.mark.gate
@pytest.mark.parametrize(
    ("module", "test"),
    [
        ("core/runs/checkpoint.py", "tests/core/runs/test_checkpoint.py"),  # of its name
        ("core/tasks/registry.py", "tests/core/tasks/test_kind_literals.py"),  # imports it
        ("core/engine/ema.py", "tests/core/engine/test_init_weights.py"),  # what imports it
        ("core/engine/step.py", "tests/core/engine/test_compiled_step.py"),  # imports it
        ("core/script/epoch.py", "tests/core/script"),  # its text is read: all of its room
        ("app/pages/train/run_list.py", "tests/app/pages/test_every_page.py"),  # its page
        ("app/cli/__main__.py", "tests/app/cli"),  # nothing but its room
    ],
)
def test_the_first_test_to_run(module: str, test: str):
    assert str(nearest(Path(module))[0]) == test


@pytest.mark.gate
def test_every_module_of_the_product_has_tests_near_it():
    modules = [
        path.relative_to(ROOT)
        for room in PRODUCT
        for path in (ROOT / room).rglob("*.py")
        if "node_modules" not in path.parts and path.name != "__init__.py"
    ]
    assert len(modules) > 500
    assert [module for module in modules if not nearest(module)] == []


def test_several_files_are_asked_at_once(capsys: pytest.CaptureFixture[str]):
    main(["core/runs/checkpoint.py", "tests/test_house.py", "core/runs/checkpoint.py"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "tests/core/runs/test_checkpoint.py"
    assert lines.count("tests/core/runs/test_checkpoint.py") == 1
    assert lines[-1] == "tests/test_house.py"
