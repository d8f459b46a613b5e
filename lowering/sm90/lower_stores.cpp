// Stores register tiles: by TMA through staging buffers in the remaining shared memory, or element
// by element.
//
//     store C[m +: 128, n +: 256] t0 tma
//
// becomes
//
//     for panel in 0..256 by 64 unrolled {
//         write_shared staging[..] t0 column panel
//         fence_async
//         wait store_reads 0                  // frees the next panel's buffer, see below
//         barrier warpgroup
//         tma_store C_map C[m + 64*warpgroup +: 64, n + panel +: 64]
//     }
//
// A panel is as wide as a swizzle (64 columns of 16 bits), so that stmatrix has no bank conflicts.
// Each warpgroup stages its own rows and waits for no other. It uses as many buffers in turn as
// fit, up to one for every panel. If not all panels fit, the tile may pass through a stage that the
// role holds for the whole program and whose rows each warpgroup reads alone: the stage is then
// released after the store, or after the last of several. It is never any other stage, which the
// producer may be filling for the next program. Bulk groups belong to the lane that opened them, so
// one elected lane issues, commits and waits.
//
// One barrier per panel is enough: panel i writes the buffer of store i - t (t buffers in turn). At
// panel i - 1 the elected lane waited until at most t - 2 of the stores before it (up to i - 2) had
// still to be read, so store i - t had been read; then all warps synchronized at the barrier. The
// order continues from program to program if t divides the number of panels and no other store
// comes between; otherwise, and with a single buffer, there is a wait and a barrier before the
// write as well: for no more stores than necessary (store_waits.h).
//
// If a block runs one program, and there is a buffer for every panel, there are no waits.
//
// TMA writes 16-byte units whole (docs/hopper.md). A panel that contains the ends of rows that end
// within a unit is copied from its buffer to memory element by element, and an empty bulk group
// keeps the count.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "arithmetic/normal_form.h"
#include "ir/contract.h"
#include "ir/print.h"
#include "ir/stage_parts.h"
#include "ir/swizzle.h"
#include "ir/walk.h"
#include "lowering/passes.h"
#include "lowering/shared_memory_plan.h"
#include "lowering/shared_panels.h"
#include "lowering/sm90/store_waits.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// The staging buffers that one store uses: `turns` for every warpgroup.
struct Staging {
    std::string buffer;
    TileType panel;
    std::int64_t turns = 1;
    std::int64_t panels = 1;
    bool fresh = true;        // no earlier store uses them
    bool by_columns = false;  // that warpgroups divide the tile by
    Value held;               // the element whose stage they lie in, if they do
};

std::int64_t count_bulk_stores(const Role& role) {
    std::int64_t stores = 0;
    walk_only<Store>(role.body, [&](const Store& s) {
        const bool staged = role.tile(s.source).space == Space::registers;
        stores += staged && s.transfer == Transfer::tma ? 1 : 0;
    });
    return stores;
}

// Whether each warpgroup holds its own rows of the tile, and all that there are.
bool holds_own_rows(const Role& role, Value tile) {
    return role.warpgroups() == 1 || divided_axis(role, tile) == Axis::row;
}

// Whether the warpgroups read nothing of the shared tile but their own rows, as operands A or into
// registers.
bool reads_own_rows(const Role& role, Value tile) {
    bool own = true;
    walk(role.body, [&](const Op& op) {
        if (!mentions(op, tile)) return;
        const Mma* mma = as<Mma>(op);
        const ReadShared* read = as<ReadShared>(op);
        const ir::Window* window = as<ir::Window>(op);
        if (window != nullptr) {
            if (window->source != tile) return;  // it makes this one
            const bool rows = role.tile(window->result).rows == role.tile(tile).rows;
            own = own && rows && reads_own_rows(role, window->result);
        } else if (mma != nullptr) {
            own = own && mma->a == tile && mma->b != tile && !mma->a_transposed &&
                  holds_own_rows(role, mma->result);
        } else if (read != nullptr) {
            own = own && holds_own_rows(role, read->result);
        } else {
            bool inside = false;
            for_each_block(op, [&](const Block&) { inside = true; });
            own = own && (inside || as<Field>(op) != nullptr);
        }
    });
    return own;
}

// Whether something from `first` on reads the shared tile, which the store would have overwritten.
bool is_read(const Role& role, Value tile, Block::const_iterator first) {
    const Windows windows(role);
    return std::any_of(first, role.body.end(), [&](const Op& op) {
        bool found = windows.reads(op, tile);
        for_each_block(op, [&](const Block& inner) {
            walk(inner, [&](const Op& x) { found = found || windows.reads(x, tile); });
        });
        return found;
    });
}

