#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# releases.sh SOURCE BUILD: for each release that is kept in releases/, the programs of that release, compiled with its headers, run with
# the library of the day and print what they printed then; and no public structure has another size.
set -eu
source=$1
build=$2
cc=${CC:-cc}
extra=${EXTRA_FLAGS:-}
releases=$source/tests/package/releases
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# A program that prints the size of every structure that the headers in FOLDER define.
sizes() { # FOLDER OUTPUT
    {
        echo '#include <stdio.h>'
        echo '#include <zeno/zeno.h>'
        echo 'int main(void) {'
        cat "$1"/include/zeno/*.h | sed -n 's/^} \(zn_[a-z_]*\);$/    printf("\1 %zu\\n", sizeof(\1));/p'
        echo '    return 0; }'
    } >"$2.c"
    # shellcheck disable=SC2086
    "$cc" -std=c17 $extra -I "$1/include" "$2.c" -o "$2"
    "$2" | sort >"$2.txt"
}

sizes "$source" "$work/now"
for folder in "$releases"/*/; do
    [ -d "$folder" ] || continue
    folder=${folder%/}
    version=${folder##*/}
    sizes "$folder" "$work/then"
    if ! join "$work/then.txt" "$work/now.txt" | awk '$2 != $3 { print "  " $1 " had " $2 " bytes and has " $3; bad = 1 } END { exit bad }'; then
        echo "FAILED: structures of $version have other sizes"
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
    echo "$version: $(wc -l <"$work/then.txt") structures, $(find "$folder" -name '*.c' | wc -l) programs"
done
exit $status
