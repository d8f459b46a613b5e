# Runs folders of test/ with LLVM's lit. Debian has lit and FileCheck in llvm-19-tools; any LLVM from
# 15 on will do: -DTKC_LLVM_BIN=/usr/lib/llvm-N/bin -DTKC_LIT=/path/to/lit.

find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
# Python itself: pyenv's `python3` is a script that looks for it at every start, which takes longer than many tests.
execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import sys; print(sys.executable)"
    OUTPUT_VARIABLE Python3_EXECUTABLE OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set_target_properties(Python3::Interpreter PROPERTIES IMPORTED_LOCATION "${Python3_EXECUTABLE}")

set(llvm_folders)
foreach(version RANGE 23 15 -1)
    list(APPEND llvm_folders /usr/lib/llvm-${version})
endforeach()
find_program(TKC_FILECHECK FileCheck PATHS ${llvm_folders} PATH_SUFFIXES bin)
set(suffixes build/utils/lit)
find_program(TKC_LIT NAMES lit lit.py PATHS ${llvm_folders} PATH_SUFFIXES ${suffixes})
if(NOT TKC_FILECHECK OR NOT TKC_LIT)
    tkc_missing("LLVM's test tools (lit, FileCheck, not, split-file)" llvm-19-tools)
endif()
get_filename_component(TKC_LLVM_BIN "${TKC_FILECHECK}" DIRECTORY)
find_program(TKC_NVCC nvcc PATHS /usr/local/cuda/bin HINTS ENV CUDA_HOME PATH_SUFFIXES bin)

configure_file("${PROJECT_SOURCE_DIR}/test/lit.site.cfg.py.in"
    "${PROJECT_BINARY_DIR}/test/lit.site.cfg.py" @ONLY)
# `build/dev/test/lit test/parse/expressions.tk` runs one file of the source tree.
configure_file("${PROJECT_SOURCE_DIR}/test/tools/lit.in" "${PROJECT_BINARY_DIR}/test/lit"
    @ONLY FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE)

# One ctest test for test/FOLDER, where it holds any lit test.
function(tkc_add_lit_folder folder)
    file(GLOB_RECURSE tests CONFIGURE_DEPENDS
        "${PROJECT_SOURCE_DIR}/test/${folder}/*.tk" "${PROJECT_SOURCE_DIR}/test/${folder}/*.tir"
        "${PROJECT_SOURCE_DIR}/test/${folder}/*.test" "${PROJECT_SOURCE_DIR}/test/${folder}/*.cu")
    if(NOT tests OR NOT TARGET tkc)
        return()
    endif()
    add_test(NAME lit.${folder}
        COMMAND "${PROJECT_BINARY_DIR}/test/lit" "${PROJECT_SOURCE_DIR}/test/${folder}"
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
endfunction()
