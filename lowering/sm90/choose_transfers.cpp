// Decides who moves the cells of every `load` and `store`, and makes the general variant of kernels
// that can do without the tensor memory accelerator (TMA), or without loads of 16 bytes per lane.
//
//     fill a A[m +: 128, k +: 64] automatic
//
// becomes `... tma` in kernel `f`, and stays `... automatic`, element by element, in kernel
// `f_general`.
//
// Why two kernels and not a branch in one: the fast one then has no code, registers or barriers for
// a case that never occurs in it, and which one runs depends on alignment, which the launcher knows
// before it launches.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "ir/contract.h"
#include "ir/swizzle.h"
#include "ir/walk.h"
#include "lowering/passes.h"
#include "lowering/transfer.h"
#include "lowering/vector_access.h"

namespace tkc::lowering {

namespace {

using namespace ir;

const PipelineField* find_field(const Pipeline& p, const std::string& name) {
    for (const PipelineField& f : p.fields_) {
        if (f.name == name) return &f;
    }
    return nullptr;
}

// One transfer of the kernel: the slice, the tile at the other end, and the word that decides.
struct Site {
    const Role* role;
    const Slice* slice;
    TileType tile;
    Transfer* transfer;
    bool stage;       // from a stage to memory, without registers between
    bool by_lanes;    // of a tile in the registers of a role of warps
    bool vectors;     // of which lanes can move, or copy into a stage, 16 bytes at a time
    bool* multicast;  // null for a store
    bool store;
    bool ends_anywhere;  // TMA may load it though a view ends in it
    Span span;

