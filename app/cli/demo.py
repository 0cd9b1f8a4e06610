"""`layerloom demo`: draw, train and export LeNet without a browser, in about a minute."""

import argparse
import csv
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.cli import files, output, templates
from app.cli.files import analysed
from app.cli.progress import rows
from app.cli.watch_run import follow
from core.runs import curve_chart
from core.runs.duration import duration

TEMPLATE = "lenet_digits"
ENOUGH_ACCURACY = 0.95
ENOUGH_AGREEMENT = 1e-4
BLOCK = "conv1"


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser(
        "demo", help=("draw, train and export LeNet on real data, without a browser")
    )
    command.add_argument(
        "--out",
        type=Path,
        default=Path("out/demo"),
        metavar="DIR",
        help="folder to write to (default: out/demo)",
    )
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


@dataclass
class DemoReport:
    """Progress of the demo, printed as it goes: files written, accuracy, export differences."""

    out: Path
    began: float = field(default_factory=time.monotonic)
    files: dict[str, str] = field(default_factory=lambda: {})
    differences: dict[str, float | None] = field(default_factory=lambda: {})
    accuracy: float = 0.0

    def wrote(self, kind: str, name: str, more: str = "") -> None:
        """Say that a file was written."""
        self.files[kind] = str(self.out / name)
        output.say(f"  {kind:<22} {self.out / name}{more}")

    def well(self) -> bool:
        """Whether accuracy and agreement are what is promised."""
        near = (d is not None and d < ENOUGH_AGREEMENT for d in self.differences.values())
        return self.accuracy > ENOUGH_ACCURACY and all(near)


def run(args: argparse.Namespace) -> int:
    """Go from the template to the exports; status 1 if anything falls short."""
    demo = DemoReport(args.out)
    try:
        args.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise files.unwritable(args.out, error) from None
    project, report = write_source(demo)
    folder = train(demo, project, report)
    look_inside(demo, folder)
    write_exports(demo, folder)
    took = time.monotonic() - demo.began
    output.say(
        f"Done in {duration(took)}: {demo.accuracy:.2%} of the validation digits are correct."
    )
    if args.json:
        output.answer(
            {
                "ok": demo.well(),
                "val_accuracy": demo.accuracy,
                "took_s": round(took, 1),
                "differences": demo.differences,
                "files": demo.files,
            }
        )
    if not demo.well():
        raise output.Failed(
            f"The demo needs an accuracy above {ENOUGH_ACCURACY:.0%} and differences below "
            f"{ENOUGH_AGREEMENT:g}.",
            "See the messages above.",
        )
    return 0


def write_source(demo: DemoReport) -> tuple[Any, Any]:
    """Take LeNet from the templates, compile it, and write its source and summary."""
    from core.insight.summary import summary
    from core.insight.summary_table import write_table

    file = demo.out / "lenet.loom.json"
    file.write_bytes(templates.find(TEMPLATE).path.read_bytes())
    project, report = analysed(file)
    output.say(
        f"{project.name}: {len(project.graph.nodes)} blocks, {report.total_params:,} parameters"
    )
    demo.wrote("project", file.name)
    (demo.out / "lenet.py").write_text(str(report.source), "utf-8")
    demo.wrote("source", "lenet.py")
    (demo.out / "summary.txt").write_text(
        write_table(summary(report, 1, project.training)) + "\n", "utf-8"
    )
    demo.wrote("summary", "summary.txt")
    return project, report


def train(demo: DemoReport, project: Any, report: Any) -> Path:
    """Train in a run folder with validation, and draw the curves."""
    from core.prepare.create import prepare
    from core.runs.listing import read_metrics
    from core.worker.launch import start

    folder = prepare(project, report, demo.out / "runs", {})
    start(folder)
    view = follow(folder)
    if view.state != "finished":
        raise output.Failed(f"The training {view.state}. {view.message}", f"See {folder}/log.txt.")
    demo.wrote("run", str(folder.relative_to(demo.out)))
    epochs = [
        r
        for record in read_metrics(folder, 0)[0]
        if record["kind"] == "epoch"
        for r in rows(record)
    ]
    write_curves(demo, epochs)
    demo.accuracy = max(epoch["val_accuracy"] for epoch in epochs)
    return folder


def write_curves(demo: DemoReport, epochs: Sequence[Mapping[str, Any]]) -> None:
    """Write the metrics of all epochs as a table and as a drawing."""
    names = list(dict.fromkeys(name for epoch in epochs for name in epoch))
    with (demo.out / "curves.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, names)
        table.writeheader()
        table.writerows(epochs)
    series = {name: [epoch.get(name) for epoch in epochs] for name in names}
    svg = curve_chart.draw([int(epoch["epoch"]) for epoch in epochs], series)
    (demo.out / "curves.svg").write_text(svg, "utf-8")
    demo.wrote("curves", "curves.svg", " and .csv")


def look_inside(demo: DemoReport, folder: Path) -> None:
    """Write the feature maps of the first convolution for a digit it never trained on."""
    from core.insight import images
    from core.insight.features import feature_maps
    from core.insight.load_model import open_run

    opened = open_run(folder)
    samples, targets = opened.dataset.validation()
    maps = feature_maps(opened.module, opened.report, [samples[:1]], BLOCK)[0].numpy()
    picture = images.paint(images.as_maps(maps), width_px=900)
    (demo.out / "feature_maps.png").write_bytes(images.png(picture))
    demo.wrote("feature maps", "feature_maps.png", f"  ({BLOCK}, a {int(targets[0])})")


def write_exports(demo: DemoReport, folder: Path) -> None:
    """Write every export that the line promises, each compared with the eager model."""
    from core.export import export

    files = {
        "script": "train_lenet.py",
        "notebook": "lenet.ipynb",
        "safetensors": "lenet.safetensors",
        "torchscript-script": "lenet.pt",
        "torchscript-trace": "lenet_traced.pt",
        "onnx": "lenet.onnx",
    }
    for name, file in files.items():
        result = export(folder, name, demo.out / file)
        difference = result.max_difference
        if difference is not None or name in ("torchscript-script", "torchscript-trace", "onnx"):
            demo.differences[name] = difference
        difference_text = "" if difference is None else f"  (largest difference {difference:.1e})"
        demo.wrote(name, file, difference_text)
