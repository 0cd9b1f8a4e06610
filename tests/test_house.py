"""House rules that no linter knows: sizes, docstrings, what may never be written here."""

import ast
import functools
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import networkx
import pytest

from tests.wing_parts import left_out

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("app", "blocks", "core", "tests")
GENERATED = {"node_modules", "static", "golden", "dist", "__pycache__", ".venv", "build"}
MOST_LINES = 500
MOST_STATEMENTS = 35
HOSTS = {
    "127.0.0.1",
    "arxiv.org",
    "docs.pytorch.org",
    "doi.org",
    "example.com",
    "example.org",
    "github.com",
    "jmlr.org",
    "keepachangelog.com",
    "kellerjordan.github.io",
    "localhost",
    "onnxruntime.ai",
    "openreview.net",
    "reactflow.dev",
    "www.w3.org",
}


def files(*endings: str, rooms: tuple[str, ...] = ROOMS) -> Iterator[Path]:
    """Walk the files people write, without what tools made."""
    for room in rooms:
        for path in sorted((ROOT / room).rglob("*")):
            parts = set(path.relative_to(ROOT).parts)
            if path.name.endswith(endings) and path.is_file() and not parts & GENERATED:
                yield path


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


PYTHON = list(files(".py"))
OURS = [path for path in PYTHON if not name(path).startswith("tests")]


@functools.cache
def tree(path: Path) -> ast.Module:
    """What a file says; read when a test asks, as every process of a run imports this module."""
    return ast.parse(path.read_text("utf-8"))


def test_no_file_is_longer_than_a_reader_can_hold() -> None:
    long = {
        name(path): count
        for path in files(".py", ".ts", ".tsx", ".css")
        if not path.name.endswith(".gen.ts")  # written by app.canvas.typescript
        if (count := path.read_text("utf-8").count("\n")) > MOST_LINES
    }
    assert long == {}


