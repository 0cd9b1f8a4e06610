"""`layerloom sweep`: search for the best settings; every trial is an ordinary run."""

import argparse
import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import files, interrupt, launchers, output, overrides
from app.cli.progress import Progress
from app.wings.sweep.report import command_of, line, print_results, repeated_reason
from core.wings.sweep.pruning import OFF, RULES

if TYPE_CHECKING:
    from core.project import Project
    from core.wings.sweep.driver import SweepProgress
    from core.wings.sweep.objectives import SweepObjective
    from core.wings.sweep.sweep import Sweep

TRIALS = 20
SEARCH = """\
search spaces use the keys of --set:
  --search lr=1e-4..1e-1:log         a range on a log scale
  --search optimizer_settings.weight_decay=0..0.1
  --search fc1.out_features=32..256  a setting of a block; integers if it needs them
  --search fc1.out_features=32..256:32   in steps of 32
  --search batch_size=16,32,64       one of these values: names, numbers, true or false, lists
  --search relu1.block=ReLU,GELU     another block; also NAME.repeat, frozen, lr_factor
  --search drop1.kept=true,false      with the block, or left out

A setting that exists only for some values of another one is sampled only in those trials:
  --search optimizer=SGD,AdamW --search optimizer_settings.momentum=0..0.95
  --search relu1.block=ReLU,LeakyReLU --search relu1.negative_slope=0..0.3

A width, the number of repeats and the kind of a block are searched like any other setting:
  --search conv1.out_channels=8..64 --search stage1.repeat=1..4
  --search pool1.block=MaxPool2d,AvgPool2d
A combination that does not compile trains nothing; its error is shown once.

Each trial is scored by the metric of its best checkpoint (best_by). The first 4 to 10 trials are
random; the others are sampled near good ones (TPE). The same command continues a stopped sweep;
more --trials extend it. Where a trial fails the others go on and the exit status is 1:
  layerloom sweep --resume NAME --retry-failed

With several --objective the result is a front: the trials that no other one beats by all of them.
Objectives are the validation metrics of a run (val_accuracy, val_loss, ...) and what it costs:
  params      parameters            mult_adds   multiply-adds of one sample
  bytes       bytes of the weights  latency     milliseconds of one sample on this processor
  --objective val_accuracy --objective params
Latency is the median of up to 50 forward passes of one sample after a warm-up, as processor time of
one thread, with two digits. So trials that train at the same time hardly change it, but another
machine does.

More processes, also on other machines that share the folder, work on the same sweep:
  layerloom sweep --join runs/sweeps/NAME

With --launcher each trial is a job of its own, --jobs of them at the same time. The sweep itself
stays here; stopped or killed, it continues with its trials, on another launcher if you name one:
  ray start --head
  layerloom sweep net.loom.json --search lr=1e-4..1e-1:log --launcher ray --jobs 8

With --folds K each value is trained on K folds of the data, and the best mean wins. Without
--search it reports the mean and standard deviation of the project over the folds.

example:
  layerloom sweep net.loom.json --search lr=1e-4..1e-1:log --search fc1.out_features=16,64 \\
      --set epochs=5 --trials 30
"""

