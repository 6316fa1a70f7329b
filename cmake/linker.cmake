# SPDX-License-Identifier: Apache-2.0
# Some two hundred programs of tests and benchmarks contain the whole library: the fastest linker that the compiler can use links them, in a half to a third of
# the time of the default one. What is installed is linked by the default one.
include(CheckLinkerFlag)
set(ZENO_TEST_LINK_OPTIONS "")
foreach(linker lld gold)
    check_linker_flag(C -fuse-ld=${linker} ZENO_HAS_${linker})
    if(ZENO_HAS_${linker} AND NOT ZENO_TEST_LINK_OPTIONS)
        set(ZENO_TEST_LINK_OPTIONS -fuse-ld=${linker})
    endif()
endforeach()
