# SPDX-License-Identifier: Apache-2.0
# Flags of every translation unit. No contraction to fused operations: the same bytes from every compiler.
set(ZENO_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wwrite-strings
    -Wvla -Wformat=2 -Werror -ffp-contract=off -fno-math-errno)
