#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that the program writes: texts are never obeyed, two runs do not share a name, full and closed outputs are reported, inputs stay.
# Needs no privileges, and minds none: a limit of file sizes and /dev/full stand for full disks.
# usage: files.sh ZENO SCENES
. "${0%/*}/common.sh"
scenes=$2

absent() { [ ! -e "$1" ]; }
limited() { # limited BLOCKS COMMAND...: no file may become larger than so many times 512 bytes
    blocks=$1
    shift
    (ulimit -f "$blocks" && exec "$@")
}
printf 'var viewer = 1;\n' >viewer.js
ZENO_VIEWER=$work/viewer.js
export ZENO_VIEWER
ball=$scenes/rotating-ball.yaml

# ---- texts of a scene ----
cat >nasty.yaml <<'END'
title: "`touch obeyed` $(touch obeyed) '; system('touch obeyed') @m %s {/Bold x}^2 \\ \" \n!touch obeyed\n </script> \u2028 \e"
parameters: {m: 1}
coordinates: {x: 1}
energy: {kinetic: m/2*x'^2, potential: 10*x + x^4}
contacts: {floor: {gap: x, restitution: 0.5}}
simulation: {scheme: moreau-midpoint, step: 1e-2, end: 1}
END
expect 0 "$zeno" run nasty.yaml --summary --out nasty.h5
holds "the summary is one line of JSON" [ "$(wc -l <out)" -eq 1 ]
mv nasty.yaml '`touch obeyed`"\.yaml'
expect 0 "$zeno" run '`touch obeyed`"\.yaml' --summary
holds "the name of the scene is escaped" grep -qF '{"scene": "`touch obeyed`\"\\.yaml", ' out
mv '`touch obeyed`"\.yaml' nasty.yaml
expect 0 "$zeno" plot nasty.h5 --y x,gap.floor --out nasty.svg
holds "the picture shows the title" grep -qF "\`touch obeyed\` \$(touch obeyed) '; system('touch obeyed" nasty.svg
holds "to its end" grep -qF ') @m %s {/Bold x}^2 \ "  !touch obeyed  &lt;/script>' nasty.svg
printf 't,"`touch obeyed`\n""</script>"\n0,1\n1,2\n' >columns.csv
expect 0 "$zeno" plot columns.csv --y '"`touch obeyed`
""</script>"' --out columns.svg
holds "and a column" grep -qF '`touch obeyed` "&lt;/script>' columns.svg
for name in 'a"b' '"' '"a",b' "\"it's\"" 'a\,"' ' a"' '`touch obeyed`"' '$(touch obeyed)' 'ü""@m%s' '--y' '	\"'; do
    quoted=\"$(printf %s "$name" | sed 's/"/""/g')\"
    printf 't,%s,z\n0,1,0\n1,2,0\n' "$quoted" >names.csv
    expect 0 "$zeno" plot names.csv --y "$quoted,z" --out names.svg
    case $name in
    '"'* | *,*) ;;
    *) expect 0 "$zeno" plot names.csv --y "z,$name" --out names.svg ;;
    esac
done
expect 0 "$zeno" plot nasty.h5 --y x --out nasty.png
expect 0 "$zeno" run nasty.yaml --quiet --out nasty.csv
expect 0 "$zeno" plot nasty.csv --y x --title '`touch obeyed`' --x-label '$(touch obeyed)' --label '`touch obeyed`' --out csv.svg
expect 0 "$zeno" converge nasty.yaml --steps 1e-2,5e-3 --reference 1e-3 --end 0.1 --summary --plot study.svg --out study.csv
holds "the study shows the title" grep -qF "\`touch obeyed\` \$(touch obeyed)" study.svg
expect 0 "$zeno" page nasty.h5 --out nasty.html
holds "the page's scripts end three times" [ "$(grep -oi '</script' nasty.html | wc -l)" -eq 3 ]
cp nasty.h5 '`touch obeyed`.h5'
expect 0 "$zeno" plot '`touch obeyed`.h5' nasty.h5 --y x --out '`touch obeyed`.svg'
holds "the legend has the name of the file" grep -qF '`touch obeyed`.h5' '`touch obeyed`.svg'
newline='x
system("touch obeyed")
.svg'
expect 2 "$zeno" plot nasty.h5 --y x --out "$newline"
says "control characters"
expect 2 "$zeno" run nasty.yaml --quiet --out "$newline.h5"
says "control characters"
expect 2 "$zeno" page nasty.h5 --out "$newline.html"
says "control characters"
expect 2 "$zeno" converge nasty.yaml --steps 1e-2 --reference 1e-3 --end 0.1 --plot "$newline"
says "control characters"
holds "nothing was obeyed" absent obeyed

