#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compare.sh PROGRAM EXPECTED: the program succeeds and prints what the file says.
set -eu
output=$(mktemp)
trap 'rm -f "$output"' EXIT
"$1" >"$output" || { cat "$output"; exit 1; }
diff "$2" "$output"
