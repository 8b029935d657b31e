# SPDX-License-Identifier: Apache-2.0
"""Reads what `warpshop grade --report` wrote as other systems do; prints TAP lines.

    read_formats.py FOLDER SCHEMAS

FOLDER holds NAME.gradescope.json, NAME.exercism.json and so on of each submission,
class.csv-form files of a class, and names.json: whose they are. A system whose
package is not installed is skipped; tests/README.md says how to install it.
"""
import csv
import glob
import importlib.util
import json
import os
import subprocess
import sys

folder, schemas = sys.argv[1:3]
number = 0


def report(name, check):
    global number
    number += 1
    try:
        check()
        print(f"ok {number} - {name}")
    except Exception as why:  # whatever the reader says
        print(f"not ok {number} - {name}")
        print("# " + f"{type(why).__name__}: {why}"[:1500].replace("\n", "\n# "))


def skip(name, package):
    global number
    number += 1
    print(f"ok {number} - {name} # SKIP pip install {package}")


def has(module):
    return importlib.util.find_spec(module) is not None


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def files(form):
    found = sorted(glob.glob(os.path.join(folder, f"*.{form}.json")))
    assert len(found) >= 5, f"{form}: {len(found)} files"
    return found


def rows(form):
    with open(os.path.join(folder, f"class.{form}.csv"), encoding="utf-8", newline="") as f:
        return list(csv.reader(f, strict=True))


def by_name(form):
    with open(os.path.join(folder, f"class.{form}.csv"), encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f, strict=True))


learners = load(os.path.join(folder, "names.json"))
SAFE = "'"


# ---- Schemas ----

def valid(form):
    import jsonschema
    schema = load(os.path.join(schemas, f"{form}.json"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for path in files(form):
        for error in validator.iter_errors(load(path)):
            raise AssertionError(f"{os.path.basename(path)}: {error.message} at {error.json_path}")


for form in ("gradescope", "exercism", "prairielearn", "check50"):
    if has("jsonschema"):
        report(f"{form}: as its manual says, five verdicts", lambda form=form: valid(form))
    else:
        skip(f"{form}: as its manual says", "jsonschema")


# ---- Gradescope, by what its manual says of scores ----

def gradescope():
    for path in files("gradescope"):
        o = load(path)
        if os.path.basename(path).startswith("error."):
            assert "score" not in o and "tests" not in o, "an error of ours has a score"
            continue
        total = sum(t["score"] for t in o["tests"])
        assert abs(total - o["score"]) < 0.02, (path, total, o["score"])
        assert o["execution_time"] > 0
    o = load(os.path.join(folder, "pass.gradescope.json"))
    kinds = {t["visibility"] for t in o["tests"]}
    assert kinds == {"visible", "hidden", "after_due_date"}, kinds
    assert [t["number"] for t in o["tests"]] == [str(i + 1) for i in range(len(o["tests"]))]
    assert [b["order"] for b in o["leaderboard"]] == ["desc", "asc"], o["leaderboard"]
    assert load(os.path.join(folder, "fail.gradescope.json"))["leaderboard"] == []


report("gradescope: tests add up to the score, an error of ours has none", gradescope)


# ---- Tables ----

def canvas():
    r = rows("canvas")
    assert r[0][:5] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"], r[0]
    assert "Points Possible" in r[1][0] and all(float(x) == 10 for x in r[1][5:]), r[1]
    assert all(len(x) == len(r[0]) for x in r)
    assert sorted(x[3] for x in r[2:]) == sorted(learners), [x[3] for x in r[2:]]
    for x in r[2:]:
        formula = x[3][0] in "=+-@\t\r"
        assert x[0] == (SAFE if formula else "") + x[3], x
        assert all(cell == "" or 0 <= float(cell) <= 10 for cell in x[5:]), x


def moodle():
    r = by_name("moodle")
    assert sorted(x["username"] for x in r) == sorted(learners)
    told = 0
    for x in r:
        for key in x:
            if key.endswith(" (feedback)"):
                mark, text = x[key.removesuffix(" (feedback)")], x[key]
                assert bool(mark) == bool(text), x  # text alone would wipe out the mark
                assert text[:1] not in tuple("=+-@\t\r"), x
                told += text.startswith("fail: ")
    assert told, "no feedback"


def nbgrader_keys():
    r = by_name("nbgrader")
    assert sorted({x["student_id"] for x in r}) == sorted(learners)
    assert all(x["id"] == x["student_id"] for x in r)
    assert all(x["score"] == "" or 0 <= float(x["score"]) <= float(x["max_score"]) for x in r)


report("canvas: Python's csv reads each awkward name back", canvas)
report("moodle: likewise, no text without a mark", moodle)
report("nbgrader: likewise", nbgrader_keys)


# ---- nbgrader itself ----

def nbgrader():
    """Its command takes the students, its gradebook the marks, and exports them."""
    from nbgrader.api import Gradebook
    home = os.path.join(folder, "nbgrader")
    os.makedirs(home, exist_ok=True)
    db = "sqlite:///" + os.path.join(home, "gradebook.db")
    os.environ["PATH"] = os.path.dirname(sys.executable) + ":" + os.environ["PATH"]  # alembic
    env = dict(os.environ, HOME=home, JUPYTER_CONFIG_DIR=home, IPYTHONDIR=home)
    run = lambda *args: subprocess.run(
        [sys.executable, "-m", "nbgrader", *args, f"--CourseDirectory.db_url={db}"],
        cwd=home, env=env, check=True, capture_output=True, timeout=300)
    table = os.path.join(folder, "class.nbgrader.csv")
    run("db", "student", "import", table)
    wanted = by_name("nbgrader")
    with Gradebook(db) as gb:
        assert sorted(s.id for s in gb.students) == sorted(learners), [s.id for s in gb.students]
        for name in sorted({r["assignment"] for r in wanted}):
            gb.add_assignment(name)
    run("export", "--to", os.path.join(home, "own.csv"))
    with open(os.path.join(home, "own.csv"), encoding="utf-8", newline="") as f:
        header = f.readline().strip().split(",")
    ours = list(wanted[0])
    assert ours[:len(header)] == header, (ours, header)


if has("nbgrader"):
    report("nbgrader: its import takes all students, its export has our columns", nbgrader)
else:
    skip("nbgrader: its import takes all students", "nbgrader")


# ---- check50 itself ----

def check50():
    import gettext
    gettext.install("check50")
    from check50 import renderer
    from check50.runner import CheckResult
    for path in files("check50"):
        o = load(path)
        for r in o["results"]:
            CheckResult.from_dict(r)
        names = [r["name"] for r in o["results"]]
        assert len(set(names)) == len(names), names
        assert all(r["dependency"] in (None, *names) for r in o["results"])
        html = renderer.to_html(**o)
        assert "<script>alert" not in html
        text = renderer.to_ansi(**o)
        assert text.count("\n") >= len(names)


if has("check50"):
    report("check50: its own classes and renderers take each", check50)
else:
    skip("check50: its own renderers", "check50")

