#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# zeno sweep: one file whose bytes depend on the study only, not on threads, kills or parts; failures as rows; what it refuses.
# usage: sweep.sh ZENO SCENES
. "${0%/*}/common.sh"
ball=$2/bouncing-ball.yaml

refuses() { # TEXT ARGUMENTS...
    text=$1
    shift
    refused "$text" "$zeno" sweep "$@"
}
# study OUT ARGUMENTS...: 31 restitutions, of which those above 1 are refused, and 40 heights
run=
study() {
    out=$1
    shift
    $run "$zeno" sweep "$ball" --vary e_N=0:1.2:31 --vary q_0=0.5:2:40 --keep "last:q,u,max:energy.total,summary:steps" --keep "impact:ground:q,q'" \
        --end 1 --step 1e-2 --quiet --out "$out" "$@"
}

study one.h5 --threads 1 --summary >out || complain "a study fails"
grep -q '"runs": 1240, "failed": 200, ' out || complain "the summary is $(cat out)"
# Time goes by: 124000 steps take more than a millisecond on any machine.
awk '{ sub(/.*"seconds": /, ""); exit !($0 + 0 > 1e-3) }' out || complain "the seconds are not those of the runs: $(cat out)"
study two.h5 --threads 2 || complain "two threads fail"
cmp one.h5 two.h5 || complain "two threads give other bytes"

for part in 3 1 2; do study "part$part.h5" --shard $part/3 || complain "part $part fails"; done
"$zeno" sweep --merge part2.h5 part1.h5 part3.h5 --out merged.h5 --summary >out || complain "merging fails"
grep -q '"runs": 1240, "failed": 200, ' out || complain "the summary of merging is $(cat out)"
cmp one.h5 merged.h5 || complain "merged parts give other bytes"
"$zeno" sweep --merge part1.h5 part3.h5 --out gap.h5 2>err && complain "a gap is merged"
grep -q 'runs 414 to 826 are missing' err || complain "no sentence about the gap: $(cat err)"
"$zeno" sweep --merge part1.h5 part2.h5 --out gap.h5 2>err && complain "a missing end is merged"
"$zeno" sweep --merge part1.h5 part1.h5 part2.h5 part3.h5 --out gap.h5 2>err && complain "a part is merged twice"
grep -q 'occurs twice' err || complain "no sentence about the repetition: $(cat err)"
"$zeno" sweep --merge part1.h5 --out part1.h5 2>err && complain "a part is overwritten"

# Killed again and again; what is there is not done again.
for pause in 0.02 0.04 0.08 0.15; do
    run=exec # else the shell between would be killed
    study killed.h5 --threads 2 &
    pid=$!
    run=
    sleep $pause
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
done
study killed.h5 --threads 2 || complain "a killed study cannot be continued"
cmp one.h5 killed.h5 || complain "a killed and continued study has other bytes"
[ ! -e killed.h5.partial ] && [ ! -e killed.h5.partial.old ] || complain "something is left behind"
study killed.h5 --summary >out && grep -q '"seconds": 0,' out || complain "a complete study is done again: $(cat out)"

# Stopped by a signal: exit status 1, and the same command goes on.
"$zeno" sweep "$ball" --vary q_0=0.5:2:100000 --keep last:q --end 10 --step 1e-3 --quiet --out stopped.h5 2>err &
pid=$!
await [ -s stopped.h5.partial ] && await listens $pid TERM
kill -TERM $pid
wait $pid
[ $? -eq 1 ] || complain "a stopped study does not exit with 1"
grep -q 'to resume, repeat the same command' err || complain "a stopped study says nothing: $(cat err)"
"$zeno" sweep "$ball" --vary q_0=0.5:2:99999 --keep last:q --end 10 --step 1e-3 --quiet --out stopped.h5 2>err && complain "another study goes on with it"
grep -q 'another study' err || complain "no sentence about another study: $(cat err)"

# A file that cannot grow (as on a full disk): a sentence, a readable file, and the same command goes on.
many() { "$zeno" sweep "$ball" --vary q=0.5:2:12000 --keep last:q,max:q --end 0.01 --step 1e-2 --quiet --out "$1"; }
many plenty.h5 || complain "many runs fail"
(
    ulimit -f 400
    many full.h5
) 2>err && complain "a file that cannot grow is complete"
grep -q 'larger than this system allows' err || complain "no sentence about the size: $(cat err)"
"$zeno" plot full.h5.partial --y last:q --out full.svg || complain "what was written cannot be read"
many full.h5 || complain "it does not go on"
cmp plenty.h5 full.h5 || complain "after a full disk the bytes are others"

