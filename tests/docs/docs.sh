#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs.sh ROOT BUILD_DIR [FILE.md...]: executes every code block of the documentation (by default README.md, CONTRIBUTING.md
# and docs/). The rules are in README.md beside this file.
set -eu
root=$1
build=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seconds=300 # longest time of one block, also with checkers on a loaded machine
run_end=0.05 # of scenes: long enough for many steps, short enough for a test

if [ $# = 0 ]; then
    cd "$root"
    for file in README.md CONTRIBUTING.md $(find docs/ -name '*.md' 2>/dev/null | sort); do
        if [ -f "$file" ]; then set -- "$@" "$file"; fi
    done
fi

# ---- an installed library, and compilers that know the flags of this build ----
"${CMAKE:-cmake}" --install "$build" --prefix "$work/prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
lib=$(dirname "$(dirname "$(find "$work/prefix" -name zeno.pc)")")
mkdir "$work/bin"
compiler() { # NAME REAL
    printf '#!/bin/sh\nexec %s "$@" %s\n' "$2" "${EXTRA_FLAGS:-}" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
cc=$(command -v "${CC:-cc}")
cxx=$(command -v "${CXX:-c++}")
for name in cc gcc; do compiler $name "$cc"; done
for name in c++ g++; do compiler $name "$cxx"; done
export PATH="$work/bin:$work/prefix/bin:$PATH" PKG_CONFIG_PATH="$lib/pkgconfig" LD_LIBRARY_PATH="$lib" CMAKE_PREFIX_PATH="$work/prefix"
unset CC CXX EXTRA_FLAGS CMAKE MAKEFLAGS MAKELEVEL MFLAGS

# ---- one kind of block each; output goes to $work/output, the status tells success ----
run_yaml() {
    if ! grep -qE '^(simulation|coordinates|bodies):' "$source"; then
        echo 'a piece of a scene: give the rest of it in a comment <!-- test: with ... -->'
        return 1
    fi
    if ! grep -q '^simulation:' "$source"; then echo 'simulation: {scheme: moreau-midpoint, step: 1e-3, end: 1}' >>"$source"; fi
    timeout $seconds zeno check "$source" || return 1
    [ -e "$block.fails" ] && return 0
    timeout $seconds zeno run "$source" --end $run_end --out "$work/scene.csv" >"$work/run-output" 2>&1 && return 0
    cat "$work/run-output"
    return 1
}

c_headers='#include <zeno/zeno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>'

compile() { # COMPILER STANDARD SOURCE FLAGS...: to $work/program
    compiler=$1 standard=$2 code=$3
    shift 3
    # shellcheck disable=SC2046
    "$compiler" "-std=$standard" -Wall -Wextra -Werror "$@" $(pkg-config --cflags zeno) "$code" -o "$work/program" $(pkg-config --libs zeno) -lm
}

run_c() { # COMPILER STANDARD SUFFIX
    if grep -qE '(^|[^A-Za-z_])main *\(' "$source"; then
        compile "$1" "$2" "$source" && timeout $seconds "$work/program"
        return
    fi
    # No main: declarations alone must compile, anything else is what stands in a main.
    { printf '%s\n' "$c_headers"; cat "$source"; } >"$work/declarations.$3"
    if compile "$1" "$2" "$work/declarations.$3" -c >/dev/null 2>&1; then return 0; fi
    { printf '%s\nint main(void) {\n' "$c_headers"; cat "$source"; printf 'return 0;\n}\n'; } >"$work/statements.$3"
    compile "$1" "$2" "$work/statements.$3" -Wno-unused && timeout $seconds "$work/program"
}

# Drops what a test must not do: installing, cloning, building. `make` lines name targets that must exist; `make run` is
# run without its build.
run_sh() {
    awk -v makefile="$root/Makefile" '
        BEGIN { while ((getline line < makefile) > 0) if (match(line, /^[a-z-]+:/)) known[substr(line, 1, RLENGTH - 1)] = 1 }
        /^\$ / { print "echo \"leave the prompt out of sh blocks\"; exit 1"; next }
        /^(git|sudo|apt|apt-get)( |$)/ { if ($0 ~ /git clone/) cloned = 1; next }
        /^cd / && cloned { next }
        /^make( |$)/ {
            for (i = 2; i <= NF && $i !~ /^#/; i++)
                if ($i !~ /^-|=/ && !($i in known)) print "echo \"make " $i ": there is no such target\"; exit 1"
            if ($2 == "run") print "make -f " makefile " -o build run"
            next
        }
        { print }' "$source" >"$work/script"
    timeout $seconds sh -e "$work/script" </dev/null
}

run_cmake() {
    rm -rf "$work/project"
    mkdir "$work/project"
    if ! grep -q '^project(' "$source"; then
        printf 'cmake_minimum_required(VERSION 3.22)\nproject(block LANGUAGES C CXX)\n' >"$work/project/CMakeLists.txt"
    fi
    cat "$source" >>"$work/project/CMakeLists.txt"
    printf '#include <zeno/zeno.h>\nint main(void) { return zn_version() ? 0 : 1; }\n' >"$work/project/main.c"
    find . -maxdepth 1 -name '*.c' -exec cp {} "$work/project" \;
    cmake -S "$work/project" -B "$work/project/build" && cmake --build "$work/project/build"
}

# The first python3 that has all modules of the block runs it. Without one it is parsed, and the output says so.
run_python() {
    modules=$(sed -nE 's/^ *(import|from) +([A-Za-z0-9_]+).*/\2/p' "$source" | sort -u | paste -sd, -)
    for python in python3 /usr/bin/python3; do
        command -v "$python" >/dev/null 2>&1 || continue
        "$python" -c "${modules:+import $modules}" 2>/dev/null || continue
        timeout $seconds "$python" "$source"
        return
    done
    if ! command -v python3 >/dev/null 2>&1; then
        not_executed='there is no python3 here'
        return
    fi
    not_executed="parsed only, as no python3 here has all of: $modules"
    python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])' "$source"
}

# ---- all blocks of all files ----
executed=0 compared=0 skipped=0 failed=0 summary= unexecuted=0
report() { # WHERE SENTENCE
    failed=$((failed + 1))
    echo "$1: $2"
}

run_block() { # the block whose files begin with $block; in the folder of its Markdown file
    kind=$(cat "$block.kind")
    where=$(cat "$block.where")
    if [ -e "$block.skip" ]; then
        skipped=$((skipped + 1))
        echo "$where: skipped, $(cat "$block.skip")"
        return
    fi
    case $kind in python) suffix=py ;; *) suffix=$kind ;; esac
    if [ -e "$block.name" ]; then source=$(cat "$block.name"); else source=block-$(basename "$block").$suffix; fi
    mkdir -p "$(dirname "$source")"
    if [ -e "$block.with" ]; then cat "$block.with" "$block.body"; else cat "$block.body"; fi >"$source"
    status=0
    not_executed=
    case $kind in
    yaml) run_yaml ;;
    c) run_c cc c17 c ;;
    cpp) run_c c++ c++17 cpp ;;
    sh) run_sh ;;
    cmake) run_cmake ;;
    python) run_python ;;
    matlab) not_executed='MATLAB is not free software' ;;
    esac >"$work/output" 2>&1 || status=$?
    if [ -z "$not_executed" ]; then
        executed=$((executed + 1))
        summary="$summary $kind"
    else
        unexecuted=$((unexecuted + 1))
        echo "$where: this $kind block is not executed: $not_executed"
    fi
    if [ -e "$block.fails" ] && [ "$status" = 0 ]; then
        report "$where" "this $kind block should fail, but it does not"
    elif [ ! -e "$block.fails" ] && [ "$status" != 0 ]; then
        report "$where" "this $kind block fails (status $status):"
        sed 's/^/    /' "$work/output"
    elif [ -e "$block.expected" ] && [ -z "$not_executed" ]; then
        compared=$((compared + 1))
        if ! awk -f "$here/match.awk" "$block.expected" "$work/output" >"$work/difference"; then
            report "$where" "the output of this $kind block is not what the text says:"
            sed 's/^/    /' "$work/difference" "$work/output"
        fi
    fi
}

