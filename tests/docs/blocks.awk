# SPDX-License-Identifier: Apache-2.0
# Splits a Markdown file into code blocks. For block N in the folder `out`: N.kind, N.where, N.body, and where given N.with,
# N.expected, N.name, N.fails, N.skip. Mistakes of the text go to `out`/mistakes.
function mistake(line, sentence) { print file ":" line ": " sentence >> (out "/mistakes") }
function put(suffix, text) { printf "%s\n", text > (out "/" number "." suffix); close(out "/" number "." suffix) }
function strip(line,    i) { # the indentation of the fence, from a line of the block
    for (i = 0; i < indent && substr(line, 1, 1) == " "; i++) line = substr(line, 2)
    return line
}
function directive(text, line) {
    if (text ~ /^file [A-Za-z0-9_.\/-]+$/) next_name = substr(text, 6)
    else if (text == "fails") next_fails = 1
    else if (text ~ /^skip time: ./) next_skip = substr(text, 6)
    else if (text ~ /^skip/) mistake(line, "a block may be skipped for reasons of time only: <!-- test: skip time: REASON -->")
    else mistake(line, "unknown instruction to the test: " text)
}
function begin_block(kind, line) {
    if (kind == "text" || kind == "json") {
        if (runnable) { suffix = "expected"; runnable = 0; return }
        if (kind == "json") mistake(line, "a json block must follow the block that prints it")
        suffix = ""
        return
    }
    if (kind !~ /^(yaml|c|cpp|sh|cmake|python|matlab)$/) {
        mistake(line, kind == "" ? "a code block without a kind" : "unknown kind of code block: " kind)
        suffix = ""
        return
    }
    number = sprintf("%03d", ++count)
    suffix = "body"
    runnable = 1
    put("kind", kind)
    put("where", file ":" line)
    if (next_with != "") put("with", next_with)
    if (next_name != "") put("name", next_name)
    if (next_fails) put("fails", "")
    if (next_skip != "") { put("skip", next_skip); runnable = 0 }
    next_with = next_name = next_skip = ""
    next_fails = 0
}
function end_block(    first) {
    if (suffix != "") {
        printf "%s", body > (out "/" number "." suffix)
        close(out "/" number "." suffix)
    }
    if (suffix == "body") {
        first = body
        sub(/\n.*/, "", first)
        if (first ~ /^(#|\/\/|\/\*) *[A-Za-z0-9_-]+\.(yaml|c|cpp|h|py)( *\*\/)?$/) {
            gsub(/^[#\/* ]+|[\/* ]+$/, "", first)
            put("name", first)
        }
    }
    inside = 0
}

BEGIN { blank = 1; listed = 0 }
inside {
    if (match($0, /^ *(```+|~~~+) *$/) && index($0, fence)) end_block()
    else body = body strip($0) "\n"
    next
}
collecting { # the lines of <!-- test: with
    if ($0 ~ /^ *-->/) collecting = 0
    else next_with = next_with (next_with == "" ? "" : "\n") $0
    next
}
/^ *<!-- *test: *with *$/ { collecting = 1; next }
/^ *<!-- *test:/ {
    text = $0
    sub(/^ *<!-- *test: */, "", text)
    if (!sub(/ *--> *$/, "", text)) mistake(FNR, "an instruction to the test must end on its line")
    directive(text, FNR)
    next
}
/^ *(```|~~~)/ {
    match($0, /^ */)
    indent = RLENGTH
    text = substr($0, indent + 1)
    match(text, /^(`+|~+)/)
    fence = substr(text, 1, RLENGTH)
    kind = substr(text, RLENGTH + 1)
    sub(/^ */, "", kind)
    sub(/[ {].*/, "", kind)
    begin_block(kind, FNR)
    body = ""
    inside = 1
    blank = 1
    next
}
/^#/ { runnable = 0 }
/^[ \t]*$/ { blank = 1; next }
{
    if (blank && !listed && /^(    |\t)/) mistake(FNR, "an indented code block: give it a fence and a kind")
    if (!/^[ \t]/) listed = /^([-*+]|[0-9]+[.)]) /
    blank = 0
}
END {
    if (inside) {
        mistake(FNR, "a code block is not closed")
        end_block()
    }
    if (collecting) mistake(FNR, "an instruction to the test is not closed")
    if (next_with next_name next_skip != "" || next_fails) mistake(FNR, "an instruction to the test without a block after it")
}
