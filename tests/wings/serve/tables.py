"""Commands of the tables of servers."""

BENCH, FOLDER = "tests.wings.serve.bench", "tests/wings/serve/bench"
FURTHER = {
    "under_attack": f"{BENCH}.under_attack --out {FOLDER}/under_attack.md",
    "serving": f"{BENCH}.serving --out {FOLDER}/serving.md",
}
