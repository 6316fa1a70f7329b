# SPDX-License-Identifier: Apache-2.0
# Lines of nm -A -P: "PATH/src/FOLDER/FILE.c.o: NAME KIND ...". U: used here; B, C, D, R: a variable or table that stands here.
function folder(file) { sub(/\/.*/, "", file); return file }
function complain(file, what) { print "src/" file ": " what; bad = 1 }
{
    file = $1
    sub(/.*\/src\//, "", file)
    sub(/CMakeFiles\/[a-z_]*\.dir\//, "", file)
    sub(/\.o:$/, "", file)
    if ($3 == "U") {
        wanted[file, $2] = 1
        needed[$2] = 1
    } else home[$2] = file
    if ($3 ~ /^[BCDR]$/) table[$2] = 1
}
END {
    for (pair in wanted) {
        split(pair, part, SUBSEP)
        if (!(part[2] in home)) continue # of another library
        checked++
        from = folder(part[1])
        to = folder(home[part[2]])
        if (!((from, to) in allowed)) complain(part[1], from " may not use " to " (" part[2] ")")
    }
    for (name in table) if (!(name in needed)) complain(home[name], "no other file uses " name ": its list does not name it, or it can be static")
    if (checked < 100) complain("", "no objects found")
    if (!bad) print checked " uses of functions and tables of other files: in order"
    exit bad
}
