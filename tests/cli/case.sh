#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A run of a study done by itself (the attribute `case` of its file, zeno run --start), and the line that tells how far a study is.
# usage: case.sh ZENO SCENES
. "${0%/*}/common.sh"
ball=$2/bouncing-ball.yaml

# What a study keeps of a run is what the run by itself gives, to the last digit: parameter, setting and start.
"$zeno" sweep "$ball" --vary e_N=0.5,0.6 --vary "q'=0.1:0.3:3" --vary scheme=moreau,radau-2a:2 --keep last:q --end 1 --step 1e-2 --set q_0=1.5 --quiet --out balls.h5 || complain "a study fails"
if command -v h5dump >/dev/null; then
    h5dump -a /case balls.h5 | grep -qF '"options": [["--step", "1e-2"], ["--end", "1"], ["--set", "q_0=1.5"]], "axes": [{"name": "e_N", "option": "--set"}, {"name": "q'"'"'", "option": "--start"}, {"name": "scheme", "option": "--scheme", "words": ["moreau", "radau-2a:2"]}]}' ||
        complain "the case is $(h5dump -a /case balls.h5)"
    h5dump -y -m "%.17g" -d /kept/last:q balls.h5 | sed -n '/DATA/,$p' | tr -d ' ,' | grep -E '^[0-9.e-]+$' >kept.txt
    for e in 0.5 0.6; do for v in 0.10000000000000001 0.20000000000000001 0.29999999999999999; do for s in moreau radau-2a:2; do
        "$zeno" run "$ball" --end 1 --step 1e-2 --set q_0=1.5 --set e_N=$e --start "q'=$v" --scheme $s --quiet --out one.csv || complain "a case fails"
        tail -n 1 one.csv | cut -d, -f2
    done; done; done >single.txt
    [ "$(wc -l <single.txt)" -eq 12 ] && cmp kept.txt single.txt || complain "runs by themselves differ: $(paste kept.txt single.txt)"
fi
# The start counts, also of a coordinate, and is repeated with the result.
"$zeno" run "$ball" --start q=3 --start "q'=-1" --end 0.1 --quiet --out one.h5 || complain "--start fails"
"$zeno" run "$ball" --start q=3 --start "q'=-1" --end 0.1 --quiet --out one.csv
sed -n 2p one.csv | grep -q '^0,3,-1,' || complain "the start is $(sed -n 2p one.csv)"
"$zeno" run one.h5 --quiet --out two.csv || complain "a result with --start does not run"
cmp one.csv two.csv || complain "it is repeated with another start"
cat >push.yaml <<'EOF'
gravity: [0, 0, -9.81]
parameters: {c: {value: 2, live: true}}
inputs: {push: 0, follow: {points: [[0, 1], [1, 3]]}}
bodies: {b: {type: spatial, shape: {type: sphere, radius: 0.1}, mass: 1, position: [0, 0, 0.3]}}
forces: {wind: {type: body, on: b, force: [push + follow, c, 0]}}
states: {s: {start: 1, rate: push - s}}
geometry: {floor: {type: plane}}
contacts: {all: {between: all, friction: 0.3, restitution: 0.4}}
simulation: {step: 1e-2, end: 0.5}
EOF
"$zeno" run push.yaml --start push=3 --start c=-1 --start s=0.3 --start b.z=0.41 --start b.wx=7 --quiet --out one.h5 || complain "--start of inputs, states and bodies fails"
"$zeno" run push.yaml --start push=3 --start c=-1 --start s=0.3 --start b.z=0.41 --start b.wx=7 --quiet --out one.csv
"$zeno" run one.h5 --quiet --out two.csv && cmp one.csv two.csv || complain "inputs, states and bodies are repeated with other starts"
"$zeno" run one.h5 --start push=4 --quiet --out two.csv && cmp -s one.csv two.csv && complain "--start of a result does nothing"
printf 'starts: {"q'"'"'": 2, z: 1}\n' | cat "$ball" - >wrong.yaml
"$zeno" check wrong.yaml 2>err && complain "a start of nothing is taken"
grep -q "wrong.yaml:[0-9]*:19: the scene has no coordinate, velocity or input 'z'" err || complain "no place of a start of nothing: $(cat err)"
for wrong in q q= =1 q=x q=nan z=1 "q''=1"; do
    "$zeno" run "$ball" --start "$wrong" --quiet 2>err && complain "--start $wrong is taken"
    grep -q -e '^error: --start' err || complain "no sentence about --start $wrong: $(cat err)"
done

# The line of progress, on a terminal only: runs, share, rate, failures, time left. Every second run fails (e_N > 1).
if command -v script >/dev/null; then
    script -qec "'$zeno' sweep '$ball' --vary q_0=1:2:4000 --vary e_N=0.5,1.5 --keep last:q --end 1 --step 1e-3 --out long.h5" /dev/null >lines 2>&1
    tr '\r' '\n' <lines | sed 's/.\[K//' >line
    awk '/ of 8000 runs \(/ { n++; if ($1 < last) bad = 1; last = $1; if ($1 >= 1000 && $0 !~ /[0-9]\/s  [0-9]+ failed  [0-9]+ s left$/) bad = 1 }
         END { exit !(n > 2 && !bad) }' line || complain "progress is reported as $(head -n 5 line)"
    # the share of failures, and a rate within a factor of two of the whole one
    awk -F '[ /(]+' '/ of 8000 runs \(/ && $1 >= 1000 { rate = $6; failed = $8; done = $1 } / runs, 4000 failed; 8000 of them now/ { sub(/.*\(/, ""); whole = $0 + 0 }
         END { exit !(failed > 0.4 * done && failed < 0.6 * done && rate > whole / 3 && rate < 3 * whole) }' line || complain "rate or failures are wrong: $(tail -n 3 line)"
fi
"$zeno" sweep "$ball" --vary q_0=1:2:3 --keep last:q --end 0.1 --step 1e-2 --out no-terminal.h5 2>err >out
[ ! -s err ] || complain "progress goes into a file"

[ $failures -eq 0 ] || exit 1
echo "cases of studies: in order"
