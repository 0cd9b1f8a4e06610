"""Templates are project files, found by name."""

import pytest

from core.project import ProjectError
from core.project.templates import list_templates, load_template


def test_every_template_has_a_title_and_says_what_it_shows():
    templates = list_templates()
    assert len(templates) >= 9
    assert all(template.title and template.about for template in templates)


def test_a_template_opens_as_a_new_project():
    template = list_templates()[0]
    project = load_template(template.name)
    assert project.name == template.title
    assert project.revision == ""


@pytest.mark.parametrize("name", ["nothing", "../tests/files/v1/sample", "", "*"])
def test_a_name_that_is_no_template_is_refused_with_the_choice(name: str):
    with pytest.raises(ProjectError, match=r"is not a template\. Choose one of: .*lenet"):
        load_template(name)