// A stage that `role` alone reads, that it takes once and can hold until the store, and in which
// the panels of the tile can lie: the element, and in `base` the stage's buffer.
Value find_held_stage(const Kernel& kernel, const Role& role, const Store& store,
                      const TileType& panel, std::string* base) {
    const TileType& tile = role.tile(store.source);
    if (store.transposed) return {};  // each warpgroup would write other rows than it has read
    const auto is_store = [&](const Op& op) {
        const Store* s = as<Store>(op);
        return s != nullptr && s->source == store.source && s->target.tensor == store.target.tensor;
    };
    const auto end = std::find_if(role.body.begin(), role.body.end(), is_store);
    if (end == role.body.end()) return {};  // it is in a loop or a branch
    for (auto op = role.body.begin(); op != end; ++op) {
        const Take* take = as<Take>(*op);
        if (take == nullptr) continue;
        const Pipeline& pipeline = *find_pipeline(kernel, take->pipeline);
        std::size_t taken = 0;
        walk_only<Take>(role.body,
                        [&](const Take& t) { taken += t.pipeline == take->pipeline ? 1U : 0U; });
        if (pipeline.cluster != 1 || taken != 1 || pipeline.empty_arrivals != role.warps()) {
            continue;
        }
        for (const PipelineField& field : pipeline.fields_) {
            const bool used = std::any_of(kernel.buffers.begin(), kernel.buffers.end(),
                                          [&](const Buffer& b) { return b.over == field.buffer; });
            const bool fits = bytes(field.type.dtype) == bytes(tile.dtype) &&
                              field.type.rows == tile.rows && field.type.cols >= tile.cols &&
                              panel_columns(field.type) == panel.cols;
            if (used || !fits) continue;
            bool own = true;
            walk_only<Field>(role.body, [&](const Field& f) {
                const bool this_one = f.element == take->result && f.field == field.name;
                own = own && (!this_one || (reads_own_rows(role, f.result) &&
                                            !is_read(role, f.result, std::next(end))));
            });
            if (!own) continue;
            *base = field.buffer;
            return take->result;
        }
    }
    return {};
}

// The element is released when the last store has read its stage, and not before.
void release_after(Role& role, Value element, const std::string& buffer) {
    Block body;
    Op release = at({}, Release{});
    std::size_t last = 0;
    for (Op& op : role.body) {
        const Release* r = as<Release>(op);
        if (r != nullptr && r->element == element) {
            release = std::move(op);
            continue;
        }
        body.push_back(std::move(op));
        for_each_block(body.back(), [&](const Block& inner) {
            walk_only<WriteShared>(inner, [&](const WriteShared& w) {
                if (w.buffer == buffer) last = body.size();
            });
        });
    }
    // What leaves cell by cell is read by ordinary loads.
    walk_only<CopyStore>(body, [&](const CopyStore& store) {
        if (store.buffer != buffer) return;
        as<Release>(release)->after_reads = true;
        as<Release>(release)->fence = true;  // the stage is filled by bulk copies
    });
    Block behind;
    behind.push_back(at(release.span, Wait{Channel::store_reads, 0, {}}));
    behind.push_back(std::move(release));
    body.insert(body.begin() + static_cast<std::ptrdiff_t>(last),
                std::make_move_iterator(behind.begin()), std::make_move_iterator(behind.end()));
    role.body = std::move(body);
}

