// Sweeps to cases, and the arguments of a case.
#include "emulator/test_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/overloaded.h"
#include "emulator/fill.h"
#include "emulator/number.h"
#include "emulator/tensor_view.h"
#include "frontend/parse/ast_walk.h"
#include "ir/contract.h"

namespace tkc::emulator {

namespace {

constexpr std::size_t most_cases = 4096;

const ast::Reference* find_reference(const ast::File& file, const std::string& name) {
    for (const ast::Decl& decl : file.decls) {
        const auto* r = std::get_if<ast::Reference>(&decl.node);
        if (r != nullptr && (name.empty() || r->name.text == name)) return r;
    }
    return nullptr;
}

const ast::Function* find_function(const ast::File& file, const std::string& name) {
    for (const ast::Decl& decl : file.decls) {
        const auto* function = std::get_if<ast::Function>(&decl.node);
        if (function != nullptr && function->name.text == name) return function;
    }
    return nullptr;
}

const ast::LaunchHead& subject_of(const ast::File& file, const std::string& name) {
    const auto is_it = [&](const ast::Decl& decl) {
        const ast::LaunchHead* head = ast::launch_head(decl);
        return head != nullptr && head->name.text == name;
    };
    return *ast::launch_head(*std::find_if(file.decls.begin(), file.decls.end(), is_it));
}

// `true`, `64`, `f16` or `masks.causal`, as for -D. Nothing: reported.
std::optional<std::string> constant_text(const ast::Expr& expr, ast::ConstKind kind,
                                         const Arrays& known, const EvaluationContext& context) {
    if (kind == ast::ConstKind::dtype) return std::get<ast::NameRef>(expr.node).text;
    if (kind == ast::ConstKind::function) return std::string(context.sources.text(expr.span));
    const std::optional<Array> value = evaluate_expression(expr, known, context);
    if (!value) return std::nullopt;
    const NumberKind wanted =
        kind == ast::ConstKind::boolean ? NumberKind::boolean : NumberKind::integer;
    if (!value->is_number() || value->kind != wanted) {
        context.diag.error(expr.span, msg::test_extents,
                           kind == ast::ConstKind::boolean ? "the constant is a bool"
                                                           : "the constant is an integer",
                           context.test);
        return std::nullopt;
    }
    if (kind == ast::ConstKind::boolean) return value->whole_at(0) != 0 ? "true" : "false";
    return fmt::format("{}", value->whole_at(0));
}

// Those constants of its subject that the test fixes. False: reported.
bool add_constants(TestCase& test, const ast::LaunchHead& head, const EvaluationContext& context) {
    Arrays known;
    for (const ast::ConstParam& c : head.consts) {
        const auto found = test.values.find(c.name.text);
        if (found == test.values.end()) continue;
        const std::optional<std::string> text =
            constant_text(*found->second, c.kind, known, context);
        if (!text) return false;
        test.constants.push_back({c.name.text, *text});
        if (c.kind == ast::ConstKind::integer) {
            known.emplace(c.name.text, Array::whole(std::stoll(*text)));
        }
    }
    return true;
}

// Every combination of the sweeps, the last one fastest.
std::vector<TestCase> combinations(TestCase plain, const EvaluationContext& context) {
    std::vector<TestCase> cases{std::move(plain)};
    for (const ast::TestItem& item : cases[0].test->items) {
        const auto* sweep = std::get_if<ast::Sweep>(&item.node);
        if (sweep == nullptr) continue;
        std::vector<TestCase> longer;
        for (const TestCase& before : cases) {
            for (const ast::ExprPtr& value : sweep->values) {
                TestCase made = before;
                made.values[sweep->name.text] = value.get();
                const std::string text =
                    fmt::format("{} = {}", sweep->name.text, context.sources.text(value->span));
                const bool first = made.name.back() != ')';
                if (!first) made.name.pop_back();
                made.name += (first ? " (" : ", ") + text + ")";
                longer.push_back(std::move(made));
            }
        }
        if (longer.size() > most_cases) {
            context.diag.error(
                item.span, msg::test_extents,
                fmt::format("the values of `for` have more than {} combinations", most_cases),
                context.test);
            return {};
        }
        cases = std::move(longer);
    }
    return cases;
}

// ---- arguments

// Whether a piece of syntax has the same value in both, as far as its names go.
template <class Syntax>
bool names_agree(const Syntax& syntax, const PreparedCase& a, const PreparedCase& b) {
    bool agree = a.dtypes == b.dtypes && a.functions == b.functions;
    checker::Walk hooks;
    hooks.expr = [&](const ast::Expr& expr) {
        const auto* name = std::get_if<ast::NameRef>(&expr.node);
        if (name == nullptr) return;
        const auto of_a = a.numbers.find(name->text);
        const auto of_b = b.numbers.find(name->text);
        const bool known = of_a != a.numbers.end();
        agree =
            agree && known == (of_b != b.numbers.end()) && (!known || of_a->second == of_b->second);
    };
    checker::walk(syntax, hooks);
    return agree;
}

bool same_layout(const Tensor& a, const Tensor& b) {
    return a.dtype == b.dtype && a.extents == b.extents && a.strides == b.strides &&
           a.origin == b.origin && a.storage.size() == b.storage.size();
}

class Preparation {
public:
    Preparation(const TestCase& test, const ir::Signature& subject, std::uint64_t seed,
                const EvaluationContext& context, const PreparedCase* alike)
        : test_(test), subject_(subject), seed_(seed), context_(context), alike_(alike) {}

