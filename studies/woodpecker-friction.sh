#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The period of the woodpecker toy over its friction, after its transient: it hacks its way down from mu = 0.29 on; with less friction
# the sleeve does not jam, and the toy falls. The paper's value 0.1459 s belongs to mu = 0.3.
# usage: studies/woodpecker-friction.sh [FOLDER [VALUES]]: study and picture go there
set -eu
folder=${1:-.}
scenes=$(dirname "$0")/../scenes
zeno=${ZENO_PROGRAM:-zeno}
"$zeno" sweep "$scenes/woodpecker.yaml" --vary "mu=${2:-0.29:0.6:63}" --keep "period:phi_M,mean:y',summary:max_residual" --from 1.5 --end 3 --out "$folder/woodpecker-friction.h5"
"$zeno" plot "$folder/woodpecker-friction.h5" --y period:phi_M --style both --y-label "period in s" --out "$folder/woodpecker-friction.svg"
