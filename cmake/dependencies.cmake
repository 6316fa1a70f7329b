# SPDX-License-Identifier: Apache-2.0
# Finds the libraries of the field that Zeno stands on. Used by the build and, for the static library, by the installed
# package; so it makes no targets and does not stop. It sets
#   ZENO_DEPENDENCY_INCLUDES   directories with headers
#   ZENO_DEPENDENCY_LIBRARIES  full paths, in link order
#   ZENO_DEPENDENCIES_MISSING  names of what was not found
set(ZENO_DEPENDENCY_INCLUDES "")
set(ZENO_DEPENDENCY_LIBRARIES "")
set(ZENO_DEPENDENCIES_MISSING "")

# KLU and its parts only: the rest of SuiteSparse has other licences.
find_path(ZENO_KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
mark_as_advanced(ZENO_KLU_INCLUDE_DIR)
if(ZENO_KLU_INCLUDE_DIR)
    list(APPEND ZENO_DEPENDENCY_INCLUDES ${ZENO_KLU_INCLUDE_DIR})
else()
    list(APPEND ZENO_DEPENDENCIES_MISSING klu.h)
endif()
foreach(name klu amd colamd btf suitesparseconfig)
    find_library(ZENO_${name}_LIBRARY ${name})
    mark_as_advanced(ZENO_${name}_LIBRARY)
    if(ZENO_${name}_LIBRARY)
        list(APPEND ZENO_DEPENDENCY_LIBRARIES ${ZENO_${name}_LIBRARY})
    else()
        list(APPEND ZENO_DEPENDENCIES_MISSING lib${name})
    endif()
endforeach()

# Convex hulls: the reentrant library.
find_path(ZENO_QHULL_INCLUDE_DIR libqhull_r/libqhull_r.h)
find_library(ZENO_QHULL_LIBRARY qhull_r)
mark_as_advanced(ZENO_QHULL_INCLUDE_DIR ZENO_QHULL_LIBRARY)
if(ZENO_QHULL_INCLUDE_DIR AND ZENO_QHULL_LIBRARY)
    list(APPEND ZENO_DEPENDENCY_INCLUDES ${ZENO_QHULL_INCLUDE_DIR})
    list(APPEND ZENO_DEPENDENCY_LIBRARIES ${ZENO_QHULL_LIBRARY})
else()
    list(APPEND ZENO_DEPENDENCIES_MISSING libqhull_r)
endif()

# Unpacking of results; HDF5 packs them with the same library.
find_path(ZENO_ZLIB_INCLUDE_DIR zlib.h)
find_library(ZENO_ZLIB_LIBRARY z)
mark_as_advanced(ZENO_ZLIB_INCLUDE_DIR ZENO_ZLIB_LIBRARY)
if(ZENO_ZLIB_INCLUDE_DIR AND ZENO_ZLIB_LIBRARY)
    list(APPEND ZENO_DEPENDENCY_INCLUDES ${ZENO_ZLIB_INCLUDE_DIR})
    list(APPEND ZENO_DEPENDENCY_LIBRARIES ${ZENO_ZLIB_LIBRARY})
else()
    list(APPEND ZENO_DEPENDENCIES_MISSING zlib)
endif()

find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
    pkg_search_module(ZENO_HDF5 QUIET hdf5 hdf5-serial)
    pkg_check_modules(ZENO_FYAML QUIET libfyaml)
else()
    list(APPEND ZENO_DEPENDENCIES_MISSING pkg-config)
endif()
if(NOT ZENO_HDF5_FOUND) # systems whose HDF5 has no pkg-config file
    find_package(HDF5 QUIET COMPONENTS C)
    set(ZENO_HDF5_FOUND ${HDF5_FOUND})
    set(ZENO_HDF5_INCLUDE_DIRS ${HDF5_C_INCLUDE_DIRS})
    set(ZENO_HDF5_LINK_LIBRARIES ${HDF5_C_LIBRARIES})
endif()
foreach(name HDF5 FYAML)
    if(ZENO_${name}_FOUND)
        list(APPEND ZENO_DEPENDENCY_INCLUDES ${ZENO_${name}_INCLUDE_DIRS})
        list(APPEND ZENO_DEPENDENCY_LIBRARIES ${ZENO_${name}_LINK_LIBRARIES})
    else()
        list(APPEND ZENO_DEPENDENCIES_MISSING ${name})
    endif()
endforeach()

find_package(LAPACK QUIET)
if(LAPACK_FOUND)
    list(APPEND ZENO_DEPENDENCY_LIBRARIES ${LAPACK_LIBRARIES})
else()
    list(APPEND ZENO_DEPENDENCIES_MISSING LAPACK)
endif()
list(APPEND ZENO_DEPENDENCY_LIBRARIES m)