    Direction direction() const { return store ? Direction::store : Direction::load; }
};

void collect(const Kernel& kernel, Role& role, Block& block, const Pipeline* producing,
             std::vector<Site>& sites) {
    for (Op& op : block) {
        if (auto* f = std::get_if<For>(&op.node)) {
            collect(kernel, role, f->body, producing, sites);
        } else if (auto* i = std::get_if<If>(&op.node)) {
            collect(kernel, role, i->then_body, producing, sites);
            collect(kernel, role, i->else_body, producing, sites);
        } else if (auto* p = std::get_if<Produce>(&op.node)) {
            collect(kernel, role, p->body, find_pipeline(kernel, p->pipeline), sites);
        } else if (auto* fill = std::get_if<Fill>(&op.node)) {
            const TileType& type = find_field(*producing, fill->field)->type;
            sites.push_back({&role, &fill->source, type, &fill->transfer, false, false,
                             has_copies(kernel, role, fill->source, type), &fill->multicast, false,
                             fill->allow_foreign || fill->clipped, op.span});
        } else if (auto* store = std::get_if<Store>(&op.node)) {
            const TileType& tile = role.tile(store->source);
            const bool stage = stores_stage(kernel, role, *store);
            const bool stripes = role.unit == Unit::warp && !stage;
            sites.push_back({&role, &store->target, tile, &store->transfer, stage, stripes,
                             stripes && has_vectors(kernel, role, store->target, tile), nullptr,
                             true, false, op.span});
        } else if (auto* load = std::get_if<Load>(&op.node);
                   load != nullptr && role.unit == Unit::warp) {
            const TileType& tile = role.tile(load->result);
            sites.push_back({&role, &load->source, tile, &load->transfer, false, true,
                             has_vectors(kernel, role, load->source, tile), nullptr, false, false,
                             op.span});
        }
    }
}

std::vector<Site> sites_of(Kernel& kernel) {
    std::vector<Site> sites;
    for (Role& role : kernel.roles) collect(kernel, role, role.body, nullptr, sites);
    return sites;
}

bool is_multicast(const Site& site) { return site.multicast != nullptr && *site.multicast; }

// Copies cell by cell fill the own block's stage alone; without a load that is shared, blocks need
// no cluster.
void copy_for_one_block(Kernel& kernel) {
    bool shared = false;
    for (const Site& site : sites_of(kernel)) {
        if (is_multicast(site)) *site.multicast = *site.transfer == Transfer::tma;
        shared = shared || is_multicast(site);
    }
    if (shared) return;
    for (GridAxis& axis : kernel.grid) axis.cluster = 1;
}

// Where the author leaves the choice: whether TMA is both possible and better. 32-bit cells leave
// the registers in whole sectors of memory by themselves, so staging them would only cost shared
// memory.
bool prefers_tma(const Kernel& kernel, const Site& site) {
    if (*site.transfer == Transfer::tma || site.stage) return true;
    if (site.by_lanes) return false;  // stripes leave the registers in whole lines by themselves
    if (site.store && bits_of(site.tile.dtype) >= 32) return false;
    // Unless it ends with the view, TMA would bring elements of another.
    if (!site.store && !site.ends_anywhere && has_edge(*site.slice)) return false;
    // A row is little to load cell by cell, and so is a column. By TMA only where no caller's
    // strides prevent it: otherwise the general variant would replace the whole kernel.
    const Tensor& tensor = *find_tensor(kernel, site.slice->tensor);
    const bool vector = site.tile.rows == 1 || site.tile.cols == 1;
    if (vector && !has_aligned_rows(kernel, tensor)) return false;
    return why_not_tma(kernel, *site.role, *site.slice, site.tile, site.direction()).empty();
}

// What the fast kernel does.
Transfer choice(const Kernel& kernel, const Site& site) {
    if (prefers_tma(kernel, site)) return Transfer::tma;
    return site.vectors ? Transfer::vectors : Transfer::automatic;
}

void report_loads_outside_pipelines(PassContext& context, const Role& role) {
    walk(role.body, [&](const Op& op) {
        const Load* load = as<Load>(op);
        if (load != nullptr && load->transfer == Transfer::tma) {
            context.diag.error(op.span, msg::not_yet, "`tma_load` outside of `produce`")
                .help("produce the tile into a pipeline, or write `load`");
        }
    });
}

// Empty where each row begins at a multiple of 16 bytes: else the instruction is illegal (measured;
// docs/hopper.md).
std::string why_not_from(const Kernel& kernel, const Role& role, const Slice& slice,
                         const TileType& tile) {
    if (starts_aligned(kernel, role, slice, tile.dtype)) return "";
    return fmt::format("its rows may begin within {} bytes of `{}`", map_alignment, slice.tensor);
}

}  // namespace

std::string why_not_tma(const Kernel& kernel, const Role& role, const Slice& slice,
                        const TileType& tile, Direction direction) {
    const bool column = tile.cols == 1;
    const std::int64_t row_bytes = (column ? tile.rows : tile.cols) * bytes(tile.dtype);
    const Target& target = target_of(kernel);
    if (!target.features.tma) return fmt::format("{} has no TMA", target.name);
    if (has_gather(slice)) return "it copies boxes, but a list selects the positions";
    if (slice.ranges.back().kind == Range::Kind::index) {
        return fmt::format("the innermost axis of `{}` is not part of the slice", slice.tensor);
    }
    if (tile.dtype == Dtype::boolean || tile.dtype == Dtype::i64 || tile.dtype == Dtype::f64) {
        return fmt::format("{} elements cannot be stored in its swizzled tiles", name(tile.dtype));
    }
    if (column || tile.rows == 1) {  // it lies in shared memory as it is
        const char* const what = column ? "column" : "row";
        const std::int64_t cells = tile.rows * tile.cols;
        if (direction == Direction::store) return fmt::format("the tile is a single {}", what);
        if (row_bytes % map_alignment != 0)
            return fmt::format("the {} is {} bytes, but only multiples of {} can be copied", what,
                               row_bytes, map_alignment);
        if (const std::int64_t most = target.limits.box_extent; cells > most)
            return fmt::format("the {} has {} cells, but a box holds at most {}", what, cells,
                               most);
        if (column && slice.ranges.back().length != cells)
            return "its columns are single elements of the innermost axis";
        return why_not_from(kernel, role, slice, tile);
    }
    if (row_bytes % 32 != 0) {
        return fmt::format(
            "a row of the tile is {} bytes, but only multiples of 32 can be swizzled", row_bytes);
    }
    if (tile.rows % 8 != 0)
        return fmt::format("the tile has {} rows, which is not a multiple of 8", tile.rows);
    return why_not_from(kernel, role, slice, tile);
}

bool stores_stage(const Kernel& kernel, const Role& role, const Store& store) {
    const TileType& tile = role.tile(store.source);
    if (role.unit != Unit::warp || tile.space != Space::shared) return false;
    if (role.width != 1 && split_of(tile, role.width) == Split::none) return false;
    bool of_element = false;
    walk_only<Field>(role.body, [&](const Field& field) {
        of_element = of_element || field.result == store.source;
    });
    return of_element && why_not_tma(kernel, role, store.target, tile, Direction::store).empty();
}

void choose_transfers(PassContext& context, Module& module) {
    std::vector<Kernel> result;
    std::unordered_map<std::string, std::size_t> generals;  // places in the result, by kernel
    for (Kernel& kernel : module.kernels) {
        bool has_choice = false;
        for (const Role& role : kernel.roles) report_loads_outside_pipelines(context, role);
        for (const Site& site : sites_of(kernel)) {
            const std::string reason =
                why_not_tma(kernel, *site.role, *site.slice, site.tile, site.direction());
            has_choice = has_choice || (*site.transfer == Transfer::automatic &&
                                        choice(kernel, site) != Transfer::automatic);
            if (*site.transfer == Transfer::tma && !reason.empty()) {
                context.diag
                    .error(site.span, msg::tma_cannot_serve, site.store ? "tma_store" : "tma_load",
                           reason)
                    .help("write `{}`, which chooses a suitable transfer",
                          site.store ? "store" : "load");
            } else if (is_multicast(site) && (!reason.empty() || site.tile.cols == 1)) {
                context.diag
                    .error(site.span, msg::tma_cannot_serve, "multicast",
                           reason.empty() ? "a single column cannot be divided" : reason)
                    .help(
                        "remove `multicast`: every program of the cluster then loads its own copy");
            }
        }
        if (!has_choice) {
            result.push_back(std::move(kernel));
            continue;
        }
        Kernel general = kernel;
        general.name += "_general";
        general.general_of = kernel.name;
        copy_for_one_block(general);
        // Cell by cell, further steps at once would only take registers.
        for (Role& role : general.roles)
            walk_only<For>(role.body, [](For& loop) { loop.depth = 1; });
        for (const Site& site : sites_of(kernel)) {
            *site.transfer = choice(kernel, site);
        }
        generals.emplace(kernel.name, result.size() + 1);
        result.push_back(std::move(kernel));
        result.push_back(std::move(general));
    }
    const auto offer = [&](std::vector<std::string>& candidates) {
        std::set<std::size_t> added;  // in the order of the kernels
        for (const std::string& name : candidates) {
            if (const auto found = generals.find(name); found != generals.end())
                added.insert(found->second);
        }
        for (const std::size_t place : added) candidates.push_back(result[place].name);
    };
    for (Launcher& launcher : module.launchers) offer(launcher.candidates);
    for (Entry& entry : module.entries) {
        for (EntryCall& call : entry.calls) offer(call.candidates);
    }
    module.kernels = std::move(result);
}

}  // namespace tkc::lowering
