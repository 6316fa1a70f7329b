#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The basin of the tippedisk's inversion over two initial velocities: its spin about the vertical (wx) and its rolling (wz), both in rad/s. It is inverted
# where its centre of mass, 0.0425 at the start, stays above the middle of the standing disk, 0.045, from 1.2 s to 2 s: a disk that only rolls passes there, too, but
# does not stay. Without any rolling it stands on an equilibrium, which is unstable: round-off would decide; with a spin of less than 13.6 rad/s there is not the energy to lift it. A disk
# that falls comes to rest on its face, as its contacts are found (tippedisk.yaml). The basin is symmetric to both axes, so a quarter is enough.
# usage: studies/tippedisk-inversion.sh [FOLDER [SPINS [ROLLS]]]: study and picture go there
set -eu
folder=${1:-.}
studies=$(dirname "$0")
zeno=${ZENO_PROGRAM:-zeno}
"$zeno" sweep "$studies/tippedisk.yaml" --vary "wx=${2:-3:90:30}" --vary "wz=${3:-1:20:20}" --out "$folder/tippedisk-inversion.h5"
"$zeno" plot "$folder/tippedisk-inversion.h5" --map min:disk.z --levels 0.045 --label "not inverted" --label inverted --x-label "spin wx in rad/s" --y-label "rolling wz in rad/s" \
    --title "Which tippedisks turn over" --out "$folder/tippedisk-inversion.svg"