# Headings of a Markdown file as the anchors that pages make of them: lower case, without marks, spaces as hyphens.
anchors() { # FILE
    awk '/^```/ { code = !code } !code && /^#+ / {
        line = tolower($0)
        sub(/^#+ /, "", line)
        gsub(/[^[:alnum:]_ -]/, "", line)
        gsub(/ /, "-", line)
        print line
    }' "$1"
}

# Links to files of the repository, and to headings in them, must lead somewhere. (Links into the web are not followed.)
check_links() {
    grep -oE '\]\([^)]+' "$path" | sed 's/^](//' | grep -vE '^[a-z]+:' >"$work/links" || true
    while IFS= read -r link; do
        target=${link%%#*}
        if [ -n "$target" ]; then target=$(dirname "$path")/$target; else target=$path; fi
        if [ ! -e "$target" ]; then report "$file" "the link to $link leads nowhere"
        elif [ "${link#*#}" != "$link" ] && ! anchors "$target" | grep -qxF -e "${link#*#}"; then
            report "$file" "the link to $link leads to no heading"
        fi
    done <"$work/links"
}

number=0
for file in "$@"; do
    number=$((number + 1))
    blocks=$work/blocks-$number
    folder=$work/folder-$number
    mkdir -p "$blocks" "$folder/build"
    case $file in /*) path=$file ;; *) path=$root/$file ;; esac
    awk -v file="$file" -v out="$blocks" -f "$here/blocks.awk" "$path"
    if [ -e "$blocks/mistakes" ]; then
        cat "$blocks/mistakes"
        failed=$((failed + $(wc -l <"$blocks/mistakes")))
    fi
    check_links
    for data in scenes examples; do
        if [ -d "$root/$data" ]; then cp -R "$root/$data" "$folder"; fi
    done
    ln -s "$work/prefix/bin/zeno" "$folder/build/zeno"
    cd "$folder"
    for kind_file in "$blocks"/*.kind; do
        [ -e "$kind_file" ] || continue
        block=${kind_file%.kind}
        run_block
    done
done

kinds=$(printf '%s\n' $summary | sort | uniq -c | awk 'NF > 1 { printf "%s%s %s", separator, $1, $2; separator = ", " }')
echo "$number files, $executed blocks executed${kinds:+ ($kinds)}, $compared outputs compared, $skipped skipped, $unexecuted not executable here, $failed failed"
[ "$failed" = 0 ]
