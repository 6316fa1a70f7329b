#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The studies of studies/ with few runs, and what they must show.
# usage: studies.sh ZENO STUDIES
. "${0%/*}/common.sh"
studies=$2
ZENO_PROGRAM=$zeno
export ZENO_PROGRAM

# table STUDY DATASET...: a line for each run
table() {
    file=$1
    shift
    for name in "$@"; do h5dump -y -m "%.9g" -d "$name" "$file" | sed -n '/DATA {/,/}/p' | tr -d ' ,' | grep -E '^(-?nan|-?[0-9.e+-]+)$' >"column.$(printf '%s' "$name" | tr -c 'a-z0-9' _)"; done
    # shellcheck disable=SC2046
    paste $(for name in "$@"; do printf 'column.%s ' "$(printf '%s' "$name" | tr -c 'a-z0-9' _)"; done)
}
command -v h5dump >/dev/null || {
    echo "without h5dump (hdf5-tools) studies cannot be read here"
    exit 1
}

# The woodpecker: 0.1459 s at mu = 0.3 (the paper's), shorter with more friction; with mu = 0.2 it falls freely.
"$studies/woodpecker-friction.sh" . 0.2,0.3,0.4 >out 2>&1 || complain "the woodpecker: $(cat out)"
table woodpecker-friction.h5 /values/mu "/kept/period:phi_M" "/kept/mean:y'" >bird
awk '$1 == 0.2 { d = $3 + 9.81 * 2.25; if (!(d * d < 1)) bad = 1; n++ } # the mean from 1.5 s to 3 s
     $1 == 0.3 { d = $2 - 0.1459; if (!(d * d < 0.0015 ^ 2) || !($3 < 0 && $3 > -1)) bad = 1; p = $2; n++ }
     $1 == 0.4 { if (!($2 < p && $2 > 0.1)) bad = 1; n++ }
     END { exit !(n == 3 && !bad) }' bird || complain "the woodpecker's periods: $(cat bird)"
[ -s woodpecker-friction.svg ] || complain "no picture of the woodpecker"

# The tippedisk: 60 rad/s invert it, 10 have not the energy; mirror images do the same. (wx, wz) -> (-wx, wz) is the image in the plane of the
# disk, (wx, wz) -> (-wx, -wz) that in the upright plane across it.
"$studies/tippedisk-inversion.sh" . -60,-10,10,60 -1,1 >out 2>&1 || complain "the tippedisk: $(cat out)"
table tippedisk-inversion.h5 /values/wx /values/wz /kept/min:up /kept/min:disk.z >disk
awk '{ spin = $1 < 0 ? -$1 : $1; roll = $2 < 0 ? -$2 : $2; inverted = $4 > 0.045; key = spin " " roll; n++
       if (inverted != (spin == 60)) bad = 1
       if (inverted && !($3 > 0)) bad = 1
       if (key in seen && seen[key] != inverted) bad = 1; seen[key] = inverted }
     END { exit !(n == 8 && !bad) }' disk || complain "the basin of the tippedisk: $(cat disk)"
for text in inverted 'not inverted' 'spin wx in rad/s'; do grep -q ">$text<\|$text" tippedisk-inversion.svg || complain "the basin has no '$text'"; done

# Gears: the loose one starts 0.1 off the middle and is never touched while the amplitude is below 0.4, backlash less that. With 0.49 it rattles with the
# period of the drive, one impact on the flank below in 2 pi, always with the velocity of the exact map: flights phi + v (1 - exp(-d t))/d with d = 0.1, impacts with
# e = 0.7, iterated here to its fixed point. With 1.1 it is chaotic.
"$zeno" sweep "$studies/gear-rattle.yaml" --vary a=0.39,0.49,1.1 --quiet --out rattle.h5 || complain "the gears"
"$zeno" plot rattle.h5 --out rattle.svg || complain "no picture of the gears"
h5dump -y -m "%.9g" -d /events rattle.h5 | sed -n '/DATA {/,/}/p' | tr -d ' ' | tr ',' '\n' | grep -E '^-?[0-9]' | paste - - - - >impacts
awk 'function flight(s) { return x + v * (1 - exp(-0.1 * s)) / 0.1 }
     function gap(s) { m = 0.49 * sin(t + s); return flight(s) - m + 0.5 < m + 0.5 - flight(s) ? flight(s) - m + 0.5 : m + 0.5 - flight(s) }
     BEGIN { t = 0; x = 0.1; v = 0
         for (k = 0; k < 400; k++) {
             for (s = 1e-9; gap(s + 2e-3) > 0 && s < 50; s += 2e-3);
             for (high = s + 2e-3; high - s > 1e-12;) { middle = (s + high) / 2; if (gap(middle) > 0) s = middle; else high = middle }
             x = flight(s); v *= exp(-0.1 * s); t += s; w = 0.49 * cos(t); v = w - 0.7 * (v - w)
             if (x < 0.49 * sin(t)) after = v } }
     { n[$1]++; if (!($1 in low) || $4 < low[$1]) low[$1] = $4; if (!($1 in high_) || $4 > high_[$1]) high_[$1] = $4; if (!($1 in first)) first[$1] = $3; last[$1] = $3 }
     END { period = n[1] > 1 ? (last[1] - first[1]) / (n[1] - 1) : 0
           print "exact", after, "period", period; for (i in n) print "a number", i, n[i], low[i], high_[i]
           exit !(!(0 in n) && n[1] >= 15 && period > 6.27 && period < 6.30 && low[1] > 0.99 * after && high_[1] < 1.01 * after && n[2] > 10 && high_[2] - low[2] > 0.2) }' \
    impacts >gears || complain "the gears: $(cat gears)"
table rattle.h5 /kept/last:phi >last
[ "$(head -n 1 last)" = 0.1 ] || complain "a gear that is never touched moves to $(head -n 1 last)"

[ $failures -eq 0 ] || exit 1
echo "studies: in order"
