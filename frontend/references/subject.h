// What references and tests are about: a kernel or an entry of the file, seen as its parameters.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/check/file_context.h"

namespace tkc::checker {

struct Subject {
    std::string name;
    const std::vector<ast::ConstParam>* constants = nullptr;
    const std::vector<ast::KernelParam>* parameters = nullptr;
    std::vector<std::string> extents;  // names bound by the shapes of arguments, each once

    const ast::ConstParam* constant(const std::string& text) const;
    const ast::KernelParam* parameter(const std::string& text) const;
    bool is_extent(const std::string& text) const;
    std::vector<std::string> parameter_names() const;
    std::vector<std::string> all_names() const;
};

inline bool is_tensor(const ast::KernelParam& p) { return !p.type.extents.empty(); }
// Whether the kernel writes the tensor.
inline bool is_result(const ast::KernelParam& p) {
    return is_tensor(p) && (p.mode == ast::ParamMode::out || p.mode == ast::ParamMode::inout ||
                            p.mode == ast::ParamMode::accumulate);
}
// Whether the runner of tests makes the tensor itself.
inline bool is_workspace(const ast::KernelParam& p) {
    return p.mode == ast::ParamMode::scratch || p.mode == ast::ParamMode::counter;
}
// The dtype that a parameter is written with; nothing if it is a constant of the kernel.
std::optional<Dtype> written_dtype(const ast::Type& type);

// Lists what the name could be, where nothing like it is there.
void help_with_names(DiagnosticBuilder& message, const Subject& subject,
                     const std::vector<std::string>& names, std::string_view what);

std::optional<Subject> find_subject(const Unit& unit, const std::string& name);
// The function of the file that tests may be of; null: there is none.
const ast::Function* find_function_subject(const Unit& unit, const std::string& name);

// Whether the name is known to references and tests, and is not one of theirs to give away.
bool is_number_name(std::string_view name);  // LOG2E, LN2

// ---- references.cpp

// A reference, and those of the file before it; a test, the file's references, and the names of the
// tests before it.
void check_reference_among(FileContext& file_context, const Unit& unit,
                           const ast::Reference& reference,
                           const std::vector<const ast::Reference*>& before);
void check_test_among(FileContext& file_context, const Unit& unit, const ast::Test& test,
                      const std::vector<const ast::Reference*>& references,
                      std::set<std::string>& names_before);

// ---- reference_body.cpp

// Names, calls and statements of a reference.
void check_reference_body(FileContext& file_context, const Unit& unit, const Subject& subject,
                          const ast::Reference& reference);
// An expression of a test: over constants, extents and scalar parameters.
void check_test_expression(FileContext& file_context, const Unit& unit, const Subject& subject,
                           const ast::Expr& expr);
// An expression of a test of a function, over the names that the test gave values to.
void check_function_expression(FileContext& file_context, const Unit& unit,
                               const std::map<std::string, Span>& names, const ast::Expr& expr);
// Reports a call with a number of arguments that the callee does not take.
bool check_argument_count(FileContext& file_context, Span span, std::string_view name,
                          std::size_t least, std::size_t most, std::size_t found);

// ---- tests.cpp

void check_test(FileContext& file_context, const Unit& unit, const ast::Test& test,
                const std::vector<const ast::Reference*>& references);

// ---- function_tests.cpp

void check_function_test(FileContext& file_context, const Unit& unit, const ast::Test& test,
                         const ast::Function& function);

}  // namespace tkc::checker
