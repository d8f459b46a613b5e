# How all of our own C++ is compiled: link `tkc_flags` PRIVATE, or use tkc_add_library.
#
# Generated and third-party sources do not link it, so warnings are only about our code.

# Generator expressions would hide this from compile_commands.json's readers, so it is global.
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

add_library(tkc_flags INTERFACE)
# Includes are written from the root, `#include "ir/module.h"`, so that the folder shows.
target_include_directories(tkc_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_features(tkc_flags INTERFACE cxx_std_20)
target_compile_options(tkc_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion)
# For those who change tkc: a user's compiler may warn of more than ours, and must build it all the same.
option(TKC_WERROR "Treat warnings as errors" OFF)
if(TKC_WERROR)
    target_compile_options(tkc_flags INTERFACE -Werror)
endif()
# A product and a sum stay two roundings: the emulators' numbers are those of the machine that they stand for.
target_compile_options(tkc_flags INTERFACE -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 sees dangling and out-of-bounds accesses inside std::string and std::variant where there
    # are none, the more so with sanitizers (GCC bugs 105329, 105562).
    target_compile_options(tkc_flags INTERFACE
        -Wno-array-bounds -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow)
endif()

# g++ looks for memory to use again as soon as it has 128 MB, and finds little: a sixth of its time. Without that, the
# largest of our joined sources takes 1.6 GB instead of 1.3.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options("SHELL:--param ggc-min-heapsize=1500000")
endif()

if(TKC_SANITIZE)
    # For every target, ANTLR's parser included: mixing would report containers that grew elsewhere.
    # Null and misaligned pointers trap anyway or do no harm, and testing for them doubles the build.
    set(sanitize -fsanitize=address,undefined -fno-sanitize=null,alignment,vptr,object-size
        -fno-sanitize-recover=all)
    add_compile_options(${sanitize} -fno-omit-frame-pointer)
    add_link_options(${sanitize})
endif()
if(TKC_FUZZ)
    # Which branches an input takes, and what it is compared with; test/fuzz hands both to libFuzzer.
    set(TKC_COVERAGE -fsanitize-coverage=trace-pc,trace-cmp)
    add_compile_options(${TKC_COVERAGE})
endif()
if(TKC_PORTABLE)
    add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections -s)
    add_compile_options(-ffunction-sections -fdata-sections)
endif()

# What almost every source includes is compiled once: the standard library, fmt, the IR's container. A
# source still names what it uses; the preset `tidy` builds without this.
option(TKC_PRECOMPILE "Compile common headers once" ON)
set(TKC_COMMON_HEADERS
    <algorithm> <array> <cstdint> <functional> <map> <memory> <numeric> <optional> <set> <string>
    <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>
    "${PROJECT_SOURCE_DIR}/base/diagnose.h" "${PROJECT_SOURCE_DIR}/arithmetic/normal_form.h"
    "${PROJECT_SOURCE_DIR}/ir/walk.h")

# A library of ours: tkc_add_library(tkc_ir SOURCES a.cpp b.cpp LINK tkc_language). PRECOMPILED names the
# library whose common headers it shares; after ON, it has headers of its own, more where they are named.
function(tkc_add_library name)
    cmake_parse_arguments(arg "" "" "PRECOMPILED;SOURCES;LINK" ${ARGN})
    add_library(${name} STATIC ${arg_SOURCES})
    target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name} PUBLIC ${arg_LINK} PRIVATE tkc_flags)
    if(NOT TKC_PRECOMPILE OR NOT arg_PRECOMPILED)
        return()
    endif()
    list(POP_FRONT arg_PRECOMPILED owner)
    if(TARGET "${owner}")
        target_precompile_headers(${name} REUSE_FROM ${owner})
        return()
    endif()
    list(TRANSFORM arg_PRECOMPILED PREPEND "${PROJECT_SOURCE_DIR}/")
    target_precompile_headers(${name} PRIVATE ${TKC_COMMON_HEADERS} ${arg_PRECOMPILED})
endfunction()
