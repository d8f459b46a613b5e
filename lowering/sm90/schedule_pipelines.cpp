// Makes pipelines explicit: `produce` becomes acquire, transfers and publish; `consume` becomes
// take and, after the last use of the element, release.
//
//     produce ab {                            acquire ab
//         fill a A[m +: 128, k +: 64] tma       expect ab 49152
//         fill b B[k +: 64, n +: 256] tma       tma_load ab.a ..; tma_load ab.b ..
//     }                                       publish ab
//
//     s = consume ab                          s = take ab
//     mma acc += s.a s.b                      mma acc += s.a s.b
//                                             release s
//
// Releases directly follow the last use, as if products were complete when they are issued;
// `insert-waits` comes later and waits before a release, or moves it. Arrival counts: a full
// barrier counts the elected lane that expects bytes, and every writing warp when cells are written
// by ordinary stores, and every lane where lanes start asynchronous copies; an empty barrier counts
// every warp of every reading role. Where a field is fetched in parts by all blocks of a cluster, a
// stage is empty when it is so in all of them: their readers arrive here too.
//
// Where every warpgroup of the writer has a warp of the reader that takes its part of a stage,
// parts have barriers of their own (divide_stages): no warpgroup waits until the part of another
// was taken.
//
// Between ordinary stores to a stage and products or bulk copies that meet it is a proxy fence:
// the writer's before it publishes, or the reader's after its take (is_fenced_by_reader).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "ir/swizzle.h"
#include "ir/walk.h"
#include "ir/warps.h"
#include "lowering/passes.h"
#include "lowering/shared_memory_plan.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// How the elements of one pipeline are written, over all of its `produce` statements.
struct Writing {
    bool bulk = false;    // some field by TMA
    bool shared = false;  // some field in parts, by all blocks of the cluster
    bool cells = false;   // some field by ordinary stores
    bool copies = false;  // some field by asynchronous copies of lanes
    std::int64_t warps = 0;
    std::set<std::string> bulk_fields;  // that bulk copies write, somewhere
    bool fences_stores = false;         // what ordinary stores write, products or bulk copies meet
    bool reader_fences = false;         // the reader has that fence, not the writer
    const Role* writer = nullptr;
};

using Writings = std::map<std::string, Writing>;

Writing writing_of(const Kernel& kernel, const Pipeline& pipeline) {
    Writing writing;
    for (const Role& role : kernel.roles) {
        walk_only<Produce>(role.body, [&](const Produce& produce) {
            if (produce.pipeline != pipeline.name) return;
            writing.warps = role.warps();
            writing.writer = &role;
            for (const Op& op : produce.body) {
                if (const Fill* fill = as<Fill>(op)) {
                    const bool bulk = fill->transfer == Transfer::tma;
                    const bool copied = fill->transfer == Transfer::vectors;
                    (bulk ? writing.bulk : copied ? writing.copies : writing.cells) = true;
                    if (bulk) writing.bulk_fields.insert(fill->field);
                    writing.shared = writing.shared || fill->multicast;
                } else if (as<Put>(op) != nullptr) {
                    writing.cells = true;
                }
            }
        });
    }
    return writing;
}

// A store of what lies in a stage: its last rows may leave by ordinary loads, though TMA takes it.
const Store* store_of_stage(const Role& role, const Op& op) {
    const Store* store = as<Store>(op);
    return store != nullptr && role.tile(store->source).space == Space::shared ? store : nullptr;
}

// Whether the operation reads shared tiles by ordinary loads: products of warps do.
bool reads_by_loads(const Role& role, const Op& op) {
    const Mma* mma = as<Mma>(op);
    return as<ReadShared>(op) != nullptr || (mma != nullptr && mma->synchronous) ||
           store_of_stage(role, op) != nullptr;
}

// Whether it reads them through the async proxy.
bool reads_asynchronously(const Role& role, const Op& op) {
    const Store* store = store_of_stage(role, op);
    return store != nullptr ? store->transfer == Transfer::tma : !reads_by_loads(role, op);
}

// The fields that anything but ordinary loads reads.
std::set<std::string> read_asynchronously(const Kernel& kernel, const Pipeline& pipeline) {
    std::set<std::string> fields;
    for (const Role& role : kernel.roles) {
        const Windows windows(role);
        walk_only<Field>(role.body, [&](const Field& field) {
            if (std::get<ElementType>(role[field.element].type).pipeline != pipeline.name) return;
            walk(role.body, [&](const Op& op) {
                const bool itself = as<Field>(op) != nullptr;
                if (!itself && reads_asynchronously(role, op) && windows.reads(op, field.result))
                    fields.insert(field.field);
            });
        });
    }
    return fields;
}

