#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# layout.sh ROOT: rules about the files of the repository that a compiler does not see.
#   - no file of src/ includes a header, of the library or of the system, that the table of layers does not allow; public headers include those before them only, and examples public headers only;
#     no option of a build includes a header
#   - every source file has its licence line
#   - every function of the public headers has a comment, above its group or beside it
#   - no function of src/ is longer than 60 lines or has more than 8 parameters
#   - no more than 6 lines of code stand in src/ twice
#   - no header of src/ declares a function that one file alone uses
#   - no source file is longer than 700 lines, none of src/ than 600
#   - no file names a place on somebody's machine
#   - files that are named exist: every Markdown file, and every path that begins with a folder of the repository
#   - maxima of the library keep NaN: by src/base/size.h, not by fmax or by hand
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

here=$(cd "$(dirname "$0")" && pwd)
cd "$1"

# What git tracks or would add; where git cannot tell (no git, an unpacked archive), all files but the results of a build.
if ! git ls-files --cached --others --exclude-standard >"$work/all" 2>/dev/null || [ ! -s "$work/all" ]; then
    find . \( -name .git -o -path ./build -o -path ./out -o -path ./validation -o -name node_modules -o -name __pycache__ \) -prune -o -type f -print | sed 's|^\./||' >"$work/all"
fi
while IFS= read -r file; do
    if [ -f "$file" ]; then printf '%s\n' "$file"; fi
done <"$work/all" >"$work/files"
grep -E '(\.(c|h|cpp|hpp|cmake|sh|awk|py|js|in)|(^|/)(CMakeLists\.txt|Makefile))$|^(scripts|\.ci)/[^.]*$' "$work/files" \
    | grep -v '\.pc\.in$' >"$work/sources" || true
[ -s "$work/sources" ] || { echo "no source files found in $1"; exit 1; }

{
    # Includes of the library and the program by the table of layers; programs of users see public headers only.
    grep -E '^(src|include|examples|python)/.*\.(c|h|cpp)$' "$work/sources" | tr '\n' '\0' | xargs -0 awk -v layers="$here/layers" -v list="$work/files" \
        -f "$here/allowed.awk" -f "$here/includes.awk"

    # The list files of a build can include headers, too, past every file.
    grep -E '(^|/)(CMakeLists\.txt|Makefile|CMakePresets\.json)$|\.cmake$' "$work/files" | tr '\n' '\0' | xargs -0 grep -nE -e '-(include|imacros)([^[:alnum:]_]|$)' /dev/null \
        | awk -F: '{ print $1 ":" $2 ": an option that includes a header" }' || true

    grep -E '^src/.*\.[ch]$' "$work/sources" | tr '\n' '\0' | xargs -0 awk -f "$here/functions.awk"
    grep -E '^src/.*\.[ch]$' "$work/sources" | tr '\n' '\0' | xargs -0 awk -f "$here/copies.awk"
    grep -E '^(src|tests|bench|python)/.*\.[ch]$' "$work/sources" | tr '\n' '\0' | xargs -0 awk -f "$here/shared.awk" | sort

    # A group: functions that follow each other, without an empty line or a comment between them.
    grep -E '^include/.*\.h$' "$work/sources" | tr '\n' '\0' | xargs -0 awk '
        FNR == 1 { said = open = 0 }
        /^ZN_API/ { open = 1; line = FNR; beside = 0; name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
        open {
            if (/\/\*/) beside = 1
            if (/;/) {
                if (!said && !beside) print FILENAME ":" line ": no comment says what " name " does"
                open = 0
            }
            next
        }
        { said = /\*\/[ ]*$/ }' /dev/null

    while IFS= read -r file; do
        if ! head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2\.0'; then
            echo "$file:1: the licence line is missing"
        fi
        lines=$(wc -l <"$file")
        case $file in src/*) most=600 ;; *) most=700 ;; esac
        if [ "$lines" -gt "$most" ]; then echo "$file:$lines: longer than $most lines"; fi
    done <"$work/sources"

    grep -E '^src/.*\.[ch]$' "$work/sources" | grep -v '^src/base/size\.h$' | tr '\n' '\0' | xargs -0 grep -nE \
        -e '(^|[^[:alnum:]_])f(max|min)[fl]? *\(' \
        -e '!\(([][[:alnum:]_>.-]+) <= [^()]+\)\) [^=]+ = \1;' \
        -e '(^|[^[:alnum:]_])(size|error|norm|residual|fabs\([^()]*\)) > ([][[:alnum:]_>.-]+) \? \2 : \3' \
        -e 'if \((size|error|norm|residual|fabs\([^()]*\)) > ([][[:alnum:]_>.-]+)\) \2 = \1;' /dev/null \
        | awk -F: '{ print $1 ":" $2 ": a maximum that may lose NaN (use larger, smaller or is_worse of base/size.h)" }' || true

    # Binary files are skipped by -I. A letter before the slash is part of a longer, relative path or of an address.
    tr '\n' '\0' <"$work/files" | xargs -0 grep -nIE \
        '(^|[^[:alnum:]_.$}/-])/(home|root|work|Users|mnt)/|(^|[^[:alnum:]])/tmp/(wt|build)' /dev/null \
        | awk -F: '{ print $1 ":" $2 ": names a place on a machine:" substr($0, length($1 $2) + 2) }' || true

    # A name is a path from the root or from the folder of the file that has it. FILE.md, src/NAME.c and joint_NAME.c stand for any file; what is below
    # build/ is made by commands; no/such/ is what tests look for in vain.
    folders='(src|tests|include|docs|scenes|examples|bench|validate|scripts|cmake)'
    grep -v '^tests/layout/' "$work/files" | tr '\n' '\0' | xargs -0 grep -nIoE \
        -e '([a-z]+://)?[[:alnum:]_./-]*[[:alnum:]_]\.md([^[:alnum:]_]|$)' \
        -e "(^|[^[:alnum:]_./-])$folders/[[:alnum:]_./-]*[[:alnum:]_]\\.(c|h|py|sh|yaml)([^[:alnum:]_]|\$)" /dev/null \
        | awk -v list="$work/files" '
        BEGIN { while ((getline file < list) > 0) exists[file] = 1 }
        function plain(path,    n, i, depth, part, parts) { # without . and ..
            n = split(path, part, "/")
            for (i = 1; i <= n; i++) {
                if (part[i] == "" || part[i] == ".") continue
                if (part[i] == ".." && depth > 0) depth--
                else parts[++depth] = part[i]
            }
            path = parts[1]
            for (i = 2; i <= depth; i++) path = path "/" parts[i]
            return path
        }
        {
            split($0, place, ":")
            name = substr($0, length(place[1] place[2]) + 3)
            gsub(/^[^[:alnum:]_.\/-]|[^[:alnum:]_]$/, "", name)
            folder = place[1]
            if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
            if (name ~ /:\/\// || name ~ /(^|\/)[A-Z_]+\.[a-z]+$/ && name !~ /README/ || name ~ /_NAME\.|\/NAME_/ || name ~ /(^|\/)(build|no\/such)\//) next
            if (!(plain(name) in exists) && !(plain(folder "/" name) in exists))
                print place[1] ":" place[2] ": names " name ", which is not in the repository"
        }' || true
} >"$work/findings"

if [ -s "$work/findings" ]; then
    cat "$work/findings"
    exit 1
fi
echo "$(wc -l <"$work/files") files, $(wc -l <"$work/sources") of them sources: in order"
