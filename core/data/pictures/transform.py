"""Augmentation settings: torchvision.transforms.v2 by name, in order. No torch here.

"transform": [{"name": "RandomCrop", "padding": 2}, {"name": "RandomHorizontalFlip"}]

Every sample to learn from is varied anew each time it is seen; what validates never is. The
transforms see pictures from 0 to 1, before they are normalised. RandomCrop cuts the size of the
picture again, out of the picture with its padding.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from blocks.spec import Setting
from core.common.errors import DataError


@dataclass(frozen=True)
class Transform:
    """One of torchvision's random transforms. settings: those that may be given, with its defaults
    (RandomCrop, RandomRotation and ColorJitter have none worth having, so these are ours)."""

    name: str
    summary: str
    settings: tuple[Setting, ...]


@dataclass(frozen=True)
class AugmentStep:
    """A transform with every setting filled in, and which of them the project sets."""

    name: str
    settings: Mapping[str, Any]


def _share(name: str, words: str, default: float, high: float = 1.0) -> Setting:
    return Setting(name, "float", words, default=default, low=0.0, high=high)


PROBABILITY = _share("p", "Probability that a picture is changed.", 0.5)
TRANSFORMS = {
    t.name: t
    for t in (
        Transform(
            "RandomCrop",
            "Shifts the picture: pads it, then crops it to its size at random.",
            (
                Setting(
                    "padding",
                    "int",
                    "Largest shift in each direction.",
                    default=4,
                    low=1,
                    high=64,
                    unit="pixels",
                ),
            ),
        ),
        Transform("RandomHorizontalFlip", "Mirrors left and right.", (PROBABILITY,)),
        Transform("RandomVerticalFlip", "Mirrors top and bottom.", (PROBABILITY,)),
        Transform(
            "RandomRotation",
            "Rotates the picture about its centre.",
            (
                Setting(
                    "degrees",
                    "float",
                    "Largest rotation in either direction.",
                    default=10.0,
                    low=0.1,
                    high=179.0,
                    unit="degrees",
                ),
            ),
        ),
        Transform(
            "ColorJitter",
            "Changes brightness and contrast; where there are colours, saturation and hue.",
            (
                _share("brightness", "Largest relative change of brightness.", 0.2),
                _share("contrast", "Largest relative change of contrast.", 0.2),
                _share("saturation", "Largest relative change of saturation.", 0.2),
                _share("hue", "Largest shift of the hue; 0.5 is half the colour circle.", 0.0, 0.5),
            ),
        ),
        Transform(
            "RandomErasing",
            "Erases a random rectangle, so that no single part decides alone.",
            (PROBABILITY,),
        ),
        Transform(
            "GaussianNoise",
            "Adds noise to every pixel.",
            (_share("sigma", "Standard deviation of the noise.", 0.1),),
        ),
    )
}
"""Every transform there is, by torchvision's name."""
MOST = 8


def read_transform(given: Any) -> tuple[AugmentStep, ...]:
    """Check data.transform. Raises DataError naming the entry."""
    hint = 'Write it as [{"name": "RandomHorizontalFlip", "p": 0.5}].'
    if not isinstance(given, list | tuple):
        raise DataError(f"data.transform is {given!r}.", hint)
    if len(given) > MOST:
        raise DataError(f"data.transform has {len(given)} entries.", f"Keep {MOST} or fewer.")
    return tuple(_step(entry, index, hint) for index, entry in enumerate(given))


def _step(entry: Any, index: int, hint: str) -> AugmentStep:
    place = f"data.transform[{index}]"
    if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str):
        raise DataError(f"{place} has no name.", hint)
    name = entry["name"]
    if name not in TRANSFORMS:
        raise DataError(
            f"{place} is {name!r}, which is not a transform.",
            f"Choose from {', '.join(TRANSFORMS)}.",
        )
    declared = {setting.name: setting for setting in TRANSFORMS[name].settings}
    for key in entry:
        if key != "name" and key not in declared:
            raise DataError(
                f"{place}: {name} has no setting {key!r}.", f"It has {', '.join(declared)}."
            )
    return AugmentStep(
        name, {k: _value(s, entry.get(k, s.default), place) for k, s in declared.items()}
    )


def _value(setting: Setting, value: Any, place: str) -> int | float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    whole = setting.kind != "int" or (number and float(value).is_integer())
    low, high = setting.low or 0, setting.high or 0
    if not number or not whole or not low <= value <= high:
        raise DataError(
            f"{place}.{setting.name} is {value!r}.", f"Use a number from {low:g} to {high:g}."
        )
    return int(value) if setting.kind == "int" else float(value)