    std::optional<PreparedCase> run() {
        add_constants();
        if (!infer_extents() || !evaluate_bindings()) return std::nullopt;
        for (const ir::Tensor& tensor : subject_.tensors) {
            if (!add_tensor(tensor)) return std::nullopt;
        }
        return std::move(made_);
    }

private:
    bool report(Span span, const std::string& what) {
        context_.diag.error(span, msg::test_extents, what, context_.test);
        return false;
    }

    const ast::Expr* value_of(const std::string& name) const {
        const auto found = test_.values.find(name);
        return found == test_.values.end() ? nullptr : found->second;
    }

    void add_constants() {
        for (const ir::Constant& c : subject_.constants) {
            std::int64_t value = 0;
            const auto* symbol = std::get_if<ir::Symbol>(&c.value->node);
            if (symbol != nullptr && find_dtype(symbol->name)) {
                made_.dtypes.emplace(c.name, *find_dtype(symbol->name));
            } else if (symbol != nullptr) {
                made_.functions.emplace(c.name, symbol->name);
            } else if (ir::is_constant(c.value, &value)) {
                const bool boolean = is_boolean(c.value->dtype);
                made_.numbers.emplace(c.name, Array::whole(value, boolean ? NumberKind::boolean
                                                                          : NumberKind::integer));
                values_[c.name] = value;
            }
        }
    }

    bool set_extent(const std::string& name, std::int64_t extent, Span span) {
        const auto [old, added] = values_.emplace(name, extent);
        if (!added && old->second != extent) {
            return report(span, fmt::format("`{}` is {} here, but {} elsewhere in the test", name,
                                            extent, old->second));
        }
        made_.numbers.emplace(name, Array::whole(extent));
        return true;
    }

    bool report_nesting(const ir::Tensor& tensor, const Shape& lengths, Span span) {
        std::string example = "[1, 2, .. ]";
        if (tensor.extents.size() == 2) example = "[[1, 2], [3, 4]]";
        if (tensor.extents.size() > 2) example = "[[[1, 2], [3, 4]], .. ]";
        const auto axes = [](std::size_t n) {
            return n == 1 ? std::string("1 axis") : fmt::format("{} axes", n);
        };
        context_.diag
            .error(span, msg::test_extents,
                   fmt::format("`{}` has {}, but the list has {}", tensor.name,
                               axes(tensor.extents.size()), axes(lengths.size())),
                   context_.test)
            .help("a list of rows is a list of lists: `{} = {};`", tensor.name, example);
        return false;
    }

    // Extents that are the length of a list.
    bool infer_extents() {
        for (const ir::Tensor& tensor : subject_.tensors) {
            const ast::Expr* value = value_of(tensor.name);
            const std::optional<Shape> lengths =
                value != nullptr ? list_extents(*value) : std::nullopt;
            if (!lengths) continue;
            if (lengths->size() != tensor.extents.size())
                return report_nesting(tensor, *lengths, value->span);
            for (std::size_t axis = 0; axis < tensor.extents.size(); ++axis) {
                const auto* name = std::get_if<ir::Symbol>(&tensor.extents[axis]->node);
                if (name == nullptr || axis >= lengths->size()) continue;
                if (!set_extent(name->name, (*lengths)[axis], value->span)) return false;
            }
        }
        return true;
    }

