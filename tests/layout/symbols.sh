#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# symbols.sh OBJECTS: what the linker sees of the layers; OBJECTS is a file with the names of the object files, one in a line. A header is only one way to a
# declaration, therefore also:
#   - no folder of src/ refers to a function or variable of a folder that the table of layers does not allow
#   - every table that one file shows is used by another: a scheme that the list of schemes does not name is an error
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() { awk -v layers="$here/layers" -f "$here/allowed.awk" -f "$here/symbols.awk" "$@" >"$work/findings"; }

tr '\n' '\0' <"$1" | xargs -0 "${NM:-nm}" -A -P --extern-only >"$work/names"
if ! check "$work/names"; then
    sort "$work/findings"
    exit 1
fi
cat "$work/findings"

# The test of the test: a lower folder that refers to a higher one, a folder beside, and a table without a list.
file=build/CMakeFiles/zeno_objects.dir/src
for line in "linalg/lu.c.o: scheme_find U" "model/model.c.o: cone_solve U" "scheme/tableau_sdirk.c.o: scheme_sdirk9 D 0 8"; do
    echo "$file/$line" >"$work/bad"
    if check "$work/names" "$work/bad"; then
        echo "not found: $line"
        exit 1
    fi
    echo "found: $(cat "$work/findings")"
done
