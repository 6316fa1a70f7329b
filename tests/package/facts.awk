# SPDX-License-Identifier: Apache-2.0
# Of preprocessed headers: lines of C that print the structures with their sizes, their members with their places, and the enumerators with their values.
function print_members(name, body,    n, k, i, j, item, part, member) {
    print "    printf(\"" name " %zu\\n\", sizeof(" name "));"
    n = split(body, item, ";")
    for (i = 1; i <= n; i++) {
        if (match(item[i], /\( *\* *[A-Za-z_0-9]+ *\)/)) part[k = 1] = substr(item[i], RSTART + 1, RLENGTH - 2) # a function
        else k = split(item[i], part, ",")
        for (j = 1; j <= k; j++) {
            member = part[j]
            sub(/\[.*/, "", member)
            gsub(/\*/, " ", member)
            sub(/ +$/, "", member)
            sub(/.* /, "", member)
            if (member != "" && member != "reserved") print "    printf(\"" name "." member " %zu\\n\", offsetof(" name ", " member "));"
        }
    }
}
function print_values(body,    n, i, item) {
    n = split(body, item, ",")
    for (i = 1; i <= n; i++) {
        sub(/=.*/, "", item[i])
        gsub(/ /, "", item[i])
        if (item[i] != "" && item[i] !~ /_COUNT$/) print "    printf(\"" item[i] " %d\\n\", (int)" item[i] ");"
    }
}
{ text = text " " $0 }
END {
    while (match(text, /(struct|enum)( zn_[a-z_0-9]*)? *\{[^{}]*\}/)) {
        body = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        kind = name = body
        sub(/[ {].*/, "", kind)
        sub(/^[a-z]+ */, "", name)
        sub(/ *\{.*/, "", name)
        sub(/^[^{]*\{/, "", body)
        sub(/\}$/, "", body)
        if (kind == "enum") print_values(body)
        else if (name != "") print_members(name, body)
    }
}
