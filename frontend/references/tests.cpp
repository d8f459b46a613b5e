// Tests: what they give values to exists, nothing lacks a value, and something is expected.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/overloaded.h"
#include "frontend/parse/ast_walk.h"
#include "frontend/references/subject.h"
#include "language/dtype.h"
#include "language/reference.h"

namespace tkc::checker {

namespace {

class TestChecker {
public:
    TestChecker(FileContext& file_context, const Unit& unit, const ast::Test& test, Subject subject,
                const ast::Reference* reference)
        : file_(file_context),
          unit_(unit),
          test_(test),
          subject_(std::move(subject)),
          reference_(reference) {}

    void run() {
        for (const ast::TestItem& item : test_.items) {
            std::visit(Overloaded{
                           [&](const ast::Binding& b) { check_binding(b); },
                           [&](const ast::Sweep& s) { check_sweep(s); },
                           [&](const ast::Expect& e) { check_expect(e); },
                           [&](const ast::ExpectError&) { ++errors_; },
                           [&](const ast::ExpectThat&) { refuse_condition(item.span); },
                       },
                       item.node);
        }
        if (expects_ + errors_ == 0) {
            file_.error(test_.name.span, msg::test_without_expect, test_.name.text, subject_.name)
                .help("write `expect OUTPUT ~ reference within 1e-2;`");
        } else if (errors_ > 0 && expects_ > 0) {
            file_.error(test_.name.span, msg::expects_error_and_more, test_.name.text);
        }
        check_missing();
    }

private:
    bool check_name(const ast::Name& name) {
        const std::vector<std::string> known = subject_.all_names();
        if (std::find(known.begin(), known.end(), name.text) == known.end()) {
            DiagnosticBuilder message = file_.error(name.span, msg::not_parameter, subject_.name,
                                                    "constant, extent or parameter", name.text);
            if (is_extent_of_scratch(name.text)) {
                message.help(
                    "`{0}` appears only in the extents of `scratch` tensors, which are not passed: "
                    "add a parameter `{0}: i32`",
                    name.text);
            } else if (!suggest(message, name.span, name.text, known)) {
                message.help(
                    "a test has no local names: it sets constants, extents and parameters, with "
                    "expressions over those above");
                help_with_names(message, subject_, known, "names");
            }
            guessed_ = true;
            return false;
        }
        const auto [old, added] = given_.emplace(name.text, name.span);
        if (added) return true;
        file_.error(name.span, msg::declared_twice, name.text, "given a value")
            .label(old->second, "here");
        return false;
    }

    bool is_extent_of_scratch(const std::string& name) const {
        bool found = false;
        for (const ast::KernelParam& p : *subject_.parameters) {
            if (!is_workspace(p)) continue;
            Walk hooks;
            hooks.expr = [&](const ast::Expr& e) {
                const auto* word = std::get_if<ast::NameRef>(&e.node);
                found = found || (word != nullptr && word->text == name);
            };
            for (const ast::ExprPtr& extent : p.type.extents) walk(*extent, hooks);
        }
        return found;
    }

    void check_number(const ast::Expr& value) {
        check_test_expression(file_, unit_, subject_, value);
    }

    void wrong(Span span, const std::string& what, std::string_view takes, std::string_view found) {
        file_.error(span, msg::operand_kind, what, takes, found);
    }

    // A value of a constant, extent or scalar parameter.
    void check_scalar(const ast::Name& name, const ast::Expr& value) {
        const ast::ConstParam* constant = subject_.constant(name.text);
        const auto* word = std::get_if<ast::NameRef>(&value.node);
        if (constant != nullptr && constant->kind == ast::ConstKind::dtype) {
            if (word != nullptr && find_dtype(word->text)) return;
            wrong(value.span, "constant `" + name.text + "`", "a data type", "something else");
            return;
        }
        if (constant != nullptr && constant->kind == ast::ConstKind::function) {
            if (find_function_name(unit_, file_.sources.text(value.span))) return;
            wrong(value.span, "constant `" + name.text + "`", "a function", "something else");
            return;
        }
        const std::string_view kind = constant != nullptr             ? "constant"
                                      : subject_.is_extent(name.text) ? "extent"
                                                                      : "parameter";
        const std::string what = fmt::format("{} `{}`", kind, name.text);
        if (std::holds_alternative<ast::ListValue>(value.node)) {
            wrong(value.span, what, "a scalar", "a list");
        } else if (fill_of(value) != nullptr) {
            wrong(value.span, what, "a scalar", "a fill");
        } else {
            check_number(value);
        }
    }

    void check_binding(const ast::Binding& binding) {
        if (!check_name(binding.name)) return;
        const ast::KernelParam* p = subject_.parameter(binding.name.text);
        if (p != nullptr && is_tensor(*p)) check_tensor(*p, *binding.value);
        else check_scalar(binding.name, *binding.value);
    }

