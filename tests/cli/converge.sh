#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# zeno converge: what it prints, what it refuses, that threads do not change a digit.
# usage: converge.sh ZENO SCENES
. "${0%/*}/common.sh"
pendulum=$2/cartesian-pendulum.yaml

refuses() { # TEXT ARGUMENTS...
    text=$1
    shift
    refused "$text" "$zeno" converge "$@"
}
# between KEY LOW HIGH: the first number after "KEY": in out
between() {
    value=$(sed -n "s/^.*\"$1\": \([-0-9.e+]*\).*$/\1/p" out | head -n 1)
    awk -v v="$value" -v low="$2" -v high="$3" 'BEGIN { exit !(v != "" && v + 0 >= low && v + 0 <= high) }' ||
        complain "$1 is '$value', not between $2 and $3"
}

common="--reference 4e-4 --end 0.2048"
study="$zeno converge $pendulum $common --steps 2.56e-2,1.28e-2,6.4e-3 --tolerance 1e-13"

$study --scheme lobatto-3a3b:3 --summary >out 2>err || complain "lobatto-3a3b:3: $(cat err)"
between order_q 3.8 4.3
between order_u 3.8 4.3
between stages 3 3
between reference 4e-4 4e-4
for key in scene end schemes scheme steps error_q error_u; do grep -q "\"$key\":" out || complain "the summary has no $key"; done
[ ! -s err ] || complain "standard error is not empty: $(cat err)"
$study --scheme rattle --summary >out && between order_q 1.8 2.3

$study --scheme rattle,lobatto-3a3b:2,lobatto-3a3b:3 --summary >first && $study --scheme rattle,lobatto-3a3b:2,lobatto-3a3b:3 --summary >second
cmp -s first second || complain "two studies differ"
[ "$(grep -o '"order_q"' first | wc -l)" -eq 3 ] || complain "three schemes do not give three orders"

$study --scheme lobatto-3a3b:3 >out || complain "the table fails"
grep -q 'order by least squares: q 4' out || complain "the table has no order: $(cat out)"

$study --scheme rattle,lobatto-3a3b:3 --summary --out study.csv --plot study.svg >out || complain "no table or picture"
[ "$(head -n 1 study.csv)" = scheme,stages,step,error_q,error_u,order_q,order_u ] || complain "the table's head is $(head -n 1 study.csv)"
[ "$(wc -l <study.csv)" -eq 7 ] || complain "two schemes and three steps give $(wc -l <study.csv) lines"
grep -q "^lobatto-3a3b,3,0.0064.*,[0-9.e-]*,4[.][0-9]*,4[.][0-9]*$" study.csv || complain "the table's last row is $(tail -n 1 study.csv)"
for words in '>lobatto-3a3b:3<' '>rattle<' '>2<' '>4<' 'error of positions' 'error of velocities' '>step<'; do
    grep -q -e "$words" study.svg || complain "the picture has no $words"
done
refuses 'ends with .csv' "$pendulum" $common --steps 1.28e-2 --out study.h5
refuses 'ends with .svg or .png' "$pendulum" $common --steps 1.28e-2 --plot study.pdf
"$zeno" converge "$pendulum" $common --steps 1.28e-2 --out nowhere/study.csv >out 2>err && complain "a table in no directory"
grep -q 'cannot be written' err || complain "no reason: $(cat err)"

refuses 'does not divide the interval' "$pendulum" $common --steps 3.2e-2
refuses 'not a multiple of the reference' "$pendulum" $common --steps 1e-3
refuses 'needs a number' "$pendulum" $common --steps 1e-2,fast
refuses 'must be positive' "$pendulum" $common --steps=-1e-2
refuses 'usage' "$pendulum" --steps 1e-2
refuses 'there is no scheme' "$pendulum" $common --steps 1.28e-2 --scheme ratle
refuses '2 to .* stages, not 1' "$pendulum" $common --steps 1.28e-2 --scheme lobatto-3a3b:1
refuses 'NAME:STAGES' "$pendulum" $common --steps 1.28e-2 --scheme lobatto-3a3b:x

# --exact: the truth at the end from a file. A ball that falls 1 m, bounces with 0.5 and is at 0.5 s: t1 = sqrt(2/g), v = 0.5 sqrt(2 g).
cat >ball.yaml <<'END'
coordinates: {x: 1, y: {start: 0, velocity: 2}}
energy: {kinetic: (x'^2 + y'^2)/2, potential: 9.81*x + y^4/4}
contacts: {floor: {gap: x, restitution: 0.5}}
simulation: {scheme: "radau-2a:3", step: 0.01, end: 0.5, contact_events: located}
END
"$zeno" run ball.yaml --step 1.25e-3 --tolerance 1e-14 --out truth.csv --quiet >out 2>err || complain "no truth: $(cat err)"
cp truth.csv truth-old.csv
"$zeno" run ball.yaml --step 1.25e-3 --tolerance 1e-14 --out truth.h5 --quiet >out 2>err || complain "no truth: $(cat err)"
exact="$zeno converge ball.yaml --steps 0.1,0.05,0.025 --summary"
awk 'BEGIN { g = 9.81; t = 0.5 - sqrt(2/g); v = 0.5*sqrt(2*g); printf "t,x\n0.5,%.17g\n", v*t - g*t*t/2 }' >x.csv
for scheme in radau-2a:3 rattle; do
    $exact --scheme $scheme --exact truth.csv >csv.out 2>err || complain "--exact truth.csv: $(cat err)"
    $exact --scheme $scheme --exact truth.h5 >out 2>err || complain "--exact truth.h5: $(cat err)"
    sed 's/truth[.]h5/truth.csv/' out | cmp -s - csv.out || complain "$scheme: the truths of a CSV and an HDF5 file differ"
