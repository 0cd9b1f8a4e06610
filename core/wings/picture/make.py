"""The makers of the picture's formats."""

from core.export.figure_style import FigureStyle
from core.export.result import ExportedFile, ExportError
from core.export.subject import Subject
from core.wings.picture import png, svg
from core.wings.picture.content import Content, of_project, of_run
from core.wings.picture.scene import Scene, compose


def make_png(subject: Subject, look: FigureStyle | None = None) -> ExportedFile:
    """The picture as pixels, 1,200 by 630."""
    return ExportedFile(png.write(_scene(subject, look)), None)


def make_svg(subject: Subject, look: FigureStyle | None = None) -> ExportedFile:
    """The same as SVG, with its typeface in it."""
    return ExportedFile(svg.write(_scene(subject, look)).encode(), None)


def _scene(subject: Subject, look: FigureStyle | None) -> Scene:
    return compose(_content(subject), dark=look is not None and look.dark)


def _content(subject: Subject) -> Content:
    if subject.opened is None:
        raise ExportError("A picture needs a project but received a single network.")
    if subject.opened.run is not None:
        return of_run(subject.opened.run)
    params = sum(weight.numel() for weight in subject.module.parameters())
    return of_project(subject.opened.project, params)
