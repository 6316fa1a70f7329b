# SPDX-License-Identifier: Apache-2.0
# Flags of every translation unit. No contraction to fused operations: the same bytes from every compiler.
set(ZENO_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wwrite-strings
    -Wvla -Wformat=2 -Wconversion -ffp-contract=off -fno-math-errno)
if(CMAKE_C_COMPILER_ID MATCHES "Clang") # counts enumerations as unsigned; gcc reports the signs that matter
    list(APPEND ZENO_WARNINGS -Wno-sign-conversion)
endif()
# The checkers' code misleads the analysis behind some warnings of gcc; the other builds report the true ones.
if(ZENO_WARNINGS_AS_ERRORS AND NOT ZENO_SANITIZE)
    list(APPEND ZENO_WARNINGS -Werror)
endif()