done
cmp -s truth.csv truth-old.csv || complain "a study changes its truth"
# The parabola and its impact are exact for a scheme of third order: the smallest error is round-off, and of velocities nothing is known.
$exact --exact x.csv --scheme radau-2a:2 >out 2>err || complain "--exact x.csv: $(cat err)"
grep -q '"exact": "x.csv"' out || complain "the summary does not name its truth: $(cat out)"
grep -q '"reference"' out && complain "a study with a truth has a reference"
grep -q '"error_u": .null, null, null.' out || complain "errors of unknown velocities: $(cat out)"
grep -o '"error_q": [^]]*' out | tr -d '][,' | awk '{ for (i = 2; i <= 4; i++) if (!($i < 1e-9)) exit 1 }' || complain "the closed form is missed: $(cat out)"
"$zeno" converge ball.yaml --steps 0.1,0.05 --exact x.csv >out 2>err || complain "no table: $(cat err)"
grep -q 'largest error at the end against x.csv' out || complain "the table does not say what it shows: $(cat out)"
# A ball that falls through air and bounces twice, located; its truth is q(1.2) = 0.0945175857721.
cat >drag.yaml <<'END'
coordinates: {q: 1}
energy: {kinetic: q'^2/2, potential: 9.81*q}
forces: {q: -q'}
contacts: {floor: {gap: q, restitution: 0.7}}
simulation: {scheme: "radau-2a:3", step: 0.075, end: 1.2, contact_events: located}
END
printf 'q\n0.0945175857721\n' >drag.csv
for case in radau-2a:2,2.75,3.25 radau-2a:3,4.75,5.25 rattle,1.75,2.25; do
    "$zeno" converge drag.yaml --steps 0.0375,0.01875,0.009375 --exact drag.csv --scheme "${case%%,*}" --summary >out 2>err || complain "drag: $(cat err)"
    limits=${case#*,}
    between order_q "${limits%,*}" "${limits#*,}"
done
# A skate on inclined ice in closed form, with velocities: x = s/(2 w^2) sin(w t)^2, y = s/(2 w^2) (w t - sin(2 w t)/2), phi = w t.
skate=$2/skate.yaml
awk 'BEGIN { s = 5; w = 2; t = 0.8; c = s/(2*w*w); printf "phi\047,t,y,x,phi,x\047,y\047\n%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n",
    w, t, c*(w*t - sin(2*w*t)/2), c*sin(w*t)^2, w*t, c*w*sin(2*w*t), c*w*(1 - cos(2*w*t)) }' >skate.csv
"$zeno" converge "$skate" --scheme radau-2a:2 --end 0.8 --exact skate.csv --steps 4e-2,2e-2,1e-2 --summary >out 2>err || complain "skate: $(cat err)"
between order_q 2.6 3.4
between order_u 2.6 3.4
# Velocities that are no derivatives have their own names: a run is its own truth.
"$zeno" run "$2/tetrahedron.yaml" --step 1e-2 --end 0.1 --tolerance 1e-13 --out spatial.h5 --quiet >out 2>err || complain "spatial: $(cat err)"
"$zeno" converge "$2/tetrahedron.yaml" --end 0.1 --tolerance 1e-13 --exact spatial.h5 --steps 1e-2 --summary >out 2>err || complain "spatial: $(cat err)"
grep -q '"error_q": .0., "error_u": .0.,' out || complain "a run differs from itself: $(cat out)"
refuse_truth() { # TEXT of the sentence, content of the file
    printf "$2" >bad.csv
    refuses "$1" ball.yaml --steps 0.1 --exact bad.csv
}
refuse_truth "'z' is neither" 'x,z\n1,2\n'
refuse_truth "x is not a finite number" 'x\nnan\n'
refuse_truth "at t = 0.4, but the runs end at 0.5" 't,x\n0.4,1\n'
refuse_truth 'has no row' 'x\n'
refuse_truth 'ends with a newline' 'x\n1'
refuse_truth 'has no coordinate' "x'\\n1\\n"
refuse_truth 'two columns' 'x,x\n1,1\n'
refuse_truth 'is not a number' 'x\nfast\n'
refuse_truth 'names of the columns' '1,2\n3,4\n'
refuse_truth '' ''
head -c 3000 truth.h5 >cut.h5
"$zeno" converge ball.yaml --steps 0.1 --exact cut.h5 >out 2>err
[ $? -eq 2 ] && [ -s err ] || complain "a truth that is cut off"
# bytes that are wrong, at places that a seed gives: an answer or a sentence, never a crash
awk 'BEGIN { srand(7); for (i = 0; i < 60; i++) print int(rand()*6000), int(rand()*3) }' >places
while read -r place kind; do
    if [ "$kind" -eq 0 ]; then cp truth.csv wrong.file; else cp truth.h5 wrong.file; fi
    printf '\377\000,' | dd of=wrong.file bs=1 seek="$place" conv=notrunc 2>/dev/null
    "$zeno" converge ball.yaml --steps 0.1 --exact wrong.file >out 2>err
    status=$?
    [ "$status" -eq 0 ] || { [ "$status" -eq 2 ] && [ -s err ]; } || complain "wrong bytes at $place: exit status $status, $(cat err)"
done <places
refuses 'cannot be' ball.yaml --steps 0.1 --exact nowhere.csv
refuses 'usage' ball.yaml --steps 0.1 --exact x.csv --reference 0.01
refuses 'does not divide the interval' ball.yaml --steps 0.3 --exact x.csv
refuses 'truth.csv' ball.yaml --steps 0.1 --exact truth.csv --out truth.csv

[ "$failures" -eq 0 ] && echo "all good"
exit "$((failures > 0))"
