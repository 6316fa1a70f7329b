#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# layout.sh ROOT: rules about the files of the repository that a compiler does not see.
#   - no folder of src/ includes a folder that it may not use; public headers include public headers only
#   - every source file has its licence line
#   - no source file is longer than 700 lines
#   - no file names a place on somebody's machine
#   - files that are named exist: every Markdown file, and every path that begins with a folder of the repository
#   - maxima of the library keep NaN: by src/base/size.h, not by fmax or by hand
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Folder and what it may use directly; what those may use is allowed too. cli may use all.
cat >"$work/uses" <<'TABLE'
base
linalg base
expr base
law linalg
collide linalg
model linalg expr law collide
cone linalg law
scheme model cone
result base
sim scheme result
scene model sim
cli scene
TABLE
max_lines=700

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
    # Includes: one line "file number included" each.
    grep -E '^(src|include)/.*\.[ch]$' "$work/sources" | while IFS= read -r file; do
        awk -v file="$file" '/^[ \t]*#[ \t]*include/ {
            name = $0
            sub(/^[ \t]*#[ \t]*include[ \t]*[<"]/, "", name)
            sub(/[>"].*/, "", name)
            print file, FNR, name
        }' "$file"
    done | awk -v table="$work/uses" '
        function allow(folder, used,    i, parts, n) { # transitive
            if ((folder, used) in allowed) return
            allowed[folder, used] = 1
            n = split(uses[used], parts, " ")
            for (i = 1; i <= n; i++) allow(folder, parts[i])
        }
        BEGIN {
            while ((getline line < table) > 0) {
                name = line; sub(/ .*/, "", name)
                known[name] = 1
                uses[name] = line ~ / / ? substr(line, length(name) + 2) : ""
            }
            for (name in known) allow(name, name)
        }
        {
            n = split($1, path, "/")
            split($3, included, "/")
            if ($3 ~ /\.\./) print $1 ":" $2 ": includes \"" $3 "\" by a relative path"
            else if (path[1] == "include") {
                if (included[1] in known || $3 ~ /^(klu|hdf5|libfyaml|lapacke|cblas)\.h$/)
                    print $1 ":" $2 ": a public header includes \"" $3 "\""
            } else if (!(path[2] in known))
                print $1 ":" $2 ": src/" path[2] " is not in the table of folders"
            else if (included[1] in known && $3 ~ /\// && !((path[2], included[1]) in allowed))
                print $1 ":" $2 ": " path[2] " may not use " included[1] " (\"" $3 "\")"
        }'

    while IFS= read -r file; do
        if ! head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2\.0'; then
            echo "$file:1: the licence line is missing"
        fi
        lines=$(wc -l <"$file")
        if [ "$lines" -gt "$max_lines" ]; then echo "$file:$lines: longer than $max_lines lines"; fi
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
