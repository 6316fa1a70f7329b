# SPDX-License-Identifier: Apache-2.0
# Flags of every translation unit. No contraction to fused operations: the same bytes from every compiler.
set(ZENO_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wwrite-strings
    -Wvla -Wformat=2 -ffp-contract=off -fno-math-errno)
# The checkers' code misleads the analysis behind some warnings of gcc; the other builds tell the true ones.
if(ZENO_WARNINGS_AS_ERRORS AND NOT ZENO_SANITIZE)
    list(APPEND ZENO_WARNINGS -Werror)
endif()
