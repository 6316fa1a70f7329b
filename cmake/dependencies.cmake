# SPDX-License-Identifier: Apache-2.0
# The libraries of the field that Zeno stands on, as one interface target.
find_package(PkgConfig REQUIRED)
find_package(LAPACK REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)
pkg_check_modules(FYAML REQUIRED IMPORTED_TARGET libfyaml)
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(KLU_LIBRARY klu REQUIRED)
find_library(AMD_LIBRARY amd REQUIRED)
find_library(COLAMD_LIBRARY colamd REQUIRED)
find_library(BTF_LIBRARY btf REQUIRED)
find_library(SUITESPARSECONFIG_LIBRARY suitesparseconfig REQUIRED)

add_library(zeno_dependencies INTERFACE)
target_include_directories(zeno_dependencies SYSTEM INTERFACE ${KLU_INCLUDE_DIR} ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(zeno_dependencies INTERFACE ${KLU_LIBRARY} ${AMD_LIBRARY} ${COLAMD_LIBRARY} ${BTF_LIBRARY}
    ${SUITESPARSECONFIG_LIBRARY} ${HDF5_C_LIBRARIES} PkgConfig::FYAML ${LAPACK_LIBRARIES} m)