    void check_sweep(const ast::Sweep& sweep) {
        if (!check_name(sweep.name)) return;
        const ast::KernelParam* p = subject_.parameter(sweep.name.text);
        if (p != nullptr && is_tensor(*p)) {
            wrong(sweep.name.span, "`for` of a test", "a constant, extent or scalar parameter",
                  "a tensor");
            return;
        }
        for (const ast::ExprPtr& value : sweep.values) check_scalar(sweep.name, *value);
    }

    // ---- tensors

    static const FillInfo* fill_of(const ast::Expr& value) {
        const auto* call = std::get_if<ast::Call>(&value.node);
        if (call == nullptr) return nullptr;
        const auto* callee = std::get_if<ast::NameRef>(&call->callee->node);
        return callee == nullptr ? nullptr : find_fill(callee->text);
    }

    void check_tensor(const ast::KernelParam& p, const ast::Expr& value) {
        const std::string what = "tensor `" + p.name.text + "`";
        if (is_workspace(p)) {
            wrong(value.span, what, "no value: it is the kernel's own memory", "one");
            return;
        }
        const FillInfo* fill = fill_of(value);
        const bool cleared = p.mode == ast::ParamMode::accumulate;
        const bool only_layout = cleared || p.mode == ast::ParamMode::out;
        if (only_layout && (fill == nullptr || fill->fill != FillFunction::layout)) {
            wrong(value.span, what,
                  cleared ? "at most `layout(..)`: the launch clears it"
                          : "at most `layout(..)`: it is written by the kernel",
                  "a fill");
            return;
        }
        if (const auto* list = std::get_if<ast::ListValue>(&value.node)) {
            check_list(p, *list, 0);
        } else if (const auto* call = std::get_if<ast::Call>(&value.node)) {
            check_fill(p, *call, fill, value.span);
        } else {
            check_number(value);
        }
    }

    // The lengths of a list are the extents of its tensor.
    void check_list(const ast::KernelParam& p, const ast::ListValue& list, std::size_t axis) {
        if (axis < p.type.extents.size()) {
            const auto* name = std::get_if<ast::NameRef>(&p.type.extents[axis]->node);
            if (name != nullptr) inferred_.push_back(name->text);
        }
        for (const ast::ExprPtr& item : list.items) {
            const auto* inner = std::get_if<ast::ListValue>(&item->node);
            if (inner != nullptr) check_list(p, *inner, axis + 1);
            else check_number(*item);
        }
    }

    void check_fill(const ast::KernelParam& p, const ast::Call& call, const FillInfo* fill,
                    Span span) {
        const auto* callee = std::get_if<ast::NameRef>(&call.callee->node);
        const std::string name = callee != nullptr ? callee->text : "";
        if (fill == nullptr) {
            std::vector<std::string> known;
            known.reserve(fill_table.size());
            for (const FillInfo& row : fill_table) known.emplace_back(row.name);
            DiagnosticBuilder message = file_.error(call.callee->span, msg::unknown_fill,
                                                    file_.sources.text(call.callee->span));
            if (!suggest(message, call.callee->span, name, known)) {
                std::string list;
                for (std::size_t i = 0; i < known.size(); ++i)
                    list += (i == 0                  ? "`"
                             : i + 1 == known.size() ? " and `"
                                                     : ", `") +
                            known[i] + "`";
                message.help("there are {}", list);
            }
            return;
        }
        const std::optional<Dtype> dtype = written_dtype(p.type);
        const bool reals = fill->fill == FillFunction::normal ||
                           fill->fill == FillFunction::uniform ||
                           fill->fill == FillFunction::special;
        if (reals && dtype && !is_real(*dtype)) {
            wrong(span, fmt::format("`{}`", fill->name), "a floating-point tensor",
                  fmt::format("`{}` of {}", p.name.text, tkc::name(*dtype)));
        }
        const int before = file_.diag.error_count();
        std::size_t places = 0;
        for (const ast::Arg& arg : call.args) {
            if (arg.name) check_named(*fill, arg);
            else ++places, check_place(p, *fill, *arg.value);
        }
        if (file_.diag.error_count() > before) return;  // `normal([-3, 1])` counts wrongly, too
        if (!check_argument_count(file_, span, fill->name, fill->least, fill->most, places)) {
            return;
        }
        const bool half = fill->fill == FillFunction::normal && places == 1;
        if (half) check_argument_count(file_, span, fill->name, 2, 2, places);
    }

    void check_named(const FillInfo& fill, const ast::Arg& arg) {
        const auto* list = std::get_if<ast::ListValue>(&arg.value->node);
        if (arg.name->text == "offset") {
            check_number(*arg.value);
        } else if (arg.name->text != "strides") {
            file_.error(arg.name->span, msg::unknown_argument, fill.name, arg.name->text)
                .help("`strides = [..]` and `offset = n` go after the others");
        } else if (list == nullptr) {
            wrong(arg.value->span, "`strides`", "a list with a number per axis", "something else");
        } else {
            for (const ast::ExprPtr& item : list->items) check_number(*item);
        }
    }

