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
    find_package(CUDAToolkit REQUIRED)
    get_filename_component(source "${file}" ABSOLUTE)
    if(NOT EXISTS "${source}")
        message(FATAL_ERROR "tkc_add_kernel: there is no file ${source}")
    endif()
    set(name "${arg_NAME}")
    if(NOT name)
        get_filename_component(name "${file}" NAME_WE)
    endif()
    get_target_property(present ${target} TKC_KERNELS)
    if(name IN_LIST present)
        message(FATAL_ERROR "tkc_add_kernel: ${target} has kernels called `${name}` already: give these another NAME")
    endif()
    set_property(TARGET ${target} APPEND PROPERTY TKC_KERNELS "${name}")

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
    # tkc calls nvcc itself: with the flags that its kernels need, and it judges what ptxas made of them.
    add_custom_command(
        OUTPUT "${output}.o" "${output}.h"
        BYPRODUCTS "${folder}/runtime/tk/host/dlpack.h"
        COMMAND "${TKC_EXECUTABLE}" runtime "${folder}/runtime"
        COMMAND "${TKC_EXECUTABLE}" build "${source}" ${options} -o "${output}.o" --depfile "${output}.d"
            --nvcc "${CUDAToolkit_NVCC_EXECUTABLE}"
        DEPENDS "${source}" "${TKC_EXECUTABLE}"
        DEPFILE "${output}.d"
        COMMENT "tkc ${file}"
        VERBATIM)
    set_source_files_properties("${output}.o" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    target_sources(${target} PRIVATE "${output}.o" "${output}.h")
    # The header includes DLPack's, which is inside tkc.
    target_include_directories(${target} PRIVATE "${folder}" "${folder}/runtime")
    target_link_libraries(${target} PRIVATE CUDA::cudart_static)
endfunction()
