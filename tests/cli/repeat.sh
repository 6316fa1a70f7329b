#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# zeno run RESULT: the run that made a result once more, bit for bit, with everything that was set and included.
# usage: repeat.sh ZENO SCENES
. "${0%/*}/common.sh"
scenes=$2

# repeats SCENE ARGUMENTS...
repeats() {
    scene=$1
    shift
    "$zeno" run "$scene" "$@" --quiet --out first.h5 && "$zeno" run "$scene" "$@" --quiet --out first.csv || complain "$scene $* fails"
    mkdir -p elsewhere
    mv first.h5 elsewhere/moved.h5
    "$zeno" run elsewhere/moved.h5 --quiet --out second.csv || complain "the result of $scene $* does not run"
    cmp first.csv second.csv || complain "$scene $*: the run of the result differs"
    "$zeno" run elsewhere/moved.h5 --quiet --out second.h5 && "$zeno" run second.h5 --quiet --out third.h5
    cmp second.h5 third.h5 || complain "$scene $*: the result of a result differs"
}

for name in rotating-ball slider-crank woodpecker box-stack bricard dominoes cantilever skate tippe-top chain; do
    repeats "$scenes/$name.yaml" --end 0.02
done
repeats "$scenes/rotating-ball.yaml" --set mu=0.1 --set omega=3*pi --scheme radau-2a:3 --step 2e-3 --end 0.5 --tolerance 1e-11
repeats "$scenes/rotating-ball.yaml" --step auto --end 0.5 --record-step 0.01
repeats "$scenes/rotating-ball.yaml" --scheme lobatto-3c:3 --friction-law staged --end 0.3

mkdir parts
printf 'parameters: {m: 2, g: 9.81}\nenergy: {kinetic: "m/2*(x'"'"'^2 + y'"'"'^2)", potential: m*g*y}\n' >parts/energy.yaml
cat >whole.yaml <<'EOF'
include: parts/energy.yaml
title: "a title: with \"quotes\", \\ and ü"
parameters: {m: 3}
coordinates: {x: {start: 0, velocity: 1}, y: 1}
contacts: {floor: {gap: y, slip: "x'", friction: 0.3, restitution: 0.5}}
simulation: {scheme: rattle, step: 1e-3, end: 0.6}
EOF
repeats whole.yaml
repeats whole.yaml --set m=4

# Inputs: tables of files are in the result, also those that live parameters follow.
cat >cart.yaml <<'EOF'
parameters: {k: {live: true, value: 2}, m: 1}
inputs: {push: 0, other: 2*pi, given: {points: [[0, 1], [0.7, -1]]}}
coordinates: {x: 0}
energy: {kinetic: "m*x'^2/2", potential: k*x^2/2}
forces: {x: push + given - 0.1*other}
simulation: {scheme: radau-2a, step: 0.01, end: 3}
EOF
repeats cart.yaml
for how in held linear cubic; do
    printf 't,push,k\n0,3,2\n1,-3,4\n2.5,0.1,1\n' >push.csv
    "$zeno" run cart.yaml --input push=push.csv:push,$how --input k=push.csv:k,$how --set m=3 --quiet --out first.h5
    "$zeno" run cart.yaml --input push=push.csv:push,$how --input k=push.csv:k,$how --set m=3 --quiet --out first.csv
    rm push.csv
    "$zeno" run first.h5 --quiet --out second.csv || complain "inputs that are $how: the result does not run"
    cmp first.csv second.csv || complain "inputs that are $how: the run of the result differs"
done

"$zeno" sweep "$scenes/bouncing-ball.yaml" --vary e_N=0.5,0.6 --keep last:q --end 0.1 --quiet --out study.h5
"$zeno" run study.h5 2>err
[ $? -eq 2 ] || complain "a study is run"
grep -q "has no record of how it was run" err || complain "$(cat err)"

[ $failures -eq 0 ] || exit 1
