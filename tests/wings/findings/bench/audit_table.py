"""Another tool on tables: a program for the interpreter that has it, which needs nothing of ours.

    PYTHON audit_table.py TOOL JOBS.json

JOBS.json is a list of `file`, `target` and `classes` (whether the target is a class). Prints a list
of what the tool says of each: `issues`, each with `kind` (its own word), `columns` and `rows` (as
the file counts them), and `error`, "" where it ran through. Exit status 3: it is not here.
"""

import contextlib
import json
import re
import sys
import warnings
from pathlib import Path

DRIFT = ("FeatureDrift", "LabelDrift", "MultivariateDrift", "FeatureLabelCorrelationChange")
FIRST_ROW = 2  # of the file: the header is the first


def datalab(table, job):
    """Datalab as its first tutorial has it: logistic regression, probabilities by 5 folds."""
    import pandas as pd
    from cleanlab import Datalab
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.preprocessing import StandardScaler

    target, inputs = table[job["target"]], table.drop(columns=job["target"])
    few = [c for c in inputs if inputs[c].dtype.kind not in "ifub" and inputs[c].nunique() > 50]
    matrix = pd.get_dummies(inputs.drop(columns=few)).astype(float)
    features = StandardScaler().fit_transform(matrix.fillna(matrix.mean())).copy()
    model, how = LinearRegression(), "predict"
    given = {"task": "regression"}
    if job["classes"]:
        model, how = LogisticRegression(max_iter=1000), "predict_proba"
        given = {"task": "classification"}
        target = target.astype(str)
    lab = Datalab(data={"y": target.tolist()}, label_name="y", verbosity=0, **given)
    predicted = cross_val_predict(model, features, target, cv=5, method=how)
    lab.find_issues(features=features, pred_probs=predicted)
    return list(_of_datalab(lab))


def _of_datalab(lab):
    for kind, count in lab.get_issue_summary()[["issue_type", "num_issues"]].to_numpy().tolist():
        if count:
            flags = lab.get_issues(kind)[f"is_{kind}_issue"].to_numpy()
            rows = [int(i) + FIRST_ROW for i in flags.nonzero()[0]]
            yield {"kind": kind, "columns": [], "rows": rows}


def deepchecks(table, job):
    """Deepchecks' suite for the integrity of data, and that for a split in two at random, without
    the checks of drift: parts that are drawn at random have none."""
    from deepchecks.tabular import Dataset
    from deepchecks.tabular.suites import data_integrity, train_test_validation

    kind = "multiclass" if job["classes"] else "regression"
    words = [c for c in table if table[c].dtype.kind == "O" and c != job["target"]]
    given = {"label": job["target"], "label_type": kind, "cat_features": words}
    whole = Dataset(table, **given)
    drawn = table.sample(frac=0.2, random_state=0)
    parts = [Dataset(part, **given) for part in (table.drop(drawn.index), drawn)]
    issues = _of_suite(data_integrity().run(whole), table)
    split = train_test_validation()
    for number, check in list(split.checks.items()):
        if type(check).__name__ in DRIFT:
            split.remove(number)
    return issues + _of_suite(split.run(*parts), table)


def _of_suite(result, table):
    found = []
    for check in result.get_not_passed_checks():
        told = " ".join(c.details for c in check.conditions_results if not c.is_pass())
        columns = [c for c in table if re.search(rf"(?<!\w){re.escape(str(c))}(?!\w)", told)]
        frames = [each for each in check.display or [] if hasattr(each, "index")]
        outliers = frames and type(check.check).__name__ == "OutlierSampleDetection"
        rows = [int(i) + FIRST_ROW for i in frames[0].index] if outliers else []
        kind = type(check.check).__name__
        found.append({"kind": kind, "columns": columns, "rows": rows})
    return found


TOOLS = {"datalab": datalab, "deepchecks": deepchecks}
NEEDS = {"datalab": "cleanlab", "deepchecks": "deepchecks.tabular"}


def main(tool, jobs):
    """Look at all tables, and print what the tool says."""
    warnings.simplefilter("ignore")
    with contextlib.redirect_stdout(sys.stderr):
        try:
            __import__(NEEDS[tool])
        except ImportError as error:
            sys.stderr.write(f"{error}\n")
            sys.exit(3)
        import pandas as pd

        answers = []
        for job in jobs:
            answer = {"issues": [], "error": ""}
            try:
                answer["issues"] = TOOLS[tool](pd.read_csv(job["file"]), job)
            except Exception as error:  # a tool of others: what it does not bear is a result
                answer["error"] = f"{type(error).__name__}: {error}"[:200]
            answers.append(answer)
    sys.stdout.write(json.dumps(answers))


if __name__ == "__main__":
    main(sys.argv[1], json.loads(Path(sys.argv[2]).read_text("utf-8")))
