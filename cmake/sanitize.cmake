# SPDX-License-Identifier: Apache-2.0
# The checkers stop at the first finding, so that a test cannot pass over it. ZENO_SANITIZE_FLAGS is also what a program that
# links the checked library needs (tests/package, tests/docs).
set(ZENO_SANITIZE_FLAGS "")
if(ZENO_SANITIZE)
    set(checkers address,undefined)
    if(ZENO_SANITIZE STREQUAL "thread")
        set(checkers thread)
    endif()
    set(ZENO_SANITIZE_FLAGS -fsanitize=${checkers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_compile_options(${ZENO_SANITIZE_FLAGS} -O2 -g1) # with -O1 the tests take a quarter longer; -g1: lines for stack traces, a third less to link
    add_link_options(${ZENO_SANITIZE_FLAGS})
endif()
