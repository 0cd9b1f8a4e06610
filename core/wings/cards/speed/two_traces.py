"""Two traces of a profiler, compared."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import compared, faster_or_not

CARD = Card(
    name="two-traces",
    topic="Speed on this machine",
    title="Two profiler traces compared",
    why="A trace shows where the time goes: in operators that compute, in operators that only call "
    "others, and between them, where Python is at work and the operators are idle.",
    question="The same samples go through the network one at a time instead of at once. How many "
    "times as long does it take?",
    numbers=(
        Number("slower", "Time one at a time, divided by at once", "times", measured=True),
        Number("operators", "Operator calls at once"),
        Number("calls_single", "Operator calls one at a time"),
        Number("idle_whole", "Idle at once", "%", measured=True),
        Number("idle_single", "Idle one at a time", "%", measured=True),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Where the time goes",
            ("kinds", "at_once", "one_by_one"),
            "Milliseconds outside of operators (idle), in those that call no other (compute), and "
            "in those that do (other).",
            ("at once", "one at a time"),
        ),
        CardPicture(
            "table",
            "By operator",
            ("rows",),
            "Calls and milliseconds of each operator without those that it calls, the longest "
            "first.",
            ("operator", "calls at once", "ms", "calls one by one", "ms", "difference"),
        ),
    ),
    references=(
        (
            "PyTorch profiler",
            "https://docs.pytorch.org/tutorials/recipes/recipes/profiler_recipe.html",
        ),
        ("Holistic Trace Analysis", "https://github.com/facebookresearch/HolisticTraceAnalysis"),
    ),
    findings=(
        *faster_or_not(
            "slower",
            "One at a time is slower here.",
            "Both take about as long here.",
            "One at a time is faster here.",
        ),
        *compared(
            ("most",),
            lambda values: bool(values["most"]),
            "Most of the difference is {most} time.",
        ),
    ),
    after="The profiler itself costs time for each operator, so many short ones look longer than "
    "they are.",
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=24, copies=2),
)
