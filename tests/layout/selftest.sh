#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# selftest.sh LAYOUT: the layout test accepts a small good tree and finds each kind of violation in it.
set -eu
layout=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
spdx='/* SPDX-License-Identifier: Apache-2.0 */'

fresh_tree() {
    rm -rf "$tree"
    mkdir -p "$tree/include/zeno" "$tree/examples" "$tree/tests/model"
    for folder in base linalg cone model scheme scene cli; do mkdir -p "$tree/src/$folder"; done
    printf '%s\n#include <stddef.h>\n' "$spdx" >"$tree/include/zeno/base.h"
    for header in types model simulation zeno; do printf '%s\n#include "zeno/base.h"\n' "$spdx" >"$tree/include/zeno/$header.h"; done
    printf '%s\n#include "zeno/base.h"\n' "$spdx" >"$tree/src/base/base.h"
    printf '%s\n#include "base/base.h"\n' "$spdx" >"$tree/src/linalg/linalg.h"
    for header in cone/cone cone/solver scheme/scheme cli/args; do printf '%s\n' "$spdx" >"$tree/src/$header.h"; done
    for header in check model/fixture; do printf '%s\n' "$spdx" >"$tree/tests/$header.h"; done
    printf '%s\n#include "linalg/linalg.h"\n#include "base/base.h"\n' "$spdx" >"$tree/src/model/model.c"
    # transitive use: scheme -> model -> linalg; a private header in its own folder; a library where it belongs
    printf '%s\n#include "linalg/linalg.h"\n#include "zeno/simulation.h" /* settings */\n#include <math.h>\n' "$spdx" >"$tree/src/scheme/step.c"
    printf '%s\n#include "cone/solver.h"\n' "$spdx" >"$tree/src/cone/solver.c"
    printf '%s\n#include <klu.h>\n' "$spdx" >"$tree/src/linalg/sparse.c"
    printf '%s\n#include <zeno/zeno.h>\n' "$spdx" >"$tree/examples/program.c"
}

rejects() { # WHAT TEXT_OF_THE_FINDING
    if sh "$layout" "$tree" >"$work/output" 2>&1; then
        echo "not found: $1"
        exit 1
    fi
    if ! grep -qF "$2" "$work/output"; then
        echo "$1: expected a finding with '$2', got:"
        cat "$work/output"
        exit 1
    fi
    echo "found: $1"
    fresh_tree
}

fresh_tree
sh "$layout" "$tree"

# includes FILE LINE...: a file with these lines
includes() {
    file=$tree/$1
    shift
    { echo "$spdx"; printf '%s\n' "$@"; } >"$file"
}