AFTER = "train"


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser(
        "sweep",
        help="search for the best settings of training and blocks; each trial is a run",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=SEARCH,
    )
    command.add_argument("file", nargs="?", type=Path, help="a project, NAME.loom.json")
    command.add_argument(
        "--search",
        dest="search",
        action="append",
        default=[],
        metavar="KEY=...",
        help="a search space, see below; can be repeated",
    )
    command.add_argument(
        "--trials", type=int, metavar="N", help=(f"number of trials (default: {TRIALS})")
    )
    command.add_argument(
        "--jobs", type=int, default=1, metavar="K", help="trials at the same time (default: 1)"
    )
    command.add_argument("--seed", type=int, default=0, help="seed of the sampler (default: 0)")
    command.add_argument(
        "--set",
        dest="pairs",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a setting of every trial, such as epochs=5",
    )
    command.add_argument(
        "--folds",
        type=int,
        metavar="K",
        help="K-fold cross-validation; trials are compared by their means",
    )
    command.add_argument(
        "--objective",
        dest="objectives",
        action="append",
        default=[],
        metavar="NAME",
        help="what trials are compared by, see below; several give a front (default: best_by)",
    )
    command.add_argument(
        "--prune",
        choices=(*RULES, OFF),
        default="median",
        help="stop bad trials early: worse than the median, successive halving (asha), several "
        "ladders of that (hyperband), or none (off); default: median",
    )
    command.add_argument("--no-prune", action="store_true", help="the same as --prune off")
    command.add_argument(
        "--together",
        choices=("auto", "on", "off"),
        default="auto",
        help="train trials that differ only in numbers in one process with one compiled step: "
        "if it is faster (auto), always (on) or never (off); default: auto",
    )
    launchers.declare(command)
    command.add_argument("--name", default="", help="name of the sweep (default: from the project)")
    command.add_argument("--resume", metavar="NAME", help="continue the sweep of this name")
    command.add_argument(
        "--retry-failed",
        action="store_true",
        help="with --resume: try the trials that failed again, each with its settings",
    )
    command.add_argument(
        "--join", type=Path, metavar="FOLDER", help="work on a sweep that another process has begun"
    )
    command.add_argument("--runs", type=Path, default=files.RUNS, help="folder of the runs")
    command.add_argument(
        "-o", dest="out", type=Path, metavar="OUT", help="write the project with the best settings"
    )
    command.add_argument("--json", action="store_true", help="print one JSON document at the end")
    command.set_defaults(run=run)


def arguments(**given: Any) -> argparse.Namespace:
    """The arguments of the command with these values, and its defaults for the others."""
    parser = argparse.ArgumentParser()
    declare(parser.add_subparsers())
    return argparse.Namespace(**{**vars(parser.parse_args(["sweep"])), **given})


def run(args: argparse.Namespace) -> int:
    """Search and print the results; status 1 if a trial failed or none finished."""
    from core.common.errors import SweepError
    from core.wings.sweep.start import open_study

    if args.jobs < 1:
        raise output.UsageError(f"--jobs needs 1 or more but receives {args.jobs}.")
    if args.out and (args.out.is_dir() or not args.out.parent.is_dir()):
        raise output.UsageError(
            f"{args.out} cannot be written.", "Choose a file in an existing folder."
        )
    try:
        folder = folder_of(args)
        with open_study(folder, args.runs, join=args.join is not None) as sweep:
            if args.retry_failed:
                again(sweep)
            results = attend(sweep, folder, args)
            if args.out and results["best"]:
                write_best(sweep, results["best"]["settings"], args.out)
    except SweepError as error:
        raise output.UsageError(error.message, error.hint) from None
    except OSError as error:
        raise interrupted(error, args) from error
    if args.json:
        output.answer({**results, "folder": str(folder), "command": command_of(results)})
    else:
        print_results(results)
    well = results["ok"] and not results["counts"]["failed"]
    return 0 if well or results["stopped"] else 1


def again(sweep: "Sweep") -> None:
    """Line up the failed trials once more. Raises UsageError where there are none."""
    from core.wings.sweep import claims

    if not claims.retry_failed(sweep):
        raise output.UsageError("No trial of this sweep failed.", "Remove --retry-failed.")


def folder_of(args: argparse.Namespace) -> Path:
    """The folder of the sweep to work on; with --join, `args.runs` becomes its folder of runs."""
    if args.retry_failed and not args.resume:
        raise output.UsageError("Which sweep?", "Combine --retry-failed with --resume NAME.")
    if args.join is None:
        return resumed(args) if args.resume else begun(args)
    from core.wings.sweep.files import ASKED

    if args.resume or args.trials is not None or args.launcher is not None:
        raise output.UsageError(
            "A worker joins a sweep as it is.",
            "Combine --join FOLDER only with --jobs, -o and --json.",
        )
    folder: Path = args.join.resolve()
    if not (folder / ASKED).is_file():
        raise output.UsageError(
            f"{args.join} is not the folder of a sweep.", "It is RUNS/sweeps/NAME, with sweep.json."
        )
    args.runs, args.resume = folder.parents[1], folder.name
    return resumed(args)


def interrupted(error: OSError, args: argparse.Namespace) -> Exception:
    """What a sweep on a full disk ends with; its runs wait for room by themselves."""
    from core.runs.full_disk import is_full, sentence

    if not is_full(error):
        return error
    hint = "Free some space and run the same command again to continue the sweep."
    return output.Failed(sentence("The sweep cannot be written", args.runs), hint)


