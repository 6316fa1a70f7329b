#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# zeno page: what it writes and refuses, with a stand-in for the viewer (tests/viewer has the real one in a browser).
# usage: page.sh ZENO SCENES
. "${0%/*}/common.sh"
scenes=$2

absent() { [ ! -e "$1" ]; }
lacks() { ! grep -qF "$1" "$2"; }

expect 0 "$zeno" run "$scenes/rotating-ball.yaml" --quiet --out ball.h5
printf 'var text = "</SCRIPT><!-- ";\n' >viewer.js
ZENO_VIEWER=$work/viewer.js
export ZENO_VIEWER

# a page
expect 0 "$zeno" page ball.h5 --out ball.html
holds "nothing is left over" absent ball.html.partial
holds "it is a page" grep -q '^<!doctype html>' ball.html
holds "it forbids requests" grep -q "default-src 'none'" ball.html
holds "its title" grep -q '<title>Rotating ball, slip and stick</title>' ball.html
holds "the viewer is inside, and cannot end its script" grep -qF 'var text = "<\/SCRIPT><\!-- ";' ball.html
holds "scripts end three times" [ "$(grep -oi '</script' ball.html | wc -l)" -eq 3 ]
holds "the scene is inside" grep -qF 'coordinates:' ball.html
expect 0 "$zeno" page ball.h5 --out again.html
holds "the same result gives the same page" cmp ball.html again.html
expect 0 "$zeno" page ball.h5 --out title.html --title 'a </script> & <b>'
holds "a title is text in the head" grep -qF '<title>a &lt;/script> &amp; &lt;b></title>' title.html
holds "and in the data" grep -qF '"title": "a \u003c/script> & \u003cb>"' title.html

# contact events: the ball falls from 1, e = 1/2, g = 10
printf '%s\n' 'coordinates: {q: 1}' 'energy: {kinetic: "q'"'"'^2/2", potential: 10*q}' 'contacts: {ground: {gap: q, restitution: 0.5}}' \
    'simulation: {scheme: radau-2a, step: 1e-2, end: 1, contact_events: located}' >drop.yaml
expect 0 "$zeno" run drop.yaml --quiet --out drop.h5
expect 0 "$zeno" page drop.h5 --out drop.json
holds "events are in the data" grep -q '"events": {"count": 2, "contacts": \["ground"\], "kinds": \["impact", "opening"' drop.json
holds "with their times" grep -q '"list": \[\[0[.]44721359[0-9]*, 0, 0\], \[0[.]89442719[0-9]*, 0, 0\]\]' drop.json
expect 0 "$zeno" page ball.h5 --out ball.json
holds "a result without events has none" lacks '"events"' ball.json

# data
expect 0 "$zeno" page ball.h5 --out ball.json
holds "data have no '<'" lacks '<' ball.json
for key in format title facts rows scene drawing columns; do holds "data have $key" grep -q "\"$key\": " ball.json; done
holds "all rows" grep -q '"rows": 201,' ball.json
holds "the drawing" grep -qF '\"shape\": \"disk\"' ball.json
holds "poses have their dataset" grep -qF '"name": "view.contact.floor.y", "dataset": "view"' ball.json
# scenes with values that are set while they run are drawn, too
for keys in 'inputs: {push: 1}' 'modes: {on: on}' 'sampled: {every: 0.01, hold: x}' "events: {e: {when: x - 0.5, do: record}}"; do
    printf '%s\ncoordinates: {x: 0}\nenergy: {kinetic: "x'"'"'^2/2"}\nview: {bob: {shape: disk, radius: 0.1, at: [x, 0]}}\nsimulation: {scheme: rattle, step: 0.01, end: 0.1}\n' "$keys" >set.yaml
    expect 0 "$zeno" run set.yaml --quiet --out set.h5
    expect 0 "$zeno" page set.h5 --out set.json
    holds "the drawing with $keys" grep -qF '\"name\": \"bob\"' set.json
done
printf 'inputs: {push: 1}\nbodies: {bob: {type: planar, mass: 1, shape: {type: disk, radius: 0.1}}}\nforces: {bob.x: push}\nsimulation: {scheme: rattle, step: 0.01, end: 0.1}\n' >set.yaml
expect 0 "$zeno" run set.yaml --quiet --out set.h5
expect 0 "$zeno" page set.h5 --out set.json
holds "the drawing of bodies with an input" grep -qF '\"bob\"' set.json
if command -v python3 >/dev/null; then
    cat >read.py <<'PYTHON'
import base64, json, struct, sys
data = json.load(open(sys.argv[1]))
def values(name):
    column = [c for c in data["columns"] if c["name"] == name][0]
    letter = {"f32": "f", "f64": "d"}[column["type"]]
    return [v[0] for v in struct.iter_unpack("<" + letter, base64.b64decode(column["data"]))]
PYTHON
    cat read.py - >check.py <<'PYTHON'
t, y = values("t"), values("y")
assert len(t) == len(y) == data["rows"] == 201 and t[0] == 0 and t[-1] == 2
assert abs(y[0] - 1) < 1e-7 and abs(y[-1] - 0.1) < 1e-7
assert abs(sum(values("percussion.floor.normal")) - 20) < 1e-3 # m g t: it came to rest
json.loads(data["drawing"])
PYTHON
    expect 0 python3 check.py ball.json
    # 20001 rows are thinned out; the sum of percussions stays, and so does the end
    expect 0 "$zeno" run "$scenes/rotating-ball.yaml" --scheme moreau-midpoint --step 1e-4 --quiet --out long.h5
    expect 0 "$zeno" page long.h5 --out long.json
    cat read.py - >check.py <<'PYTHON'
