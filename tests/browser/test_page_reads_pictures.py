"""A picture file that is given to an exported page becomes the numbers that training made of it."""

import base64
import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import Page, expect
from torch.nn import functional as F

from core.export.run import export_subject
from core.export.subject import subject_of
from core.export.web.page import PICTURES, RULES
from core.samples.request_error import RequestError
from core.samples.sent_pictures import decode_picture
from tests.core.data.picture_sets_as_saved import READ, encoded
from tests.core.export.test_one_picture_reader import project
from tests.core.pictures_of_all_kinds import KINDS, in_colours, noise, shares_of, turned

CALL = """async ([text, spec]) => {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  try { return Array.from(await pictureOf(new Blob([bytes]), spec)); }
  catch (error) { return `${error.constructor.name}: ${error.message}`; }
}"""
MAKE = "const make = (tag, props) => Object.assign(document.createElement(tag), props);"
SIZES = ([3, 40, 33], [1, 6, 4])


XMP = b'<x:xmpmeta tiff:Orientation="8"/>'
EXACT = {
    **{f"{name}, {file}": READ[name].files[file]
       for name in ("different sizes", "palette with a clear ground", "white on a clear ground",
                    "grey on a clear ground", "1 bit", "16 bits of a microscope", "GIF called PNG",
                    "interlaced PNG", "PNG of several pictures", "photographs of a phone", "BMP")
       for file in list(READ[name].files)[-1:]},
    **{f"turned {k}": turned("RGB", "PNG", k) for k in range(1, 9)},
    "clear and turned": turned("RGBA", "PNG", 6),
    "grey and clear": turned("LA", "PNG", 5),
    "2 bits of a palette, one clear": in_colours(4, transparency=2),
    "4 bits of a palette": in_colours(12),
    "a palette partly clear": in_colours(64, transparency=bytes(range(0, 256, 4))),
    "one colour clear": encoded(noise("RGB"), "PNG", transparency=noise("RGB").getpixel((0, 0))),
    "GIF with a clear colour": in_colours(64, "GIF", transparency=3),
    "JPEG": turned("RGB", "JPEG", 6, quality=70),
    "JPEG with all colours": turned("RGB", "JPEG", 3, quality=95, subsampling=0),
    "grey JPEG": turned("L", "JPEG", 8),
    "progressive JPEG": turned("RGB", "JPEG", progressive=True),
    "JPEG turned by XMP": encoded(noise("RGB"), "JPEG", xmp=XMP),
    "WebP": turned("RGB", "WEBP", 6, lossless=True),
    "lossy WebP": turned("RGB", "WEBP", 1, quality=60),
}  # fmt: skip
CLOSE = {
    "CMYK JPEG": turned("CMYK", "JPEG", 6),
    "clear WebP": turned("RGBA", "WEBP", lossless=True),
}
ROUNDED_ONCE_MORE = ("b/cmyk.jpg", "b/photo.webp")
"""What a browser gives rounded once more."""
FAULTS = {
    "JPEG cut off": turned("RGB", "JPEG")[:900],
    "PNG cut off": turned("RGB", "PNG")[:900],
    "TIFF": encoded(noise("RGB"), "TIFF"),
    "text": b"a text, called picture.png",
}


@pytest.fixture
def reader(page: Page) -> Page:
    parts = [files("core.export.web").joinpath(name).read_text("utf-8")
             for name in PICTURES]  # fmt: skip
    page.set_content("<p>A page with the reader of an exported one.")
    rules = f"const RULES = {json.dumps(RULES)};"
    page.add_script_tag(
        content="\n".join([MAKE, rules, *parts, "Object.assign(window, { pictureOf, resize });"])
    )
    return page


def read(reader: Page, content: bytes, **spec: object) -> object:
    return reader.evaluate(CALL, [base64.b64encode(content).decode(), spec])


