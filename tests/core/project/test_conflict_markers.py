"""The lines with which git begins a merge conflict."""

import pytest

from core.project import ProjectError, read_text
from core.project.conflict_markers import has_markers

BOTH = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> feature\nd\n"


def test_a_text_has_markers_only_at_the_start_of_a_line():
    assert has_markers(BOTH)
    assert not has_markers('{"about": "<<<<<<< HEAD"}')


def test_a_file_with_markers_is_refused_with_the_line_and_the_reason():
    with pytest.raises(ProjectError, match="line 2, column 1 is not JSON: git left a merge con"):
        read_text(BOTH)
