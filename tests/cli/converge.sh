#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# zeno converge: what it prints, what it refuses, that threads do not change a digit.
# usage: converge.sh ZENO SCENES
set -u
zeno=$1
pendulum=$2/cartesian-pendulum.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

complain() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}
# refuses TEXT ARGUMENTS...: exit status 2, nothing on standard output, TEXT on standard error
refuses() {
    text=$1
    shift
    "$zeno" converge "$@" >out 2>err
    [ $? -eq 2 ] || complain "exit status is not 2: $*"
    [ ! -s out ] || complain "standard output is not empty: $*"
    grep -q -e "$text" err || complain "no '$text' in: $(cat err)"
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

[ "$failures" -eq 0 ] && echo "all good"
exit "$((failures > 0))"
