# SPDX-License-Identifier: Apache-2.0
# Headers, both libraries, the program, the scenes; a pkg-config file and a CMake package.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/zeno)

install(TARGETS zeno RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/zeno DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/zeno FILES_MATCHING PATTERN "*.yaml")
install(FILES ${PROJECT_BINARY_DIR}/viewer/zeno-viewer.js DESTINATION ${CMAKE_INSTALL_DATADIR}/zeno OPTIONAL) # by `make viewer`
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Two sets of targets: the shared library needs nothing else, the static one needs the development files of its dependencies.
install(TARGETS zeno_shared EXPORT zeno-shared-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS zeno_static EXPORT zeno-static-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT zeno-shared-targets NAMESPACE zeno:: DESTINATION ${package_dir})
install(EXPORT zeno-static-targets NAMESPACE zeno:: DESTINATION ${package_dir})
configure_package_config_file(cmake/zeno-config.cmake.in zeno-config.cmake INSTALL_DESTINATION ${package_dir}
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(zeno-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/zeno-config.cmake ${PROJECT_BINARY_DIR}/zeno-config-version.cmake DESTINATION ${package_dir})
install(FILES cmake/dependencies.cmake DESTINATION ${package_dir} RENAME zeno-dependencies.cmake)

# Dependencies in the form of pkg-config: modules by their names, other libraries as -l with -L where a linker would not look.
set(pc_requires "libfyaml")
if(ZENO_HDF5_MODULE_NAME)
    string(APPEND pc_requires ", ${ZENO_HDF5_MODULE_NAME}")
endif()
set(pc_libs "")
foreach(library ${ZENO_DEPENDENCY_LIBRARIES})
    if(library IN_LIST ZENO_FYAML_LINK_LIBRARIES OR (ZENO_HDF5_MODULE_NAME AND library IN_LIST ZENO_HDF5_LINK_LIBRARIES))
        continue()
    elseif(IS_ABSOLUTE "${library}")
        get_filename_component(folder ${library} DIRECTORY)
        get_filename_component(name ${library} NAME_WE)
        string(REGEX REPLACE "^lib" "" name ${name})
        if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
            string(APPEND pc_libs " -L${folder}")
        endif()
        string(APPEND pc_libs " -l${name}")
    elseif(library MATCHES "^-")
        string(APPEND pc_libs " ${library}")
    else()
        string(APPEND pc_libs " -l${library}")
    endif()
endforeach()
# The prefix is found from where the file lies, so an installed tree may be moved.
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/zeno.pc.in zeno.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/zeno.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The Python package, where it was built: `cmake --install build --component python`.
if(TARGET python)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/python/zeno DESTINATION ${CMAKE_INSTALL_LIBDIR}/python3/dist-packages COMPONENT python EXCLUDE_FROM_ALL
        PATTERN __pycache__ EXCLUDE)
endif()
