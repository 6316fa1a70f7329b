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
    mkdir -p "$tree/include/zeno" "$tree/src/base" "$tree/src/linalg" "$tree/src/model" "$tree/src/scheme"
    printf '%s\n#include <stddef.h>\n' "$spdx" >"$tree/include/zeno/base.h"
    printf '%s\n#include "zeno/base.h"\n' "$spdx" >"$tree/src/base/base.h"
    printf '%s\n#include "base/base.h"\n' "$spdx" >"$tree/src/linalg/linalg.h"
    printf '%s\n#include "linalg/linalg.h"\n#include "base/base.h"\n' "$spdx" >"$tree/src/model/model.c"
    # transitive use: scheme -> model -> linalg
    printf '%s\n#include "linalg/linalg.h"\n#include "zeno/base.h"\n' "$spdx" >"$tree/src/scheme/step.c"
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

printf '%s\n#include "scheme/scheme.h"\n' "$spdx" >"$tree/src/model/bad.c"
rejects "a lower folder includes a higher one" "src/model/bad.c:2: model may not use scheme"
printf '%s\n#  include <cone/cone.h>\n' "$spdx" >"$tree/src/model/bad.c"
rejects "a folder beside, in angle brackets" "model may not use cone"
printf '%s\n#include "../scheme/scheme.h"\n' "$spdx" >"$tree/src/model/bad.c"
rejects "a way around by a relative path" "by a relative path"
printf '%s\n#include "base/base.h"\n' "$spdx" >"$tree/include/zeno/bad.h"
rejects "a public header that needs an internal one" "a public header includes"
mkdir "$tree/src/extra"
printf '%s\n#include "base/base.h"\n' "$spdx" >"$tree/src/extra/bad.c"
rejects "a folder without rules" "not in the table"
echo 'int x;' >"$tree/src/base/bad.c"
rejects "no licence line" "the licence line is missing"
{ echo "$spdx"; awk 'BEGIN { for (i = 0; i < 700; i++) print "" }'; } >"$tree/src/base/bad.c"
rejects "a file of 701 lines" "longer than 700 lines"
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
