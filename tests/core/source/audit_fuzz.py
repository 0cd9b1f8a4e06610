"""Child process of test_audit_fuzz: mutates sources, runs those that pass, reports what they did.

What passes is run with a decoy in place of every function of Python that it is not given, with
torch behind a proxy that notes each name, and under an audit hook. So the gate alone is tried: a
name that it lets through by mistake is called here, and seen.

Arguments: how many sources, and "open" to run them without the gate, which has to be seen.
"""

import ast
import builtins
import contextlib
import inspect
import json
import random
import re
import signal
import sys
import types
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import torch
import torchvision

from core.source.audit import AuditError, allowed_names

building = import_module("core.analyse.build")  # core.analyse.build is its function
FIRST_S = 60.0  # of a seed: what it needs is imported
GOLDEN = Path(__file__).parents[2] / "golden"
SEEDS = ("mlp_iris", "lenet_digits", "rnn_letter_names", "siamese_digits", "source/composed",
         "source/two_heads", "vit_digits")  # fmt: skip
DENSE = '''"""Dense: (N, 4) -> (N, 10)."""
from torch import Tensor, nn
import torch


class Layer(nn.Module):
    def __init__(self, wide: int, grow: int = 2) -> None:
        super().__init__()
        self.fc = nn.Linear(wide, grow)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x)


class Dense(nn.ModuleDict):
    def __init__(self) -> None:
        super().__init__()
        for i in range(3):
            self[f"layer{i + 1}"] = Layer(4 + i * 2, grow=2)

    def forward(self, input: Tensor) -> Tensor:
        x = input
        for layer in self.values():
            new = layer(x)
            x = torch.cat([x, new], dim=1)
        x[:, 0] = 1
        return x
'''
NAMES = """exec eval open compile __import__ getattr setattr vars globals locals type print input
    breakpoint object memoryview dir help iter next map sum max callable classmethod id exit
    __builtins__ __build_class__ __name__ torch nn F math self super range float slice Tensor layer
    x input _""".split()
DOTTED = """torch.load torch.hub.load torch.save torch.ops torch.jit.load torch.serialization.os
    torch.nn.functional.torch F.warnings.sys.modules nn.modules nn.Module nn.Linear torch.cat
    self.apply self.register_module self.forward self.compile self.__dict__ self.training
    x.tofile x.numpy x.__class__ x.register_hook x.apply_ ().__class__ "".format""".split()
LINES = """
    self.c = exec; self.c('1')|range = exec; range('1')|layer = open; layer('a')|c = open; c('a')
    super = eval; super('1')|nn.Linear = open; nn.Linear(4, 2)|torch = self; torch.cat|F = exec
    float = print; float(1)|[exec for exec in range(3)]; exec('1')|self.forward = open|del range
    [open('a') for _ in range(2)]|[layer for layer in range(2)]; layer('a')|slice, x = open, 1
    for layer in self.values(): layer('a')|for exec in range(2): exec('1')|Tensor = exec
    self.training = open; self.training('a')|self['a'] = open; self['a']('a')|x.c = open; x.c('a')
    import os; os.system('true')|from torch import hub; hub.load('a', 'b')|global open; open('a')
    *range, x = [exec, 1]; range('1')|self.__init__ = open|super().__init__(open)|print('a')
    nn.Sequential = exec; nn.Sequential('1')|self = open; self('a')|lambda: open('a')
    if open('a'): pass|with open('a'): pass|assert open('a')|x = (y := open('a'))|raise open('a')
    for self.c in [open]: self.c('a')|for layer in [open]: layer('a')|self.values = open
    x: open('a') = 1"""
STATEMENTS = [part.strip() for row in LINES.split("\n")[1:] for part in row.split("|")]
EVENTS = ("open", "os.", "subprocess", "socket", "ctypes", "import", "exec", "shutil", "builtins")
METHODS = {torch.nn.Module: "apply register_module compile load_state_dict state_dict",
           torch.Tensor: "tofile numpy register_hook apply_ map_ backward data_ptr"}  # fmt: skip


class Seed:
    """A source with the places of its parts. lines: those a statement may stand before."""

    def __init__(self, text: str) -> None:
        self.text = text
        starts = [0]
        for line in text.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        self.spans: list[tuple[int, int, type]] = []
        self.sizes = re.findall(r"\(N, ([^()]*)\)", text.partition("->")[0])
        self.lines: list[tuple[int, str]] = []
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.expr | ast.arg | ast.keyword):
                begin = starts[node.lineno - 1] + node.col_offset
                end = starts[node.end_lineno - 1] + node.end_col_offset
                self.spans.append((begin, end, type(node)))
            if isinstance(node, ast.stmt) and node.col_offset >= 8:
                self.lines.append((starts[node.lineno - 1], " " * node.col_offset))

    def sample(self) -> list[torch.Tensor]:
        """Inputs of the sizes that its first line names; a row of numbers is one of tokens."""
        tokens = "nn.Embedding" in self.text
        return [
            torch.zeros(2, *map(int, sizes.split(","))).to(
                torch.int64 if tokens and "," not in sizes else torch.float32
            )
            for sizes in self.sizes
        ]


def mutated(dice: random.Random, seed: Seed, seeds: list[Seed]) -> str:
    """A source, changed in one to three places."""
    changes = [change(dice, seed, seeds) for _ in range(dice.choice((1, 1, 1, 2, 2, 3)))]
    text = seed.text
    for begin, end, new in sorted(changes, reverse=True):
        text = text[:begin] + new + text[end:]
    return text