@pytest.mark.gate
@pytest.mark.parametrize(("given", "steps"), [(EXACT, 0.01), (CLOSE, 2.01)], ids=["exact", "close"])
def test_the_page_reads_picture_files_as_the_python_reader_does(
    reader: Page, given: dict[str, bytes], steps: float
) -> None:
    far = dict[str, object]()
    for name, content in given.items():
        for shape in SIZES:
            spec = {"name": "image", "read": shape}
            if "16 bits" in name:
                spec["bounds"] = [100.0, 3000.0]
            wanted = decode_picture(spec, tuple(shape), content).reshape(-1)
            found = read(reader, content, **spec)
            apart = (
                found if isinstance(found, str) else np.abs(np.array(found) - wanted).max() * 255
            )
            if isinstance(apart, str) or apart > steps:
                far[f"{name} {shape}"] = apart
    assert far == {}


@pytest.mark.gate
def test_pictures_as_stored_keep_what_lies_below_clear_parts_or_are_refused(reader: Page) -> None:
    spec = {"name": "image", "read": [3, 40, 33], "as_stored": True}
    content = turned("RGBA", "PNG", 6)
    wanted = decode_picture(spec, (3, 40, 33), content).reshape(-1)
    assert np.abs(np.array(read(reader, content, **spec)) - wanted).max() < 1e-6
    said = read(reader, CLOSE["clear WebP"], **spec)
    assert said == (
        "Refusal: its clear parts have colours that a browser does not tell, and the training "
        "data shows them. Save it as PNG."
    )
    said = read(reader, list(READ["16 bits of a microscope"].files.values())[-1], **spec)
    assert str(said).startswith("Refusal: it has more than 8 bits a channel")


@pytest.mark.gate
def test_what_is_no_whole_picture_is_refused_here_as_there(reader: Page) -> None:
    for name, content in FAULTS.items():
        assert isinstance(read(reader, content, name="image", read=[3, 6, 4]), str), name
        if name != "TIFF":  # which browsers do not decode
            with pytest.raises(RequestError):
                decode_picture({"name": "image"}, (3, 6, 4), content)
    huge = turned("RGB", "PNG")
    huge = huge[:16] + (60_000).to_bytes(4, "big") + (1000).to_bytes(4, "big") + huge[24:]
    said = read(reader, huge, name="image", read=[3, 6, 4])
    assert said == "Refusal: it has 60000 x 1000 pixels. Make it smaller than 50,000,000 pixels."
    said = read(reader, turned("RGB", "PNG"), name="image", read=[4, 6, 4])
    assert said == "Refusal: the network takes 4 channels, which no picture file has."


@pytest.mark.gate
def test_pictures_of_another_size_than_the_input_are_scaled_as_the_data_is(reader: Page) -> None:
    plane = torch.linspace(0, 1, 3 * 13 * 9).reshape(1, 3, 13, 9) ** 2
    for size in ([5, 4], [28, 30], [13, 3]):
        wanted = F.interpolate(plane, size, mode="bilinear", antialias=True).flatten()
        found = reader.evaluate(
            "([plane, size]) => Array.from(resize(Float32Array.from(plane), [3, 13, 9], size))",
            [plane.flatten().tolist(), size],
        )
        assert torch.allclose(torch.tensor(found), wanted, atol=1e-6)


@pytest.mark.slow
def test_files_of_all_kinds_are_answered_on_the_page_as_by_the_run(
    page: Page, workspace: Path, tmp_path: Path
) -> None:
    subject = subject_of(project(workspace, KINDS, 3, normalize=True))
    page.goto(export_subject(subject, "web", tmp_path / "page.html").path.as_uri())
    expect(page.locator("#main")).to_have_attribute("aria-busy", "false")
    for name, shares in shares_of(subject).items():
        runs = page.locator("#answers").get_attribute("data-runs")
        page.locator("input[type=file]").set_input_files(workspace / "data/shown" / name)
        if name.endswith(".tif"):  # which browsers do not decode
            said = "This browser cannot read pages.tif as a picture. Use a PNG, JPEG, WebP, GIF"
            expect(page.get_by_role("alert")).to_contain_text(said)
            continue
        expect(page.locator("#answers")).not_to_have_attribute("data-runs", str(runs))
        shown = page.locator(".bars .share").all_inner_texts()
        found = [float(share.removesuffix(" %")) for share in shown]
        percent = 1.0 if name in ROUNDED_ONCE_MORE else 0.06
        assert found == pytest.approx([100 * share for share in shares.values()], abs=percent), name
