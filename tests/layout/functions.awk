# SPDX-License-Identifier: Apache-2.0
# Functions of C files that are longer than 60 lines or have more than 8 parameters. Code stands as clang-format leaves it: a definition begins in
# the first column, and so does its closing brace.
function judge(text,    depth, i, c, parameters, begun, name) { # "static int f(int a, void (*g)(int, int)) {"
    depth = 0
    parameters = 1
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "(") { depth++; if (!begun) { begun = 1; name = substr(text, 1, i - 1); sub(/.*[ *]/, "", name) } }
        else if (c == ")" && --depth == 0) break
        else if (c == "," && depth == 1) parameters++
        else if ((c == "=" || c == ";" || c == "{") && depth == 0) return ""
    }
    if (!begun || substr(text, i + 1) !~ /^ *\{/) return ""
    if (parameters > 8) print FILENAME ":" start ": " name " has " parameters " parameters, more than 8"
    return name
}
FNR == 1 { inside = ""; head = "" }
inside != "" {
    if (/^}/) {
        if (FNR - start >= 60) print FILENAME ":" start ": " inside " has " FNR - start + 1 " lines, more than 60"
        inside = ""
    }
    next
}
/^[A-Za-z_]/ { head = ""; start = FNR }
/^[A-Za-z_ ]/ && FNR - start < 12 {
    head = head " " $0
    if (/[{;]/) {
        inside = judge(head)
        if (/}$/) inside = "" # on one line
        head = ""
    }
}