def change(dice: random.Random, seed: Seed, seeds: list[Seed]) -> tuple[int, int, str]:
    """What to put in place of which part."""
    begin, end, what = dice.choice(seed.spans)
    other = dice.choice(seeds)
    donor = other.text[slice(*dice.choice(other.spans)[:2])]
    alike = [span for span in seed.spans if span[2] is what]
    twin = seed.text[slice(*dice.choice(alike)[:2])]
    kind = dice.randrange(11)
    if kind < 2:
        place, indent = dice.choice(seed.lines)
        parts = dice.choice(STATEMENTS).split("; ")
        return place, place, "".join(f"{indent}{part}\n" for part in parts)
    if kind == 2:
        where = dice.randrange(len(seed.text))
        return where, where + dice.randrange(3), dice.choice(("", "(", ".", "=", "*", "\n", ":"))
    if kind == 3:
        return begin, end, f"{dice.choice(NAMES)}({seed.text[begin:end]})"
    if kind == 4:
        return begin, end, f"{seed.text[begin:end]}.{dice.choice(DOTTED).rpartition('.')[2]}"
    return begin, end, (dice.choice(NAMES), dice.choice(DOTTED), donor, twin, twin, twin)[kind - 5]


class Tripwire:
    """Everything that stands in for what a source must not reach; what it did is in `seen`."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.live = False
        self.known = set(allowed_names()[0]) | {"torch.nn", "nn.functional", "torch.Tensor"}
        self.known |= {name.rpartition(".")[0] for name in self.known}
        given = set(building.BUILTINS)
        building.BUILTINS = {
            name: value if name in given else self.decoy(name)
            for name, value in vars(builtins).items()
            if callable(value) or name in given
        } | {"__import__": self.bring}
        for owner, names in METHODS.items():
            for name in names.split():
                setattr(owner, name, self.decoy(name, getattr(owner, name, None)))
        sys.addaudithook(self.hook)

    def decoy(self, name: str, real: object = None):
        """A function that notes a call by a source."""

        def called(*given, **named):
            if self.live and inspect.currentframe().f_back.f_code.co_filename.startswith("<layer"):
                self.seen.append(f"call of {name}")
            if real is None:
                raise RuntimeError(name)
            return real(*given, **named)

        return called

    def bring(self, name, space=None, local=None, wanted=(), level=0):
        """What an import statement gets: torch behind a proxy."""
        found = __import__(name, space, local, wanted, level)
        if isinstance(wanted, list):  # the interpreter's own import of a part of torch
            return found
        if name.partition(".")[0] not in ("torch", "math", "torchvision"):
            self.seen.append(f"import of {name}")
        return self.behind(found)

    def behind(self, real: types.ModuleType) -> object:
        """A module that notes the names that are read and written."""
        wire, path = self, real.__name__.replace("torch.nn.functional", "F")
        path = path.replace("torch.nn", "nn")

        class Proxy:
            def __getattr__(self, name: str) -> object:
                if wire.live and f"{path}.{name}" not in wire.known:
                    wire.seen.append(f"{path}.{name}")
                found = getattr(real, name)
                return wire.behind(found) if isinstance(found, types.ModuleType) else found

            def __setattr__(self, name: str, value: object) -> None:
                wire.seen.append(f"{path}.{name} is replaced")

        return Proxy()

    def hook(self, event: str, given: tuple) -> None:
        """What the interpreter itself reports."""
        if not self.live or not event.startswith(EVENTS):
            return
        frame = sys._getframe(1)
        if event == "exec":
            frame = frame.f_back
        if frame and frame.f_code.co_filename.startswith("<layerloom_model"):
            mine = event == "import" and str(given[0]).partition(".")[0] in ("torch", "torchvision")
            if not mine:
                self.seen.append(f"{event} {given!r}"[:90])


@contextlib.contextmanager
def hurry(seconds: float) -> Iterator[None]:
    """Interrupt what loops for long, in processor time: it is slow, and nothing worse."""

    def stop(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def run(source: str, seed: Seed, wire: Tripwire, seconds: float = 2.0) -> str:
    """Build and call a source with what its seed takes; say what became of it."""
    wire.live = True
    try:
        with hurry(seconds), torch.device("meta"), torch.no_grad():
            module = building.build(source)
            module(*seed.sample())
    except AuditError:
        return "refused"
    except Exception:  # whatever a mutated source raises when it runs, it has run
        return "raised"
    finally:
        wire.live = False
    return "ran"


def main() -> None:
    count, gate = int(sys.argv[1]), sys.argv[2:] != ["open"]
    dice = random.Random(0)
    texts = [(GOLDEN / f"{name}.py").read_text("utf-8") for name in SEEDS]
    seeds = [Seed(text) for text in (*texts, DENSE)]
    assert torchvision.__name__
    wire = Tripwire()
    if not gate:
        building.audit = ast.parse
    found = {"refused": 0, "ran": 0, "raised": 0}
    worst: list[tuple[str, str]] = []
    for seed in seeds:
        assert run(seed.text, seed, wire, FIRST_S) == "ran"
        assert not wire.seen
    for _ in range(count):
        seed = dice.choice(seeds)
        source = mutated(dice, seed, seeds)
        found[run(source, seed, wire)] += 1
        if wire.seen:
            worst.append((wire.seen[0], source))
            wire.seen.clear()
    json.dump({"became": found, "worst": worst[:200]}, sys.stdout)


main()
