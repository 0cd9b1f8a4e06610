"""`layerloom doctor`: libraries, programs, devices and launchers of this machine."""

import argparse
import os
import platform
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from app.cli import output
from core.common.version import layerloom_version
from core.worker.launchers import kinds

LIBRARIES = (
    "torch",
    "torchvision",
    "streamlit",
    "numpy",
    "scikit-learn",
    "onnx",
    "onnxruntime",
    "safetensors",
    "tensorboardX",
)
PROGRAMS = {
    "graphviz": ("dot",),
    "chromium": (
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
        "chromium-headless-shell",
        "chrome-headless-shell",
        "headless_shell",
    ),
    "git": ("git",),
    "c++": ("g++", "clang++", "c++"),
    "tensorboard": ("tensorboard",),
}

LACKING = {"c++": "not found; training steps cannot be compiled (compile_step)"}


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser(
        "doctor", help="show devices, launchers, libraries and programs of this machine"
    )
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.add_argument(
        "--versions", action="store_true", help="only versions, without trying devices"
    )
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Examine and print; status 1 when something that Layerloom needs is missing."""
    if args.versions:
        return versions(args.json)
    findings = examine()
    if args.json:
        output.answer(findings)
    else:
        output.put("\n".join(written(findings)))
    missing = [name for name, version in findings["libraries"].items() if version is None]
    if missing:
        output.say(f"error: missing: {', '.join(missing)}")
        output.say("  hint: Run `make setup`, or `pip install -e . -c constraints.txt`.")
    return 1 if missing else 0


def versions(as_json: bool) -> int:
    """Print the versions of Layerloom, Python and the libraries; nothing else is looked at."""
    libraries = {name: installed(name) for name in LIBRARIES}
    own = {"layerloom": layerloom_version(), "python": platform.python_version()}
    if as_json:
        output.answer({**own, "libraries": libraries})
    else:
        rows = {**own, **libraries}
        output.put_lines(f"{name:<14} {release or 'not found'}" for name, release in rows.items())
    return 0


def examine() -> dict[str, Any]:
    """Look at Python, processors, devices, libraries and optional programs."""
    return {
        "layerloom": layerloom_version(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "devices": devices(),
        "launchers": launchers(),
        "threads": threads(),
        "libraries": {name: installed(name) for name in LIBRARIES},
        "programs": {name: first(names) for name, names in PROGRAMS.items()},
    }


def installed(library: str) -> str | None:
    """Give a library's version, None where it is missing."""
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def first(names: tuple[str, ...]) -> str | None:
    """Find the first program of these names, beside this Python or on the path."""
    beside = os.path.dirname(sys.executable)  # noqa: PTH120
    search = os.pathsep.join([beside, os.environ.get("PATH", "")])
    return next((path for name in names if (path := shutil.which(name, path=search))), None)


def devices() -> list[dict[str, Any]]:
    """List what torch can train on, each tried with one real step; memory in bytes.

    "fault" says why the step failed, "" where it worked. A driver that crashes fails its device.
    """
    from core.worker import device_trials

    return device_trials.try_devices() if find_spec("torch") else []


def launchers() -> list[dict[str, Any]]:
    """List where runs can train from here; "hint" says what to do where one cannot."""
    findings = [(kind, kind.find()) for kind in kinds()]
    return [
        {"name": kind.name, "available": found.available, "found": found.text, "hint": found.hint}
        for kind, found in findings
    ]


def threads() -> int | None:
    """Say how many threads torch computes with, None without torch."""
    try:
        import torch
    except ImportError:
        return None
    return torch.get_num_threads()


def _count(number: int | None, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def written(findings: dict[str, Any]) -> list[str]:
    """Write the findings for people."""
    lines = [
        f"Layerloom {findings['layerloom']} on Python {findings['python']}, {findings['system']}, "
        f"{_count(findings['cores'], 'core')}, {_count(findings['threads'], 'thread')} for torch",
        "",
        "devices",
    ]
    for device in findings["devices"]:
        memory = device.get("memory_bytes")
        size = f", {memory / 2**30:.0f} GiB" if memory else ""
        fault = f"test step failed ({device['fault']})" if device["fault"] else "test step passed"
        lines.append(f"  {device['device']:<8} {device['name']}{size}: {fault}")
    several = len(findings["launchers"]) > 1
    how = " (layerloom train FILE --launcher NAME)" if several else ""
    lines += ["", f"launchers{how}"]
    for each in findings["launchers"]:
        lines.append(f"  {each['name']:<14} {each['found']} {each['hint']}".rstrip())
    for title in ("libraries", "programs"):
        lines += ["", title]
        for name, release in findings[title].items():
            lines.append(f"  {name:<14} {release or LACKING.get(name, 'not found')}")
    return lines
