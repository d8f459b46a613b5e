// Which instances of a kernel are candidates of one launcher.
#include "frontend/check/interchangeable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "frontend/check/schedule_constants.h"

namespace tkc::checker {

namespace {

// A dtype may be a constant of the kernel: what takes others is another function.
bool take_the_same(const ir::Kernel& a, const ir::Kernel& b) {
    const auto alike = [](const auto& x, const auto& y) {
        return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                          [](const auto& p, const auto& q) { return p.dtype == q.dtype; });
    };
    return alike(a.tensors, b.tensors) && alike(a.parameters, b.parameters);
}

// The constants in which they differ, but for those that the arguments fix.
std::vector<const ast::ConstParam*> differing(const ast::Kernel& kernel, const ir::Kernel& a,
                                              const ir::Kernel& b) {
    std::vector<const ast::ConstParam*> list;
    for (std::size_t i = 0; i < a.constants.size(); ++i) {
        const bool equal = ir::same(a.constants[i].value, b.constants[i].value);
        if (!equal && !is_fixed_by_arguments(kernel, a.constants[i].name))
            list.push_back(&kernel.consts[i]);
    }
    return list;
}

}  // namespace

bool same_constants(const std::vector<ir::Constant>& a, const std::vector<ir::Constant>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const ir::Constant& x, const ir::Constant& y) {
                          return x.name == y.name && ir::same(x.value, y.value);
                      });
}

bool interchangeable(const ast::Kernel& kernel, const ir::Kernel& a, const ir::Kernel& b) {
    const std::vector<const ast::ConstParam*> list = differing(kernel, a, b);
    return take_the_same(a, b) &&
           std::all_of(list.begin(), list.end(),
                       [](const ast::ConstParam* c) { return c->schedule.has_value(); });
}

bool differ_in_schedule_alone(const ast::Kernel& kernel, const ir::Kernel& a, const ir::Kernel& b) {
    if (!take_the_same(a, b)) return false;
    for (std::size_t i = 0; i < a.constants.size(); ++i) {
        const bool equal = ir::same(a.constants[i].value, b.constants[i].value);
        if (!equal && !kernel.consts[i].schedule) return false;
    }
    return true;
}

bool check_extents(FileContext& file_context, const ast::Kernel& kernel, const CheckedFile& file,
                   const ir::Kernel& first, const ir::Kernel& other) {
    if (file_context.failed()) return true;
    // What the arguments fix is another number by right.
    std::string schedule;
    for (std::size_t i = 0; i < kernel.consts.size(); ++i) {
        if (ir::same(first.constants[i].value, other.constants[i].value)) continue;
        if (!kernel.consts[i].schedule) return true;
        schedule += (schedule.empty() ? "" : "`, `") + kernel.consts[i].name.text;
    }
    const auto text = [](const NumberOfExtent& number) {
        return fmt::format("{}", fmt::join(number.values, ", "));
    };
    const NumbersOfExtents& numbers = file.extents.at(first.name);
    for (const auto& [place, there] : file.extents.at(other.name)) {
        const auto here = numbers.find(place);
        if (here == numbers.end() || here->second.values == there.values) continue;
        file_context
            .error(there.call, msg::more_than_schedule, schedule,
                   fmt::format(
                       "determines an extent that `{}` uses as a number, {} in `{}` and {} in `{}`",
                       there.function, text(here->second), first.name, text(there), other.name))
            .label(there.use, "`{}` as a number", std::get<2>(place))
            .help("remove `schedule`, or pass the number to the function");
        return false;
    }
    return true;
}

bool gives_schedule_only(const ast::Kernel& kernel, const ast::Instance& instance) {
    for (std::size_t i = 0; i < instance.args.size(); ++i) {
        const ast::GenericArg& arg = instance.args[i];
        const auto param = std::find_if(kernel.consts.begin(), kernel.consts.end(), [&](auto& c) {
            return arg.name ? c.name.text == arg.name->text
                            : &c - kernel.consts.data() == static_cast<std::ptrdiff_t>(i);
        });
        if (param == kernel.consts.end() || !param->schedule) return false;
    }
    return true;
}

void note_schedule_not_marked(FileContext& file_context, const Unit& unit,
                              const ast::Kernel& kernel, const ir::Kernel& first,
                              const ir::Kernel& other, Span span) {
    if (!file_context.options.notes || !take_the_same(first, other)) return;
    std::vector<const ast::ConstParam*> list = differing(kernel, first, other);
    std::erase_if(list, [](const ast::ConstParam* c) { return c->schedule.has_value(); });
    if (list.empty()) return;  // they are candidates already
    std::string names;
    for (const ast::ConstParam* constant : list) {
        if (use_beyond_schedule(unit, kernel, *constant)) return;
        names += (names.empty() ? "`" : ", `") + constant->name.text + "`";
    }
    DiagnosticBuilder note =
        file_context.diag.note(span, msg::schedule_not_marked, other.name, first.name, names);
    note.help(
        "write `schedule` before {} in the signature of `{}`: the function `{}` then chooses the "
        "cheaper one",
        names, kernel.name.text, first.name);
}

}  // namespace tkc::checker
