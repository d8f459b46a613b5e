# How all of our own C++ is compiled: link `tkc_flags` PRIVATE, or use tkc_add_library.
#
# Generated and foreign sources do not link it, so -Werror is about our text alone.

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
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 sees dangling and out-of-bounds accesses inside std::string and std::variant where there
    # are none, the more so with sanitizers (GCC bugs 105329, 105562).
    target_compile_options(tkc_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
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
    add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections)
    add_compile_options(-ffunction-sections -fdata-sections)
endif()

# A library of ours: tkc_add_library(tkc_ir SOURCES a.cpp b.cpp LINK tkc_language)
function(tkc_add_library name)
    cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
    # Bring-up: folders list files that are still being written.
    foreach(source IN LISTS arg_SOURCES)
        if(NOT IS_ABSOLUTE "${source}" AND NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
            message(WARNING "${name}: ${source} is not there yet")
            list(REMOVE_ITEM arg_SOURCES "${source}")
        endif()
    endforeach()
    add_library(${name} STATIC ${arg_SOURCES})
    target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name} PUBLIC ${arg_LINK} PRIVATE tkc_flags)
endfunction()