includes include/zeno/types.h '/* A comment. */' 'ZN_API int one(void);' 'ZN_API int two(void);' '' 'ZN_API int three(' '    void);'
rejects "a public function without a comment" "include/zeno/types.h:6: no comment says what three does"
includes src/model/bad.c '#include "scheme/scheme.h"'
rejects "a lower folder includes a higher one" "src/model/bad.c:2: model may not use scheme"
includes src/model/bad.c '#include <cone/cone.h>'
rejects "a folder beside, in angle brackets" "model may not use cone"
includes src/model/bad.c '#include "../scheme/scheme.h"'
rejects "a relative path" "by a relative path"
includes src/model/bad.c '#include "base/../scheme/scheme.h"'
rejects "a relative path within a path" "by a relative path"
includes src/scheme/bad.c '#include "cone/solver.h"'
rejects "a private header of a folder that may be used" "src/scheme/bad.c:2: \"cone/solver.h\" is private to cone"
includes src/scheme/bad.c '#include <cone/solver.h>'
rejects "a private header in angle brackets" "is private to cone"
includes src/model/bad.c '#include "check.h"'
rejects "a header of the tests" "\"check.h\" is no header of src/"
includes src/model/bad.c '#include "model/fixture.h"'
rejects "a header of the tests by the path of a folder" "\"model/fixture.h\" is no header of src/"
includes src/model/bad.c '#define HEADER "scheme/scheme.h"' '#include HEADER'
rejects "a header by a macro" "src/model/bad.c:3: an include that is not plain"
includes src/model/bad.c '#include /* */ "scheme/scheme.h"'
rejects "a comment before the name" "an include that is not plain"
includes src/model/bad.c '%:include "scheme/scheme.h"'
rejects "a digraph" "an include that is not plain"
includes src/model/bad.c '#\' 'include "scheme/scheme.h"'
rejects "a line that goes on" "an include that is not plain"
includes src/model/bad.c '#inc\' 'lude "scheme/scheme.h"'
rejects "a word that goes on" "an include that is not plain"
includes src/model/bad.c '/* A comment. */ #include "scheme/scheme.h"'
rejects "a comment before" "an include that is not plain"
includes src/model/bad.c '/* A comment' '*/ # /* and */ /* another */ include "scheme/scheme.h"'
rejects "the end of a comment before" "an include that is not plain"
includes src/model/bad.c "$(printf '\v')#include \"scheme/scheme.h\""
rejects "white space that is no blank" "an include that is not plain"
includes src/model/bad.c '#include "cone/solver.c"'
rejects "the source of another folder" "which is no header"
includes src/model/bad.c '#include "model/model.c"'
rejects "the source of the same folder" "which is no header"
includes src/scene/bad.c '#include "cli/args.h"'
rejects "the library uses the program" "scene may not use cli"
includes src/linalg/bad.c '#include "zeno/simulation.h"'
rejects "a public header of a higher layer" "linalg may not use \"zeno/simulation.h\""
includes include/zeno/model.h '#include "zeno/simulation.h"'
rejects "a public header of a higher layer by way of a lower one" 'include/zeno/model.h:2: a public header includes "zeno/simulation.h", which is not before it'
includes include/zeno/types.h '#include <zeno/model.h>'
rejects "the same in angle brackets" 'include/zeno/types.h:2: a public header includes "zeno/model.h", which is not before it'
includes include/zeno/extra.h '#include <stddef.h>'
includes include/zeno/base.h '#include "zeno/extra.h"'
rejects "a public header without a place" "include/zeno/extra.h:1: extra.h is not in the order of public headers"
includes src/model/bad.c '#include <hdf5.h>'
rejects "the library of another folder" "model may not use the library of <hdf5.h>"
includes src/model/bad.c '#include <suitesparse/klu.h>'
rejects "a library by another path" "model may not use the library of <suitesparse/klu.h>"
includes src/model/bad.c '#include <cholmod.h>'
rejects "a library that no folder uses" "model may not use the library of <cholmod.h>"
includes src/linalg/bad.c '#include <unistd.h>'
rejects "a header of the system" "linalg may not use the library of <unistd.h>"
includes include/zeno/bad.h '#include "base/base.h"'
rejects "a public header that needs an internal one" "a public header includes"
includes include/zeno/bad.h '#include <base/base.h>'
rejects "the same in angle brackets" "a public header includes"
includes include/zeno/bad.h '#include "bad_internal.h"'
rejects "a public header that needs one without a folder" "a public header includes"
includes include/zeno/bad.h '#include <hdf5.h>'
rejects "a public header that needs a library" "a public header includes"
includes examples/bad.c '#include "base/base.h"'
rejects "an example that looks inside" "a program includes"
for option in '-include;scheme/scheme.h' '-imacros scheme/scheme.h'; do
    printf '# SPDX-License-Identifier: Apache-2.0\ntarget_compile_options(model PRIVATE "%s")\n' "$option" >"$tree/src/model/CMakeLists.txt"
    rejects "the option $option" "src/model/CMakeLists.txt:2: an option that includes a header"