# Random values are those of the run, whichever process computes them; another seed gives others.
for sampling in random latin sobol; do
    for threads in 1 2; do
        "$zeno" sweep "$ball" --vary q_0=normal:1:0.1 --vary e_N=uniform:0.2:0.8 --samples 60 --sampling $sampling --seed 3 --keep last:q --end 0.1 --step 1e-2 \
            --threads $threads --out $sampling$threads.h5 --quiet || complain "$sampling fails"
    done
    cmp ${sampling}1.h5 ${sampling}2.h5 || complain "$sampling depends on threads"
done
"$zeno" sweep "$ball" --vary q_0=normal:1:0.1 --vary e_N=uniform:0.2:0.8 --samples 60 --seed 4 --keep last:q --end 0.1 --step 1e-2 --out seed.h5 --quiet
cmp -s random1.h5 seed.h5 && complain "the seed does not matter"

# A free fall of 0.1 s from rest and from a start that varies, by parameter and by coordinate: the same.
"$zeno" sweep "$ball" --vary q_0=1,2 --keep last:q --end 0.1 --step 1e-2 --out parameter.h5 --quiet
"$zeno" sweep "$ball" --vary q=1,2 --keep last:q --end 0.1 --step 1e-2 --out coordinate.h5 --quiet
"$zeno" plot parameter.h5 --x q_0 --y last:q --out p.svg && "$zeno" plot coordinate.h5 --x q --y last:q --out c.svg || complain "a study cannot be drawn"
if command -v h5dump >/dev/null; then
    for name in parameter coordinate; do h5dump -d /kept/last:q $name.h5 | grep '(0): 0.9' >$name.txt || complain "the fall from $name is wrong"; done
    cmp parameter.txt coordinate.txt || complain "a start by its coordinate differs"
fi

# Inputs and live parameters: x'' = f - k x from rest, at t = 1.
cat >input.yaml <<'END'
inputs: {f: 1}
parameters: {k: {value: 0, live: true}}
coordinates: {x: {start: 0, velocity: 0}}
energy: {kinetic: "x'^2/2", potential: k*x^2/2}
forces: {x: f}
simulation: {scheme: radau-2a, step: 1e-2, end: 1}
END
"$zeno" sweep input.yaml --vary f=-1,2 --vary k=0,1 --keep last:x --out input.h5 --quiet || complain "inputs cannot vary"
if command -v h5dump >/dev/null; then
    h5dump -d /kept/last:x input.h5 | grep -q '(0): -0.5, -0.459698, 1, 0.919395' || complain "inputs do not act: $(h5dump -d /kept/last:x input.h5)"
fi
"$zeno" run input.yaml --start f=2 --start k=1 --quiet --out input.csv && tail -1 input.csv | grep -q '^1,0.91939540' || complain "a start of an input does not act"

# A restitution by itself, the same in a formula (which is read again for each run), and read again by turns with another parameter: the same rows.
"$zeno" sweep "$ball" --vary e_N=0:1.2:7 --keep last:q,u --end 1 --step 1e-2 --threads 1 --out alone.h5 --quiet
sed 's/restitution: e_N/restitution: e_N + 0/' "$ball" >formula.yaml
"$zeno" sweep formula.yaml --vary e_N=0:1.2:7 --keep last:q,u --end 1 --step 1e-2 --threads 1 --out formula.h5 --quiet
"$zeno" sweep "$ball" --vary m=0.1 --vary e_N=0:1.2:7 --vary g=9.81 --keep last:q,u --end 1 --step 1e-2 --threads 1 --out turns.h5 --quiet
if command -v h5dump >/dev/null; then
    for name in alone formula turns; do
        for part in kept/last:q kept/last:u status reached; do h5dump -d /$part $name.h5 | grep '^ *([0-9]'; done >$name.txt
    done
    cmp alone.txt formula.txt && cmp alone.txt turns.txt || complain "numbers put into a model differ from those that are read"