// Plans the staging of a tile, or reports that no panel fits. `earlier_stores`: buffers of the
// role; `held`: the staging of earlier stores of it that lies in stages.
bool plan_staging(PassContext& context, Kernel& kernel, const Role& role, const Store& store,
                  std::vector<std::string>& earlier_stores, const std::vector<Staging>& held,
                  Span span, Staging* out) {
    Staging staging;
    const StagedPanel panel = panel_of_store(role, store);
    staging.by_columns = panel.by_columns;
    staging.panel = panel.type;
    staging.panels = panel.panels;
    staging.buffer = fmt::format("{}.{}", role.name, store.target.tensor);
    const std::int64_t turn_bytes = role.all_warpgroups() * staging.panel.rows *
                                    staging.panel.cols * bytes(staging.panel.dtype);
    if (const Buffer* earlier = find_buffer(kernel, staging.buffer)) {
        if (earlier->type == staging.panel && earlier->over.empty()) {
            staging.turns = earlier->copies / role.all_warpgroups();
            staging.fresh = false;
            *out = staging;
            return true;
        }
        staging.buffer += fmt::format("_{}", kernel.buffers.size());
    }
    staging.turns = std::min(staging.panels, bytes_left(kernel) / turn_bytes);
    if (staging.turns < staging.panels && !staging.by_columns) {
        std::string base;
        staging.held = find_held_stage(kernel, role, store, staging.panel, &base);
        if (staging.held) {
            staging.turns = staging.panels;
            add_buffer_over(kernel, staging.buffer,
                            fmt::format("staging of {}", store.target.tensor), staging.panel, base);
            *out = staging;
            return true;
        }
        for (const Staging& earlier : held) {
            if (earlier.panel != staging.panel || earlier.turns != staging.panels) continue;
            *out = earlier;
            out->fresh = false;
            return true;
        }
    }
    // The buffers of another store of the role, if these are more.
    for (const std::string& name : earlier_stores) {
        const Buffer& buffer = *find_buffer(kernel, name);
        const std::int64_t turns = buffer.copies / role.all_warpgroups();
        if (buffer.type != staging.panel || turns <= staging.turns) continue;
        staging.buffer = name;
        staging.turns = turns;
        staging.fresh = false;
    }
    if (!staging.fresh) {
        *out = staging;
        return true;
    }
    // A number of turns that divides the panels lets every wait leave the other buffers' stores
    // alone.
    while (staging.turns > 2 && staging.panels % staging.turns != 0) --staging.turns;
    if (staging.turns < 1) {
        context.diag
            .error(span, msg::no_room_for_staging, store.target.tensor, turn_bytes,
                   bytes_left(kernel))
            .note("{}", memory_table(kernel))
            .help(
                "use `store`, which needs no shared memory here, or give a pipeline fewer stages");
        return false;
    }
    add_buffer(kernel, staging.buffer, fmt::format("staging of {}", store.target.tensor),
               staging.panel, staging.turns * role.all_warpgroups());
    earlier_stores.push_back(staging.buffer);
    *out = staging;
    return true;
}

// The panel's part of the slice: its rows or columns are the warpgroup's, its columns those of the
// panel.
Slice panel_slice(const Slice& target, const Staging& staging, const Scalar& panel, bool whole) {
    Slice part = target;
    bool first = true;
    for (Range& r : part.ranges) {
        if (r.kind == Range::Kind::index) continue;
        const auto of_warpgroup = [&](std::int64_t extent) {
            return whole ? integer(0) : mul(symbol(warpgroup_symbol), integer(extent));
        };
        const Scalar columns = staging.by_columns
                                   ? add(of_warpgroup(staging.panels * staging.panel.cols), panel)
                                   : panel;
        const Scalar rows = staging.by_columns ? integer(0) : of_warpgroup(staging.panel.rows);
        const Scalar offset = first ? rows : columns;
        r = {Range::Kind::span, add(r.base, offset),
             first ? staging.panel.rows : staging.panel.cols, r.edge};
        first = false;
    }
    return part;
}

// The loop that stores a tile panel by panel.
struct StoreLoop {
    std::string panel;  // its variable
    bool only_store;    // the role has no other by TMA
    bool once;          // a block stores it once
    std::int64_t warpgroups;
    bool whole;  // each of them stores whole tiles
};

// A name for the loop over panels that nothing in the kernel has.
std::string panel_name(const Kernel& kernel) {
    std::set<std::string> taken;
    const auto add = [&](const Block& block) {
        walk_only<Let>(block, [&](const Let& let) { taken.insert(let.name); });
        walk_only<For>(block, [&](const For& loop) { taken.insert(loop.var); });
        walk_only<ReadNumber>(block, [&](const ReadNumber& read) { taken.insert(read.name); });
    };
    for (const Tensor& tensor : kernel.tensors) {
        for (const Scalar& extent : tensor.extents) taken.merge(symbols_of(extent));
    }
    for (const Parameter& parameter : kernel.parameters) taken.insert(parameter.name);
    for (const GridAxis& axis : kernel.grid) taken.insert(axis.var);
    add(kernel.lets);
    for (const Role& role : kernel.roles) add(role.body);
    std::string name = "panel";
    for (int i = 2; taken.count(name) != 0; ++i) name = fmt::format("panel_{}", i);
    return name;
}

// Whether the panel holds the end of the tensor's rows and that is not the end of a unit of 16
// bytes: TMA would write the rest of the unit too. Null: never.
Scalar ends_within_unit(const Kernel& kernel, const Slice& part, const TileType& panel) {
    const Scalar extent = with_constants(kernel, find_tensor(kernel, part.tensor)->extents.back());
    const Scalar rest = call(Function::mod, {extent, integer(map_alignment / bytes(panel.dtype))});
    if (normal_form(rest).is_zero()) return nullptr;
    const Scalar end = add(part.ranges.back().base, integer(panel.cols));
    return call(Function::logical_and, {call(Function::ne, {rest, integer(0)}), less(extent, end)});
}