done
includes src/base/bad.c 'static void f(int a, int b, int c, int d, int e, int g,' '              int h, int i, int j) {' '}'
rejects "nine parameters" "src/base/bad.c:2: f has 9 parameters"
{ echo "$spdx"; echo 'int f(void) {'; awk 'BEGIN { for (i = 0; i < 59; i++) print "    g();" }'; echo '}'; } >"$tree/src/base/bad.c"
rejects "a function of 61 lines" "src/base/bad.c:2: f has 61 lines"
for file in good bad; do
    { echo "$spdx"; echo "int $file(void) {"; awk 'BEGIN { for (i = 1; i < 8; i++) print "    g(" i ");\n\n    /* a comment */" }'; echo '}'; } >"$tree/src/base/$file.c"
done
rejects "seven lines twice" ": more than 6 lines as at src/base/"
includes src/base/base.h '#define TWICE(x) twice(x, 2)' 'int twice(int x, int y);' 'int once(int x, int y);' 'int dsolve_(int x);' 'int shared(void);'
includes src/base/once.c 'int twice(int x, int y) { return x * y; }' 'int once(int x, int y) { return x + y; }' 'int shared(void) { return once(1, 2); }'
includes src/base/bad.c 'int g(void) { return shared(); }'
rejects "a function of one file in a header" "src/base/base.h:4: once is used by one file alone"
mkdir "$tree/src/extra"
printf '%s\n#include "base/base.h"\n' "$spdx" >"$tree/src/extra/bad.c"
rejects "a folder without rules" "not in the table"
echo 'int x;' >"$tree/src/base/bad.c"
rejects "no licence line" "the licence line is missing"
for most in src:600 tests:700; do
    mkdir -p "$tree/${most%:*}/base"
    { echo "$spdx"; awk -v most="${most#*:}" 'BEGIN { for (i = 0; i < most; i++) print "" }'; } >"$tree/${most%:*}/base/bad.c"
    rejects "a file of ${most#*:} lines and one more" "longer than ${most#*:} lines"
done
for line in 'worst = fmax(worst, x);' 'low = fmin (low, x);' 'if (!(size <= worst)) worst = size;' 'largest = size > largest ? size : largest;' \
    'if (fabs(x) > most) most = fabs(x);'; do
    printf '%s\n%s\n' "$spdx" "$line" >"$tree/src/base/bad.c"
    rejects "$line" "src/base/bad.c:2: a maximum that may lose NaN"
done
place=home
printf '%s\nconst char *scene = "/%s/user/scene.yaml";\n' "$spdx" "$place" >"$tree/src/base/bad.c"
rejects "a machine path" "src/base/bad.c:2: names a place on a machine"
missing=methods md=md # this file itself names none of these
printf '%s\n/* Equations: %s, section 4. */\n' "$spdx" "$missing.$md" >"$tree/src/base/bad.c"
rejects "a text that is not here" "src/base/bad.c:2: names $missing.$md, which is not in the repository"
mkdir -p "$tree/docs/theory"
printf 'See [the solver](%s), %s.\n' "solver.$md" "../$missing.$md" >"$tree/docs/theory/steps.$md"
echo '# Solver' >"$tree/docs/theory/solver.$md"
rejects "a relative path that leads nowhere" "docs/theory/steps.$md:1: names ../$missing.$md"
printf '%s\n/* As in src/base/%s.c, not in src/base/%s.h. */\n' "$spdx" none base >"$tree/src/base/bad.c"
rejects "a source that is not there" "src/base/bad.c:2: names src/base/none.c, which is not in the repository"
mkdir -p "$tree/docs/theory"
printf '%s\n/* docs/theory/%s; FILE.%s; https://example.org/page.%s; build/table.%s */\n' "$spdx" "solver.$md" $md $md $md >"$tree/src/base/good.c"
printf '[theory](../%s), [solver](%s)\n' "theory.$md" "solver.$md" >"$tree/docs/theory/solver.$md"
echo "[solver](theory/solver.$md)" >"$tree/docs/theory.$md"
sh "$layout" "$tree"
