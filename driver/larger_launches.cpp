// Which numbers of steps a test leaves out.
#include "driver/larger_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ir/walk.h"

namespace tkc {

namespace {

// The names that follow from the extent, by `let`.
std::set<std::string> names_of(const ir::Kernel& kernel, const std::string& extent) {
    std::set<std::string> names{extent};
    const auto follow = [&](const ir::Let& let) {
        for (const std::string& symbol : ir::symbols_of(let.value)) {
            if (names.contains(symbol)) return static_cast<void>(names.insert(let.name));
        }
    };
    ir::walk_only<ir::Let>(kernel.lets, follow);
    for (const ir::Role& role : kernel.roles) ir::walk_only<ir::Let>(role.body, follow);
    return names;
}

// By how much the loops and axes go on that end at the extent.
std::set<std::int64_t> steps_along(const ir::Kernel& kernel, const std::string& extent) {
    std::set<std::int64_t> steps;
    const std::set<std::string> names = names_of(kernel, extent);
    const auto add = [&](const ir::Scalar& end, std::int64_t step) {
        const std::set<std::string> symbols = ir::symbols_of(end);
        const bool follows =
            std::any_of(symbols.begin(), symbols.end(),
                        [&](const std::string& symbol) { return names.contains(symbol); });
        if (follows) steps.insert(step);
    };
    for (const ir::GridAxis& axis : kernel.grid) add(axis.end, axis.step);
    for (const ir::Role& role : kernel.roles) {
        ir::walk_only<ir::For>(role.body, [&](const ir::For& loop) { add(loop.end, loop.step); });
    }
    return steps;
}

// Extents that the test sets, in which a loop or an axis ends, and by how much that goes on.
using StepsAlong = std::map<std::string, std::set<std::int64_t>>;

StepsAlong extents_of(const emulator::TestCase& test, const ir::Signature& called,
                      const ir::Kernel& kernel) {
    StepsAlong extents;
    for (const ir::Tensor& tensor : called.tensors) {
        for (const ir::Scalar& extent : tensor.extents) {
            const auto* symbol = std::get_if<ir::Symbol>(&extent->node);
            if (symbol == nullptr || !test.values.contains(symbol->name)) continue;
            const bool is_constant =
                std::any_of(called.constants.begin(), called.constants.end(),
                            [&](const ir::Constant& c) { return c.name == symbol->name; });
            const std::set<std::int64_t> steps = steps_along(kernel, symbol->name);
            if (!is_constant && !steps.empty()) extents[symbol->name] = steps;
        }
    }
    return extents;
}

}  // namespace

std::vector<LargerLaunch> larger_launches(const emulator::TestCase& test,
                                          const ir::Signature& called, const ir::Kernel& kernel,
                                          std::deque<ast::Expr>& values) {
    const StepsAlong extents = extents_of(test, called, kernel);
    std::int64_t stages = 2;  // as buffers in turn
    for (const ir::Pipeline& p : kernel.pipelines) stages = std::max(stages, p.stages);
    const auto set = [&](LargerLaunch& launch, const std::string& name, std::int64_t value) {
        values.emplace_back(test.test->name.span,
                            ast::IntLiteral{static_cast<std::uint64_t>(value)});
        launch.test.values[name] = &values.back();
        launch.text += fmt::format("{}{} = {}", launch.text.empty() ? "" : ", ", name, value);
    };
    std::vector<LargerLaunch> all;
    // The other extents as the test has them, or of one step, or of two: where loops are short,
    // roles run further ahead.
    for (const std::int64_t others : {0, 1, 2}) {
        if (others > 0 && extents.size() == 1) break;
        for (const auto& [name, steps] : extents) {
            // Never, once and twice; so often that every ring goes round, and twice; even and odd.
            std::set<std::int64_t> lengths;
            for (const std::int64_t step : steps) {
                for (const std::int64_t count :
                     {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3},
                      stages + 1, stages + 2, 2 * stages + 1})
                    lengths.insert(step * count);
            }
            for (const std::int64_t length : lengths) {
                LargerLaunch launch{"", test};
                set(launch, name, length);
                for (const auto& [other, other_steps] : extents) {
                    if (others > 0 && other != name)
                        set(launch, other, others * *other_steps.begin());
                }
                all.push_back(std::move(launch));
            }
        }
    }
    return all;
}

}  // namespace tkc
