"""Commands of the tables of imports that do not name theirs whole."""

BENCH, FOLDER = "tests.wings.importing.bench", "tests/wings/importing/bench"
FURTHER = {
    "onnx_models": f"{BENCH}.onnx_models --out {FOLDER}/onnx_models.md",
    "timm_models": f"{BENCH}.timm_models --out {FOLDER}/timm_models.md",
    "timm_models_2029": f"{BENCH}.timm_models --seed 2029 --count 30 "
    f"--results timm_models_2029.json --out {FOLDER}/timm_models_2029.md",
}