fi

# Whole results: those of zeno run, and the rows are the same with them.
"$zeno" sweep "$ball" --vary e_N=0.5,0.7,1.1 --vary q_0=1,2 --keep last:q --end 0.5 --step 1e-2 --threads 2 --results whole --out with.h5 --quiet || complain "whole results fail"
"$zeno" sweep "$ball" --vary e_N=0.5,0.7,1.1 --vary q_0=1,2 --keep last:q --end 0.5 --step 1e-2 --out without.h5 --quiet
cmp with.h5 without.h5 || complain "whole results change the rows"
"$zeno" run "$ball" --set e_N=0.7 --set q_0=2 --end 0.5 --step 1e-2 --out own.h5 --quiet
if command -v h5dump >/dev/null; then
    for name in q u energy; do
        h5dump -d /$name own.h5 | grep '([0-9]*' >own.txt && h5dump -d /$name whole/run-3.h5 | grep '([0-9]*' >run3.txt
        cmp own.txt run3.txt || complain "the whole result of run 3 has another $name"
    done
fi
"$zeno" run whole/run-3.h5 --out again.h5 --quiet || complain "a whole result cannot be repeated"
[ "$(ls whole)" = "$(printf 'run-0.h5\nrun-1.h5\nrun-2.h5\nrun-3.h5')" ] || complain "the folder has $(ls whole)"
"$zeno" sweep "$ball" --vary q_0=1,2 --keep last:q --end 0.5 --results "$ball/no" --out folder.h5 2>err && complain "a folder in a file is made"
grep -q 'cannot be created' err || complain "no sentence about the folder: $(cat err)"

# Some schemes read restitution at each step, others keep it: no difference.
for scheme in moreau moreau-midpoint moreau-shifted moreau-theta moreau-symmetric moreau-variational rattle radau-2a generalized-alpha lobatto-3a3b; do
    for law in newton poisson; do
        for name in alone formula; do
            scene=$ball
            [ $name = alone ] || scene=formula.yaml
            "$zeno" sweep "$scene" --vary e_N=0.8,0.3,0,0.5,1,0.6 --keep last:q,u,summary:max_penetration,energy_end --end 1.2 --step 1e-2 --scheme $scheme --restitution-law $law \
                --threads 1 --out $name-$scheme-$law.h5 --quiet || complain "$scheme fails"
            if command -v h5dump >/dev/null; then
                for part in kept/last:q kept/last:u kept/summary:max_penetration kept/summary:energy_end status; do h5dump -d /$part $name-$scheme-$law.h5 | grep '^ *([0-9]'; done >$name.txt
            fi
        done
        cmp alone.txt formula.txt || complain "another restitution of $scheme with $law differs from one that is read"
    done
done

# Schemes have different columns: what is kept is found by its name in each.
"$zeno" sweep "$ball" --vary scheme=generalized-alpha,moreau,radau-2a --keep last:iterations.newton,q,summary:steps --end 0.1 --step 1e-2 --out schemes.h5 --summary >out ||
    complain "schemes cannot vary"
grep -q '"runs": 3, "failed": 0, ' out || complain "a scheme fails: $(cat out)"

# A section of the scene means the same as the options.
sed '$d' "$ball" >own.yaml
cat >>own.yaml <<'END'
simulation: {scheme: moreau, step: 1e-2, end: 0.1}
study: {vary: {q_0: 1:2:5, e_N: [0.1, 0.2]}, keep: ["last:q,u", "max:q"]}
END
"$zeno" check own.yaml >out || complain "a scene with a study is refused"
grep -q 'the study has 10 runs' out || complain "zeno check does not count runs: $(cat out)"
"$zeno" sweep own.yaml --out section.h5 --quiet || complain "a section fails"
"$zeno" sweep own.yaml --vary q_0=1:2:5 --vary e_N=0.1,0.2 --keep last:q,u --keep max:q --out options.h5 --quiet
cmp section.h5 options.h5 || complain "a section gives other bytes"
sed 's/max:q/max:nothing/' own.yaml >bad.yaml
"$zeno" check bad.yaml >out 2>err && complain "zeno check takes a wrong study"
grep -q 'no column "nothing"' err || complain "no sentence about the column: $(cat err)"
sed 's/vary:/vari:/' own.yaml >bad.yaml
"$zeno" check bad.yaml >out 2>err && complain "zeno check takes a misspelt key"
grep -q "did you mean 'vary'" err || complain "no hint: $(cat err)"

