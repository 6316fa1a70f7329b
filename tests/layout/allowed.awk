# SPDX-License-Identifier: Apache-2.0
# Reads the table of layers, the file `layers`. Also a function of a folder that may be used may be used: allowed[folder, other].
function allow(folder, used,    i, part, n) {
    if ((folder, used) in allowed) return
    allowed[folder, used] = 1
    n = split(uses[used], part, " ")
    for (i = 1; i <= n; i++) allow(folder, part[i])
}
BEGIN {
    while ((getline line < layers) > 0) {
        n = split(line, word, " ")
        if (n == 0 || word[1] ~ /^#/) continue
        if (line !~ /^ /) {
            if (word[1] == "order") for (i = 2; i <= n; i++) place[word[i]] = i
            else if (word[1] == "standard") for (i = 2; i <= n; i++) standard[word[i]] = 1
            else { at = word[1]; known[at] = 1 }
            continue
        }
        for (i = 2; i <= n; i++) {
            if (word[1] == "uses") uses[at] = uses[at] " " word[i]
            else if (word[1] == "shows") shown[at "/" word[i]] = 1
            else if (word[1] == "public") public[at, word[i]] = 1
            else if (word[1] == "library") may[at, word[i]] = 1
            else print layers ": unknown word " word[1]
        }
    }
    for (name in known) allow(name, name)
}
