"""The formats of the picture: PNG for chats, SVG for pages."""

from core.export.format import Format


def _make():
    from core.wings.picture import make

    return make


FORMATS = (
    Format(
        "picture",
        "Picture with the result",
        ".png",
        "image/png",
        "Name, drawing and result of the network in one picture for chats and posts, 1,200 by 630 "
        "pixels.",
        maker=lambda *given: _make().make_png(*given),
        weights=False,
        compared=False,
        dark=True,
        suffix="_picture",
        group="figure",
        after="png",
    ),
    Format(
        "picture-svg",
        "Picture with the result, SVG",
        ".svg",
        "image/svg+xml",
        "The same, sharp at any size, with its font in it.",
        maker=lambda *given: _make().make_svg(*given),
        weights=False,
        compared=False,
        dark=True,
        suffix="_picture",
        group="figure",
        after="picture",
    ),
)