    void check_place(const ast::KernelParam& p, const FillInfo& fill, const ast::Expr& value) {
        const auto* list = std::get_if<ast::ListValue>(&value.node);
        const auto* word = std::get_if<ast::NameRef>(&value.node);
        if (fill.fill == FillFunction::value && list != nullptr) {
            check_list(p, *list, 0);
        } else if (fill.fill == FillFunction::special && word != nullptr &&
                   std::find(special_words.begin(), special_words.end(), word->text) !=
                       special_words.end()) {
            return;
        } else if (list != nullptr) {
            std::string items;
            for (const ast::ExprPtr& item : list->items)
                items += (items.empty() ? "" : ", ") + std::string(file_.sources.text(item->span));
            file_
                .error(value.span, msg::operand_kind, fmt::format("`{}`", fill.name), "numbers",
                       "a list")
                .help("write `{}({})`", fill.name, items);
        } else {
            check_number(value);
        }
    }

    // ---- what is expected

    std::vector<std::string> result_names() const {
        std::vector<std::string> names;
        for (const ast::KernelParam& p : *subject_.parameters) {
            if (is_result(p)) names.push_back(p.name.text);
        }
        return names;
    }

    void check_expect(const ast::Expect& expect) {
        ++expects_;
        check_number(*expect.tolerance);
        if (expect.norm) check_number(*expect.norm);
        if (reference_ == nullptr) {
            file_.error(expect.names.front().span, msg::no_reference, subject_.name);
            return;
        }
        for (const ast::Name& name : expect.names) {
            if (subject_.parameter(name.text) == nullptr) {
                DiagnosticBuilder message = file_.error(name.span, msg::not_parameter,
                                                        subject_.name, "parameter", name.text);
                if (!suggest(message, name.span, name.text, subject_.parameter_names()))
                    help_with_names(message, subject_, result_names(), "outputs");
                continue;
            }
            const auto& results = reference_->results;
            const bool found = std::any_of(results.begin(), results.end(),
                                           [&](const ast::Name& r) { return r.text == name.text; });
            if (found) continue;
            file_.error(name.span, msg::not_a_result, name.text, subject_.name);
        }
    }

    void refuse_condition(Span span) {
        ++expects_;
        guessed_ = true;  // of another subject, perhaps, which needs no values
        file_
            .error(span, msg::misplaced_expect, "a condition",
                   fmt::format("kernel `{}`", subject_.name))
            .help(
                "write `expect OUTPUT ~ reference within 1e-2;`, or test a function: `test {} of "
                "FUNCTION {{ expect FUNCTION(..) == ..; }}`",
                test_.name.text);
    }

    // ---- what has no value

    void missing(const std::string& what, const std::string& help) {
        file_.error(test_.name.span, msg::value_missing, test_.name.text, what).help("{}", help);
    }

    void check_missing() {
        if (guessed_) return;  // a name with a slip is probably the one that lacks
        for (const std::string& extent : subject_.extents) {
            const bool known =
                given_.contains(extent) ||
                std::find(inferred_.begin(), inferred_.end(), extent) != inferred_.end();
            if (!known) missing("extent `" + extent + "`", "write `" + extent + " = 200;`");
        }
        for (const ast::KernelParam& p : *subject_.parameters) {
            const std::string& name = p.name.text;
            if (given_.contains(name)) continue;
            if (!is_tensor(p)) {
                missing("parameter `" + name + "`", "write `" + name + " = 1;`");
            } else if (p.mode == ast::ParamMode::in || p.mode == ast::ParamMode::inout) {
                missing("tensor `" + name + "`", "write `" + name + " = normal();`");
            }
        }
    }

    FileContext& file_;
    const Unit& unit_;
    const ast::Test& test_;
    Subject subject_;
    const ast::Reference* reference_;    // null: none
    std::map<std::string, Span> given_;  // names with a value
    std::vector<std::string> inferred_;  // extents that follow from lists
    bool guessed_ = false;
    int expects_ = 0;
    int errors_ = 0;
};

}  // namespace

void check_test(FileContext& file_context, const Unit& unit, const ast::Test& test,
                const std::vector<const ast::Reference*>& references) {
    const std::string& name = test.subject ? test.subject->text : references.front()->name.text;
    const auto found = std::find_if(references.begin(), references.end(),
                                    [&](const ast::Reference* r) { return r->name.text == name; });
    std::optional<Subject> subject = find_subject(unit, name);
    TestChecker(file_context, unit, test, std::move(*subject),
                found == references.end() ? nullptr : *found)
        .run();
}

}  // namespace tkc::checker
