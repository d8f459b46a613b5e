// Which loads of rows of a view end where the view does, by whatever way they come: TMA writes
// zeros outside of what its map covers, and a map can cover the rows of a view (end_in_views,
// runtime/tk/host/tensor_map.h).
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checks/padding/padding.h"
#include "ir/facts.h"
#include "ir/launch_facts.h"
#include "ir/module.h"
#include "ir/normal_form.h"
#include "ir/value_range.h"
#include "ir/walk.h"

namespace tkc::checks::padding {

namespace {

constexpr std::size_t map_dimensions = 5;

const ir::TileType* type_of_field(const ir::Kernel& kernel, const std::string& pipeline,
                                  const std::string& field) {
    const ir::Pipeline* found = ir::find_pipeline(kernel, pipeline);
    if (found == nullptr) return nullptr;
    for (const ir::PipelineField& f : found->fields_) {
        if (f.name == field) return &f.type;
    }
    return nullptr;
}

// Whether a row is never before the start of its view, as its text says. Sums that wrap do not
// count: the launch refuses them, or the emulator reports them, and the kernel then loads no rows.
class Signs {
public:
    Signs(const ir::Kernel& kernel, const ir::Role& role)
        : bindings_(ir::bindings_of(kernel)),
          facts_(ir::facts_of_launch(kernel, bindings_)),
          names_(ir::ranges_of(kernel, role)) {
        for (const ir::GridAxis& axis : kernel.grid) values_[axis.var].push_back(axis.begin);
        for (const ir::Block* block : {&kernel.lets, &role.body}) {
            ir::walk_only<ir::For>(*block,
                                   [&](const ir::For& f) { values_[f.var].push_back(f.begin); });
            ir::walk_only<ir::Let>(
                *block, [&](const ir::Let& let) { values_[let.name].push_back(let.value); });
        }
    }

    bool never_negative(const ir::Scalar& s, int depth = 0) const {
        constexpr int deepest = 16;  // of `let`s in one another
        std::int64_t value = 0;
        if (!s || depth > deepest) return false;
        if (ir::is_constant(s, &value)) return value >= 0;
        if (ir::range_of(s, names_).least >= 0) return true;
        const auto part = [&](const ir::Scalar& x) { return never_negative(x, depth + 1); };
        if (const auto* name = std::get_if<ir::Symbol>(&s->node)) {
            const auto found = values_.find(name->name);
            if (found != values_.end())
                return std::all_of(found->second.begin(), found->second.end(), part);
        }
        if (const auto* called = std::get_if<ir::Call>(&s->node)) {
            const std::vector<ir::Scalar>& of = called->arguments;
            if (called->function == Function::max) return std::any_of(of.begin(), of.end(), part);
            for (const Function f :
                 {Function::add, Function::mul, Function::div, Function::ceil_div, Function::min}) {
                if (called->function == f) return std::all_of(of.begin(), of.end(), part);
            }
        }
        return facts_.prove_at_least(ir::normal_form(s, bindings_), 0);
    }

private:
    ir::Bindings bindings_;
    ir::Facts facts_;
    ir::Ranges names_;
    std::map<std::string, std::vector<ir::Scalar>> values_;  // the least ones, by name
};

// The rows alone end with the view, the map has a dimension left for that, and no row before the
// start of the view is asked for, which might lie before the tensor.
bool can_clip(const ir::Kernel& kernel, const ir::Fill& fill, const ir::TileType& tile,
              const Signs& signs) {
    if (fill.row_of_view.empty() || fill.allow_foreign) return false;
    const std::vector<ir::Range>& ranges = fill.source.ranges;
    const auto edges = std::count_if(ranges.begin(), ranges.end(),
                                     [](const ir::Range& r) { return r.edge != nullptr; });
    return edges == 1 && !ir::has_gather(fill.source) && ranges.size() < map_dimensions &&
           tile.rows <= ir::target_of(kernel).limits.box_extent &&
           signs.never_negative(fill.row_of_view.front());
}

}  // namespace

void mark_clipped_loads(ir::Kernel& kernel) {
    for (ir::Role& role : kernel.roles) {
        std::vector<std::pair<ir::Fill*, const ir::TileType*>> fills;
        ir::walk(role.body, [&](ir::Op& op) {
            auto* produce = std::get_if<ir::Produce>(&op.node);
            if (produce == nullptr) return;
            for (ir::Op& inner : produce->body) {
                auto* fill = std::get_if<ir::Fill>(&inner.node);
                if (fill == nullptr || fill->row_of_view.empty()) continue;
                const auto* type = type_of_field(kernel, produce->pipeline, fill->field);
                if (type != nullptr) fills.emplace_back(fill, type);
            }
        });
        if (fills.empty()) continue;
        const Signs signs(kernel, role);
        for (const auto& [fill, type] : fills)
            fill->clipped = can_clip(kernel, *fill, *type, signs);
    }
}

}  // namespace tkc::checks::padding
