#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# zeno plot of studies: curves for each value of what else varies, maps with classes, histograms with quantiles, what is usual; no text of a file means anything.
# usage: plot_study.sh ZENO SCENES
. "${0%/*}/common.sh"
ball=$2/bouncing-ball.yaml

watch_gnuplot
# draws STUDY OPTIONS...: a picture, of which `script` is what gnuplot got and `texts` what one reads
draws() {
    rm -f script picture.svg
    PATH=$work/bin:$PATH "$zeno" plot "$@" --out picture.svg 2>err || complain "no picture of $*: $(cat err)"
    sed -n 's/.*<text>\(.*\)<\/text>.*/\1/p' picture.svg | sed 's/<[^>]*>//g' >texts
}
# refuses TEXT STUDY OPTIONS...: exit status 2 and a sentence
refuses() {
    text=$1
    shift
    rm -f picture.svg
    refused "$text" "$zeno" plot "$@" --out picture.svg
    [ ! -e picture.svg ] || complain "there is a picture all the same: $*"
}
reads() { grep -qF -e "$1" texts || complain "one does not read '$1' but: $(tr '\n' '|' <texts)"; }

# A stone thrown upwards from q with q' reaches 1.5 where q + q'^2/2g > 1.5 (g = 10; rows every 1e-3 may miss the top by 1e-5): the border of a map.
cat >stone.yaml <<'END'
coordinates: {q: {start: 1, velocity: 0}}
energy: {kinetic: "q'^2/2", potential: 10*q}
outputs: {high: "q"}
simulation: {scheme: radau-2a, step: 1e-3, end: 0.5}
study: {vary: {q: "1:2:21", "q'": "0:4:17"}, keep: "max:high"}
END
"$zeno" sweep stone.yaml --quiet --out stone.h5 || complain "the stone is not thrown"
draws stone.h5 --levels 1.5 --label 'does not reach 1.5' --label 'reaches 1.5'
reads 'does not reach 1.5'
reads 'reaches 1.5'
awk '/^\$map0/ { on = 1; next } /^EOD/ { on = 0 }
     on { for (x = 1.0; x <= 2.0001; x += 0.05) if (x > $3 && x < $4 && !(x in seen)) { n++; y = $2; h = x + y * y / 20; high = $7 == 15113984
              if (h > 1.5 + 1e-4 && !high) bad++; if (h < 1.5 - 1e-4 && high) bad++; if (high) above++ } }
     END { exit !(n >= 21 * 17 && n <= 23 * 17 && above > 100 && n - above > 90 && !bad) }' script || complain "the border of the map is not that of a throw"
draws stone.h5
grep -q 'set cbrange' script || complain "a map of numbers has no scale"
reads 'max:high'

# Whole values are classes by themselves; runs that fail have a class of their own.
"$zeno" sweep "$ball" --vary e_N=0.5:1.2:8 --vary q_0=1:2:4 --keep summary:steps --end 0.1 --step 1e-2 --quiet --out failing.h5
draws failing.h5
reads 'failed'
reads 'summary:steps = 10'
grep -q 'set cbrange' script && complain "classes have a scale"

# Curves: one for each value of what else varies, from left to right; points where these are many.
"$zeno" sweep "$ball" --vary e_N=0.9,0.5,0.7 --vary q_0=1,2 --vary scheme=moreau,radau-2a --keep last:q --end 1 --step 1e-2 --quiet --out many.h5
draws many.h5 --y last:q
reads 'q_0 = 2, scheme = radau-2a'
[ "$(grep -c '^\$curve' script)" -eq 4 ] || complain "not one curve for each"
awk '/^\$curve/ { x = -1; on = 1; next } /^EOD/ { exit } on && NF == 2 { if ($1 <= x) exit 1; x = $1; n++ } END { if (n != 3) exit 1 }' script || complain "a curve goes to and fro"
draws many.h5 --x scheme --y last:q --where q_0=1.9
reads 'moreau'
[ "$(grep -c '^\$curve' script)" -eq 3 ] || complain "--where does not choose"
"$zeno" sweep "$ball" --vary e_N=0.5:0.9:5 --vary q_0=1:2:20 --keep last:q --end 1 --step 1e-2 --quiet --out cloud.h5
draws cloud.h5 --y last:q
grep -q '\$curve0 using 1:2 with points' script || complain "a hundred runs over two are not points"
draws many.h5 cloud.h5 --x q_0 --y last:q
reads 'e_N = 0.9, scheme = moreau, many.h5'
"$zeno" sweep "$ball" --vary q_0=1,2 --keep "impact:ground:q'" --end 2 --step 1e-2 --quiet --out events.h5
draws events.h5
grep -q 'with points' script && reads 'impact:ground.q′' || complain "events are not what is usual"

