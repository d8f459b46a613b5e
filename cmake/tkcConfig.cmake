# What find_package(tkc) gives: the compiler as TKC_EXECUTABLE, and tkc_add_kernel (docs/cmake.md).

if(NOT TKC_EXECUTABLE)
    get_filename_component(prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
    find_program(TKC_EXECUTABLE tkc HINTS "${prefix}/bin" DOC "The compiler of .tk files" NO_DEFAULT_PATH)
endif()
if(NOT TKC_EXECUTABLE)
    set(tkc_FOUND FALSE)
    set(tkc_NOT_FOUND_MESSAGE "there is no tkc in ${prefix}/bin; -DTKC_EXECUTABLE=/path/to/tkc names one")
    return()
endif()

# tkc_add_kernel(TARGET FILE.tk [NAME name] [DEFINES D=128 ..] [IMPORTS folder ..] [DEBUG])
#
# Compiles the kernels of a .tk file into TARGET, which can include their C interface as "name.h" (name: that of the file).
# Several calls for one file, with other constants, need names of their own, and so do their kernels (`instance .. as ..`).
function(tkc_add_kernel target file)
    cmake_parse_arguments(PARSE_ARGV 2 arg "DEBUG" "NAME" "DEFINES;IMPORTS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "tkc_add_kernel: what is `${arg_UNPARSED_ARGUMENTS}`? It takes NAME, DEFINES, IMPORTS and DEBUG")
    endif()
    if(NOT TARGET ${target})
        message(FATAL_ERROR "tkc_add_kernel: there is no target `${target}`: add_library or add_executable comes first")
    endif()
    if(NOT CMAKE_CUDA_COMPILER_LOADED)
        message(FATAL_ERROR "tkc_add_kernel: the project needs CUDA: project(.. LANGUAGES CXX CUDA)")
    endif()
    get_filename_component(source "${file}" ABSOLUTE)
    if(NOT EXISTS "${source}")
        message(FATAL_ERROR "tkc_add_kernel: there is no file ${source}")
    endif()
    set(name "${arg_NAME}")
    if(NOT name)
        get_filename_component(name "${file}" NAME_WE)
    endif()
    set(object tkc_${target}_${name})
    if(TARGET ${object})
        message(FATAL_ERROR "tkc_add_kernel: ${target} has kernels called `${name}` already: give these another NAME")
    endif()

    set(options --no-notes)
    foreach(define IN LISTS arg_DEFINES)
        list(APPEND options -D "${define}")
    endforeach()
    foreach(folder IN LISTS arg_IMPORTS)
        get_filename_component(folder "${folder}" ABSOLUTE)
        list(APPEND options -I "${folder}")
    endforeach()
    if(arg_DEBUG)
        list(APPEND options --debug)
    endif()

    set(folder "${CMAKE_CURRENT_BINARY_DIR}/tkc/${target}/${name}")
    set(output "${folder}/${name}")
    file(MAKE_DIRECTORY "${folder}")
    # The headers that the .cu includes are inside tkc.
    add_custom_command(
        OUTPUT "${output}.cu" "${output}.h" "${folder}/runtime/tk/tk.cuh"
        COMMAND "${TKC_EXECUTABLE}" runtime "${folder}/runtime"
        COMMAND "${TKC_EXECUTABLE}" "${source}" ${options} --emit=header -o "${output}.h"
        COMMAND "${TKC_EXECUTABLE}" "${source}" ${options} -o "${output}.cu" --depfile "${output}.d"
        DEPENDS "${source}" "${TKC_EXECUTABLE}"
        DEPFILE "${output}.d"
        COMMENT "tkc ${file}"
        VERBATIM)

    # A library of its own, because the architecture and the flags are of these kernels and not of the target's other sources.
    add_library(${object} OBJECT "${output}.cu" "${output}.h")
    set_target_properties(${object} PROPERTIES
        CUDA_ARCHITECTURES 90a-real CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON POSITION_INDEPENDENT_CODE ON
        CUDA_SEPARABLE_COMPILATION OFF)
    # -fmad=false: products and sums are rounded where the program says so.
    target_compile_options(${object} PRIVATE -O3 -fmad=false)
    target_include_directories(${object} PRIVATE "${folder}/runtime")
    target_include_directories(${target} PRIVATE "${folder}" "${folder}/runtime")
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}> "${output}.h")
    add_dependencies(${target} ${object})
    # The launchers call CUDA's runtime.
    if(NOT TARGET CUDA::cudart_static)
        find_package(CUDAToolkit REQUIRED)
    endif()
    target_link_libraries(${target} PRIVATE CUDA::cudart_static)
endfunction()
