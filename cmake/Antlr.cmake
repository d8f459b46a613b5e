# ANTLR: finds the tool and the C++ runtime, checks that they fit, and turns a grammar into a library.

find_program(TKC_ANTLR4 NAMES antlr4 DOC "The ANTLR parser generator")
if(NOT TKC_ANTLR4)
    tkc_missing("The ANTLR tool (antlr4)" "antlr4 default-jre-headless")
endif()
find_package(Threads REQUIRED)

# tkc_add_antlr_runtime(FOLDER): the runtime's library from its sources.
function(tkc_add_antlr_runtime folder)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/runtime/src/*.cpp")
    if(NOT sources)
        message(FATAL_ERROR "TKC_ANTLR4_RUNTIME is ${folder}, which has no runtime/src/*.cpp.\n"
            "It must be the sources of Debian's package antlr4-cpp-runtime: apt-get source antlr4-cpp-runtime")
    endif()
    find_path(TKC_UTF8 utf8.h)
    find_path(TKC_UUID uuid/uuid.h)
    if(NOT TKC_UTF8 OR NOT TKC_UUID)
        message(FATAL_ERROR "Headers that ANTLR's runtime needs were not found.\n"
            "On Debian 12: apt-get install libutfcpp-dev uuid-dev")
    endif()
    add_library(antlr4_static STATIC ${sources})
    set(folders . atn dfa misc support tree tree/pattern tree/xpath)
    list(TRANSFORM folders PREPEND "${folder}/runtime/src/")
    target_include_directories(antlr4_static SYSTEM PRIVATE ${folders} "${TKC_UTF8}" "${TKC_UUID}")
    set_target_properties(antlr4_static PROPERTIES CXX_STANDARD 14)
    target_compile_options(antlr4_static PRIVATE -w)
endfunction()

set(TKC_ANTLR4_RUNTIME "" CACHE PATH
    "Sources of ANTLR's C++ runtime, compiled with tkc; if empty, the installed library is used")
if(TKC_ANTLR4_RUNTIME)
    # For other compilers than the system's, whose standard library the installed one does not fit (release/).
    tkc_add_antlr_runtime("${TKC_ANTLR4_RUNTIME}")
    set(ANTLR4_INCLUDE_DIR "${TKC_ANTLR4_RUNTIME}/runtime/src")
    file(STRINGS "${TKC_ANTLR4_RUNTIME}/VERSION" antlr4-runtime_VERSION LIMIT_COUNT 1)
else()
    find_package(antlr4-runtime QUIET CONFIG)
    if(NOT antlr4-runtime_FOUND)
        tkc_missing("The ANTLR runtime for C++" libantlr4-runtime-dev)
    endif()
endif()

# Starting Java takes half a second, so the answer is kept while the tool stays the same file.
if(NOT TKC_ANTLR4_VERSION OR NOT TKC_ANTLR4_VERSION_OF STREQUAL TKC_ANTLR4)
    execute_process(COMMAND ${TKC_ANTLR4} OUTPUT_VARIABLE banner ERROR_VARIABLE complaint
        RESULT_VARIABLE status)
    if(NOT banner MATCHES "Version ([0-9]+\\.[0-9]+)")
        message(FATAL_ERROR "${TKC_ANTLR4} did not tell its version (exit status ${status}).\n"
            "${complaint}${banner}\nDoes it find Java? apt-get install default-jre-headless")
    endif()
    set(TKC_ANTLR4_VERSION ${CMAKE_MATCH_1} CACHE INTERNAL "Version of the ANTLR tool")
    set(TKC_ANTLR4_VERSION_OF ${TKC_ANTLR4} CACHE INTERNAL "The tool that this version is of")
endif()

# The tool writes the parser's tables in a format that changed in 4.10; the runtime reads one format.
set(tool_format old)
if(TKC_ANTLR4_VERSION VERSION_GREATER_EQUAL 4.10)
    set(tool_format new)
endif()
set(runtime_format old)
if(antlr4-runtime_VERSION VERSION_GREATER_EQUAL 4.10)
    set(runtime_format new)
endif()
if(NOT tool_format STREQUAL runtime_format)
    message(FATAL_ERROR "The ANTLR tool is ${TKC_ANTLR4_VERSION} and the runtime "
        "${antlr4-runtime_VERSION}: both must be 4.7 to 4.9, or both 4.10 or later.\n"
        "Install the tool that belongs to the runtime and pass -DTKC_ANTLR4=/path/to/antlr4.")
endif()

# tkc_add_antlr_grammar(tkc_parser language/Tk.g4): a library with TkLexer and TkParser.
function(tkc_add_antlr_grammar target grammar)
    get_filename_component(name "${grammar}" NAME_WE)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/antlr")
    set(outputs)
    foreach(part IN ITEMS Lexer Parser)
        list(APPEND outputs "${folder}/${name}${part}.h" "${folder}/${name}${part}.cpp")
    endforeach()
    add_custom_command(
        OUTPUT ${outputs}
        COMMAND ${TKC_ANTLR4} -Dlanguage=Cpp -Werror -no-visitor -no-listener -Xexact-output-dir
            -o "${folder}" "${grammar}"
        DEPENDS "${grammar}"
        COMMENT "Generating the parser from ${name}.g4"
        VERBATIM)
    add_library(${target} STATIC ${outputs})
    target_include_directories(${target} SYSTEM PUBLIC "${folder}" "${ANTLR4_INCLUDE_DIR}")
    # Generated sources hold u8"" literals, which are no longer char arrays in C++20.
    set_target_properties(${target} PROPERTIES CXX_STANDARD 17)
    target_compile_options(${target} PRIVATE -w)
    target_link_libraries(${target} PUBLIC antlr4_static Threads::Threads)
endfunction()
