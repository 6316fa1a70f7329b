#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The validation has teeth: with one wrong coefficient in the program it is red, without it is green.
# A mutated source file is compiled and linked with the other objects of the build; a part of the validation runs with that program.
# usage: mutation.sh BUILD SOURCE PYTHON3            (77: not a build by ninja)
set -u
build=$1 source=$2 python3=$3
[ -f "$build/build.ninja" ] && command -v ninja >/dev/null || { echo "skipped: the build is not one of ninja"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
complain() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}
ninja -C "$build" -t commands zeno >"$work/commands" || exit 1

# validate PROGRAM SCHEMES SYSTEM...
validate() {
    program=$1 schemes=$2
    shift 2
    "$python3" "$source/validate" --zeno "$program" --work "$work/results" --quiet --no-page --schemes "$schemes" "$@" >"$work/report" 2>&1
}

# mutate FILE OLD NEW PROGRAM: OLD, a plain text, occurs once in FILE
mutate() {
    file=$1 program=$4
    copy=$work/$(basename "$file")
    awk -v old="$2" -v new="$3" '{
        place = index($0, old)
        if (place) { count++; $0 = substr($0, 1, place - 1) new substr($0, place + length(old)) }
        print
    } END { exit count != 1 }' "$source/$file" >"$copy" || { complain "'$2' is not once in $file: the test must follow the source"; return 1; }
    grep -e "-c [^ ]*/$file\$" "$work/commands" >"$work/compile" || { complain "no command compiles $file"; return 1; }
    object=$(sed 's/.* -o \([^ ]*\) -c .*/\1/' "$work/compile")
    sed -i "s| -o [^ ]* -c .*| -o $copy.o -c $copy|; s| -M[TF] [^ ]*||g; s| -MD||" "$work/compile"
    tail -n 1 "$work/commands" | sed "s| $object | $copy.o |; s| -o zeno | -o $program |" >"$work/link"
    grep -q "$copy.o" "$work/link" || { complain "the program is not linked from $object"; return 1; }
    (cd "$build" && sh "$work/compile" && sh "$work/link") || { complain "the mutated $file cannot be built"; return 1; }
}

# case NAME FILE OLD NEW SCHEMES SYSTEM...: green before, red with NEW
mutation() {
    name=$1 file=$2 old=$3 new=$4 schemes=$5
    shift 5
    validate "$build/zeno" "$schemes" "$@" || complain "$name: red without a mutation: $(cat "$work/report")"
    mutate "$file" "$old" "$new" "$work/mutant" || return
    if validate "$work/mutant" "$schemes" "$@"; then complain "$name: green although $file says '$new'"; else echo "$name: $(head -n 1 "$work/report" | cut -c 1-160)"; fi
}

mutation "sign of 000 (61)" src/scheme/lagrange.c '- p->p_start[c] - p->h * impulse' '- p->p_start[c] + p->h * impulse' 'lobatto-3a3b-lagrange:3' rolling-ball
mutation "a coefficient of Radau IIA" src/scheme/tableau_radau.c 'd.c[s - 1] = 1;' 'd.c[s - 1] = 1; if (s > 1) d.c[0] += 1e-3L;' 'radau-2a:2' slope
mutation "restitution" src/scheme/impact_law.c '+= contact->e_N *' '+= 0.98 * contact->e_N *' 'radau-2a:2' bouncing-ball
mutation "friction bound" src/law/reservoir.c '{law->dim, law->mu[0]}' '{law->dim, 1.001 * law->mu[0]}' 'radau-2a:2,rattle' rolling-ball
mutation "Coulomb-Contensou radius" src/law/reservoir.c '3 * pi * law->radius / 16' '3 * pi * law->radius / 15' 'radau-2a:2' tippedisk
mutation "Stribeck" src/model/formula_contacts.c 'expr_constant(g, acos(-1.0))' 'expr_constant(g, 1.01 * acos(-1.0))' 'rattle' block-on-belt
mutation "gamma of generalized-alpha" src/scheme/generalized_alpha_parameters.c ': 0.5 + p->af - p->am' ': 0.51 + p->af - p->am' 'generalized-alpha' spring-slider
mutation "theta of Moreau and Jean" src/scheme/moreau_theta.c '(s->u[i] + s->theta * x[i])' '(s->u[i] + 0.98 * s->theta * x[i])' 'moreau-theta' rolling-ball
mutation "half a step of forces" src/scheme/moreau_type.c 'h_before : h_before / 2;' 'h_before : h_before / 1.98;' 'moreau-symmetric' skate
mutation "a coefficient of Lobatto IIIB" src/scheme/tableau_lobatto.c 'd.b[j] * (d.b[i] - d.A[j * s + i]) / d.b[i]' '0.999L * d.b[j] * (d.b[i] - d.A[j * s + i]) / d.b[i]' 'lobatto-3a3b:3' orders
mutation "a coefficient of SDIRK" src/scheme/tableau_sdirk.c '1 / (2 + sqrtl(2))' '1 / (2.01L + sqrtl(2))' 'sdirk2' orders
mutation "stiffness of bars" src/model/parts/bar.c '{l, m.EA,' '{l, 1.01 * m.EA,' 'radau-2a:1' elastic-bar
[ "$failures" -eq 0 ] && echo "all good"
exit "$((failures > 0))"
