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
    std::map<std::string, derive::Account> accounts;  // by the kernel's source: `gemm.product`
    // Files that this one imports, with the roles of the kernels that its entries and instances
    // name, and these kernels alone, by their sources.
    std::map<FileId, DerivedText> imported;
    std::map<std::string, DerivedText> imported_kernels;
};

// Whether a kernel of the file asks for roles, or one of another file may, which this one names in
// an entry or an instance.
bool may_ask_for_roles(const ast::File& file);

// The file with the roles of such kernels. Nothing where the sequential program is wrong, or none
// of its loads can run ahead, which is reported; what is wrong with the derived one is left to be
// told.
std::optional<DerivedFile> derive_roles(const ast::File& file, SourceManager& sources,
                                        const CheckOptions& options, bool debug, Diagnostics& diag);

// The file's text as it is compiled, and after it, as comments, the kernels of other files.
std::string roles_text(const DerivedFile& file);

}  // namespace tkc
