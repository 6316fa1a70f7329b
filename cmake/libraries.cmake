# SPDX-License-Identifier: Apache-2.0
# libzeno.so and libzeno.a from the same objects. Both show zn_ names only.
add_library(zeno_shared SHARED)
target_link_libraries(zeno_shared PRIVATE zeno_objects)
# Until 1.0 a minor version may change the binary interface, so it is part of the name that programs remember.
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
else()
    set(soversion ${PROJECT_VERSION_MAJOR})
endif()
set_target_properties(zeno_shared PROPERTIES OUTPUT_NAME zeno EXPORT_NAME zeno VERSION ${PROJECT_VERSION} SOVERSION ${soversion}
    LINKER_LANGUAGE C)
if(NOT ZENO_SANITIZE) # the checkers' own names are resolved when a program is linked
    target_link_options(zeno_shared PRIVATE LINKER:--no-undefined)
endif()

# An archive does not hide names by itself: join the objects into one, then make its hidden symbols local.
set(joined ${PROJECT_BINARY_DIR}/zeno_joined.o)
add_custom_command(
    OUTPUT ${joined}
    COMMAND ${CMAKE_LINKER} -r -o ${joined} $<TARGET_OBJECTS:zeno_objects>
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${joined}
    DEPENDS zeno_objects $<TARGET_OBJECTS:zeno_objects>
    COMMENT "Joining the objects of libzeno.a"
    COMMAND_EXPAND_LISTS VERBATIM)
add_library(zeno_static STATIC ${joined})
set_target_properties(zeno_static PROPERTIES OUTPUT_NAME zeno LINKER_LANGUAGE C)
target_link_libraries(zeno_static INTERFACE $<BUILD_INTERFACE:zeno_dependencies>)

foreach(library zeno_shared zeno_static)
    set_target_properties(${library} PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    target_include_directories(${library} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
# The names of the installed package, also for a project that adds this one as a folder.
add_library(zeno::zeno ALIAS zeno_shared)
add_library(zeno::zeno_static ALIAS zeno_static)
