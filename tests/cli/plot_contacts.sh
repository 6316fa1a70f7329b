#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# zeno plot --contacts: number, force and network of contacts that came by themselves, against statics.
# usage: plot_contacts.sh ZENO SCENES
. "${0%/*}/common.sh"
watch_gnuplot
draws() { PATH=$work/bin:$PATH "$zeno" plot "$@" --out picture.svg 2>err || complain "no picture of $*: $(cat err)"; }

# A ball of 1 kg lies on a box of 2 kg, 0.05 right of its middle, the box on the floor; g = 10. The ball presses with 10 N, the corners of the box, at -0.3 and 0.3, with
# 14.1667 N and 15.8333 N (moments), together 30 N: 40 N in three contacts.
{
    printf '%s\n' 'title: "`touch pwned` \" <b>"'
    ball_on_box 'step: 1e-3, end: 0.5'
} >pile.yaml
"$zeno" run pile.yaml --quiet --out pile.h5 || complain "the pile"
draws pile.h5 --contacts number
awk '/^\$curve/ { on++; next } /^EOD/ { next } on && NF == 2 { last[on] = $2 } END { exit !(last[1] == 3 && last[2] == 3) }' script || complain "not three contacts push"
grep -q 'pushing' script || complain "no name"
draws pile.h5 --contacts force
awk '/^\$curve/ { on++; next } on && NF == 2 && $1 > 0.4 { n++; d = $2 - 40; if (d * d > 1e-6) bad = 1 } END { exit !(n > 50 && !bad) }' script || complain "the sum of forces is not 40"
draws pile.h5 --contacts network
awk '/^\$net/ { on = 1; next } /^EOD/ { on = 0 } on && NF == 3 && $1 != "NaN" { f[$3] = 1; p[$1 " " $2] = 1; n++ }
     function near(x) { for (k in f) { d = k - x; if (d * d < 1e-6) return 1 } return 0 }
     END { exit !(n == 9 && near(10) && near(14.16667) && near(15.83333)) }' script || complain "the network: $(grep -A9 '^\$net' script | head -40)"
grep -q 'set cbrange \[0:15.8333' script || complain "no scale of forces"
[ ! -e pwned ] || complain "a title was executed"
# Lines of a large pile stay apart: the widest line gets thinner with shorter lines.
widest() { sed -n 's/.*linewidth \([0-9.]*\)$/\1/p' script | tail -n 1; }
few=$(widest)
{
    printf 'gravity: [0, -10]\nbodies:\n'
    awk 'BEGIN { for (i = 1; i <= 60; i++) printf "  b%d: {type: planar, shape: {type: box, size: [0.2, 0.1]}, mass: 1, position: [%g, 0.05]}\n", i, 0.25 * i }'
    printf 'geometry: {floor: {type: line}}\ncontacts: {all: {between: all, friction: 0.3}}\nsimulation: {scheme: rattle, step: 1e-3, end: 0.05}\n'
} >grid.yaml
if "$zeno" run grid.yaml --quiet --out grid.h5 2>err; then
    draws grid.h5 --contacts network
    awk -v few="$few" -v many="$(widest)" 'BEGIN { exit !(few > 5 && many < few / 2 && many > 0.5) }' || complain "lines of $(widest) for many and $few for few"
    # A row of boxes, 15 long and a tenth high, has room for numbers at its side: a quarter of its length.
    sed -n 's/^set yrange \[\(.*\):\(.*\)\]$/\1 \2/p' script | awk '{ n++; high = $2 - $1 } END { exit !(n == 1 && high > 3.6 && high < 3.9) }' || complain "a flat picture: $(grep range script)"
else complain "sixty boxes: $(cat err)"; fi

[ $failures -eq 0 ] || exit 1
echo "pictures of contacts: in order"