    const ir::Parameter* parameter(const std::string& name) const {
        for (const ir::Parameter& p : subject_.parameters) {
            if (p.name == name) return &p;
        }
        return nullptr;
    }

    bool is_tensor(const std::string& name) const {
        return ir::find_tensor(subject_, name) != nullptr;
    }

    // Extents and scalar parameters, in the order of the test.
    bool evaluate_bindings() {
        for (const ast::TestItem& item : test_.test->items) {
            const auto* binding = std::get_if<ast::Binding>(&item.node);
            const auto* sweep = std::get_if<ast::Sweep>(&item.node);
            if (binding == nullptr && sweep == nullptr) continue;
            const std::string& name = binding != nullptr ? binding->name.text : sweep->name.text;
            const auto is_constant = [&](const ir::Constant& c) { return c.name == name; };
            if (is_tensor(name) ||
                std::any_of(subject_.constants.begin(), subject_.constants.end(), is_constant)) {
                continue;
            }
            if (!bind(name, *test_.values.at(name))) return false;
        }
        return true;
    }

    bool bind(const std::string& name, const ast::Expr& expr) {
        const std::optional<Array> value = evaluate_expression(expr, made_.numbers, context_);
        if (!value) return false;
        if (!value->is_number()) return report(expr.span, "expected a scalar");
        const ir::Parameter* p = parameter(name);
        if (p != nullptr && is_real(p->dtype)) {
            const double rounded = round_to(p->dtype, value->real_at(0));
            made_.arguments.scalars[name] = rounded;
            made_.numbers.insert_or_assign(name, Array::real(rounded));
            return true;
        }
        const std::string number =
            std::visit([](const auto& cells) { return fmt::format("{}", cells[0]); }, value->cells);
        const bool whole = !value->is_real();
        const std::int64_t integer = whole ? value->whole_at(0) : 0;
        if (p != nullptr) {
            if (!whole || wrap_to(p->dtype, integer) != integer) {
                return report(expr.span, fmt::format("`{}` cannot be {}: it is {}", name, number,
                                                     tkc::name(p->dtype)));
            }
            made_.arguments.scalars[name] = integer;
            values_[name] = integer;
            const bool boolean = is_boolean(p->dtype);
            Array known =
                Array::whole(integer, boolean ? NumberKind::boolean : NumberKind::integer);
            known.wraps = wrapping(p->dtype);
            made_.numbers.insert_or_assign(name, std::move(known));
            return true;
        }
        if (!whole || integer < 0 || integer >= ir::extent_limit) {
            return report(expr.span, fmt::format("extent `{}` cannot be {}", name, number));
        }
        return set_extent(name, integer, expr.span);
    }

    bool add_tensor(const ir::Tensor& tensor) {
        Shape extents;
        for (const ir::Scalar& extent : tensor.extents) {
            std::int64_t number = 0;
            if (!ir::evaluate(ir::with_constants(subject_, extent), values_, &number) ||
                number < 0) {
                return report(test_.test->name.span,
                              fmt::format("`{}`, an extent of `{}`, needs a value of at least 0",
                                          ir::to_string(extent), tensor.name));
            }
            extents.push_back(number);
        }
        const ast::Expr* value = value_of(tensor.name);
        const bool cleared = tensor.mode == ir::Mode::accumulate;
        std::optional<Tensor> made = make_tensor(tensor.name, tensor.dtype, extents, value,
                                                 test_.test->name.span, made_.numbers, context_);
        if (!made) return false;
        if (cleared) clear(*made);
        const bool filled = value != nullptr && tensor.mode != ir::Mode::out && !cleared;
        const std::string words = test_.name + "/" + tensor.name;
        if (filled && !take_alike(tensor, *made, *value) &&
            !fill(*made, tensor.name, *value, seed_of(words, seed_), made_.numbers, context_)) {
            return false;
        }
        made_.arguments.tensors.emplace(tensor.name, std::move(*made));
        return true;
    }

    bool take_alike(const ir::Tensor& tensor, Tensor& made, const ast::Expr& value) const {
        if (alike_ == nullptr) return false;
        const auto found = alike_->arguments.tensors.find(tensor.name);
        if (found == alike_->arguments.tensors.end() || !same_layout(found->second, made) ||
            !names_agree(value, *alike_, made_)) {
            return false;
        }
        made.storage = found->second.storage;
        return true;
    }