def functions() -> Iterator[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Walk every function and method, those of the tests among them."""
    for path in PYTHON:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield path, node


@pytest.mark.gate
def test_no_function_does_more_than_a_reader_can_hold() -> None:
    long = {
        f"{name(path)}: {function.name}": count
        for path, function in functions()
        if (count := sum(isinstance(n, ast.stmt) for n in ast.walk(function)) - 1) > MOST_STATEMENTS
    }
    assert long == {}


def module_name(path: Path) -> str:
    """The dotted name of a module; a package's own is that of its __init__."""
    return name(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@functools.cache
def import_graph() -> networkx.DiGraph:
    """The product's modules, an edge to each that one imports, for its types only, too."""
    modules = {module_name(path): path for path in OURS}
    graph = networkx.DiGraph()
    graph.add_nodes_from(modules)
    for module, path in modules.items():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ImportFrom):
                base = node.module or ""
                parts = {f"{base}.{alias.name}" for alias in node.names}
                targets = {part if part in modules else base for part in parts}
            elif isinstance(node, ast.Import):
                targets = {alias.name for alias in node.names}
            else:
                continue
            graph.add_edges_from((module, t) for t in targets if t in modules)
    return graph


@pytest.mark.gate
def test_no_files_of_the_product_import_each_other_in_a_circle() -> None:
    circles = networkx.strongly_connected_components(import_graph())
    left = sorted(sorted(circle) for circle in circles if len(circle) > 1)
    assert left == []


def test_no_module_imports_itself() -> None:
    assert [module for module in import_graph() if import_graph().has_edge(module, module)] == []


def bound(path: Path) -> list[str]:
    """The names that a module binds at its top, each as often as it does."""
    names: list[str] = []
    for node in tree(path).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names += [] if node.decorator_list and node.name == "_" else [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            parts = (part for target in targets for part in ast.walk(target))
            stored = [part for part in parts if isinstance(part, ast.Name)]
            names += [part.id for part in stored if isinstance(part.ctx, ast.Store)]
    return names


def test_no_name_of_a_module_is_bound_twice() -> None:
    twice = {
        name(path): sorted({one for one in bound(path) if bound(path).count(one) > 1})
        for path in OURS
        if path.parent.name != "scripts" and len(set(bound(path))) < len(bound(path))
    }
    assert twice == {}


@pytest.mark.gate
def test_only_one_module_of_the_pages_touches_the_session() -> None:
    found = {
        name(path)
        for path in OURS
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and node.attr == "session_state"
    }
    assert found == {
        "app/pages/shared/state.py",
        "app/canvas/__init__.py",
    }  # the latter for its own component


def test_every_module_opens_with_a_sentence_on_what_it_is() -> None:
    bare = [name(p) for p in PYTHON if p.stat().st_size and not ast.get_docstring(tree(p))]
    assert bare == []


def test_every_public_function_and_class_of_the_program_says_what_it_does() -> None:
    bare = [
        f"{name(path)}: {node.name}"
        for path in OURS
        for node in tree(path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    ]
    assert bare == []


def calls() -> Iterator[tuple[Path, ast.Call]]:
    """Walk every call in the program."""
    for path in OURS:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call):
                yield path, node


@pytest.mark.gate
@pytest.mark.parametrize(
    ("keyword", "value"),
    [
        ("weights_only", False),
        ("shell", True),
        ("unsafe_allow_html", True),
        ("allow_pickle", True),
    ],
)
def test_no_call_switches_safety_off(keyword: str, value: bool) -> None:
    found = [
        f"{name(path)}:{call.lineno}"
        for path, call in calls()
        for given in call.keywords
        if given.arg == keyword
        and isinstance(given.value, ast.Constant)
        and given.value.value is value
    ]
    assert found == []


@pytest.mark.gate
def test_every_torch_load_says_weights_only() -> None:
    found = [
        f"{name(path)}:{call.lineno}"
        for path, call in calls()
        if ast.unparse(call.func) == "torch.load"
        and "weights_only" not in {given.arg for given in call.keywords}
    ]
    assert found == []


@pytest.mark.gate
def test_source_is_executed_only_where_it_is_audited() -> None:
    found = {
        name(path)
        for path, call in calls()
        if isinstance(call.func, ast.Name) and call.func.id in ("exec", "eval")
    }
    found.discard("core/wings/importing/sources.py")  # runs what the user names in a command
    found.remove(
        "core/data/custom/custom_dataset.py"
    )  # runs the very text that this user has trusted
    assert found == {
        "core/analyse/build.py",
        "core/analyse/calls.py",
        "core/analyse/real_values.py",
        "core/analyse/activations.py",
    }
    for place in found:
        assert "from core.source.audit import" in (ROOT / place).read_text("utf-8")


@pytest.mark.gate
def test_nothing_reads_formats_that_can_carry_code() -> None:
    carriers = {"pickle", "cloudpickle", "dill", "marshal", "shelve", "yaml", "joblib"}
    found = [
        f"{name(path)}:{node.lineno}"
        for path in OURS
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Import | ast.ImportFrom)
        and {imported(alias, node).partition(".")[0] for alias in node.names} & carriers
    ]
    assert found == []


def imported(alias: ast.alias, node: ast.Import | ast.ImportFrom) -> str:
    """Name the module that an import statement brings in."""
    return (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name


def texts() -> Iterator[tuple[str, str]]:
    """Read every text file of the repository that people write."""
    top = [p for p in ROOT.iterdir() if p.suffix in (".md", ".toml", ".txt")]
    endings = (".py", ".ts", ".tsx", ".css", ".json", ".toml", ".md")
    for path in (*top, ROOT / "Makefile", *files(*endings, rooms=(*ROOMS, "projects", ".ci"))):
        if path.name not in ("package-lock.json", "THIRD_PARTY.md"):
            yield name(path), path.read_text("utf-8", errors="replace")


@pytest.mark.gate
def test_every_address_in_the_repository_is_one_we_chose() -> None:
    found = {
        f"{where}: {host}"
        for where, text in texts()
        if not where.startswith(("tests/broken", "tests/files"))
        for host in re.findall(r"https?://([A-Za-z0-9.-]+[A-Za-z0-9])", text)
        if "." in host and host not in HOSTS
        if not host.endswith((".example", ".invalid", ".test"))
    }
    assert found == set()


@pytest.mark.gate
def test_no_file_knows_a_machine_it_was_written_on() -> None:
    path = re.compile(r"(?<![\w.~}$-])/(?:home|root|Users|opt|mnt|media)/(?!ada\b)\w+")
    found = {f"{where}: {hit}" for where, text in texts() for hit in path.findall(text)}
    assert found == set()


def test_exact_versions_are_names_and_numbers_without_addresses() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert [pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9.]+", pin)] == []


def test_everything_the_project_asks_for_has_an_exact_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    pinned = {
        line.partition("==")[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    }
    names = {re.split(r"[<>=!~\[; ]", text)[0].lower().replace("_", "-") for text in asked}
    assert names - pinned == set()


def test_lock_files_of_the_frontends_name_no_registry() -> None:
    for lock in (ROOT / "app").glob("*/frontend/package-lock.json"):
        packages = json.loads(lock.read_text("utf-8"))["packages"].values()
        assert [p["resolved"] for p in packages if "resolved" in p] == []


def test_every_picture_and_page_that_the_documents_point_to_is_there() -> None:
    for document in [*ROOT.glob("*.md"), *ROOT.glob("assets/**/*.md")]:
        links = re.findall(r"\]\(([^)#:]+)[)#]", document.read_text("utf-8"))
        gone = [link for link in links if not (document.parent / link).exists()]
        assert [link for link in gone if not left_out(link)] == [], document


def test_the_page_of_a_wing_points_to_no_other_wing_which_may_be_left_out() -> None:
    for page in sorted(ROOT.glob("assets/wings/*.md")):
        links = re.findall(r"\]\(([^)#:/]+\.md)[)#]", page.read_text("utf-8"))
        assert links == [], page


def test_the_documents_count_the_blocks_there_are() -> None:
    from blocks import CATALOGUE

    counted = len(CATALOGUE)
    assert f"All {counted} blocks" in (ROOT / "README.md").read_text("utf-8")
    works = (ROOT / "assets" / "what_works.md").read_text("utf-8")
    assert f"{counted} blocks with all of torch's settings" in works


PROCESSES = {
    "subprocess": {"Popen", "run", "call", "check_call", "check_output", "getoutput"},
    "os": {"execl", "execv", "execve", "execvp", "execvpe", "popen", "posix_spawn", "posix_spawnp",
           "fork", "forkpty", "spawnl", "spawnv", "spawnve", "startfile", "system"},
    "multiprocessing": {"Pool", "Process", "Manager", "get_context", "set_start_method"},
    "asyncio": {"create_subprocess_exec", "create_subprocess_shell"},
    "futures": {"ProcessPoolExecutor"},
    "pty": {"spawn"},
}  # fmt: skip
"""What starts a process, by module."""
FORKING = ("forking", "forked_pool", "supervisor", "warm_worker_host")
"""Where a process of ours goes on as two, which looks for modules where it did."""


def used(path: Path) -> Iterator[tuple[str, str]]:
    """What a file uses of modules: `os.system` as ("os", "system"), however it is imported."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
            yield ast.unparse(node.value).split(".")[-1], node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from (((node.module or "").split(".")[-1], alias.name) for alias in node.names)


@pytest.mark.gate
def test_one_module_starts_every_process_of_layerloom() -> None:
    """It says where the process begins, and that it imports nothing from there."""
    found = {
        f"{name(path)}: {module}.{what}"
        for path in OURS
        for module, what in used(path)
        if what in PROCESSES.get(module, ())
    }
    found.discard("core/wings/cards/scripts/cpp_operator.py: subprocess.run")  # a card's compiler
    found -= {f"core/worker/{forks}.py: os.fork" for forks in FORKING}
    ours = {each for each in found if each.startswith("core/worker/child_process.py: ")}
    assert ours >= {"core/worker/child_process.py: subprocess.Popen"}
    assert found - ours == set()


@pytest.mark.gate
def test_modules_are_looked_for_elsewhere_only_where_that_is_meant() -> None:
    found = {name(path) for path in OURS if ("sys", "path") in set(used(path))}
    found.discard("core/wings/importing/sources.py")  # modules that the user names in a command
    assert found == {
        "app/__init__.py",
        "core/worker/child_process.py",
        "core/worker/run_module.py",
        "core/worker/supervisor.py",
        "core/worker/warm_worker_host.py",
    }


@pytest.mark.gate
def test_one_function_of_the_command_line_prints_and_shows_what_a_terminal_would_obey() -> None:
    """Names from files may hold commands of a terminal: see `app.cli.output.visible`."""
    found = {
        f"{name(path)}:{call.lineno}"
        for path, call in calls()
        if name(path).startswith("app/cli/") and name(path) != "app/cli/output.py"
        if isinstance(call.func, ast.Name) and call.func.id in ("print", "input")
    }
    assert found == set()
