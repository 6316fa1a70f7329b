# SPDX-License-Identifier: Apache-2.0
# Literal copies: more than 6 lines of code that stand somewhere else, too. Indentation, empty lines, comments, includes and lone punctuation do not count.
BEGIN { MOST = 6 }
FNR == 1 { count = 0; known = "" }
{
    gsub(/[ \t]+/, " ")
    sub(/ ?\\$/, "")
    sub(/^ /, "")
    if (comment) { if (/\*\//) comment = 0; next }
    if (/^\/\*/) { if (!/\*\//) comment = 1; if (comment || /\*\/$/) next }
    if (/^[][(){};, ]*$/ || /^#/) next
    line[++count] = $0
    place[count] = FNR
    if (count <= MOST) next
    text = ""
    for (i = count - MOST; i <= count; i++) text = text line[i] "\n"
    if (text in first) {
        if (known == "" || FNR > known) print FILENAME ":" place[count - MOST] ": more than " MOST " lines as at " first[text]
        known = FNR + MOST # the rest of the same copy
    } else first[text] = FILENAME ":" place[count - MOST]
}
