#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# functions.sh TEST_PROGRAM INCLUDE_DIRECTORY: every function of the public headers has a row of misuse, and every row a function.
set -eu
program=$1 headers=$2
wanted=$(cat "$headers"/zeno/*.h | tr '\n' ' ' | grep -o 'ZN_API [a-z][^;(]*zn_[a-z0-9_]*(' | sed 's/.*[ *]\(zn_[a-z0-9_]*\)($/\1/' | sort -u)
rows=$("$program" --rows | sort -u)
[ "$(echo "$wanted" | wc -l)" -gt 90 ] || { echo "functions.sh: only a few functions were found in $headers" >&2; exit 1; }
missing=0
for function in $wanted; do
    echo "$rows" | grep -qx "$function" || { echo "no misuse of $function is tested: add a row to tests/misuse" >&2; missing=1; }
done
for function in $rows; do
    echo "$wanted" | grep -qx "$function" || { echo "the row of $function has no function" >&2; missing=1; }
done
exit $missing
