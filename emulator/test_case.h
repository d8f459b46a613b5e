// The tests of a file, taken apart: what runs, with which constants, on which arguments.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emulator/reference.h"
#include "emulator/tensor.h"
#include "frontend/check/check.h"
#include "ir/module.h"

namespace tkc::emulator {

// A test with one value for each of its sweeps.
struct TestCase {
    const ast::Test* test = nullptr;
    const ast::Reference* reference = nullptr;       // null: none is needed
    const ast::Function* function = nullptr;         // that it is of; null: a kernel or entry
    std::string subject;                             // the kernel, entry or function
    std::map<std::string, const ast::Expr*> values;  // what is bound, constants too, by name
    std::vector<Define> constants;                   // those of the kernel that the test fixes
    std::string name;                                // odd, odd (N = 63)

    std::string describe() const;  // test `odd` (N = 63)
};

// All cases of a test of a file, or of all its tests, in its order; the checker has found nothing
// wrong with them. Reports what can be wrong with constants.
std::vector<TestCase> test_cases(const ast::File& file, const ast::Test& test,
                                 const EvaluationContext& context);
std::vector<TestCase> test_cases(const ast::File& file, const EvaluationContext& context);

// The arguments of a kernel or an entry, and what its reference sees of them.
struct PreparedCase {
    Arguments arguments;
    Arrays numbers;                                // constants, extents and scalar parameters
    std::map<std::string, Dtype> dtypes;           // constants that are data types
    std::map<std::string, std::string> functions;  // constants that are functions
};

// Makes the arguments for one instance of the subject. The data follow from the names of the test,
// of its values and of the tensor, and from `seed`. Nothing: reported. `alike`, where it is not
// null, is what was made of the test and the seed for another instance: data that are the same are
// taken from there.
std::optional<PreparedCase> prepare(const TestCase& test, const ir::Signature& subject,
                                    std::uint64_t seed, const EvaluationContext& context,
                                    const PreparedCase* alike = nullptr);

// Whether the reference says the same of both.
bool same_for_reference(const TestCase& test, const PreparedCase& a, const PreparedCase& b);

// What the reference says of these arguments, as they are before the kernel runs.
std::optional<Arrays> expected_results(const TestCase& test, const PreparedCase& prepared,
                                       const EvaluationContext& context);

}  // namespace tkc::emulator
