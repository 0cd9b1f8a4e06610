"""Messages between page and canvas: declared once, and sent as declared."""

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.canvas import typescript
from app.canvas.message_reader import BadMessage, check, read
from app.canvas.messages.queries import QUESTIONS
from app.canvas.messages.sample_answers import Calculated, Health, Looked, Measured, Probed, Stepped
from app.canvas.messages.sample_questions import SAMPLE_QUESTIONS, AskPart, arguments
from app.canvas.messages.workbench import Down, Up
from app.canvas.session import DocSession
from app.strict_json import json_safe
from core.analyse import analyse_project
from core.analyse.report import report_json
from core.common.network_ref import ProjectRef
from core.insight import canvas_queries
from core.insight.one_sample import api
from core.insight.over_time import api as over_time
from core.insight.part import api as part
from core.project import Project, graph_to_json, open_project, write_text

ROOT = Path(__file__).parents[3]
IRIS = open_project(ROOT / "projects" / "mlp_iris.loom.json")
SPIRALS = open_project(ROOT / "projects" / "mlp_spirals.loom.json")
FIRST = {"part": "validation", "index": 0}
OF_RUN = {"weights": "", "run": "", "runs": [], "rev": 0, "time": None}


def test_the_types_of_the_canvas_are_those_declared_in_python() -> None:
    written = typescript.FILE.read_text("utf-8")
    assert written == typescript.text(), "Renew it: python -m app.canvas.typescript"


NEW = '''
VERSION = 4

class Ping(TypedDict):
    """Sent every minute."""

    count: int
    words: NotRequired[list[str | None]]
    """Read by nobody."""

@dataclass(frozen=True)
class Pong:
    semRev: Annotated[Count, Key("rev")]
    names: list[str]

ASKED: dict[str, Question] = {"ping": Question(Pong, Ping)}
'''


def test_a_new_message_is_one_declaration() -> None:
    assert typescript.declarations(NEW).split("\n\n") == [
        "export const VERSION = 4;",
        "/** Sent every minute. */\nexport interface Ping {\n  count: number;\n"
        "  /** Read by nobody. */\n  words?: (string | null)[];\n}",
        "export interface Pong {\n  rev: Count;\n  names: readonly string[];\n}",
        "export interface Asked {\n  ping: { asks: Pong; answers: Ping };\n}\n",
    ]


def up(**changes: Any) -> dict[str, Any]:
    text = (Path(__file__).parent / "protocol.json").read_text("utf-8")
    return {**json.loads(text)["up"], **changes}


def test_a_field_out_of_its_limits_is_named_with_them() -> None:
    with pytest.raises(BadMessage, match=r"^semRev needs a whole number from 0 to 1000000000\.$"):
        read(Up, up(semRev=-1))
    with pytest.raises(BadMessage, match=r"^sid needs a text of at most 64 characters\.$"):
        read(Up, up(sid="x" * 65))
    with pytest.raises(BadMessage, match=r"^name has no value 'shutdown'\.$"):
        read(Up, up(action={"id": "a", "name": "shutdown"}))


def test_places_notes_and_needs_of_another_form_count_as_left_out() -> None:
    read_up = read(Up, up(layout=3, notes={}, need=[[1], "graph", "more"]))
    assert (read_up.layout, read_up.notes, read_up.needs) == ({}, None, {"graph"})
    assert read(Up, up(need="graph")).needs == set()
    assert read(Up, up(action={"id": "a", "name": "train", "args": 3})).action is not None


def test_the_canvas_may_ask_for_the_experiments_with_a_block() -> None:
    doc = DocSession("two.loom.json", IRIS, None, lambda _: {})
    action = {"id": "a-1", "name": "cards", "args": {"block": "fc1"}}
    doc.receive(up(sid=doc.sid, rev=0, action=action))
    assert doc.take_action() == action


def test_the_answer_to_an_edit_has_the_keys_that_are_declared() -> None:
    broken = replace(IRIS.graph, edges=IRIS.graph.edges[1:])
    for project in (IRIS, replace(IRIS, graph=broken)):
        report = json_safe(report_json(analyse_project(project)))
        doc = DocSession("d", project, None, lambda _, report=report: report)
        down = json.loads(json.dumps(doc.down()))
        check(Down, down)
        assert down["ask"] == {"token": doc.token, "batch": project.training["batch_size"]}
    with pytest.raises(BadMessage, match="unknown keys more"):
        check(Down, {**down, "more": 1})


def test_the_answer_to_an_edit_after_the_first_has_only_what_changed() -> None:
    reports = [{"nodes": {"a": {"params": 1}}, "source": "a\n"}, {"nodes": {}, "source": "a\nb\n"}]
    doc = DocSession("two.loom.json", IRIS, None, lambda _: reports.pop(0))
    doc.receive(up(sid=doc.sid, have=1))
    doc.analysed()
    down = json_safe(doc.down())
    check(Down, down)
    doc.update(data={})
    doc.receive(up(sid=doc.sid, have=down["told"]))
    down = json_safe(doc.down())
    check(Down, down)
    assert down["changes"]["nodes"] == {"a": None}


def drawn(project: Project) -> ProjectRef:
    return ProjectRef(write_text(project))


def test_answers_between_two_edits_have_the_keys_that_are_declared() -> None:
    graph = json.loads(json.dumps(graph_to_json(IRIS.graph)))
    edit = {"op": "set", "node": "fc1", "settings": {"out_features": 5}}
    check(QUESTIONS["after"].answers, canvas_queries.after(graph, [edit]))
    check(QUESTIONS["curve"].answers, canvas_queries.curve("ReLU", {}))


def test_answers_about_a_sample_have_the_keys_that_are_declared() -> None:
    ref = drawn(IRIS)

    def sent(declared: Any, answer: dict[str, Any]) -> None:
        check(declared, json.loads(json.dumps(json_safe({**answer, **OF_RUN}))))

    sent(Looked, api.look(ref, FIRST, ""))
    sent(Probed, api.probe(ref, FIRST, "fc1", "output", 0))
    sent(Measured, api.magnitudes(ref, FIRST))
    sent(Stepped, api.step(ref, FIRST))
    sent(SAMPLE_QUESTIONS["numpy"].answers, api.numpy(ref, FIRST, "fc1", "output", True))
    check(Health, json_safe(over_time.health(ref, "")))
    chosen = part.calculate(ref, FIRST, "", ["fc1"], "sample", None)
    sent(Calculated, chosen)
    sent(Looked, api.look(drawn(SPIRALS), {"plane": "fc1"}, ""))


def test_the_fields_of_a_question_are_the_arguments_of_its_function() -> None:
    body = {"sample": FIRST, "epoch": 3, "feed": "ones", "blocks": ["fc1"], "within": ""}
    assert arguments(read(AskPart, body)) == (FIRST, "", ["fc1"], "ones")


def test_a_sample_of_ones_own_has_one_level_of_plain_values() -> None:
    look = SAMPLE_QUESTIONS["look"].asks
    picture = {"own": {"picture": base64.b64encode(b"png").decode()}}
    assert read(look, {"sample": picture, "within": ""}).sample == picture
    for own in ({"row": [True]}, {"row": {"a": 1}}, {"row": 1.0}, [1]):
        with pytest.raises(BadMessage):
            read(look, {"sample": {"own": own}, "within": ""})