def write_best(sweep: "Sweep", settings: dict[str, Any], out: Path) -> None:
    """Write the project with the best settings. Raises UsageError."""
    from core.project import write_text
    from core.settings.override import put

    files.write_out(write_text(put(sweep.project, settings)), out)
    output.say(f"{out} has the best settings.")


def begun(args: argparse.Namespace) -> Path:
    """The folder of the requested sweep, created where there is none."""
    from app.services.paths import file_id
    from core import open_project
    from core.settings.override import put
    from core.settings.schema import TRAINING
    from core.wings.sweep import folds
    from core.wings.sweep.files import entered, forget_stop, under_way
    from core.wings.sweep.start import request_of

    if args.file is None:
        raise output.UsageError("Which project?", "Give its file, or --resume NAME.")
    project = open_project(args.file)
    document = file_id(args.file.resolve())
    fixed = overrides.plain(args.pairs, TRAINING, tuple(project.graph.nodes))
    overrides.parted(project, fixed)
    report = files.analysis(put(project, fixed), args.file, args.json)
    files.read_data(project, args.file)
    searched = dict.fromkeys(text.partition("=")[0].strip() for text in args.search or ())
    if not getattr(args, "defaults", False):
        project = overrides.as_suggested(project, report, {**fixed, **searched})
    trials = TRIALS if args.trials is None else args.trials
    prune, search = not args.no_prune and args.prune != OFF, args.search
    if args.folds is not None:  # a fold that is harder than others is no reason to stop it
        search, fixed, trials = folds.request(args.folds, search, fixed)
        prune = False
    more = {"seed": args.seed, "prune": prune, "name": args.name, "document": document}
    more |= {"together": args.together, "objectives": args.objectives}
    more["pruner"] = args.prune if prune else "median"
    more["launcher"] = launcher_spec(args, {**project.training, **fixed})
    request = request_of(project, args.file, search, trials, fixed, **more)
    say_parts(args, put(project, fixed), search, report.source)
    folder = entered(args.runs, request, project)
    if not under_way(folder):
        forget_stop(folder)
    return folder


def say_parts(
    args: argparse.Namespace, project: "Project", search: list[str], source: str | None
) -> None:
    """Say before the trials start what differs from trials of one process each."""
    from core.wings.sweep.search_space import read
    from core.worker.launchers import parts_of_trials

    searched = {each.key: each.ends for each in map(read, search)}
    launcher = launchers.read(args)
    sizes = launcher, project.training, searched
    for sentence in parts_of_trials(*sizes, source or "", project.data):
        output.say(sentence)


def launcher_spec(args: argparse.Namespace, training: Mapping[str, Any]) -> dict[str, Any]:
    """The launcher of the trials as spec.json has it, {} for this machine. Raises UsageError.

    Trials on Ray share a cluster, so without an address it is the one of this machine.
    """
    from dataclasses import replace

    from core.worker.launchers import kind_of

    launcher = launchers.read(args)
    if launcher is None:
        return {}
    if not launcher.address:
        launcher = replace(launcher, address=kind_of(launcher.kind).shared)
    launchers.check(launcher, training)
    return launcher.as_spec()


def resumed(args: argparse.Namespace) -> Path:
    """The folder of a sweep that is resumed."""
    from core import open_project
    from core.wings.sweep.files import PROJECT, find_sweep, forget_stop, read_request, under_way
    from core.wings.sweep.start import more_trials, set_launcher

    if args.file or args.search or args.pairs or args.folds or args.objectives:
        raise output.UsageError(
            "A sweep continues with its original settings.",
            "Combine --resume NAME only with --trials, --jobs, --launcher, --nproc, --runs, -o, "
            "--json.",
        )
    folder = find_sweep(args.runs, args.resume)
    if not under_way(folder):
        forget_stop(folder)
    request = read_request(folder)
    project = open_project(folder / PROJECT)
    files.read_data(project, Path(request.file) if request.file else folder / PROJECT)
    if args.launcher is not None or args.nproc is not None:
        set_launcher(folder, launcher_spec(args, project.training))
        source = files.analysis(project, folder / PROJECT, args.json).source
        say_parts(args, project, list(request.search), source)
    if args.trials is not None:
        more_trials(folder, args.trials)
    return folder


