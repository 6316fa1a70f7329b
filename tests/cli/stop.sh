#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What ends a command within a solve: Ctrl-C, SIGTERM, limits of time; and what it says then.
# usage: stop.sh ZENO
. "${0%/*}/common.sh"
now() { date +%s%N | cut -c1-13; }

# Spheres that touch, thrown at each other: one step is one solve of some hundred contacts.
awk 'BEGIN {
    print "gravity: [0, 0, -9.81]\ngeometry: {floor: {type: plane, normal: [0, 0, 1]}}\nbodies:";
    for (i = 0; i < 7; i++) for (j = 0; j < 7; j++) for (k = 0; k < 7; k++)
        printf "  b%d%d%d: {type: spatial, mass: 1, shape: {type: sphere, radius: 0.5}, position: [%.4f, %.4f, %.4f], velocity: [%.2f, %.2f, -5]}\n",
            i, j, k, 1.001 * i + 0.01 * (k % 2), 1.001 * j + 0.01 * (k % 3), 1.001 * k + 0.501, 3 - i, 3 - j;
    print "contacts: {all: {between: all, friction: 0.5}}\nsimulation: {scheme: moreau-midpoint, step: 1e-3, end: 1000, tolerance: 1e-9}" }' >heap.yaml

"$zeno" run heap.yaml --step-limit 1e-3 --quiet --out heap.csv 2>err && complain "a step beyond its limit is taken"
grep -q 'stopped by --step-limit 0.001: the step from t = [0-9.e-]* takes longer; a larger tolerance' err || complain "the step does not say that it takes too long: $(cat err)"
[ -s heap.csv.partial ] || complain "the rows are lost"

begin=$(now)
"$zeno" run heap.yaml --time-limit 1 --summary >out 2>err && complain "a run beyond its limit ends well"
grep -q '"status": "stopped", "message": "stopped by --time-limit 1 in the step from t = ' out || complain "the summary does not tell the limit: $(cat out)"
[ $(($(now) - begin)) -lt 20000 ] || complain "a limit of 1 s takes $(($(now) - begin)) ms"

for signal in INT TERM; do
    sh -c 'trap - INT; exec "$@"' sh "$zeno" run heap.yaml --quiet --out stopped.csv 2>err &
    pid=$!
    await listens $pid $signal
    sleep 0.5 # into a solve
    kill -$signal $pid
    wait $pid && complain "SIG$signal ends well"
    grep -q '^stopped at t = ' err || complain "SIG$signal is not reported: $(cat err)"
done

# A contact problem that has no solution to so many digits.
awk 'BEGIN { n = 60; m = 3 * n; srand(3); print 3, n, 0, m, m, m, m
    for (k = 0; k < 40; k++) for (i = 0; i < m; i++) H[k, i] = rand() - 0.5
    for (j = 0; j < m; j++) { for (i = 0; i < m; i++) { w = 0; for (k = 0; k < 40; k++) w += H[k, i] * H[k, j]; printf "%.17g ", w }; print "" }
    for (i = 0; i < m; i++) { q = 0; for (k = 0; k < 40; k++) q += H[k, i] * sin(k); printf "%.17g ", q }; print ""
    for (i = 0; i < n; i++) printf "0.7 "; print "" }' >problem.dat
"$zeno" cone problem.dat --residual 1e-40 --time-limit 0.2 --summary >out 2>err && complain "the impossible is solved"
grep -q 'stopped by --time-limit 0.2 in the solve' err || complain "zeno cone does not tell the limit: $(cat err)"
grep -q '"residual": [0-9.]*e-' out || complain "zeno cone forgets the best point: $(cat out)"
for wrong in 0 -1 x; do
    "$zeno" cone problem.dat --time-limit $wrong 2>err && complain "--time-limit $wrong is taken"
    grep -q -e '--time-limit' err || complain "--time-limit $wrong is not named: $(cat err)"
done

echo "$failures failed"
[ "$failures" -eq 0 ]
