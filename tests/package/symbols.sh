#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# symbols.sh libzeno.a libzeno.so: both show zn_ names and nothing else, and the same ones.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nm=${NM:-nm}

# The address checker adds names of its own (__odr_asan...), which no program can meet by accident.
names() { awk 'NF == 3 && $3 !~ /^__(odr_)?asan/ { print $3 }' | sort; }
"$nm" --extern-only --defined-only "$1" | names >"$work/static"
"$nm" --dynamic --defined-only "$2" | names >"$work/shared"

for kind in static shared; do
    if ! grep -q '^zn_version$' "$work/$kind"; then
        echo "the $kind library does not show zn_version"
        exit 1
    fi
    if grep -v '^zn_' "$work/$kind" >"$work/leaked"; then
        echo "the $kind library shows internal names:"
        cat "$work/leaked"
        exit 1
    fi
done
if ! diff "$work/static" "$work/shared"; then
    echo "the two libraries show different names"
    exit 1
fi
echo "$(wc -l <"$work/static") names, all zn_"