def attend(sweep: "Sweep", folder: Path, args: argparse.Namespace) -> dict[str, Any]:
    """Follow a sweep to its end, to Ctrl-C or until a page stops it; return its results."""
    from core.wings.sweep import results

    introduce(sweep)
    progress, stopped = Progress(), False
    with interrupt.attended():
        try:
            follow(sweep, folder, args.jobs, progress)
        except KeyboardInterrupt:
            progress.clear()
            stopped = True
            stop(sweep)
    if stopped:
        again = (
            f"layerloom sweep --resume {output.shell_word(sweep.request.name)}{runs_option(args)}"
        )
        output.say(f"`{again}` continues from here.")
    progress.clear()
    return {**results.write(sweep, folder), "stopped": stopped}


def stop(sweep: "Sweep") -> None:
    """Stop the trials of this process with checkpoints; a second request ends them."""
    from core.wings.sweep import driver
    from core.worker import force

    with contextlib.suppress(KeyboardInterrupt):
        output.say(f"Stopping with checkpoints... {force.AGAIN}")
        driver.stop(sweep)
        return
    with interrupt.unheeded():
        _end(sweep)


def _end(sweep: "Sweep") -> None:
    """End the trials of this process, whatever they do."""
    from core.wings.sweep import driver, stopping
    from core.worker import force

    output.say(force.ENDING)
    stopping.end_runs(driver.own_runs(sweep))
    driver.stop(sweep)


def follow(sweep: "Sweep", folder: Path, jobs: int, progress: Progress) -> None:
    """Go through the trials, telling of each. Raises KeyboardInterrupt where a page stops it."""
    from core.wings.sweep import driver, results
    from core.wings.sweep.files import stop_asked

    results.write(sweep, folder)
    live: list[int] = []
    reasons: dict[str, int] = {}
    for look in driver.drive(sweep, jobs):
        report_trials(sweep, look, progress, reasons)
        before, live = live, [number for number, _ in look.live]
        if look.ended or live != before:
            results.write(sweep, folder)
        if stop_asked(folder):
            raise KeyboardInterrupt


def runs_option(args: argparse.Namespace) -> str:
    """The words that name a folder of runs, where it is not the usual one."""
    return "" if args.runs == files.RUNS else f" --runs {output.shell_word(args.runs)}"


def introduce(sweep: "Sweep") -> None:
    """Say what is searched, and by what it is judged."""
    from core.wings.sweep.conditional import only
    from core.wings.sweep.results import total

    best = "highest" if sweep.objectives[0].maximise else "lowest"
    wins = f"the {best} {sweep.objectives[0].name} wins"
    if sweep.several:
        names = " and ".join(f"{direction(each)} {each.name}" for each in sweep.objectives)
        wins = f"the front of {names}, so no trial is stopped early"
    count = total(sweep)
    every = ", every combination once" if sweep.counted else ""
    output.say(
        f"Sweep {sweep.request.name}: {count} trial{'s' if count > 1 else ''} of"
        f" {' '.join(sweep.request.search)}{every}; {wins}"
    )
    if others := sweep.worker.others():
        output.say(f"{len(others)} other worker{'s' * (len(others) > 1)} of this sweep.")
    for key, beside in only(sweep.space).items():
        output.say(f"{key} is sampled only with {' or '.join(fixed_values(beside))}.")


def direction(objective: "SweepObjective") -> str:
    """Which values of an objective are good, in a word."""
    return "high" if objective.maximise else "low"


def fixed_values(beside: dict[str, list[Any]]) -> list[str]:
    """Values of a key, each as it is given."""
    from core.settings.literal import text_of

    return [f"{key}={text_of(value)}" for key, values in beside.items() for value in values]


def report_trials(
    sweep: "Sweep", look: "SweepProgress", progress: Progress, reasons: dict[str, int]
) -> None:
    """Print the trials that have ended, and the progress of the first that runs.

    reasons: errors printed so far and the trial of each, so that one is written out once.
    """
    from core.wings.sweep.results import row, total

    for index in look.adopted:
        progress.clear()
        output.say(f"trial {index + 1}: its worker is gone, so this one continues it")
    about = [each.json() for each in sweep.objectives]
    for index in look.ended:
        progress.clear()
        shown = row(sweep, sweep.study.get_trials(deepcopy=False)[index])
        output.say(line(repeated_reason(shown, reasons), about, total(sweep)))
    for index, view in look.live:
        progress.waits(view, f"trial {index + 1}: ")
    if look.live:
        index, view = look.live[0]
        progress.state(view, f"trial {index + 1}/{total(sweep)}  ")