// Whether the panel reaches past the edge of a view: TMA would write into what is after. Null:
// never.
Scalar leaves_view(const Slice& part) {
    Scalar leaves;
    for (const Range& r : part.ranges) {
        if (!r.edge) continue;
        const Scalar here = less(r.edge, add(r.base, integer(r.length)));
        leaves = leaves ? call(Function::logical_or, {leaves, here}) : here;
    }
    return leaves;
}

// Whether TMA must not store the panel. Null: it may store every panel.
Scalar excludes_tma(const Kernel& kernel, const Slice& part, const TileType& panel) {
    const Scalar ragged = ends_within_unit(kernel, part, panel);
    const Scalar leaves = leaves_view(part);
    if (!ragged || !leaves) return ragged ? ragged : leaves;
    return call(Function::logical_or, {ragged, leaves});
}

CopyStore by_cells(const TmaStore& store) {
    return {store.target, store.buffer, store.copy, store.held, store.cache, store.part};
}

// By TMA, or cell by cell where the end of the tensor or the kernel wants it.
Op bulk_store(const Kernel& kernel, TmaStore by_map, const TileType& tile, Span span) {
    const Scalar excluded = excludes_tma(kernel, by_map.target, tile);
    if (!excluded) return at(span, std::move(by_map));
    If edge{excluded, {}, {}};
    edge.then_body.push_back(at(span, by_cells(by_map)));
    edge.else_body.push_back(at(span, std::move(by_map)));
    return at(span, std::move(edge));
}

void emit_store(Kernel& kernel, const Store& store, const Staging& staging, const StoreLoop& how,
                Span span, Block& out) {
    For loop;
    loop.var = how.panel;
    loop.begin = integer(0);
    loop.end = integer(staging.panels * staging.panel.cols);
    loop.step = staging.panel.cols;
    loop.unrolled = true;
    const Scalar column = symbol(loop.var);
    const Scalar turn =
        call(Function::mod, {floor_div(column, integer(loop.step)), integer(staging.turns)});
    const Scalar warpgroup = symbol(warpgroup_symbol);
    const Scalar copy =
        staging.held ? (how.whole ? turn : add(mul(turn, integer(how.warpgroups)), warpgroup))
        : staging.turns == 1 ? warpgroup
                             : add(mul(warpgroup, integer(staging.turns)), turn);
    // The buffer was last used `turns` stores ago, if the stores before that one used the buffers
    // in the same order.
    const bool in_order =
        how.only_store && staging.turns >= 2 && staging.panels % staging.turns == 0;
    const Slice part = panel_slice(store.target, staging, column, how.whole);
    // A single panel that ends within a unit of 16 bytes: no bulk store reads the buffer, so there
    // is none to wait for.
    const Scalar excluded = excludes_tma(kernel, part, staging.panel);
    const bool never_bulk = staging.panels == 1 && how.only_store && excluded &&
                            normal_form(excluded, {{loop.var, NormalForm(0)}}) == NormalForm(1);
    const auto add_op = [&](auto node) { loop.body.push_back(at(span, std::move(node))); };
    const bool unused =
        staging.fresh && (staging.held || (how.once && staging.panels <= staging.turns));
    if (!in_order && !unused) {
        if (!never_bulk) add_op(Wait{Channel::store_reads, 0, {}});
        add_op(Barrier{Scope::warpgroup});
    }
    add_op(WriteShared{staging.buffer, copy, store.source, column, staging.held, store.transposed});
    if (!never_bulk) add_op(FenceAsync{});
    if (in_order && !unused) add_op(Wait{Channel::store_reads, staging.turns - 2, {}});
    add_op(Barrier{Scope::warpgroup});
    if (never_bulk) {
        add_op(CopyStore{part, staging.buffer, copy, staging.held, store.cache, {}});
    } else {
        TmaStore by_map{tensor_map_for(kernel, part, staging.panel),
                        part,
                        staging.buffer,
                        copy,
                        staging.held,
                        store.cache};
        loop.body.push_back(bulk_store(kernel, std::move(by_map), staging.panel, span));
    }
    out.push_back(at(span, std::move(loop)));
}

