#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# zeno sweep under mpirun: the bytes of one thread, whatever number of processes, and after workers and managers were killed; a run that kills its process
# twice is a row that failed; a full disk.
# usage: sweep_mpi.sh ZENO SCENES MPIRUN
. "${0%/*}/common.sh"
ball=$2/bouncing-ball.yaml
mpirun=$3
# As root and with more processes than cores, as in a container; MPI keeps memory until the end.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_plm_rsh_agent=/bin/false PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

# study OUT ARGUMENTS...: 31 restitutions, of which those above 1 are refused, and 400 heights
run=
study() {
    out=$1
    shift
    $run "$zeno" sweep "$ball" --vary e_N=0:1.2:31 --vary q_0=0.5:2:400 --keep "last:q,u,max:energy.total,summary:steps" --keep "impact:ground:q,q'" \
        --end 1 --step 1e-2 --quiet --out "$out" "$@"
}
# processes N COMMAND...: each leaves its number in pid.RANK before it becomes the command. A launcher that hangs after a process was killed is killed itself (Open MPI's did, rarely).
# shellcheck disable=SC2016
processes() {
    n=$1
    shift
    rm -f pid.*
    timeout -k 10 100 "$mpirun" -n "$n" sh -c 'echo $$ >"pid.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"; exec "$@"' zeno "$@"
}

study one.h5 --threads 1 || complain "a study fails"
for n in 2 4; do
    run="processes $n"
    study "by$n.h5" --summary >out || complain "$n processes fail"
    grep -q '"runs": 12400, "failed": 2000, ' out || complain "the summary of $n processes is $(cat out)"
    [ "$(wc -l <out)" -eq 1 ] || complain "more than one of $n processes tells: $(cat out)"
    cmp one.h5 "by$n.h5" || complain "$n processes give other bytes"
    [ ! -e "by$n.h5.at-work" ] || complain "$n processes leave something behind"
done
study by4.h5 --summary >out && grep -q '"seconds": 0,' out || complain "a complete study is done again: $(cat out)"

# kill_when RANK COMMAND: kills this process of $job once it is there and the command succeeds, and waits for all.
kill_when() {
    await [ -s "pid.$1" ]
    await "$2" "$1"
    sleep 0.1
    kill -9 "$(cat "pid.$1")" 2>/dev/null
    wait "$job"
}
manager_begins() { [ killed.h5.at-work -nt "pid.$1" ] || [ -e killed.h5 ]; }
team_begins() { [ -n "$(find . -name 'parts.h5.part-*.at-work' -newer "pid.$1")" ] || [ -e parts.h5 ]; }

# Killed: the manager, then a worker, then the manager again; each time the same command goes on, with processes or with threads.
for rank in 0 2 0; do
    run="processes 3"
    study killed.h5 2>/dev/null &
    job=$!
    kill_when $rank manager_begins
    if [ -e killed.h5 ]; then break; fi
    "$zeno" plot killed.h5.partial --y summary:steps --out killed.svg 2>err || grep -q 'no rows\|fewer' err || complain "what was written cannot be read: $(cat err)"
done
study killed.h5 || complain "a killed study cannot be continued by processes"
cmp one.h5 killed.h5 || complain "a killed and continued study has other bytes"

# Teams whose managers write parts, as very many processes have them. Killed: the head, a manager, a worker; each time the same command goes on, at last with threads and one team.
run="processes 7"
study teams.h5 --writers 2 --summary >out || complain "teams fail"
grep -q '"runs": 12400, "failed": 2000, ' out || complain "the summary of teams is $(cat out)"
cmp one.h5 teams.h5 || complain "teams give other bytes"
[ "$(ls teams.h5*)" = teams.h5 ] || complain "teams leave something behind: $(ls teams.h5*)"
for rank in 0 1 6 4; do
    run="processes 7"
    study parts.h5 --writers 2 2>/dev/null &
    job=$!
    kill_when $rank team_begins
    if [ -e parts.h5 ]; then break; fi
    [ -e parts.h5.parts ] || complain "after a kill of process $rank there are no parts"
done
for crew in "processes 3" "timeout 200"; do # one team, and threads, go on with the parts
    cp -r . "../copy.$$" 2>/dev/null
    (
        cd "../copy.$$" || exit 1
        run=$crew
        study parts.h5 || complain "$crew: a study of teams cannot be continued"
        cmp one.h5 parts.h5 || complain "$crew: a continued study of teams has other bytes"
        [ "$(ls parts.h5*)" = parts.h5 ] || complain "$crew: parts are left behind: $(ls parts.h5*)"
        exit $failures
    ) || failures=$((failures + 1))
    rm -rf "../copy.$$"
done
if [ -e parts.h5.parts ]; then
    "$zeno" sweep "$ball" --vary q_0=1,2 --keep last:q --end 0.1 --quiet --out parts.h5 2>err && complain "another study goes on with the parts"
    grep -q 'parts of another study' err || complain "no sentence about the parts of another study: $(cat err)"
fi
run="processes 7"
study parts.h5 --writers 2 || complain "teams cannot go on"
cmp one.h5 parts.h5 || complain "teams that were killed give other bytes"

