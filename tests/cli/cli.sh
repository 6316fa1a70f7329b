#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The program as a user meets it: exit statuses, what goes where, determinism, interruption, files that survive.
# usage: cli.sh ZENO SCENES
. "${0%/*}/common.sh"
scenes=$2

empty() { [ ! -s "$1" ]; }
lines() { [ "$(wc -l <"$1")" -eq "$2" ]; }

ball=$scenes/rotating-ball.yaml
run="$zeno run $ball --scheme moreau-midpoint"

# what goes where
expect 0 $run --summary
holds "the summary is one line" lines out 1
holds "it is a JSON object" grep -q '^{.*}$' out
for key in scene scheme stages step steps t status message coordinates q velocities u contacts percussion_total max_penetration max_g \
    max_gdot max_gamma energy_start energy_end newton projection rejected wall_seconds cone step_seconds; do
    holds "the summary has $key" grep -q "\"$key\": " out
done
holds "nothing on standard error" empty err
expect 0 $run --quiet
holds "quiet says nothing" empty out
expect 0 $run
holds "the table names the coordinates" grep -q '^  phi ' out
expect 0 "$zeno" --help
expect 0 "$zeno" --version
expect 0 "$zeno" schemes
holds "the table of schemes" grep -q '^moreau-midpoint ' out
expect 0 "$zeno" settings
holds "the table of settings" grep -q '^friction_law .*accumulated, staged .*accumulated ' out
expect 0 "$zeno" joints
holds "the table of joints" grep -Eq '^rolling-disk +1\+1 +1\+2 ' out
expect 0 "$zeno" shapes
holds "the table of shapes" grep -Eq "^capsule +'radius', 'length' \\('axis'\\) +everything within the radius" out
expect 0 "$zeno" forces --markdown
holds "the table of forces" grep -q '^| `torsion-spring` | `stiffness`, ' out
expect 0 "$zeno" joints --summary
holds "the table of joints as JSON" grep -q '^ \["revolute", "2", "5", ' out
expect 0 $run --tolerance 1e-8 --record-every 7 --project-start true --quiet
expect 2 $run --tolerance -1
holds "a number out of its range" grep -q 'tolerance must be greater than 0' err
expect 2 $run --record-every 2.5
expect 2 $run --iteration coupld
holds "a misspelt word" grep -q -e '--iteration is one of coupled, decoupled' err
expect 2 $run --step-auto true
expect 2 $run --set m=1 --set mu=0.5 --set m=2
holds "two values for one name" grep -q -e '--set has this name twice: m=2' err
expect 0 $run --set m=1 --set mu=0.5 --quiet
expect 0 "$zeno" check "$ball" --scheme moreau-shifted
holds "check counts coordinates" grep -q '3 coordinates: x y phi' out
cat >title.yaml <<'END'
title: "red\e[31m\aalert"
coordinates: {x: {start: 0, velocity: 0}}
energy: {kinetic: x'^2/2, potential: 10*x}
contacts: {floor: {gap: x}}
simulation: {step: 1e-2, end: 0.05}
END
expect 0 "$zeno" check title.yaml
holds "a title commands no terminal" grep -q '^red \[31m alert$' out
expect 0 "$zeno" run title.yaml --scheme moreau-midpoint
holds "no penetration is 0, not -0" grep -q 'largest penetration 0$' out
cat >stiff.yaml <<'END'
title: beyond its stability
coordinates: {x: 1}
energy: {kinetic: x'^2/2, potential: 5000*x^2}
simulation: {step: 2.02e-2, end: 0.3}
END
expect 0 "$zeno" run stiff.yaml --scheme moreau-variational
holds "a run that diverges says so" grep -q 'warning: the motion diverges.*try step: 0.00202 or scheme: radau-2a' err
expect 0 "$zeno" run stiff.yaml --scheme moreau-variational --step 1e-2
holds "and one that does not does not" empty err

# wrong usage: status 2 and a hint
expect 2 "$zeno"
expect 2 "$zeno" rnu "$ball"
holds "a hint at the command" grep -q "did you mean 'run'" err
expect 2 $run --smmary
holds "a hint at the option" grep -q "did you mean --summary" err
expect 2 "$zeno" run
expect 2 $run --step
expect 2 $run --step fast
expect 2 $run --step -1
expect 2 $run --end -1
expect 2 $run --solver quick
expect 2 "$zeno" run "$ball" --scheme moreau-midpoint:3
expect 2 "$zeno" run "$ball" --scheme moreau-midpoint:x
expect 2 "$zeno" run "$ball" --scheme nonsense
expect 2 $run --set m
expect 2 $run --set mass=2
expect 2 $run --set 'm=-1'
expect 2 "$zeno" run nowhere.yaml
expect 2 $run --out result.txt
expect 2 $run --out no/such/folder/result.h5
expect 1 "$zeno" plot nowhere.h5 --x t --y x --out x.svg

# parameters by --set
expect 0 $run --summary --set omega=0 --set 'mu=1/5'
holds "no spin: no sliding" grep -q '"u": \[0, 0, 0\]' out

# the same bytes twice, but for the wall time
expect 0 $run --out one.csv --summary
sed 's/"wall_seconds.*//' out >first
expect 0 $run --out two.csv --summary
sed 's/"wall_seconds.*//' out >second
holds "the same summary twice" cmp first second
holds "the same CSV twice" cmp one.csv two.csv
holds "no partial files stay" test ! -e one.csv.partial
expect 0 $run --out one.h5
expect 0 $run --out two.h5
holds "the same HDF5 twice" cmp one.h5 two.h5
holds "rows: header, start and 200 steps" lines one.csv 202

# a run that fails: status 1, the rows up to there are kept, the old file too
cat >explode.yaml <<'END'
title: A force that is not a number from t = 0.5 on
coordinates: {x: {start: 1, velocity: -1}}
energy: {kinetic: x'^2/2, potential: 0}
forces: {x: sqrt(0.5 - t)}
simulation: {scheme: moreau-midpoint, step: 0.01, end: 1}
END
echo old >keep.csv
expect 1 "$zeno" run explode.yaml --out keep.csv --summary
holds "the summary says failed" grep -q '"status": "failed"' out
holds "the message names the force" grep -q "the force on 'x'' is not finite" err
holds "the message names the time" grep -q 't = 0.5' err
holds "the old file is untouched" grep -q '^old$' keep.csv
holds "the rows are kept" test "$(wc -l <keep.csv.partial)" -gt 45
holds "and can be drawn" "$zeno" plot keep.csv.partial --x t --y x --out kept.svg

# Contacts that come by themselves: how many, their forces, and the network of these.
ball_on_box 'step: 1e-2, end: 1' >heap.yaml
expect 0 "$zeno" run heap.yaml --out heap.h5
holds "the bodies that touch are named" grep -q "ball *box *10" out
for kind in number force network; do
    expect 0 "$zeno" plot heap.h5 --contacts $kind --out heap-$kind.svg
    holds "a picture of the $kind of contacts" grep -q '</svg>' heap-$kind.svg
done
holds "the largest force is in its title" grep -q 'up to 1[56]' heap-network.svg
expect 0 "$zeno" plot heap.h5 --contacts network --at 0.5 --out heap-network.svg
expect 2 "$zeno" plot heap.h5 --contacts sum --out x.svg
expect 2 "$zeno" plot heap.h5 --contacts network --at soon --out x.svg
expect 2 "$zeno" plot heap.h5 --contacts network --y t --out x.svg
expect 0 "$zeno" run heap.yaml --quiet --out heap.csv
expect 2 "$zeno" plot heap.csv --contacts network --out x.svg
holds "which says why" grep -q 'only HDF5' err

# contact events as ticks on the axis of time: flights of a ball with e = 1/2 take half as long each time
cat >drop.yaml <<'EOF'
coordinates: {q: 1}
energy: {kinetic: q'^2/2, potential: 10*q}
contacts: {ground: {gap: q, restitution: 0.5}}
simulation: {scheme: radau-2a, step: 1e-2, end: 1.2, contact_events: located}
EOF
expect 0 "$zeno" run drop.yaml --quiet --out drop.h5
for options in "" "--log y" "--style both --key below" "--x-range 0.2:1.15"; do
    expect 0 "$zeno" plot drop.h5 --y q --events $options --out drop.svg
    grep -A10 '<title>impact</title>' drop.svg | sed -n "s/^.* d='\(M[^']*\).*$/\1/p" | tr 'ML, ' '\n\n\n\n' | grep . >ticks
    # x y x y for the legend, then for each tick
    awk '{ v[NR] = $1 } END { exit !(NR == 16 && v[5] == v[7] && v[6] > v[8] && (v[13] - v[9])/(v[9] - v[5]) > 0.49 && (v[13] - v[9])/(v[9] - v[5]) < 0.51) }' ticks ||
        { failures=$((failures + 1)); echo "FAILED: ticks of three impacts ($options): $(tr '\n' ' ' <ticks)"; }
    holds "no kind that did not happen" [ "$(grep -c '<title>opening' drop.svg)" -eq 0 ]
done
expect 0 "$zeno" plot drop.h5 --y q --out plain.svg
holds "no ticks unless wanted" [ "$(grep -c '<title>impact' plain.svg)" -eq 0 ]
expect 2 "$zeno" plot drop.h5 --x q --y "q'" --events --out x.svg
holds "which says why" grep -q 'must be t' err
expect 2 "$zeno" plot drop.h5 --contacts number --events --out x.svg
expect 0 "$zeno" run drop.yaml --quiet --out drop.csv
expect 2 "$zeno" plot drop.csv --y q --events --out x.svg
holds "which says what has events" grep -q 'contact_events: located' err
expect 0 "$zeno" run drop.yaml --contact-events captured --quiet --out caught.h5
expect 2 "$zeno" plot drop.h5 caught.h5 --y q --events --out x.svg

# steps that are chosen, rows at given times
printf '%s\n' 'coordinates: {q: 1}' 'energy: {kinetic: "q'"'"'^2/2", potential: 10*q}' 'contacts: {ground: {gap: q, restitution: 0.5}}' \
    'simulation: {scheme: radau-2a, step: auto, accuracy: 1e-5, record_step: 0.25, end: 2.1}' >auto.yaml
expect 0 "$zeno" check auto.yaml
holds "check tells the accuracy" grep -q 'step auto with accuracy 1e-05' out
expect 0 "$zeno" run auto.yaml --out auto.csv --summary
holds "a row for each multiple and the end" lines auto.csv 11
holds "exact times" grep -q '^1.75,' auto.csv
holds "the end" grep -q '^2.1' auto.csv
for key in step_min step_max rejected; do holds "the summary has $key" grep -q "\"$key\": [0-9]" out; done
expect 0 "$zeno" run auto.yaml
holds "the table tells the range of steps" grep -q 'steps from .* rejected' out
expect 0 "$zeno" run auto.yaml --step 0.01 --summary
holds "--step wins over auto" grep -q '"steps": 210,' out
expect 0 "$zeno" run auto.yaml --scheme moreau --step auto --summary
expect 2 "$zeno" run auto.yaml --step automatic

# laws of restitution: energy that impacts create is reported, and other laws do not create any
kane=$scenes/kane-pendulum.yaml
expect 0 "$zeno" run "$kane"
holds "the table warns, with contact, time and amount" grep -q "warning: an impact created energy, 0.0415 at contact 'tip', t = 0.0075" out
expect 0 "$zeno" run "$kane" --summary
holds "the summary warns" grep -q '"energy_warnings": \[{"contact": "tip", "t": 0.0075[0-9]*, "gained": 0.0415[0-9]*}\], "energy_warnings_total": 1,' out
for law in poisson energetic; do
    expect 0 "$zeno" run "$kane" --restitution-law $law --summary
    holds "$law creates none" grep -q '"energy_warnings": \[\], "energy_warnings_total": 0,' out
    sed "s/simulation: {/simulation: {restitution_law: $law, /" "$kane" >kane.yaml
    mv out by_option
    expect 0 "$zeno" run kane.yaml --summary
    holds "a setting does what the option does" test "$(sed 's/.*"q": //; s/"wall.*//' out)" = "$(sed 's/.*"q": //; s/"wall.*//' by_option)"
done
expect 2 "$zeno" run "$kane" --restitution-law stronge
holds "unknown laws are refused" grep -q 'restitution-law is one of newton, poisson, energetic' err
sed 's/simulation: {/simulation: {restitution_law: elastic, /' "$kane" >kane.yaml
expect 2 "$zeno" run kane.yaml
holds "with line and column" grep -q 'kane.yaml:[0-9]*:[0-9]*: .*restitution_law' err
expect 2 "$zeno" run "$scenes/superball.yaml" --restitution-law energetic
holds "tangential restitution is refused with a reason" grep -q 'tangential restitution, which restitution_law: energetic does not support' err
expect 0 "$zeno" converge "$kane" --scheme rattle --steps 1e-4,5e-5 --reference 1e-5 --restitution-law energetic

# what is not finite has a place, whenever it is found: a rate at the first step, a force later, an output at the end, a constraint at the start
for wrong in "states: {e: {rate: 1/b.y}}|the rate of 'e'" "forces: {b.x: sqrt(0.01 - t^2)}|the force on 'b.x''" "outputs: {o: 1/b.y}|the output 'o'" \
    "constraints: {c: {position: sqrt(b.x - 1 - t)}}|the constraint 'c'"; do
    printf '%s\nbodies: {b: {type: particle, mass: 1, position: [1, 0]}}\nsimulation: {scheme: radau-2a, step: 0.01, end: 0.5}\n' "${wrong%|*}" >wrong.yaml
    "$zeno" run wrong.yaml --quiet 2>err
    holds "a place for ${wrong%|*}" grep -q "^error: wrong.yaml:1:[0-9]*: ${wrong#*|}.* is not finite at " err
done

# the scheme's change of energy is reported whenever it is above 1e-3 of it
cat >spring.yaml <<'END'
coordinates: {x: 1}
energy: {kinetic: x'^2/2, potential: 50*x^2}
simulation: {scheme: moreau, step: 1e-2, end: 1}
END
expect 0 "$zeno" run spring.yaml --end 0.995
holds "a change by the scheme alone" grep -q '^  by the scheme ' out
expect 0 "$zeno" run spring.yaml --scheme radau-2a:3
holds "a change below 1e-3 is not worth a line" sh -c '! grep -q "by the scheme" out'

# Ctrl-C: status 1, says so, keeps what there is
"$zeno" run "$scenes/bouncing-ball.yaml" --scheme moreau-midpoint --step 1e-8 --out long.csv --summary >out 2>err </dev/null &
pid=$!
await [ -s long.csv.partial ] && await listens "$pid" INT
kill -INT "$pid"
wait "$pid"
got=$?
checks=$((checks + 1))
[ "$got" -eq 1 ] || { failures=$((failures + 1)); echo "FAILED: an interrupted run must exit with 1"; }
holds "the summary says stopped" grep -q '"status": "stopped"' out
holds "it says where the rows are" grep -q 'long.csv.partial' err
holds "the rows are there" test -s long.csv.partial
holds "no finished file appears" test ! -e long.csv

# thousands of errors of one kind are counted, not listed
{
    echo 'gravity: [0, 0, -10]'
    echo "repeat: {k: 1..60, bodies: {'b{k}': {type: spatial, shape: {type: sphere, radius: 0.6}, mass: 1, position: ['{k}', 0, 0]}}}"
    echo 'contacts: {all: {between: all, friction: 0.3}}'
} >row.yaml
expect 2 "$zeno" run row.yaml --scheme rattle --step 1e-3 --end 1
holds "some errors are shown" test "$(grep -c 'overlap by' err)" -eq 20
holds "the others are counted" grep -q '^error: and 39 more$' err

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
