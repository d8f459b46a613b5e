# The target `tidy`: clang-tidy over every source of ours that clang can read.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
find_program(TKC_CLANG_TIDY NAMES clang-tidy-14 clang-tidy)
if(NOT TKC_CLANG_TIDY)
    tkc_missing("clang-tidy" clang-tidy-14)
endif()
add_custom_target(tidy
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/test/tools/run_tidy.py"
        --clang-tidy "${TKC_CLANG_TIDY}" --build "${PROJECT_BINARY_DIR}"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    USES_TERMINAL VERBATIM)
