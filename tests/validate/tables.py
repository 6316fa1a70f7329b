# SPDX-License-Identifier: Apache-2.0
"""The tables of the validation are complete: schemes, friction laws, scenes, sources. usage: tables.py SOURCE ZENO"""
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
source, zeno = Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(source / "validate"))
from running import with_settings  # noqa: E402
from result import Result  # noqa: E402
from drawing import thin  # noqa: E402
from judging import LARGEST_BITE, bite, judge_limit, judge_value  # noqa: E402
from orders import KINDS, ORDERS  # noqa: E402
from table import ALL, Convergence, System, chosen  # noqa: E402
import importlib.util  # noqa: E402

spec = importlib.util.spec_from_file_location("validation", source / "validate" / "__main__.py")
validation = importlib.util.module_from_spec(spec)
spec.loader.exec_module(validation)
failures = []


def check(good, text):
    if not good:
        failures.append(text)
        print("FAILED:", text)


systems = validation.load_systems([], source / "scenes")
features = validation.scheme_features(zeno)
# what the benchmarks name
for name in """bouncing-ball rotating-ball rolling-ball ball-in-cylinder block-on-belt stiff-pendulum slider-crank slope slope-drop painleve-rod ball-in-corner
        spring-pendulum woodpecker cartesian-pendulum rigid-pendulum bouncing-pendulum flexible-pendulum elastic-bar guided-hopper tippe-top tippedisk tetrahedron""".split():
    check(name in {system.name for system in systems}, f"no system {name}")
check(len({system.name for system in systems}) == len(systems), "two systems have one name")
# every scheme in at least three systems
for scheme, known in features.items():
    there = [system.name for system in systems if any(name.split(":")[0] == scheme for _, name in system.runs) and all(known[need] for need in system.needs)]
    check(len(there) >= 3, f"{scheme} is in {len(there)} systems only: {there}")
# every law in at least one
for law in ("coulomb", "ellipse", "rectangle", "coulomb-contensou", "rolling", "pivoting", "stribeck", "given normal force", "impact", "tangential restitution"):
    check(any(law in system.laws for system in systems), f"no system has the law {law}")
# facts say where they are from and can fail; every system has some, and a figure
for system in systems:
    check(len(system.facts) + len(system.singles) + 2 * len(system.limits_of) >= 4, f"{system.name} has few facts")
    check(system.figures or system.studies, f"{system.name} has no figure")
    for fact in system.facts + system.singles:
        check(fact.source, f"{system.name}: '{fact.text}' has no source")
        check(fact.expected is None or fact.tolerance is not None, f"{system.name}: '{fact.text}' has no tolerance")
    for fact in system.facts + system.singles:  # for every scheme that it is about: a wrong result is noticed
        mine = [fact.scheme] if hasattr(fact, "scheme") else [s for tag, s in system.runs if tag == fact.tag and validation.table.matches(s, fact.schemes)]
        check(mine, f"{system.name}: '{fact.text}' is about no run")
        for scheme in mine:
            part = bite(fact, scheme, chosen(fact.tolerance, scheme), None)
            check(part <= LARGEST_BITE, f"{system.name}: '{fact.text}' can not fail for {scheme}: the tolerance is {part:.2g} of the error to notice")
    for limit in system.limits_of:
        check(limit.wrong is not None or limit.expected, f"{system.name}: '{limit.text}' does not say which error it must notice")


# limits: an exact law of errors passes; another order, or another limit, does not
class Runs:
    def __init__(self, values):
        self.system, self.runs = System("s", "", "", "", "x"), {}
        for k, value in enumerate(values):
            self.runs[str(k), "rattle"] = type("R", (), {"status": "ok", "value": value})()


def limit_holds(law, order, expected, digits=1e-9):
    limit = Convergence("v", "here", lambda r: r.value, ("0", "1", "2"), {"rattle": order}, expected, digits)
    return [judged.passed for judged in judge_limit(limit, Runs([law(0.1 / 2**k) for k in range(3)]))]


for p in (1, 2, 3):
    check(limit_holds(lambda h: 2 + 3 * h**p + h ** (p + 1), p, 2.0) == [True, True], f"a law of order {p} holds")
    check(limit_holds(lambda h: 2 + 3 * h ** (p + 1), p, 2.0)[0] is False, f"order {p + 1} instead of {p} is noticed")
    check(limit_holds(lambda h: 2.2 + 3 * h**p + h ** (p + 1), p, 2.0) == [True, False], f"a wrong limit is noticed with order {p}")