    const TestCase& test_;
    const ir::Signature& subject_;
    std::uint64_t seed_;
    const EvaluationContext& context_;
    const PreparedCase* alike_;
    PreparedCase made_;
    ir::Values values_;  // of extents, constants and integer parameters
};

}  // namespace

std::string TestCase::describe() const {
    const std::size_t end = name.find(' ');
    if (end == std::string::npos) return fmt::format("test `{}`", name);
    return fmt::format("test `{}`{}", name.substr(0, end), name.substr(end));
}

std::vector<TestCase> test_cases(const ast::File& file, const ast::Test& test,
                                 const EvaluationContext& context) {
    TestCase plain;
    plain.test = &test;
    plain.name = test.name.text;
    plain.reference = find_reference(file, test.subject ? test.subject->text : "");
    plain.subject = test.subject ? test.subject->text : plain.reference->name.text;
    for (const ast::TestItem& item : test.items) {
        const auto* binding = std::get_if<ast::Binding>(&item.node);
        if (binding != nullptr) plain.values[binding->name.text] = binding->value.get();
    }
    plain.function = find_function(file, plain.subject);
    const bool of_function = plain.function != nullptr;
    const std::string subject = plain.subject;
    const EvaluationContext own{context.diag, context.sources, plain.describe(), context.functions};
    std::vector<TestCase> cases;
    for (TestCase& made : combinations(std::move(plain), own)) {
        if (of_function || add_constants(made, subject_of(file, subject), own))
            cases.push_back(std::move(made));
    }
    return cases;
}

std::vector<TestCase> test_cases(const ast::File& file, const EvaluationContext& context) {
    std::vector<TestCase> all;
    for (const ast::Decl& decl : file.decls) {
        const auto* test = std::get_if<ast::Test>(&decl.node);
        if (test == nullptr) continue;
        std::vector<TestCase> cases = test_cases(file, *test, context);
        std::move(cases.begin(), cases.end(), std::back_inserter(all));
    }
    return all;
}

std::optional<PreparedCase> prepare(const TestCase& test, const ir::Signature& subject,
                                    std::uint64_t seed, const EvaluationContext& context,
                                    const PreparedCase* alike) {
    return Preparation(test, subject, seed, context, alike).run();
}

bool same_for_reference(const TestCase& test, const PreparedCase& a, const PreparedCase& b) {
    const auto tensor_of = [](const PreparedCase& of, const ast::Name& name) {
        const auto found = of.arguments.tensors.find(name.text);
        return found == of.arguments.tensors.end() ? nullptr : &found->second;
    };
    const auto same_number = [&](const ast::Name& name) {
        const auto of_a = a.numbers.find(name.text);
        const auto of_b = b.numbers.find(name.text);
        return of_a != a.numbers.end() && of_b != b.numbers.end() && of_a->second == of_b->second;
    };
    const auto same_input = [&](const ast::Name& name) {
        const Tensor* of_a = tensor_of(a, name);
        const Tensor* of_b = tensor_of(b, name);
        if (of_a == nullptr || of_b == nullptr) return of_a == of_b && same_number(name);
        return same_layout(*of_a, *of_b) && of_a->storage == of_b->storage;
    };
    const auto same_result = [&](const ast::Name& name) {
        return tensor_of(a, name)->extents == tensor_of(b, name)->extents;
    };
    const ast::Reference& reference = *test.reference;
    return std::all_of(reference.params.begin(), reference.params.end(), same_input) &&
           std::all_of(reference.results.begin(), reference.results.end(), same_result) &&
           names_agree(reference.body, a, b);
}

std::optional<Arrays> expected_results(const TestCase& test, const PreparedCase& prepared,
                                       const EvaluationContext& context) {
    ReferenceInputs inputs;
    inputs.numbers = prepared.numbers;
    inputs.dtypes = prepared.dtypes;
    inputs.functions = prepared.functions;
    for (const ast::Name& name : test.reference->params) {
        const auto tensor = prepared.arguments.tensors.find(name.text);
        if (tensor == prepared.arguments.tensors.end()) continue;  // a number
        inputs.inputs.emplace(name.text, to_array(tensor->second));
    }
    for (const ast::Name& name : test.reference->results) {
        const Tensor& tensor = prepared.arguments.tensors.at(name.text);
        inputs.results.emplace(name.text, ReferenceInputs::Result{tensor.extents, tensor.dtype});
    }
    return evaluate_reference(*test.reference, std::move(inputs), context);
}

}  // namespace tkc::emulator
