# What is installed: for C++ users tkc and `find_package(tkc)`, which `cpack` packs for a release; for the Python
# package (pyproject.toml) tkc and the examples.
include(CMakePackageConfigHelpers)

# A tkc that was built before takes the place of the target.
if(TKC_PREBUILT)
    if(NOT EXISTS "${TKC_PREBUILT}")
        message(FATAL_ERROR "TKC_PREBUILT is ${TKC_PREBUILT}, where there is no file")
    endif()
    set(program "${TKC_PREBUILT}")
    add_custom_target(tkc_wheel)
else()
    set(program $<TARGET_FILE:tkc>)
    add_custom_target(tkc_wheel DEPENDS tkc)
endif()

if(SKBUILD)
    install(PROGRAMS "${program}" DESTINATION tk/bin RENAME tkc COMPONENT python)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/" DESTINATION tk/examples COMPONENT python
        FILES_MATCHING PATTERN "*.tk" PATTERN cmake EXCLUDE)
    return()
endif()

install(PROGRAMS "${program}" DESTINATION bin RENAME tkc)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tkcConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_SOURCE_DIR}/cmake/tkcConfig.cmake" "${PROJECT_BINARY_DIR}/tkcConfigVersion.cmake"
    DESTINATION lib/cmake/tkc)
install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${PROJECT_SOURCE_DIR}/LICENSE"
    "${PROJECT_SOURCE_DIR}/THIRD-PARTY-LICENSES"
    DESTINATION share/doc/tkc)

set(CPACK_GENERATOR TXZ)
set(CPACK_PACKAGE_FILE_NAME "tkc-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
