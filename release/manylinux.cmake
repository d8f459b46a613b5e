# A CMake toolchain: Zig's C++ compiler, which links for glibc 2.28 (RHEL 8, Debian 10, Ubuntu 18.10) and later.
#
#     cmake --preset portable --toolchain release/manylinux.cmake -DTKC_ZIG=zig
#         -DCMAKE_FIND_ROOT_PATH=headers -DTKC_ANTLR4_RUNTIME=sources
#
# make-release passes the program, a folder with the headers of libraries, and the sources of ANTLR's runtime.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TKC_ZIG)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_HOST_SYSTEM_PROCESSOR})
set(CMAKE_LIBRARY_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
set(CMAKE_CXX_COMPILER "${TKC_ZIG}" c++ -target ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu.2.28)
set(CMAKE_CXX_FLAGS_INIT -g0)  # Zig's default is full debug information

# Zig would link mathematical functions and memcpy of its own into the program. Those of glibc are faster, and the
# emulator's results should be those of a tkc that gcc compiled. The rest of what compilers call is in libgcc.
execute_process(COMMAND gcc -print-libgcc-file-name OUTPUT_VARIABLE libgcc OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
set(CMAKE_CXX_STANDARD_LIBRARIES_INIT "--rtlib=none ${libgcc}")

# Never /usr/include, whose glibc is another.
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