# ---- two at once ----
cat >long.yaml <<'END'
coordinates: {x: 1}
energy: {kinetic: x'^2/2, potential: 10*x}
contacts: {floor: {gap: x, restitution: 0.5}}
simulation: {scheme: moreau-midpoint, step: 1e-7, record_every: 100, end: 100}
END
for ending in h5 csv; do
    "$zeno" run long.yaml --quiet --out both.$ending 2>first </dev/null &
    pid=$!
    await [ -s both.$ending.partial ] && await listens $pid INT
    expect 2 "$zeno" run "$ball" --quiet --out both.$ending
    says "another process is writing it"
    kill -INT $pid
    wait $pid
    holds "the first goes on until it is told to stop" [ $? -eq 1 ]
    holds "it says where its rows are" grep -qF "what was computed is in both.$ending.partial" first
    expect 0 "$zeno" plot both.$ending.partial --y x --out both.svg
    expect 0 "$zeno" run "$ball" --quiet --out both.$ending
    expect 0 "$zeno" plot both.$ending --y phi --out both.svg
    holds "no partial file stays" absent both.$ending.partial
    # killed: the rows stay, and nobody is kept out
    "$zeno" run long.yaml --quiet --out both.$ending 2>/dev/null </dev/null &
    pid=$!
    await "$zeno" plot both.$ending.partial --y x --out both.svg
    kill -KILL $pid
    wait $pid 2>/dev/null
    expect 0 "$zeno" plot both.$ending.partial --y x --out both.svg
    expect 0 "$zeno" plot both.$ending --y phi --out both.svg
    expect 0 "$zeno" run "$ball" --quiet --out both.$ending
done
# pictures, pages and tables lock in the same way
"$zeno" run long.yaml --quiet --out other.csv </dev/null 2>/dev/null &
pid=$!
await [ -s other.csv.partial ]
expect 2 "$zeno" converge nasty.yaml --steps 1e-2 --reference 1e-3 --end 0.1 --out other.csv
says "another process is writing it"
kill -KILL $pid
wait $pid 2>/dev/null

# a run that fails at its start leaves an older result as it was
echo old >keep.h5
expect 2 "$zeno" run "$ball" --scheme nonsense --out keep.h5
expect 2 "$zeno" run nowhere.yaml --out keep.h5
expect 2 "$zeno" run "$ball" --step -1 --out keep.h5
holds "the old result is untouched" grep -q '^old$' keep.h5
holds "and nothing lies beside it" absent keep.h5.partial

# ---- inputs stay ----
cp nasty.yaml scene.csv
ln scene.csv hard.csv
ln -s scene.csv soft.csv
cp nasty.yaml beside.csv.partial
for out in scene.csv ./scene.csv "$work/scene.csv" hard.csv soft.csv; do
    expect 2 "$zeno" run scene.csv --quiet --out "$out"
    says "choose another name"
    expect 2 "$zeno" converge scene.csv --steps 1e-2 --reference 1e-3 --end 0.1 --out "$out"
    says "choose another name"
done
expect 2 "$zeno" run beside.csv.partial --quiet --out beside.csv
says "choose another name"
holds "the scene is as it was" cmp nasty.yaml scene.csv
holds "also the other" cmp nasty.yaml beside.csv.partial
cp nasty.h5 result.svg
cp nasty.h5 result.html
expect 2 "$zeno" plot nasty.h5 result.svg --y x --out ./result.svg
says "choose another name"
expect 2 "$zeno" page result.html --out result.html
says "choose another name"
holds "results are as they were" cmp nasty.h5 result.svg

# ---- full disks ----
for ending in h5 csv; do
    rm -f full.$ending*
    expect 1 limited 600 "$zeno" run "$ball" --scheme moreau-midpoint --step 1e-4 --quiet --out full.$ending
    says "full.$ending.partial: cannot be written"
    says "of "
    kept=$(sed -n 's/^the first \([0-9]*\) of [0-9]* rows are in .*$/\1/p' err)
    holds "rows survive ($kept)" [ "${kept:-0}" -ge 400 ]
    holds "no finished file" absent full.$ending
    expect 0 "$zeno" page full.$ending.partial --out full.json
    holds "as many as it says" grep -q "\"rows\": $kept," full.json
done
expect 2 limited 8 "$zeno" run "$ball" --quiet --out none.h5
says "cannot be written"
holds "nothing is left of a start that failed" absent none.h5.partial
echo old >old.svg
echo old >old.html
echo old >old.csv
expect 1 limited 8 "$zeno" plot nasty.h5 --y x --out old.svg
says "cannot be written"
expect 1 limited 8 "$zeno" plot nasty.h5 --y x --out old.png
expect 1 limited 8 "$zeno" page nasty.h5 --out old.html
says "cannot be written"
expect 1 limited 1 sh -c '"$0" converge "$1" --scheme moreau,moreau-midpoint,rattle --steps 1e-2,5e-3,2e-3 --reference 1e-3 --end 0.1 --out old.csv >/dev/null' \
    "$zeno" "$ball"
says "cannot be written"
for name in old.svg old.html old.csv; do
    holds "$name is the old one" grep -q '^old$' $name
    holds "nothing lies beside it" absent $name.partial
done
holds "no cut picture" absent old.png

# ---- standard output ----
for command in "run $ball --summary" "run $ball" "schemes" "--help" "--version" "check $ball" "run --help" "plot --help" \
    "converge $ball --scheme moreau-midpoint --steps 1e-2 --reference 1e-3 --end 0.1"; do
    checks=$((checks + 3))
    if [ -e /dev/full ]; then
        $zeno $command >/dev/full 2>err && complain "a full standard output goes unnoticed: $command"
        grep -q 'standard output cannot be written' err || complain "no sentence about it: $command"
    fi
    $zeno $command >&- 2>err && complain "a closed standard output goes unnoticed: $command"
    grep -q 'standard output cannot be written: it is closed' err || complain "no sentence about it: $command"
    limited 0 $zeno $command >short 2>err && complain "a full disk goes unnoticed: $command"
done
# what is printed must not end up in a file that took the number of the closed stream
"$zeno" run "$ball" --out closed.csv >&- 2>err
holds "the result is whole" [ "$(wc -l <closed.csv)" -eq 202 ]
holds "and has nothing else in it" sh -c '! grep -q coordinate closed.csv'
"$zeno" run "$ball" --quiet --out closed2.csv <&- >&- 2>&-
holds "quiet runs need no stream" [ $? -eq 0 ]
holds "they write the same" cmp closed.csv closed2.csv
"$zeno" plot nasty.h5 --y x --out closed.svg <&- >&- 2>&-
holds "nor do pictures" [ $? -eq 0 ]

# ---- names that are no files ----
mkdir folder.csv
mkfifo pipe.csv
ln -s /dev/null null.csv
ln -s gone.csv dangling.csv
expect 2 "$zeno" run "$ball" --quiet --out folder.csv
says "it is a directory"
expect 2 "$zeno" run "$ball" --quiet --out pipe.csv
says "a device or a pipe"
expect 2 "$zeno" run "$ball" --quiet --out null.csv
says "a device or a pipe"
expect 2 "$zeno" run "$ball" --quiet --out dangling.csv
says "a file that does not exist"
mkdir far
echo old >far/real.csv
ln -s far/real.csv link.csv
expect 0 "$zeno" run "$ball" --quiet --out link.csv
holds "a link stays a link" [ -L link.csv ]
holds "and its target is the result" cmp far/real.csv closed.csv

# ---- a run that ends because a value is not finite keeps the rows before it ----
cat >ends.yaml <<'END'
coordinates: {x: 0, y: 1}
energy: {kinetic: "(x'^2 + y'^2)/2", potential: y + x*log(1.5 - t)/1000}
simulation: {scheme: rattle, step: 1e-2, end: 2}
END
for ending in h5 csv; do
    expect 1 "$zeno" run ends.yaml --quiet --out "ends.$ending"
    says "the first 150 of 151 rows are in ends.$ending.partial"
done

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
