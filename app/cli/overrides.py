"""Settings of training and blocks for this run only: `--set KEY=VALUE`, and suggested settings."""

import difflib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from app.cli import output
from blocks import Setting
from core.settings.literal import literal

NO_CHOICE = {"seed", "device"}
"""Settings that a drawing may have without anybody having chosen how it is trained."""

if TYPE_CHECKING:
    from core.project import Project

WORDS = {"int": "a whole number", "float": "a number", "bool": "true or false", "choice": "a name"}
INSIDE = ("scheduler", "optimizer_settings", "loss_settings", "data", "start_from", "distil")


def read(
    pairs: Sequence[str], known: Sequence[Setting], blocks: Sequence[str] = ()
) -> dict[str, Any]:
    """Read `KEY=VALUE` texts. Raises UsageError naming the pair that is wrong.

    A dot reaches inside: `optimizer_settings.momentum=0.9`, `scheduler.name=StepLR`,
    `data.noise=0.1`, and of one of the blocks `fc1.out_features=64`. Naming a schedule starts it
    from its own defaults.
    """
    from core.settings.override import schedule

    return schedule(plain(pairs, known, blocks))


def plain(
    pairs: Sequence[str], known: Sequence[Setting], blocks: Sequence[str] = ()
) -> dict[str, Any]:
    """Read the texts key by key, as they are given."""
    settings = {setting.name: setting for setting in known}
    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals:
            raise output.UsageError(f"--set needs KEY=VALUE but receives {pair}.", "Try lr=0.01.")
        key = key.removeprefix("training.")
        head, dot, inner = key.partition(".")
        if inner and (head in INSIDE or head in blocks):
            values[key] = literal(text)
        elif head in settings and not dot:
            values[key] = typed(settings[head], text)
        else:
            raise unknown(key, [*settings, *INSIDE, *blocks])
    return values


def parted(project: "Project", values: Mapping[str, Any]) -> "tuple[Project, dict[str, Any]]":
    """Put what is of blocks into the drawing; the rest is for the run.

    Raises UsageError for what no block can be.
    """
    from core.common.errors import SweepError
    from core.prepare.try_value import try_value
    from core.settings.override import declared, of_block, put

    drawn = {key: value for key, value in values.items() if of_block(key, project.graph)}
    try:
        for key, value in drawn.items():
            declared(project, key)
            try_value(project, None, key, value)
        changed = put(project, drawn)
    except SweepError as error:
        raise output.UsageError(error.message, error.hint) from None
    return changed, {key: value for key, value in values.items() if key not in drawn}


def unknown(key: str, names: Sequence[str]) -> output.UsageError:
    """Word a setting that does not exist, with the nearest that does."""
    near = difflib.get_close_matches(key, names, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"Settings: {', '.join(dict.fromkeys(names))}."
    return output.UsageError(f"There is no training setting called {key}.", hint)


def typed(setting: Setting, text: str) -> Any:
    """Read one value in the type its setting has. Raises UsageError for another type."""
    value = literal(text)
    whole = type(value) is int
    fits = {
        "int": whole,
        "float": whole or isinstance(value, float),
        "bool": isinstance(value, bool),
        "choice": isinstance(value, (str, list)),  # class_weights takes a list, too
    }
    if setting.optional and (value is None or text.lower() == "none"):
        return None
    if not fits.get(setting.kind, True):
        wanted = WORDS[setting.kind]
        raise output.UsageError(
            f"{setting.name} needs {wanted} but receives {text or 'nothing'}.", setting.help
        )
    return value


def as_suggested(project: Any, report: Any, given: Mapping[str, Any] | None = None) -> Any:
    """The project with the settings that suit it, as the page has them, where it has none.

    given: settings for this run only. Who gives a rate or an optimiser chooses all that go with it.
    """
    from dataclasses import replace

    from core.data import describe_project, ends, read_settings
    from core.settings.adopt import STEPPING, adopt
    from core.settings.suggest import suggest

    if set(project.training) - NO_CHOICE or {*STEPPING} & {*(given or {})} or not report.ok:
        return project
    info = describe_project(project, *ends(report.inputs, report.outputs))
    losses = info.losses if info.terms else ()
    data = read_settings(project.data)
    suggestion = suggest(data, info.train_size, project.graph, losses, project.training)
    now = {name: getattr(data, name) for name in suggestion.data}
    more = {n: v for n, v in suggestion.data.items() if n not in project.data and now[n] != v}
    output.say(f"{suggestion.sentence} (--defaults turns this off)")
    training = adopt(project.training, suggestion)
    return replace(project, training=training, data={**project.data, **more})
