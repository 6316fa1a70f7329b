# SPDX-License-Identifier: Apache-2.0
# Functions that a header of src/ declares although one file alone uses them. Files of src/ and whatever may call it; the names of libraries written in
# Fortran end with _, and a name that stands in its header again belongs to a macro.
FNR == 1 { header = FILENAME ~ /^src\/.*\.h$/ }
header && /^[a-z].*\(/ && !/^(static|typedef|return|extern)/ && !/[={}]/ {
    name = $0
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    if (name ~ /^[a-z][a-z_0-9]*[a-z0-9]$/) place[name] = FILENAME ":" FNR
}
{
    gsub(/[^A-Za-z0-9_]+/, " ")
    n = split($0, word, " ")
    for (i = 1; i <= n; i++) {
        if (!((word[i], FILENAME) in seen)) files[word[i]]++
        else if (header) again[word[i]] = 1
        seen[word[i], FILENAME] = 1
    }
}
END { for (name in place) if (files[name] < 3 && !(name in again)) print place[name] ": " name " is used by one file alone: it can be static there" }