// A stage that the role holds goes to memory from where it is, the parts of several warps apart. It
// is waited for at once, since the role has little else to do, and the release comes next.
void store_stage(Kernel& kernel, const Role& role, const Store& store, Span span, Block& out) {
    walk_only<Field>(role.body, [&](const Field& field) {
        if (field.result != store.source) return;
        const std::string& pipeline = std::get<ElementType>(role[field.element].type).pipeline;
        const std::string& buffer = buffer_of_field(kernel, pipeline, field.field);
        const TileType& tile = role.tile(store.source);
        const Split split = split_of_stage(role, *find_pipeline(kernel, pipeline), tile);
        if (store.transfer == Transfer::tma) {
            const std::string map =
                tensor_map_for(kernel, store.target, part_of(tile, split, role.warps()));
            TmaStore by_map{map,           store.target, buffer, integer(0),
                            field.element, store.cache,  split};
            out.push_back(bulk_store(kernel, std::move(by_map), tile, span));
        } else {
            out.push_back(at(span, CopyStore{store.target, buffer, integer(0), field.element,
                                             store.cache, split}));
        }
        out.push_back(at(span, Wait{Channel::store_reads, 0, {}}));
    });
}

// Where a stage has left by bulk stores alone, its release needs no proxy fence: those read it
// through the proxy by which it is filled again.
void drop_fences(Role& role) {
    const Windows windows(role);
    std::set<std::uint32_t> loaded;  // elements whose stages something else reads or keeps
    std::map<std::uint32_t, Value> element_of;
    walk_only<Field>(role.body,
                     [&](const Field& field) { element_of[field.result.id] = field.element; });
    walk(role.body, [&](const Op& op) {
        const bool names_alone = as<Field>(op) != nullptr || as<Window>(op) != nullptr ||
                                 as<Release>(op) != nullptr || as<TmaStore>(op) != nullptr;
        if (names_alone) return;
        for_each_operand(op, [&](const Value& v) {
            loaded.insert(v.id);
            const auto field = element_of.find(windows.whole(v).id);
            if (field != element_of.end()) loaded.insert(field->second.id);
        });
    });
    walk_only<Release>(role.body, [&](Release& release) {
        if (!loaded.contains(release.element.id)) release.fence = false;
    });
}

void lower(PassContext& context, Kernel& kernel, Role& role, const std::string& panel) {
    const std::int64_t bulk_stores = count_bulk_stores(role);
    bool in_loop = false;
    walk_only<For>(role.body, [&](const For& loop) {
        walk_only<Store>(loop.body, [&](const Store&) { in_loop = true; });
    });
    const bool once = !kernel.persistent && !in_loop;
    const Role before = role;  // `rebuild` takes it apart
    std::vector<Staging> held;
    std::vector<std::string> buffers;
    rebuild(role.body, [&](Op op, Block& out) {
        const Store* store = as<Store>(op);
        const Load* load = as<Load>(op);
        Staging staging;
        if (load != nullptr) {
            out.push_back(at(op.span, LoadCells{load->result,
                                                load->source,
                                                load->transfer == Transfer::vectors,
                                                {},
                                                load->cache}));
        } else if (store == nullptr) {
            out.push_back(std::move(op));
        } else if (before.tile(store->source).space == Space::shared) {
            store_stage(kernel, before, *store, op.span, out);
        } else if (store->transfer != Transfer::tma) {
            const bool vectors = store->transfer == Transfer::vectors;
            out.push_back(
                at(op.span, StoreCells{store->target, store->source, vectors, store->cache}));
        } else if (plan_staging(context, kernel, before, *store, buffers, held, op.span,
                                &staging)) {
            const StoreLoop how{panel, bulk_stores == 1, once, role.all_warpgroups(),
                                role.copies > 1};
            emit_store(kernel, *store, staging, how, op.span, out);
            if (staging.held) held.push_back(staging);
        }
    });
    drop_fences(role);
    relax_store_waits(role, kernel.persistent);
    for (const Staging& staging : held) {
        if (staging.fresh) release_after(role, staging.held, staging.buffer);
    }
    // Shared memory must outlive the reads of the last stores; those from a held stage are waited
    // for before its release.
    if (bulk_stores > static_cast<std::int64_t>(held.size()))
        role.finish.push_back(at(role.span, Wait{Channel::store_reads, 0, {}}));
}

}  // namespace

void lower_stores(PassContext& context, Module& module) {
    for (Kernel& kernel : module.kernels) {
        const std::string panel = panel_name(kernel);
        for (Role& role : kernel.roles) lower(context, kernel, role, panel);
        settle_shared_memory(kernel);
    }
    module.level = Level::scheduled;
}

}  // namespace tkc::lowering