"$zeno" sweep "$ball" --vary q_0=1,2 --vary e_N=0.1,0.2 --keep "impact:ground:q'" --end 2 --step 1e-2 --quiet --out eventful.h5

# Quantiles: of a fall of 0.1 s from heights that are uniform in 1 to 2 (latin, 1000 of them: each quantile within 1e-3), mean and deviation 1/sqrt(12).
"$zeno" sweep "$ball" --vary q_0=uniform:1:2 --samples 1000 --sampling latin --keep last:q --end 0.1 --step 1e-3 --quiet --out latin.h5
draws latin.h5
fall=$("$zeno" run "$ball" --set q_0=1 --end 0.1 --step 1e-3 --quiet --out fall.csv && tail -n 1 fall.csv | cut -d, -f2)
awk -v fall="$fall" '/^[0-9.]+ %: / { sub(/ %:/, ""); d = $2 - fall - $1 / 100; if (d * d > 1e-6 + 1e-9) bad = 1; n++ }
     /^mean/ { d = $2 - fall - 0.5; if (d * d > 1e-8) bad = 1; n++ } /^deviation/ { d = $2 - 0.288675; if (d * d > 1e-6) bad = 1; n++ } /^1000 runs/ { n++ }
     END { exit !(n == 6 && !bad) }' texts || complain "quantiles of a uniform distribution: $(cat texts)"
draws latin.h5 --histogram last:q --bins 10 --quantiles 0.1
awk '/^\$bins/ { on = 1; next } /^EOD/ { on = 0 } on { n++; sum += $2; if ($2 < 97 || $2 > 103) bad = 1 } END { exit !(n == 10 && sum == 1000 && !bad) }' script || complain "ten bins of a uniform distribution"
draws latin.h5 --histogram q_0
"$zeno" sweep "$ball" --vary q_0=uniform:1:2 --vary e_N=uniform:0:1 --samples 40 --keep last:q --end 0.1 --step 1e-2 --quiet --out two.h5
draws two.h5 --map last:q
grep -q '\$map1 using 1:2:3 with points' script || complain "samples are not points of a map"

# Texts of files and arguments are shown and do nothing: title, output, words of options.
cat >evil.yaml <<'END'
title: "`touch pwned` $(touch pwned) \"'; system('touch pwned') <script>alert(1)</script> @macro é\u202e\nset output 'pwned'"
coordinates: {q: {start: 1, velocity: 0}}
energy: {kinetic: "q'^2/2", potential: 10*q}
simulation: {scheme: moreau, step: 1e-2, end: 0.1}
END
"$zeno" sweep evil.yaml --vary q=1,2 --vary "q'=0,1" --keep last:q --quiet --out evil.h5 || complain "the evil scene fails"
nasty='`touch pwned` "; system("touch pwned") </text><script>alert(1)</script> $(touch pwned)'
for options in "--map last:q" "--y last:q" "--histogram last:q" "--map last:q --levels 1.2"; do
    # shellcheck disable=SC2086
    draws evil.h5 $options --label "$nasty" --x-label "$nasty" --y-label "$nasty"
    reads 'touch pwned'
    grep -q '<script' picture.svg && complain "a script in the picture ($options)"
    if command -v python3 >/dev/null; then python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' picture.svg || complain "no whole picture ($options)"; fi
done
[ ! -e pwned ] || complain "a text was executed"

# Mistakes
refuses 'is not a study' fall.csv
refuses 'two different things' latin.h5 --map last:q
refuses 'two different things' stone.h5 --map max:high --x q --y q
refuses 'nothing of this name' stone.h5 --map max:high --x z
refuses 'as q_0 varies too' many.h5 --map last:q --x scheme --y e_N
refuses 'nothing of this name' many.h5 --y last:q --where z=1
refuses 'takes NAME=VALUE' many.h5 --y last:q --where z
refuses 'not a number' many.h5 --y last:q --where q_0=x
refuses 'rising numbers' stone.h5 --map max:high --levels 2,1
refuses 'rising numbers' stone.h5 --map max:high --levels 1,,2
refuses 'at most 8 classes' stone.h5 --map max:high --levels 1,2,3,4,5,6,7,8
refuses 'from 0 to 1' stone.h5 --histogram max:high --quantiles 2
refuses 'whole number from 1' stone.h5 --histogram max:high --bins 0
refuses 'two pictures' stone.h5 --histogram max:high --map max:high
refuses 'draw one study' stone.h5 many.h5 --map max:high
refuses 'positive values' stone.h5 --map max:high --log y
refuses 'one for each event' eventful.h5 --map "impact:ground.q'"
"$zeno" plot stone.h5 --map nothing --out x.svg 2>err && complain "an unknown column is drawn"

[ $failures -eq 0 ] || exit 1
echo "pictures of studies: in order"