# The woodpecker comes down in a limit cycle of 0.1459 s, one impact of the beak for each, and events are drawn over what varies.
"$zeno" sweep "$2/woodpecker.yaml" --vary mu=0.3 --keep period:phi_M --keep "impact:beak:phi_S'" --from 0.5 --end 1.5 --out bird.h5 --quiet || complain "the woodpecker fails"
if command -v h5dump >/dev/null; then
    period=$(h5dump -d /kept/period:phi_M bird.h5 | sed -n 's/^ *(0): \([0-9.]*\)$/\1/p')
    awk -v p="$period" 'BEGIN { exit !(p > 0.1444 && p < 0.1474) }' || complain "the period of the woodpecker is '$period', not 0.1459 within 1 %"
    h5dump -H -d /events bird.h5 | grep -qE '\( [67], 4 \)' || complain "the woodpecker does not hack 6 or 7 times in a second"
fi
"$zeno" plot bird.h5 --y "impact:beak.phi_S'" --style points --out bird.svg || complain "events cannot be drawn"
"$zeno" plot bird.h5 --y "impact:tail.phi_S'" --out bird.svg 2>err && complain "an unknown event is drawn"
"$zeno" plot bird.h5 --y period:phi_M --out bird.svg || complain "there is no usual axis"
for study in "$2"/../studies/*.yaml; do "$zeno" check "$study" | grep -q 'the study has' || complain "$study is no study"; done

# What a scene includes is part of it: another content is another study.
cat >whole.yaml <<'END'
include: half.yaml
coordinates: {x: {start: 1, velocity: 0}}
simulation: {scheme: moreau, step: 1e-2, end: 0.1}
END
echo 'energy: {kinetic: "x'"'"'^2/2", potential: x}' >half.yaml
"$zeno" sweep whole.yaml --vary x=1,2 --keep last:x --out include.h5 --summary >out || complain "a scene with include cannot be studied"
"$zeno" sweep whole.yaml --vary x=1,2 --keep last:x --out include.h5 --quiet --summary >out
grep -q '"seconds": 0,' out || complain "the same include is another study: $(cat out)"
cp include.h5 first.h5
echo 'energy: {kinetic: "x'"'"'^2/2", potential: 2*x}' >half.yaml
"$zeno" sweep whole.yaml --vary x=1,2 --keep last:x --out include.h5 --quiet || complain "another include fails"
cmp -s include.h5 first.h5 && complain "another include is taken for the same study"

refuses 'which scene'
refuses 'out FILE.h5 is missing' "$ball" --vary q_0=1 --keep last:q
refuses 'ends with .h5' "$ball" --vary q_0=1 --keep last:q --out x.csv
refuses 'choose what varies' "$ball" --keep last:q --out x.h5
refuses 'choose what to keep' "$ball" --vary q_0=1 --out x.h5
refuses "did you mean 'e_N'" "$ball" --vary e_n=1 --keep last:q --out x.h5
refuses 'not a number' "$ball" --vary q_0=one --keep last:q --out x.h5
refuses 'no column' "$ball" --vary q_0=1 --keep last:z --out x.h5
refuses 'shard is I/N' "$ball" --vary q_0=1 --keep last:q --out x.h5 --shard 3/2
refuses 'shard is I/N' "$ball" --vary q_0=1 --keep last:q --out x.h5 --shard 1
refuses 'whole number' "$ball" --vary q_0=1 --keep last:q --out x.h5 --threads 0
refuses 'random, latin or sobol' "$ball" --vary q_0=uniform:0:1 --samples 3 --sampling halton --keep last:q --out x.h5
refuses 'from must be a time' "$ball" --vary q_0=1 --keep last:q --from soon --out x.h5
refuses 'one scene' "$ball" "$ball" --vary q_0=1 --keep last:q --out x.h5
"$zeno" sweep --merge "$ball" --out x.h5 2>err && complain "a scene is merged"
"$zeno" sweep --help >out || complain "no help"

[ $failures -eq 0 ] || exit 1
echo "zeno sweep: in order"