// Whether ordinary stores write a field that products or bulk copies read or write as well: these
// see it through another proxy (PTX ISA, "Async proxy"). Other fields are other memory.
bool stores_need_fence(const Kernel& kernel, const Pipeline& pipeline, const Writing& writing) {
    const std::set<std::string> read = read_asynchronously(kernel, pipeline);
    bool found = false;
    const auto look = [&](const std::string& field) {
        found = found || read.contains(field) || writing.bulk_fields.contains(field);
    };
    for (const Role& role : kernel.roles) {
        walk_only<Produce>(role.body, [&](const Produce& produce) {
            if (produce.pipeline != pipeline.name) return;
            for (const Op& op : produce.body) {
                const Fill* fill = as<Fill>(op);
                if (fill != nullptr && fill->transfer != Transfer::tma) look(fill->field);
                if (const Put* put = as<Put>(op)) look(put->field);
            }
        });
    }
    return found;
}

std::vector<const Role*> readers_of(const Kernel& kernel, const Pipeline& pipeline) {
    std::vector<const Role*> readers;
    for (const Role& role : kernel.roles) {
        bool reads_it = false;
        walk_only<Consume>(role.body, [&](const Consume& c) {
            reads_it = reads_it || c.pipeline == pipeline.name;
        });
        if (reads_it) readers.push_back(&role);
    }
    return readers;
}

// Whether whoever reads the pipeline has the fence between ordinary stores and bulk copies. It may
// are anywhere between the two (PTX ISA, memory consistency model, "Proxy-preserved base
// causality order"). Writers wait in it until what they stored has arrived; for a role of one warp,
// which stores or adds its part of the stage by a bulk copy, it has when the element is there.
// Writers of asynchronous copies could have it only once these are over, and would start none
// meanwhile.
bool is_fenced_by_reader(const Kernel& kernel, const Pipeline& pipeline, const Writing& writing) {
    if (writing.copies) return writing.fences_stores;
    if (!writing.fences_stores || writing.bulk) return false;
    const std::vector<const Role*> readers = readers_of(kernel, pipeline);
    return std::all_of(readers.begin(), readers.end(), [&](const Role* role) {
        return role->unit == Unit::warp && (role->warps() == 1 || pipeline.parts > 1);
    });
}

// Whether the role does nothing with the tiles of the pipeline but store them from where they are.
bool only_stores(const Role& role, const Pipeline& pipeline) {
    bool only = true;
    walk_only<Field>(role.body, [&](const Field& field) {
        if (std::get<ElementType>(role[field.element].type).pipeline != pipeline.name) return;
        walk(role.body, [&](const Op& op) {
            bool inside = false;
            for_each_block(op, [&](const Block&) { inside = true; });
            if (inside || as<Field>(op) != nullptr || !mentions(op, field.result)) return;
            only = only && store_of_stage(role, op) != nullptr;
        });
    });
    return only;
}

// The axis by which the warpgroups of the writer divide all that they put into the pipeline.
std::optional<Axis> divided_by_writer(const Role& writer, const Pipeline& pipeline) {
    std::optional<Axis> axis;
    bool alike = true;
    walk_only<Produce>(writer.body, [&](const Produce& produce) {
        if (produce.pipeline != pipeline.name) return;
        for (const Op& op : produce.body) {
            const Put* put = as<Put>(op);
            if (put == nullptr) continue;
            const std::optional<Axis> here = divided_axis(writer, put->source);
            alike = alike && here && (!axis || axis == here);
            axis = here;
        }
    });
    return alike ? axis : std::nullopt;
}

// Whether the stages of a pipeline are filled and taken by parts. What a warpgroup stores is read
// by one warp of the reader and nobody else, so these two need to wait for each other and for no
// more.
void divide_stages(const Kernel& kernel, Pipeline& pipeline, const Writing& writing) {
    const std::vector<const Role*> readers = readers_of(kernel, pipeline);
    const Role* writer = writing.writer;
    const bool by_registers = writing.cells && !writing.bulk && !writing.copies;
    if (readers.size() != 1 || writer == nullptr || !by_registers || pipeline.fields_.size() != 1)
        return;
    const Role& reader = *readers.front();
    const std::int64_t parts = writer->warpgroups();
    if (parts < 2 || writer->copies != 1 || reader.unit != Unit::warp || reader.warps() != parts ||
        !only_stores(reader, pipeline))
        return;
    const std::optional<Axis> axis = divided_by_writer(*writer, pipeline);
    if (!axis) return;
    const Split split = *axis == Axis::row ? Split::rows : Split::columns;
    const TileType& tile = pipeline.fields_.front().type;
    const TileType part = part_of(tile, split, parts);
    const bool whole_panels = tile.cols % (parts * panel_columns(tile)) == 0;
    if (split == Split::rows ? part.rows % 8 != 0 : !whole_panels) return;
    pipeline.split = split;
    pipeline.parts = parts;
}

