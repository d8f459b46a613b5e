// The stage between the syntax tree and tile IR: kernels that are one sequential program with
// pipelined products get their roles, by the best choice that compiles.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/derived_text.h"
#include "frontend/check/check.h"
#include "frontend/derive/derive.h"
#include "frontend/parse/ast.h"

namespace tkc {

struct DerivedFile {
    DerivedText text;
    ast::File tree;
    std::map<std::string, derive::Account> accounts;  // by kernel
};

// Whether a kernel of the file asks for roles.
bool asks_for_roles(const ast::File& file);

// The file with the roles of such kernels. Nothing where the sequential program is wrong, or none
// of its loads can run ahead, which is reported; what is wrong with the derived one is left to be
// told.
std::optional<DerivedFile> derive_roles(const ast::File& file, SourceManager& sources,
                                        const CheckOptions& options, bool debug, Diagnostics& diag);

}  // namespace tkc
