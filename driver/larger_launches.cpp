// Which numbers of steps a test leaves out.
#include "driver/larger_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/walk.h"

namespace tkc {

namespace {

// By how much the loops and axes go on that end at the extent.
std::set<std::int64_t> steps_along(const ir::Kernel& kernel, const std::string& extent) {
    std::set<std::int64_t> steps;
    const auto add = [&](const ir::Scalar& end, std::int64_t step) {
        if (ir::symbols_of(end).contains(extent)) steps.insert(step);
    };
    for (const ir::GridAxis& axis : kernel.grid) add(axis.end, axis.step);
    for (const ir::Role& role : kernel.roles) {
        ir::walk_only<ir::For>(role.body, [&](const ir::For& loop) { add(loop.end, loop.step); });
    }
    return steps;
}

}  // namespace

std::vector<LargerLaunch> larger_launches(const emulator::TestCase& test,
                                          const ir::Signature& called, const ir::Kernel& kernel,
                                          std::deque<ast::Expr>& extents) {
    std::int64_t stages = 2;  // as buffers in turn
    for (const ir::Pipeline& p : kernel.pipelines) stages = std::max(stages, p.stages);
    std::set<std::string> names;
    for (const ir::Tensor& tensor : called.tensors) {
        for (const ir::Scalar& extent : tensor.extents) {
            const auto* symbol = std::get_if<ir::Symbol>(&extent->node);
            const bool is_given = symbol != nullptr && test.values.contains(symbol->name);
            const auto is_constant = [&](const ir::Constant& c) { return c.name == symbol->name; };
            if (is_given &&
                std::none_of(called.constants.begin(), called.constants.end(), is_constant))
                names.insert(symbol->name);
        }
    }
    std::vector<LargerLaunch> all;
    for (const std::string& name : names) {
        // Never, once and twice, so often that every ring goes round, and twice; even and odd.
        std::set<std::int64_t> values;
        for (const std::int64_t step : steps_along(kernel, name)) {
            for (const std::int64_t count :
                 {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, stages + 1,
                  stages + 2, 2 * stages + 1})
                values.insert(step * count);
        }
        for (const std::int64_t value : values) {
            extents.emplace_back(test.test->name.span,
                                 ast::IntLiteral{static_cast<std::uint64_t>(value)});
            LargerLaunch launch{fmt::format("{} = {}", name, value), test};
            launch.test.values[name] = &extents.back();
            all.push_back(std::move(launch));
        }
    }
    return all;
}

}  // namespace tkc