std::int64_t reading_warps(const Kernel& kernel, const Pipeline& pipeline) {
    std::int64_t warps = 0;
    for (const Role* role : readers_of(kernel, pipeline)) warps += role->warps();
    return warps;
}

const TileType& field_type(const Pipeline& pipeline, const std::string& name) {
    for (const PipelineField& f : pipeline.fields_) {
        if (f.name == name) return f.type;
    }
    return pipeline.fields_.front().type;  // names were checked by the frontend
}

std::int64_t tile_bytes(const TileType& t) { return t.rows * t.cols * bytes(t.dtype); }

TmaLoad load_of(Kernel& kernel, const Pipeline& pipeline, const Fill& fill, const TileType& part,
                Split split) {
    const std::string map = tensor_map_for(kernel, fill.source, part, fill.clipped);
    TmaLoad made{pipeline.name, fill.field, map, fill.source, split, fill.cache, fill.clipped, {}};
    if (fill.clipped) made.outside = tensor_map_for(kernel, fill.source, part);
    return made;
}

TmaLoad load_by_all(PassContext& context, Kernel& kernel, const Pipeline& pipeline,
                    const Fill& fill, Span span) {
    TileType part = field_type(pipeline, fill.field);
    const std::int64_t blocks = cluster_size(kernel);
    const Split split = split_of(part, blocks);
    if (split == Split::none) {
        context.diag
            .error(span, msg::tma_cannot_serve, "multicast",
                   fmt::format("{} x {} cells cannot be divided into {} parts", part.rows,
                               part.cols, blocks))
            .help("a part must be a multiple of 8 rows, or of {} columns", panel_columns(part));
    }
    part = part_of(part, split, blocks);
    return load_of(kernel, pipeline, fill, part, split);
}

void schedule_produce(PassContext& context, Kernel& kernel, Role& role, const Writings& writings,
                      Produce produce, Span span, Block& out) {
    const Pipeline& pipeline = *find_pipeline(kernel, produce.pipeline);
    const Writing& writing = writings.at(pipeline.name);
    std::int64_t bulk_bytes = 0;
    bool puts = false;
    for (const Op& op : produce.body) {
        if (const Fill* fill = as<Fill>(op); fill != nullptr && fill->transfer == Transfer::tma) {
            bulk_bytes += tile_bytes(field_type(pipeline, fill->field));
        }
        puts = puts || as<Put>(op) != nullptr;
    }
    const bool by_lanes = writing.cells || writing.copies;
    Acquire acquire{{}, pipeline.name, !by_lanes && role.warps() > 1};
    if (puts) acquire.result = add_value(role, pipeline.name + "_next", ElementType{pipeline.name});
    const Value element = acquire.result;
    // What computes a register tile runs before the stage is waited for: it needs none.
    Block moves;
    for (Op& op : produce.body) {
        if (const Fill* fill = as<Fill>(op)) {
            if (fill->multicast) {
                moves.push_back(
                    at(op.span, load_by_all(context, kernel, pipeline, *fill, op.span)));
            } else if (fill->transfer == Transfer::tma) {
                const TileType& type = field_type(pipeline, fill->field);
                moves.push_back(at(op.span, load_of(kernel, pipeline, *fill, type, Split::none)));
            } else {
                moves.push_back(
                    at(op.span, CopyLoad{pipeline.name, fill->field, fill->source,
                                         fill->transfer == Transfer::vectors, fill->cache}));
            }
        } else if (const Put* put = as<Put>(op)) {
            TileType type = field_type(pipeline, put->field);
            const Value target = add_value(role, pipeline.name + "_" + put->field, type);
            moves.push_back(at(op.span, Field{target, element, put->field}));
            moves.push_back(at(op.span, WriteTile{target, put->source, put->transposed}));
        } else {
            out.push_back(std::move(op));
        }
    }
    out.push_back(at(span, std::move(acquire)));
    if (writing.bulk) out.push_back(at(span, Expect{pipeline.name, bulk_bytes}));
    for (Op& op : moves) out.push_back(std::move(op));
    const bool fence = writing.cells && writing.fences_stores && !writing.reader_fences;
    out.push_back(at(span, Publish{pipeline.name, writing.cells, fence, writing.copies}));
}

