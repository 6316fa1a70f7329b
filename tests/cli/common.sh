# SPDX-License-Identifier: Apache-2.0
# What every test of the program begins with: the program, a folder of its own to work in, and the words in which its checks are said.
# Sourced with the arguments of the test, of which the first is the program.
set -u
zeno=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
checks=0
failures=0

complain() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}
# ball_on_box SETTINGS: a scene, a ball on a box on the floor, whose contacts are found
ball_on_box() {
    cat <<END
gravity: [0, -10]
bodies:
  ball: {type: planar, shape: {type: disk, radius: 0.1}, mass: 1, position: [0.05, 0.3]}
  box: {type: planar, shape: {type: box, size: [0.6, 0.2]}, mass: 2, position: [0, 0.1]}
geometry: {floor: {type: line}}
contacts: {all: {between: all, friction: 0.3}}
simulation: {scheme: rattle, $1}
END
}
# expect STATUS COMMAND...: runs it, standard output in out, standard error in err
expect() {
    status=$1
    shift
    "$@" >out 2>err </dev/null
    got=$?
    checks=$((checks + 1))
    [ "$got" -eq "$status" ] && return 0
    complain "exit $got, expected $status: $*"
    sed 's/^/    /' out err | head -n 8
}
# holds WHAT COMMAND...: the command must succeed
holds() {
    what=$1
    shift
    checks=$((checks + 1))
    "$@" >/dev/null 2>&1 || complain "$what"
}
# says TEXT: on standard error of what was expected last
says() { holds "it says '$1', not: $(head -c 300 err)" grep -qF -e "$1" err; }
# refused TEXT COMMAND...: exit status 2, nothing on standard output, a line like TEXT on standard error
refused() {
    text=$1
    shift
    "$@" >out 2>err
    [ $? -eq 2 ] || complain "exit status is not 2: $*"
    [ ! -s out ] || complain "standard output is not empty: $*"
    grep -q -e "$text" err || complain "no '$text' in: $(cat err)"
}
# Moments are awaited, not guessed: how long anything takes depends on what else the machine does. More than this many tenths of a second is a failure.
PATIENCE=1200
# await COMMAND...: until it succeeds
await() {
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt $PATIENCE ] || { complain "waited too long for: $*" && return 1; }
        sleep 0.1
    done
}
# listens PID SIGNAL: the process is the program, no longer the shell that starts it, and handles the signal. One that comes earlier ends it like any other program.
listens() {
    case $2 in INT) number=2 ;; USR1) number=10 ;; TERM) number=15 ;; esac
    [ "/proc/$1/exe" -ef "$zeno" ] || return 1 # first: what the shell handled says nothing
    handled=$(sed -n 's/^SigCgt:[[:space:]]*/0x/p' "/proc/$1/status") && [ $((handled >> (number - 1) & 1)) -eq 1 ]
}
# A gnuplot in bin/ that leaves what it got in the file script.
watch_gnuplot() {
    real=$(command -v gnuplot)
    mkdir bin
    printf '#!/bin/sh\ncat >"%s/script"\nexec "%s" "%s/script"\n' "$work" "$real" "$work" >bin/gnuplot
    chmod +x bin/gnuplot
}