# Run 2 of 5 takes more than a minute. Its worker is killed, twice; then it is a row that failed, and the others are there.
cat >long.yaml <<'END'
coordinates: {x: {start: 0, velocity: 1}}
energy: {kinetic: "x'^2/2", potential: 0}
simulation: {scheme: moreau, step: 1e-2, end: 0.1, record_every: 1000000}
END
endless() { $run "$zeno" sweep long.yaml --vary end=0.1,0.2,2e6,0.3,0.4 --keep last:x,summary:steps --quiet --out long.h5 "$@"; }
number_at() { od -An -t d8 -j "$1" -N 8 long.h5.at-work 2>/dev/null | tr -d ' '; }
in_loop() { [ "$(number_at 64)" = $(($1 - 1)) ] && [ "$(number_at 4096)" = 3 ]; } # TRY: the worker is at run 2, which was lost one time less before
for try in 1 2; do
    run="processes 2"
    endless 2>/dev/null &
    job=$!
    await in_loop $try
    kill -9 "$(cat pid.1)"
    wait $job && complain "a job whose worker was killed is in order"
    [ ! -e long.h5 ] || complain "the lost run is a row after $try tries"
done
endless --summary >out || complain "the study does not end after two losses: $(cat out)"
grep -q '"runs": 5, "failed": 1, ' out || complain "the lost run is no failed row: $(cat out)"
# By a process of its own it is the same: the first time it is tried again.
mv long.h5 by-processes.h5
for try in 1 2; do
    run=exec
    endless --threads 1 2>/dev/null &
    pid=$!
    await in_loop $try
    kill -9 $pid
    wait $pid 2>/dev/null
done
run=
endless --threads 1 || complain "threads do not end after two losses"
cmp long.h5 by-processes.h5 || complain "a lost run of threads is another row"

# A file of the manager that cannot grow (as on a full disk): a sentence, a readable file, and the same command goes on.
# shellcheck disable=SC2016
many() { $run "$zeno" sweep "$ball" --vary q=0.5:2:12000 --keep last:q,max:q,last:u --end 0.01 --step 1e-2 --quiet --out "$@"; }
limited() { UCX_TLS=self,tcp OMPI_MCA_btl=self,tcp timeout -k 10 100 "$mpirun" -n 3 sh -c 'test "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 0 || ulimit -f 200; exec "$@"' zeno "$@"; }
many plenty.h5 || complain "many runs fail"
run=limited
many full.h5 2>err && complain "a file that cannot grow is complete"
grep -q 'larger than this system allows' err || complain "no sentence about the size: $(cat err)"
"$zeno" plot full.h5.partial --y last:q --out full.svg || complain "what was written cannot be read"
run="processes 3"
many full.h5 || complain "it does not go on"
cmp plenty.h5 full.h5 || complain "after a full disk the bytes are others"

# The same for a manager of a team; then threads go on.
limited_team() { UCX_TLS=self,tcp OMPI_MCA_btl=self,tcp timeout -k 10 100 "$mpirun" -n 5 sh -c 'test "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 1 || ulimit -f 100; exec "$@"' zeno "$@"; }
run=limited_team
many team.h5 --writers 2 2>err && complain "a part that cannot grow is complete"
grep -q 'larger than this system allows' err || complain "no sentence about the size of a part: $(cat err)"
run=
many team.h5 || complain "threads do not go on with parts"
cmp plenty.h5 team.h5 || complain "after a full disk of a team the bytes are others"

# Told to end: the file is there to go on with, and no process of ours crashes. (Open MPI's own launcher sometimes does, in its last function; its number is
# none of those that the processes write down.)
# shellcheck disable=SC2016
noted() {
    count=$1
    shift
    exec timeout -k 10 100 "$mpirun" -n "$count" sh -c 'echo $$ >>numbers; exec "$@"' zeno "$zeno" sweep "$ball" --vary q_0=0.5:2:1000000 --keep last:q --end 0.1 --step 1e-2 --quiet "$@"
}
crashed() {
    while read -r number; do grep -q ":0*$number\] \*\*\* Process received signal" told && return 0; done <numbers
    grep -qi 'exited on signal 11\|exit code: 139\|AddressSanitizer' told
}
: >numbers
noted 3 --out stopped.h5 >told 2>&1 &
job=$!
await "$zeno" plot stopped.h5.partial --y last:q --out stopped.svg # rows: also where processes that are told to end are killed before long
kill -TERM $job
wait $job && complain "a stopped study is in order"
crashed && complain "a worker that is told to end crashes: $(cat told)"
"$zeno" plot stopped.h5.partial --y last:q --out stopped.svg || complain "a stopped study cannot be read"
: >numbers
noted 5 --writers 2 --out ended.h5 >told 2>&1 &
job=$!
for part in 1 2; do await "$zeno" plot ended.h5.part-$part.h5.partial --y last:q --out ended.svg; done
kill -TERM $job
wait $job && complain "stopped teams are in order"
crashed && complain "a process of a team that is told to end crashes: $(cat told)"
for part in ended.h5.part-*.h5.partial; do "$zeno" plot "$part" --y last:q --out ended.svg || complain "a stopped part cannot be read: $part"; done

[ $failures -eq 0 ] || exit 1
echo "zeno sweep under mpirun: in order"
