"""A smaller drawing built with its weights, and the first lines of every method's code."""

from collections.abc import Mapping
from dataclasses import replace

from torch import Tensor, nn

from core.analyse import analyse_project, build
from core.analyse.report import Report
from core.export.subject import Subject
from core.project import Project
from core.wings.shrink.way import ShrinkError

NETWORK, WEIGHTS, SAMPLES = "network.py", "network.safetensors", "samples.safetensors"
"""What the lines of a try need beside them."""


def loading_lines(subject: Subject) -> str:
    """The lines that load the network and its weights."""
    return f"""\
import torch
from safetensors.torch import load_file, save_file

from network import {subject.class_name}  # network.py, beside this file

net = {subject.class_name}()
w = load_file("{WEIGHTS}")
net.load_state_dict(w)
net.eval()
"""


def weights_of(subject: Subject) -> dict[str, Tensor]:
    """The state_dict of the network, detached."""
    return {key: value.detach().clone() for key, value in subject.module.state_dict().items()}


def project_of(subject: Subject) -> tuple[Project, Report]:
    """The drawing of a network. Raises ShrinkError for a bare module."""
    if subject.opened is None:
        raise ShrinkError("This network has no drawing.", "Use a method that writes a file.")
    return subject.opened.project, subject.opened.report


def build_drawing(project: Project, weights: Mapping[str, Tensor]) -> tuple[nn.Module, Report]:
    """The module of an edited drawing with its weights.

    Raises ShrinkError where they do not fit.
    """
    report = analyse_project(project)
    if report.source is None:
        first = report.errors[0]
        raise ShrinkError(
            f"The smaller drawing has an error: {first.message}", "Use another method."
        )
    module = build(report.source, report.class_name)
    try:
        module.load_state_dict(weights)
    except RuntimeError as error:
        words = str(error).splitlines()[-1].strip()
        message = f"The weights do not fit the smaller drawing: {words}"
        raise ShrinkError(
            message, "Use unstructured pruning, which works with any network."
        ) from error
    return module.eval(), report


def with_name_suffix(project: Project, words: str) -> Project:
    """The project with words added to its name."""
    return replace(project, name=f"{project.name}, {words}", revision="")
