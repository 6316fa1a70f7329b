#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# layout.sh ROOT: rules about the files of the repository that a compiler does not see.
#   - no file of src/ includes a header that the table of layers does not allow; public headers and examples include public headers only
#   - every source file has its licence line
#   - every function of the public headers has a comment, above its group or beside it
#   - no function of src/ is longer than 60 lines or has more than 8 parameters
#   - no header of src/ declares a function that one file alone uses
#   - no source file is longer than 700 lines, none of src/ than 600
#   - no file names a place on somebody's machine
#   - files that are named exist: every Markdown file, and every path that begins with a folder of the repository
#   - maxima of the library keep NaN: by src/base/size.h, not by fmax or by hand
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

here=$(cd "$(dirname "$0")" && pwd)
layers=$here/layers
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
    grep -E '^(src|include|examples|python)/.*\.(c|h|cpp)$' "$work/sources" | tr '\n' '\0' | xargs -0 awk -v layers="$layers" -v list="$work/files" '
        function allow(folder, used,    i, part, n) { # transitive
            if ((folder, used) in allowed) return
            allowed[folder, used] = 1
            n = split(uses[used], part, " ")
            for (i = 1; i <= n; i++) allow(folder, part[i])
        }
        function complain(what) { print FILENAME ":" FNR ": " what }
        function own(name) { return FILENAME ~ /^src\// && ("src/" name) in exists || name ~ /^zeno\// && ("include/" name) in exists }
        function judge(name,    folder) {
            split(name, part, "/")
            if (name ~ /(^|\/)\.\.?\//) complain("includes \"" name "\" by a relative path")
            else if (name !~ /\.h(pp)?$/ && name ~ /[.\/]/) complain("includes \"" name "\", which is no header")
            else if (part[1] == "zeno") {
                if (!own(name)) complain("\"" name "\" is no header of include/")
                else if (path[1] == "src" && !((path[2], substr(name, 6)) in public)) complain(path[2] " may not use \"" name "\"")
            } else if (path[1] == "include") {
                if (quoted || part[1] in known || name in library) complain("a public header includes \"" name "\"")
            } else if (path[1] != "src") {
                if (part[1] in known) complain("a program includes \"" name "\" of the library")
            } else if (!(path[2] in known)) complain("src/" path[2] " is not in the table of layers")
            else if (part[1] in known && part[2] != "") {
                folder = part[1]
                if (!own(name)) complain("\"" name "\" is no header of src/")
                else if (!((path[2], folder) in allowed)) complain(path[2] " may not use " folder " (\"" name "\")")
                else if (folder != path[2] && !(name in shown)) complain("\"" name "\" is private to " folder)
            } else if (quoted) complain("\"" name "\" is no header of src/")
            else if (name in library && !((path[2], name) in may)) complain(path[2] " may not use the library of <" name ">")
        }
        BEGIN {
            while ((getline file < list) > 0) exists[file] = 1
            while ((getline line < layers) > 0) {
                n = split(line, word, " ")
                if (n == 0 || word[1] ~ /^#/) continue
                if (line !~ /^ /) { at = word[1]; known[at] = 1; continue }
                for (i = 2; i <= n; i++) {
                    if (word[1] == "uses") uses[at] = uses[at] " " word[i]
                    else if (word[1] == "shows") { shown[at "/" word[i]] = 1; where[at "/" word[i]] = line }
                    else if (word[1] == "public") public[at, word[i]] = 1
                    else if (word[1] == "library") { library[word[i]] = 1; may[at, word[i]] = 1 }
                    else print layers ": unknown word " word[1]
                }
            }
            for (name in known) allow(name, name)
        }
        FNR == 1 { split(FILENAME, path, "/") }
        /^[ \t]*(#|%:|\?\?=)[ \t]*(include|import|\\$)/ {
            if ($0 !~ /^#[ ]*include (<[^<>"]+>|"[^<>"]+")([ ]*\/\*.*\*\/)?$/) complain("an include that is not plain: #include \"NAME\" or <NAME>")
            else {
                quoted = $2 ~ /^"/
                name = $0
                sub(/^#[ ]*include ./, "", name)
                sub(/[>"].*/, "", name)
                judge(name)
            }
        }'

    grep -E '^src/.*\.[ch]$' "$work/sources" | tr '\n' '\0' | xargs -0 awk -f "$here/functions.awk"
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
