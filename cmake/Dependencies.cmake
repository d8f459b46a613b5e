# The dependencies of tkc; if one is missing, says what to install.

set(tkc_debian_packages antlr4 libantlr4-runtime-dev libfmt-dev libcli11-dev nlohmann-json3-dev)
set(tkc_test_packages llvm-19-tools libgtest-dev python3)

function(tkc_missing what package)
    list(JOIN tkc_debian_packages " " all)
    message(FATAL_ERROR "${what} was not found.\n"
        "On Debian 12: apt-get install ${package}\n"
        "Everything the build needs: apt-get install ${all} default-jre-headless\n"
        "or run ./setup packages, which installs it.")
endfunction()

find_package(fmt QUIET CONFIG)
if(NOT fmt_FOUND)
    tkc_missing("fmt" libfmt-dev)
endif()
find_package(CLI11 QUIET CONFIG)
if(NOT CLI11_FOUND)
    tkc_missing("CLI11" libcli11-dev)
endif()
find_package(nlohmann_json QUIET CONFIG)
if(NOT nlohmann_json_FOUND)
    tkc_missing("nlohmann-json" nlohmann-json3-dev)
endif()

# Our name for fmt: Debian has it as a shared library only, so the portable binary compiles it in.
add_library(tkc_fmt INTERFACE)
if(TKC_PORTABLE)
    target_link_libraries(tkc_fmt INTERFACE fmt::fmt-header-only)
else()
    target_link_libraries(tkc_fmt INTERFACE fmt::fmt)
endif()
