#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# zeno run --checkpoint, --continue: runs that are stopped and killed again and again end with the bytes of runs that were not; what is refused.
# usage: checkpoint.sh ZENO SCENES
. "${0%/*}/common.sh"
scenes=$2
RANDOM=1
refuses() { # TEXT ARGUMENTS...
    text=$1
    shift
    refused "$text" "$zeno" run "$@"
}
without_times() { grep -v seconds "$1"; }

# interrupt SCENE ENDING ARGUMENTS...: the same rows and summary after ten stops by SIGTERM, SIGUSR1 and SIGKILL
interrupt() {
    scene=$scenes/$1.yaml
    ending=$2
    shift 2
    rm -f full.* part.* point
    "$zeno" run "$scene" --out "full.$ending" --summary "$@" >full.json 2>err || complain "$scene fails: $(cat err)"
    on=""
    for signal in TERM USR1 KILL TERM KILL USR1 TERM KILL USR1 TERM; do
        # shellcheck disable=SC2086
        "$zeno" run "$scene" --out "part.$ending" --summary --checkpoint point,every=0.01 $on "$@" >part.json 2>err &
        run=$!
        sleep 0.0$((3 + RANDOM % 6))
        kill -$signal $run 2>/dev/null
        wait $run 2>/dev/null
        status=$?
        [ $status -eq 2 ] && complain "$scene $*: $(cat err)" && return
        [ $status -eq 0 ] && break
        [ -f point ] && on="--continue point"
    done
    # shellcheck disable=SC2086
    [ $status -eq 0 ] || "$zeno" run "$scene" --out "part.$ending" --summary --checkpoint point $on "$@" >part.json 2>err ||
        complain "$scene $*: $(cat err)"
    cmp "full.$ending" "part.$ending" || complain "$scene $*: other rows after stops"
    [ "$(without_times full.json)" = "$(without_times part.json)" ] || complain "$scene $*: another summary after stops"
}

interrupt woodpecker h5
interrupt slider-crank csv --step auto
interrupt newtons-cradle h5 --record-step 0.003
interrupt dominoes h5 --step auto
interrupt escapement h5 --end 3600 --record-every 1000 # events of the scene wait for their row
interrupt slope-drop h5 --scheme moreau-midpoint

# a run that is killed between its last row and its end is complete, and goes on nevertheless; a result of another run does not serve
for ending in h5 csv; do
    rm -f point
    "$zeno" run "$scenes/woodpecker.yaml" --quiet --out "done.$ending" --checkpoint point,every=0.001 || complain "the woodpecker fails"
    [ -f point ] || complain "not a checkpoint of the run to done.$ending"
    cp -p "done.$ending" "once.$ending"
    "$zeno" run "$scenes/woodpecker.yaml" --quiet --out "done.$ending" --continue point || complain "a complete run does not go on"
    cmp "done.$ending" "once.$ending" || complain "other rows of a complete run"
    "$zeno" run "$scenes/woodpecker.yaml" --quiet --out "short.$ending" --end 1e-3 # a copy that was killed has few rows
    mv "short.$ending" "done.$ending.partial"
    "$zeno" run "$scenes/woodpecker.yaml" --quiet --out "done.$ending" --continue point || complain "a complete run does not go on twice"
    cmp "done.$ending" "once.$ending" || complain "other rows of a run that was complete twice"
    [ ! -e "done.$ending.partial" ] && [ ! -e "done.$ending.partial.old" ] || complain "parts are left"
    touch -d "1 hour ago" "once.$ending"
    refuses "is missing" "$scenes/woodpecker.yaml" --continue point --out "once.$ending"
    "$zeno" run "$scenes/woodpecker.yaml" --quiet --out "twice.$ending" --step 0.01 --scheme rattle || complain "the woodpecker fails with rattle"
    refuses "is missing" "$scenes/woodpecker.yaml" --continue point --out "twice.$ending"
done

# a signal writes a checkpoint and ends cleanly
for signal in TERM USR1 INT; do
    rm -f point
    "$zeno" run "$scenes/ring-chain.yaml" --end 100 --quiet --checkpoint point 2>err &
    run=$!
    await listens $run $signal
    kill -$signal $run
    wait $run
    [ $? -eq 1 ] || complain "exit status after SIG$signal is not 1"
    [ -f point ] || complain "not a checkpoint after SIG$signal"
    grep -q "stopped at t" err || complain "SIG$signal: $(cat err)"
done

# what is refused
ball=$scenes/rotating-ball.yaml
bird=$scenes/woodpecker.yaml
rm -f point
"$zeno" run "$bird" --quiet --end 20 --out left.h5 --checkpoint point,every=0.01 2>/dev/null &
run=$!
await [ -f point ]
kill -TERM $run
wait $run
[ -f point ] || complain "there is not a checkpoint"
refuses "another model" "$ball" --continue point --scheme radau-2a
refuses "other settings" "$bird" --continue point --scheme rattle
refuses "another model" "$bird" --continue point --set mu=0.31
refuses "is missing" "$bird" --end 20 --continue point --out elsewhere.h5
refuses "not a checkpoint" "$bird" --continue "$bird"
refuses "no such file" "$bird" --continue missing
head -c 1000 point >short
refuses "damaged" "$bird" --continue short
{ head -c 2000 point && printf x && tail -c +2002 point; } >mutated
refuses "damaged" "$bird" --continue mutated
refuses "positive number" "$ball" --checkpoint point,every=0
refuses "needs a file" "$ball" --checkpoint ,every=1
"$zeno" run "$bird" --quiet --end 20 --continue point --out left.h5 || complain "the checkpoint does not serve after refusals"

[ $failures -eq 0 ] || exit 1