// Whether `op` or anything inside it uses the element or a field of it.
bool uses(const Op& op, const std::vector<Value>& family) {
    for (const Value v : family) {
        if (mentions(op, v)) return true;
    }
    return false;
}

// Whether ordinary loads read one of the tiles.
bool read_by_loads(const Role& role, const Block& block, const std::vector<Value>& tiles) {
    bool found = false;
    walk(block, [&](const Op& op) {
        if (!reads_by_loads(role, op)) return;
        for (const Value v : tiles) found = found || reads(op, v);
    });
    return found;
}

// Puts the release of the element that `block[taken]` takes after its last use in the block. What
// ordinary loads have read is ordered before the bulk copies that write there next.
void insert_release(const Role& role, Block& block, std::size_t taken, Value element,
                    const Writing& writing, Span span) {
    std::vector<Value> family{element};
    std::vector<Value> bulk;
    walk_only<Field>(block, [&](const Field& f) {
        if (f.element != element) return;
        family.push_back(f.result);
        if (writing.bulk_fields.contains(f.field)) bulk.push_back(f.result);
    });
    for (std::vector<Value>* tiles : {&family, &bulk}) {
        const std::vector<Value> whole = *tiles;
        walk_only<ir::Window>(block, [&](const ir::Window& window) {
            if (std::find(whole.begin(), whole.end(), window.source) != whole.end())
                tiles->push_back(window.result);
        });
    }
    walk_only<ReadShared>(block, [&](const ReadShared& read) {
        if (read.in_place && std::find(family.begin(), family.end(), read.source) != family.end())
            family.push_back(read.result);
    });
    std::size_t last = taken;
    for (std::size_t i = taken; i < block.size(); ++i) {
        if (uses(block[i], family)) last = i;
    }
    block.insert(block.begin() + static_cast<std::ptrdiff_t>(last) + 1,
                 at(span, Release{element, read_by_loads(role, block, family),
                                  read_by_loads(role, block, bulk)}));
}

void insert_releases(Role& role, const Writings& writings) {
    walk_blocks(role.body, [&](Block& block) {
        for (std::size_t i = 0; i < block.size(); ++i) {
            const Take* take = as<Take>(block[i]);
            if (take == nullptr) continue;
            insert_release(role, block, i, take->result, writings.at(take->pipeline),
                           block[i].span);
        }
    });
}

void schedule(PassContext& context, Kernel& kernel, Role& role, const Writings& writings) {
    walk(role.body, [&](const Op& op) {
        const Consume* consume = as<Consume>(op);
        if (consume != nullptr && role[consume->result].variable) {
            context.diag.error(op.span, msg::not_yet, "a `var` that holds an element of a pipeline")
                .help("name it with `let`, or use it inside `consume {} as …`", consume->pipeline);
        }
    });
    rebuild(role.body, [&](Op op, Block& out) {
        if (auto* produce = as<Produce>(op)) {
            schedule_produce(context, kernel, role, writings, std::move(*produce), op.span, out);
        } else if (const auto* consume = as<Consume>(op)) {
            out.push_back(at(op.span, Take{consume->result, consume->pipeline}));
            if (writings.at(consume->pipeline).reader_fences)
                out.push_back(at(op.span, FenceAsync{}));
        } else {
            out.push_back(std::move(op));
        }
    });
    insert_releases(role, writings);
}

}  // namespace

void schedule_pipelines(PassContext& context, Module& module) {
    module.level = Level::mixed;
    for (Kernel& kernel : module.kernels) {
        Writings writings;  // of the tile IR, before any of it is rewritten
        for (Pipeline& pipeline : kernel.pipelines) {
            Writing& writing = writings[pipeline.name] = writing_of(kernel, pipeline);
            writing.fences_stores = stores_need_fence(kernel, pipeline, writing);
            divide_stages(kernel, pipeline, writing);
            writing.reader_fences = is_fenced_by_reader(kernel, pipeline, writing);
            const std::int64_t warps = writing.warps / pipeline.parts;
            pipeline.full_arrivals = (writing.bulk ? 1 : 0) + (writing.cells ? warps : 0) +
                                     (writing.copies ? lanes_of_warp * warps : 0);
            pipeline.cluster = writing.shared ? cluster_size(kernel) : 1;
            pipeline.empty_arrivals =
                pipeline.cluster * reading_warps(kernel, pipeline) / pipeline.parts;
        }
        for (Role& role : kernel.roles) schedule(context, kernel, role, writings);
    }
}

}  // namespace tkc::lowering