check(limit_holds(lambda h: 2 + 30 * h + 500 * h**2, 1, 2.0)[1] is False, "a limit that is not known well enough does not pass")
check(limit_holds(lambda h: 2.0, 1, 2.0) == [False, False], "without an error there is no order")
# the orders of docs/schemes.md are those that the studies pin
check(set(ORDERS) == set(ALL), "validate/orders.py does not have every scheme")
table_rows = {}
for line in (source / "docs/schemes.md").read_text().split("## Orders")[1].split("\n## ")[0].splitlines():
    if line.startswith("| `"):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        for name in cells[0].replace("`", "").split(", "):
            table_rows[name] = [None if cell == "" else int(cell.split()[0]) for cell in cells[1:]]
check(table_rows == {scheme: [row[kind] for kind in KINDS] for scheme, row in ORDERS.items()},
      f"docs/schemes.md and validate/orders.py differ: {[s for s in ALL if table_rows.get(s) != [ORDERS[s][kind] for kind in KINDS]]}")
# and each entry has its study
pinned = {(single.value.scheme, system.name, single.value.tag) for system in systems for single in system.singles if isinstance(single.value, validation.table.Order)}
PLACES = {"smooth": [("orders", "smooth")], "position": [("cartesian-pendulum", tag) for tag in ("orders", "highest", "alpha")], "velocity": [("orders", "velocity")],
          "sticking": [("orders", "sticking")], "sliding": [("slope", "orders")], "impact": [("orders", "impact"), ("orders", "bounce")]}
for scheme, row in ORDERS.items():
    for kind, order in row.items():
        check(order is None or any((scheme, *place) in pinned for place in PLACES[kind]), f"no study pins the order of {scheme}, {kind}")
# the iterative projection alone
check(sum(("solver", "projection") in run.settings for system in systems for run in system.runs.values()) > 50, "few runs use solver: projection")
# every scene says in its comment what it shows and how to try it, and is in the list of scenes
listed = (source / "scenes" / "README.md").read_text()
for path in sorted((source / "scenes").glob("*.yaml")):
    head = path.read_text().split("title:")[0]
    check(len(head) > 150 and "zeno " in head, f"{path.name} has no comment on what it shows and how to run it")
    used = any(run.scene == path.stem for system in systems for run in system.runs.values())
    check(not used or f"`{path.stem}`" in listed, f"scenes/README.md does not list {path.stem}")
# tools
changed = with_settings("a: 1\nsimulation: {step: 1, end: 2}\n", (("step", "3"), ("damping", "0.5")))
check(changed == "a: 1\nsimulation: {step: 3, end: 2, damping: 0.5}\n", f"with_settings: {changed}")
try:
    with_settings("a: 1\n", (("step", "3"),))
    check(False, "with_settings takes a scene without settings")
except ValueError:
    pass
with tempfile.TemporaryDirectory() as folder:
    table = Path(folder) / "r.csv"
    table.write_text("t,x,p.n\n" + "".join(f"{i / 10},{(i - 4.5) / 10},{1.0 if i in (3, 7) else 0.0}\n" for i in range(11)))
    r = Result(None, "ok", {}, "", table, "")
    check(abs(r.crossing("x") - 0.45) < 1e-12, "crossing")
    check(r.crossing("x", rising=False) is None, "crossing of the other direction")
    check(r.impacts("p.n", 0.5) == [0.3, 0.7], f"impacts {r.impacts('p.n', 0.5)}")
    check(abs(r.at("x", 0.25) + 0.2) < 1e-12 and r.on_grid("x", 0.21) == r["x"][2], "values at a time")
    check(r.first("x", lambda v: v > 0) == 0.5 and r.last_time("x", lambda v: v < 0) == 0.4, "first and last time")
wave = [(i, float(i % 2)) for i in range(20000)]
check(len(thin(wave)) < 10000 and max(y for _, y in thin(wave)) == 1.0, "a thinned curve keeps its extremes")
check(not judge_value("", float("nan"), 0, 1).passed and not judge_value("", None, None, 1).passed and judge_value("", 0.5, None, 1).passed, "judge_value")
print("all good" if not failures else f"{len(failures)} failed")
sys.exit(1 if failures else 0)
