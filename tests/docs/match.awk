# SPDX-License-Identifier: Apache-2.0
# awk -f match.awk EXPECTED ACTUAL: does the text fit? A line "..." stands for any lines, "..." within a line for any text.
# Space at the ends of lines and empty lines at the end do not count.
function fits(pattern, line,    part, n, i, at) {
    n = split_dots(pattern, part)
    if (n == 1) return pattern == line
    if (substr(line, 1, length(part[1])) != part[1]) return 0
    line = substr(line, length(part[1]) + 1)
    for (i = 2; i < n; i++) {
        at = index(line, part[i])
        if (!at) return 0
        line = substr(line, at + length(part[i]))
    }
    return length(line) >= length(part[n]) && substr(line, length(line) - length(part[n]) + 1) == part[n]
}
function split_dots(text, part,    n, at) {
    n = 0
    while ((at = index(text, "...")) > 0) {
        part[++n] = substr(text, 1, at - 1)
        text = substr(text, at + 3)
    }
    part[++n] = text
    return n
}
function matches(i, j) { # expected from line i on, actual from line j on
    for (;;) {
        if (i > n_expected) return j > n_actual
        if (expected[i] ~ /^ *\.\.\.$/) {
            for (; j <= n_actual + 1; j++) if (matches(i + 1, j)) return 1
            return 0
        }
        if (j > n_actual || !fits(expected[i], actual[j])) {
            if (i > furthest) { furthest = i; line_there = j }
            return 0
        }
        i++
        j++
    }
}
{ sub(/[ \t\r]+$/, "") }
FILENAME == ARGV[1] { expected[++n_expected] = $0; next }
{ actual[++n_actual] = $0 }
END {
    while (n_expected && expected[n_expected] == "") n_expected--
    while (n_actual && actual[n_actual] == "") n_actual--
    if (matches(1, 1)) exit 0
    print "expected: " (furthest ? expected[furthest] : "(nothing more)")
    print "printed:  " (line_there <= n_actual && line_there ? actual[line_there] : "(nothing more)")
    exit 1
}
