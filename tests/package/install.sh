#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh BUILD_DIR HERE: installs to a prefix of its own, moves it, and builds and runs separate programs against it: by
# pkg-config and by CMake, with the shared and with the static library, from C and from C++.
set -eu
build=$1
here=$2
cc=${CC:-cc}
cxx=${CXX:-c++}
cmake=${CMAKE:-cmake}
extra=${EXTRA_FLAGS:-}
warnings='-Wall -Wextra -Wpedantic -Werror'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*"
    exit 1
}
# Runs a program and checks that it is linked to the library as it should be.
expect() { # NAME PROGRAM shared|static
    output=$("$2") || fail "$1: the program failed: $output"
    case $output in *"zeno $version"*) ;; *) fail "$1: unexpected output: $output" ;; esac
    linked=static
    if ldd "$2" | grep -q 'libzeno\.so'; then linked=shared; fi
    [ "$linked" = "$3" ] || fail "$1: linked to the $linked library"
    echo "ok: $1: $output"
}

"$cmake" --install "$build" --prefix "$work/first" >"$work/log" 2>&1 || { cat "$work/log"; fail "install"; }
mv "$work/first" "$work/prefix" # nothing in an installed tree may remember where it was made
pc=$(find "$work/prefix" -name zeno.pc)
lib=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH="$lib/pkgconfig" LD_LIBRARY_PATH="$lib"
version=$(pkg-config --modversion zeno)

# pkg-config, shared
# shellcheck disable=SC2046,SC2086
"$cc" -std=c17 $warnings $extra $(pkg-config --cflags zeno) "$here/program.c" -o "$work/c-shared" $(pkg-config --libs zeno) -lm
expect "C, pkg-config, shared" "$work/c-shared" shared
# shellcheck disable=SC2046,SC2086
"$cxx" -std=c++17 $warnings $extra $(pkg-config --cflags zeno) "$here/program.cpp" -o "$work/cpp-shared" $(pkg-config --libs zeno)
expect "C++, pkg-config, shared" "$work/cpp-shared" shared

# pkg-config, static: from a tree without the shared library, so that -lzeno means the archive
cp -R "$work/prefix" "$work/static"
find "$work/static" -name 'libzeno.so*' -exec rm {} +
export PKG_CONFIG_PATH="$work/static/${lib#"$work/prefix/"}/pkgconfig"
# shellcheck disable=SC2046,SC2086
"$cc" -std=c17 $warnings $extra $(pkg-config --cflags zeno) "$here/program.c" -o "$work/c-static" $(pkg-config --static --libs zeno) -lm
expect "C, pkg-config, static" "$work/c-static" static

# Each public header compiles by itself, from C and from C++.
for header in "$work"/prefix/include/zeno/*.h; do
    echo "#include \"zeno/$(basename "$header")\"" >"$work/header.c"
    cp "$work/header.c" "$work/header.cpp"
    # shellcheck disable=SC2086
    "$cc" -std=c17 $warnings -I"$work/prefix/include" -c "$work/header.c" -o "$work/header.o"
    # shellcheck disable=SC2086
    "$cxx" -std=c++17 $warnings -I"$work/prefix/include" -c "$work/header.cpp" -o "$work/header.o"
done
echo "ok: headers by themselves, C17 and C++17"

# CMake, shared and static, C and C++
"$cmake" -S "$here/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" \
    -DCMAKE_C_FLAGS="$extra" -DCMAKE_CXX_FLAGS="$extra" >"$work/log" 2>&1 || { cat "$work/log"; fail "configuring with find_package"; }
"$cmake" --build "$work/consumer" >"$work/log" 2>&1 || { cat "$work/log"; fail "building with find_package"; }
expect "C, CMake, shared" "$work/consumer/c-shared" shared
expect "C, CMake, static" "$work/consumer/c-static" static
expect "C++, CMake, shared" "$work/consumer/cpp-shared" shared
expect "C++, CMake, static" "$work/consumer/cpp-static" static

# The installed program runs by itself.
"$work/prefix/bin/zeno" schemes >"$work/log" 2>&1 || { cat "$work/log"; fail "the installed program"; }
echo "ok: the installed program"

# No installed text remembers the source or the build folder.
root=$(dirname "$(dirname "$here")")
if grep -rlIF -e "$build" -e "$root/src/" -e "$root/include/" "$work/prefix"; then fail "machine paths in the files above"; fi
