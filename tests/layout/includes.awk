# SPDX-License-Identifier: Apache-2.0
# Whether each include is plain, and allowed by the table of layers (allowed.awk). `list` is a file with the names of all files.
function complain(what) { print FILENAME ":" FNR ": " what }
function own(name) { return FILENAME ~ /^src\// && ("src/" name) in exists || name ~ /^zeno\// && ("include/" name) in exists }
function before(name, other) { return name in place && other in place && place[name] < place[other] }
function judge(name,    folder) {
    split(name, part, "/")
    if (name ~ /(^|\/)\.\.?\//) complain("includes \"" name "\" by a relative path")
    else if (name !~ /\.h(pp)?$/ && name ~ /[.\/]/) complain("includes \"" name "\", which is no header")
    else if (part[1] == "zeno") {
        if (!own(name)) complain("\"" name "\" is no header of include/")
        else if (path[1] == "src" && !((path[2], substr(name, 6)) in public)) complain(path[2] " may not use \"" name "\"")
        else if (path[1] == "include" && !before(substr(name, 6), path[3]))
            complain("a public header includes \"" name "\", which is not before it in the table of layers")
    } else if (path[1] == "include") {
        if (quoted || !(name in standard)) complain("a public header includes \"" name "\"")
    } else if (path[1] != "src") {
        if (part[1] in known) complain("a program includes \"" name "\" of the library")
    } else if (!(path[2] in known)) complain("src/" path[2] " is not in the table of layers")
    else if (part[1] in known && part[2] != "") {
        folder = part[1]
        if (!own(name)) complain("\"" name "\" is no header of src/")
        else if (!((path[2], folder) in allowed)) complain(path[2] " may not use " folder " (\"" name "\")")
        else if (folder != path[2] && !(name in shown)) complain("\"" name "\" is private to " folder)
    } else if (quoted) complain("\"" name "\" is no header of src/")
    else if (!(name in standard) && !((path[2], name) in may)) complain(path[2] " may not use the library of <" name ">")
}
BEGIN {
    while ((getline file < list) > 0) exists[file] = 1
    # What the compiler may take for the word of an include: behind a comment, in other letters, or going on in the next line.
    hash = "(#|%:|[?][?]=)([[:space:]]|/[*]([^*]|[*][^/])*[*]/)*"
    odd = hash "(include|import)|^[[:space:]]*" hash "[a-z_]*([\\\\]|[?][?]/)$"
}
FNR == 1 {
    split(FILENAME, path, "/")
    if (path[1] == "include" && !(path[3] in place)) complain(path[3] " is not in the order of public headers")
}
/^#[ ]*include (<[^<>"]+>|"[^<>"]+")([ ]*\/\*.*\*\/)?$/ {
    quoted = $2 ~ /^"/
    name = $0
    sub(/^#[ ]*include ./, "", name)
    sub(/[>"].*/, "", name)
    judge(name)
    next
}
$0 ~ odd { complain("an include that is not plain: #include \"NAME\" or <NAME>") }
