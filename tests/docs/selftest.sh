#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# selftest.sh ROOT BUILD_DIR: the runner executes good blocks, and finds what is wrong in bad ones.
set -eu
root=$1
build=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() { sh "$here/docs.sh" "$root" "$build" "$1" >"$work/output" 2>&1; }
expect() { # TEXT that the output must contain
    if ! grep -qF "$1" "$work/output"; then
        echo "expected '$1' in:"
        cat "$work/output"
        exit 1
    fi
}

if ! run "$here/good.txt"; then
    cat "$work/output"
    exit 1
fi
expect "this matlab block is not executed: MATLAB is not free software"
if command -v python3 >/dev/null 2>&1; then
    expect "this python block is not executed: parsed only, as no python3 here has all of: no_such_module"
    expect "13 blocks executed (3 c, 1 cmake, 1 cpp, 1 python, 4 sh, 3 yaml), 7 outputs compared, 1 skipped, 2 not executable here, 0 failed"
    failures=16
else
    expect "there is no python3 here"
    expect "12 blocks executed (3 c, 1 cmake, 1 cpp, 4 sh, 3 yaml), 6 outputs compared, 1 skipped, 3 not executable here, 0 failed"
    failures=15
fi

if run "$here/bad.txt"; then
    echo "the bad blocks passed"
    exit 1
fi
expect "unknown kind of code block: fortran"
expect "a code block without a kind"
expect "an indented code block"
expect "the link to no/such/file.md leads nowhere"
expect "the link to bad.txt#no-such-heading leads to no heading"
expect "for reasons of time only"
expect "this sh block fails (status 3)"
expect "make nothing: there is no such target"
expect "the output of this sh block is not what the text says"
expect "expected: two"
expect "printed:  three"
expect "this c block fails"
expect "should fail, but it does not"
expect "a piece of a scene"
expect "a code block is not closed"
expect "this yaml block fails (status 1)"
[ "$failures" = 15 ] || expect "this python block fails"
expect "1 not executable here, $failures failed"
tail -n 1 "$work/output"
