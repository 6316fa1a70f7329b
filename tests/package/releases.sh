#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# releases.sh SOURCE BUILD: for each release that is kept in releases/, the programs of that release, compiled with its headers, run with
# the library of the day and print what they printed then; and no public structure has another size, no member another place, no enumerator another value.
set -eu
source=$1
build=$2
cc=${CC:-cc}
extra=${EXTRA_FLAGS:-}
releases=$source/tests/package/releases
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# facts FOLDER OUTPUT: what programs that were compiled with the headers of FOLDER rely on, a line each: structures with their sizes, members with their places, enumerators
# with their values. What may change is left out: counts of enumerators, and the room that is reserved for later members.
facts() {
    echo '#include <zeno/zeno.h>' >"$2.h.c"
    {
        echo '#include <stddef.h>'
        echo '#include <stdio.h>'
        echo '#include <zeno/zeno.h>'
        echo 'int main(void) {'
        # shellcheck disable=SC2086
        "$cc" -std=c17 $extra -I "$1/include" -E -P "$2.h.c" | awk -f "${0%/*}/facts.awk"
        echo '    return 0; }'
    } >"$2.c"
    # shellcheck disable=SC2086
    "$cc" -std=c17 $extra -I "$1/include" "$2.c" -o "$2"
    "$2" | sort >"$2.txt"
}

facts "$source" "$work/now"
for folder in "$releases"/*/; do
    [ -d "$folder" ] || continue
    folder=${folder%/}
    version=${folder##*/}
    facts "$folder" "$work/then"
    if ! join -a 1 "$work/then.txt" "$work/now.txt" | awk '$2 != $3 { print "  " $1 " was " $2 " and is " ($3 == "" ? "gone" : $3); bad = 1 } END { exit bad }'; then
        echo "FAILED: programs of $version would read something else"
        status=1
    fi
    for program in "$folder"/*.c; do
        name=$(basename "$program" .c)
        # shellcheck disable=SC2086
        "$cc" -std=c17 $extra -I "$folder/include" "$program" -o "$work/$name" -L "$build" -lzeno -lm
        if ! (cd "$source" && LD_LIBRARY_PATH=$build "$work/$name" >"$work/$name.out") ||
            ! diff "$folder/$name.expected" "$work/$name.out"; then
            echo "FAILED: $name of $version"
            status=1
        fi
    done
    echo "$version: $(wc -l <"$work/then.txt") sizes, places and values, $(find "$folder" -name '*.c' | wc -l) programs"
done
exit $status
