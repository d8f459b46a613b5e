// Which loads of rows of a view end where the view does, by whatever way they come: TMA writes
// zeros outside of what its map covers, and a map can cover the rows of a view (end_in_views,
// runtime/tk/host/tensor_map.h).
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "arithmetic/normal_form.h"
#include "checks/padding/padding.h"
#include "facts/facts.h"
#include "facts/launch_facts.h"
#include "facts/plain_signs.h"
#include "ir/module.h"
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

// Whether a row is never before the start of its view. Sums that wrap do not count: the launch
// refuses them, or the emulator reports them, and the kernel then loads no rows.
class Starts {
public:
    Starts(const ir::Kernel& kernel, const ir::Role& role)
        : bindings_(ir::bindings_of(kernel)),
          facts_(ir::facts_of_launch(kernel, bindings_)),
          signs_(kernel, role, ir::ranges_of(kernel, role)) {}

    bool in_view(const ir::Scalar& row) const {
        return signs_.never_negative_on_paper(row, [&](const ir::Scalar& s) {
            return facts_.prove_at_least(ir::normal_form(s, bindings_), 0);
        });
    }

private:
    ir::Bindings bindings_;
    ir::Facts facts_;
    ir::PlainSigns signs_;
};

// The rows alone end with the view, the map has a dimension left for that, and no row before the
// start of the view is asked for, which might lie before the tensor.
bool can_clip(const ir::Kernel& kernel, const ir::Fill& fill, const ir::TileType& tile,
              const Starts& starts) {
    if (fill.places_in_view.size() != 1 || fill.allow_foreign) return false;
    const std::vector<ir::Range>& ranges = fill.source.ranges;
    const auto is_span = [](const ir::Range& r) { return r.kind != ir::Range::Kind::index; };
    const auto rows = std::find_if(ranges.begin(), ranges.end(), is_span);
    const bool of_rows =
        rows->edge != nullptr && std::count_if(ranges.begin(), ranges.end(), is_span) == 2;
    return of_rows && !ir::has_gather(fill.source) && ranges.size() < map_dimensions &&
           tile.rows <= ir::target_of(kernel).limits.box_extent &&
           starts.in_view(fill.places_in_view.front());
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
                if (fill == nullptr || fill->places_in_view.empty()) continue;
                const auto* type = type_of_field(kernel, produce->pipeline, fill->field);
                if (type != nullptr) fills.emplace_back(fill, type);
            }
        });
        if (fills.empty()) continue;
        const Starts starts(kernel, role);
        for (const auto& [fill, type] : fills)
            fill->clipped = can_clip(kernel, *fill, *type, starts);
    }
}

}  // namespace tkc::checks::padding