t = values("t")
assert 3000 < len(t) <= 4000 and t[-1] == 2 and len(set(round(b - a, 9) for a, b in zip(t, t[1:-1]))) == 1
assert abs(sum(values("percussion.floor.normal")) - 20) < 1e-2
assert data["facts"][0][1].endswith(" of 20001")
PYTHON
    expect 0 python3 check.py long.json
fi

# studies
expect 0 "$zeno" sweep "$scenes/bouncing-ball.yaml" --vary e_N=0.5,1.5 --vary q_0=1,2,3 --keep last:q --keep "impact:ground:q'" --end 1 --step 1e-2 --quiet --out study.h5
expect 0 "$zeno" page study.h5 --out study.json
holds "a study has no '<'" lacks '<' study.json
expect 0 "$zeno" page study.h5 --out study.html
holds "a study is a page, too" grep -q '^<!doctype html>' study.html
expect 1 "$zeno" page study.h5 --results . --out none.json
says "no results run-K.h5"
holds "no page without them" absent none.json
expect 0 "$zeno" run "$scenes/bouncing-ball.yaml" --set e_N=0.5 --set q_0=3 --end 1 --step 1e-2 --quiet --out run-2.h5
expect 0 "$zeno" page study.h5 --results . --out animated.json
printf 'no result' >run-1.h5
expect 1 "$zeno" page study.h5 --results . --out bad.json
says "run-1.h5"
rm run-1.h5
expect 2 "$zeno" page ball.h5 --results . --out bad.json
says "belongs to a study"
if command -v python3 >/dev/null; then
    cat >check.py <<'PYTHON'
import base64, json, struct, sys
data = json.load(open(sys.argv[1]))
numbers = lambda column: [v[0] for v in struct.iter_unpack("<d", base64.b64decode(column["data"]))]
assert data["format"] == "zeno study 1" and data["rows"] == 6 and data["facts"] == [["runs", "6"], ["failed", "3"]]
assert [axis["name"] for axis in data["axes"]] == ["e_N", "q_0"] and numbers(data["axes"][0]) == [0.5] * 3 + [1.5] * 3 and numbers(data["number"]) == [0, 1, 2, 3, 4, 5]
last = numbers(data["kept"][0])
assert all(v == v for v in last[:3]) and all(v != v for v in last[3:]) and sorted(data["messages"]) == ["3", "4", "5"]
events = numbers(data["events"])
assert data["events"]["columns"] == ["row", "event", "time", "q'"] and len(events) == 4 * data["events"]["count"] and set(events[0::4]) <= {0, 1, 2}
assert list(data["results"]) == ["2"] and data["results"]["2"]["format"] == "zeno page 1"
assert json.loads(data["case"])["axes"][1] == {"name": "q_0", "option": "--set"}
PYTHON
    expect 0 python3 check.py animated.json
fi

# other results
expect 0 "$zeno" run "$scenes/rotating-ball.yaml" --quiet --out ball.csv
holds "CSV has no poses" lacks 'view.' ball.csv
expect 0 "$zeno" page ball.csv --out csv.json
holds "CSV has no drawing" grep -qF '"drawing": ""' csv.json
holds "its energies have names" grep -qF '"name": "energy.total", "dataset": "energy"' csv.json
expect 0 "$zeno" run "$scenes/rotating-ball.yaml" --summary
holds "summaries have no poses" lacks 'view.' out

# mistakes
expect 2 "$zeno" page
says "which result?"
expect 2 "$zeno" page ball.h5
says "--out FILE.html is missing"
expect 2 "$zeno" page ball.h5 --out ball.pdf
says ".html or .json"
expect 2 "$zeno" page ball.h5 --out ball.html --what
expect 1 "$zeno" page missing.h5 --out x.html
says "missing.h5"
head -c 3000 ball.h5 >half.h5
expect 1 "$zeno" page half.h5 --out x.html
says "half.h5"
printf 't,x\n' >none.csv
expect 1 "$zeno" page none.csv --out x.html
says "none.csv has no rows"
holds "no page of a bad result" absent x.html
holds "and no half of one" absent x.html.partial
expect 1 "$zeno" page ball.h5 --out nowhere/x.html
says "nowhere/x.html"
mkdir folder.html
expect 1 "$zeno" page ball.h5 --out folder.html
says "folder.html"
ZENO_VIEWER=$work/none.js
expect 2 "$zeno" page ball.h5 --out x.html
says "make viewer"
holds "no page without viewer" absent x.html
expect 0 "$zeno" page ball.h5 --out y.json
unset ZENO_VIEWER
mkdir -p far/bin && cp "$zeno" far/bin/zeno
expect 2 far/bin/zeno page ball.h5 --out x.html
says "make viewer"
mkdir -p far/share/zeno && cp viewer.js far/share/zeno/zeno-viewer.js
expect 0 far/bin/zeno page ball.h5 --out x.html
expect 0 "$zeno" page --help

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
