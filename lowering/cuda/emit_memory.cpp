// One small function for each operation of the scheduled IR that moves tiles.
#include "lowering/cuda/emit_memory.h"

#include <fmt/format.h>

#include "ir/contract.h"
#include "ir/stage_parts.h"
#include "ir/store_rules.h"
#include "ir/swizzle.h"
#include "ir/walk.h"
#include "lowering/cuda/emit_map.h"
#include "lowering/cuda/global_slices.h"
#include "lowering/cuda/print.h"
#include "lowering/cuda/reports.h"
#include "lowering/shared_panels.h"
#include "lowering/vector_access.h"

namespace tkc::cuda {

using namespace ir;

namespace {

// The arguments of an arrival; the last one says that no fence is needed.
std::vector<Expr> with_accesses(std::vector<Expr> arguments, bool fence) {
    if (!fence) arguments.push_back(atom("tk::ordinary_alone{}"));
    return arguments;
}

// A statement that writes a tile: the first warpgroup does it where all of them hold all of it.
void by_holders(RoleContext& c, Value v, Stmt statement, Block& out) {
    const ir::TileType part = part_of(c, v);
    const bool one_axis = part.rows == 1 || part.cols == 1;
    const bool divided = part.rows != c.role.tile(v).rows || part.cols != c.role.tile(v).cols;
    const Expr group = one_axis && !divided ? part_offset(c, 1) : nullptr;
    if (!group) out.push_back(std::move(statement));
    else
        out.push_back(
            stmt(cuda::If{binary(BinaryOp::equal, group, literal(0)), {std::move(statement)}, {}}));
}

// A slice or a tensor map with what the L2 cache is asked to do with what it is of.
Expr hinted(RoleContext& c, Expr memory, CacheHint cache) {
    if (cache == CacheHint::none) return memory;
    c.kernel.includes.insert("tk/operations/cache.cuh");
    RoleContext::Local& policy = cache == CacheHint::evict_first ? c.evict_first : c.evict_last;
    return call("tk::hinted", {std::move(memory), use(policy)});
}

// A copy of a buffer; of one over stages, a block of the stage that the element `held` is in.
Expr copy_of(RoleContext& c, const std::string& name, const Scalar& copy, Value held) {
    const Buffer* buffer = find_buffer(c.kernel.kernel, name);
    if (!held || buffer == nullptr) return stage_of(c, name, scalar(c, copy));
    if (buffer->over.empty()) return stage_of(c, name, member(value_name(c, held), "stage"));
    const Expr stage = stage_of(c, buffer->over, member(value_name(c, held), "stage"));
    return call(fmt::format("tk::block<{}>", buffer->type.rows), {stage, scalar(c, copy)});
}

// The warp's part of a stage that a role of several warps stores.
Expr part_of_stage(RoleContext& c, const Expr& tile, Split split, const TileType& part) {
    if (split == Split::none) return tile;
    const bool rows = split == Split::rows;
    const std::int64_t extent = rows ? part.rows : part.cols;
    return call(fmt::format("tk::{}<{}>", rows ? "rows" : "columns", extent),
                {tile, binary(BinaryOp::multiply, literal(extent), use(c.warpgroup))});
}

// The warpgroup's part of a shared tile of the role.
Expr own_part(RoleContext& c, Value shared, Value fragment) {
    const PartPlace place = place_of(c, fragment);
    const TileType part = part_of(c, fragment);
    const Expr tile = shared_tile(c, shared);
    if (place.row) return call(fmt::format("tk::rows<{}>", part.rows), {tile, place.row});
    if (!place.col) return tile;
    const bool panels = lowering::takes_panels(c.role, shared, part.cols);
    return call(
        fmt::format("tk::columns{}<{}>", panels || part.rows == 1 ? "" : "_of_panel", part.cols),
        {tile, place.col});
}

}  // namespace

void elected(RoleContext& c, Stmt statement, Block& out) {
    if (c.one_lane) {
        out.push_back(std::move(statement));
    } else {
        guarded(use(c.elected), std::move(statement), out);
    }
}

void leading(RoleContext& c, Stmt statement, Block& out) {
    if (c.role.unit == Unit::warp && c.role.warps() == 1) {
        elected(c, std::move(statement), out);
    } else {
        guarded(use(c.leader), std::move(statement), out);
    }
}

// ---- pipelines ---------------------------------------------------------------------------------

namespace {

// A wait on a pipeline, `wait_full` or `wait_empty`. Debug builds watch the time.
Stmt wait_on(RoleContext& c, const char* wait, const std::string& pipeline, const Expr& cursor,
             const void* op) {
    std::vector<Expr> arguments{cursor};
    if (!c.kernel.kernel.debug) return run(method(pipeline_of(c, pipeline), wait, arguments));
    arguments.insert(arguments.begin(), pipeline_of(c, pipeline));
    for (Expr& e : wait_site(c, op)) arguments.push_back(std::move(e));
    return run(call(fmt::format("tk::watched_{}", wait), std::move(arguments)));
}

}  // namespace

void emit(RoleContext& c, const Acquire& op, Block& out) {
    const Expr cursor = cursor_of(c, op.pipeline, End::writer);
    c.acquired = out.size();
    Stmt wait = wait_on(c, "wait_empty", op.pipeline, cursor, &op);
    if (op.elected) elected(c, std::move(wait), out);
    else out.push_back(std::move(wait));
    if (op.result) c.views[op.result.id] = cursor;
}

void emit(RoleContext& c, const Expect& op, Block& out) {
    const std::vector<Expr> arguments{cursor_of(c, op.pipeline, End::writer), literal(op.bytes)};
    const Expr pipeline = pipeline_of(c, op.pipeline);
    // One lane does all: it waited on the line before.
    const std::string waits = print(method(pipeline, "wait_empty", {arguments[0]}));
    const auto* last = out.empty() ? nullptr : std::get_if<ExprStmt>(&out.back().node);
    const bool begins = c.one_lane && last != nullptr && print(last->value) == waits;
    if (begins) out.pop_back();
    elected(c, run(method(pipeline, begins ? "begin" : "expect", arguments)), out);
}

void emit(RoleContext& c, const TmaLoad& op, Block& out) {
    const Expr stage = member(cursor_of(c, op.pipeline, End::writer), "stage");
    const Expr full = index(member(pipeline_of(c, op.pipeline), "full"), stage);
    const std::string& buffer = buffer_of_field(c.kernel.kernel, op.pipeline, op.field);
    const TileType& type = find_buffer(c.kernel.kernel, buffer)->type;
    const Expr tile = stage_of(c, buffer, stage);
    const std::vector<Expr> corner = coordinates(c, op.source);
    const TileAxes axes = tile_axes(op.source, type);
    const auto map_of = [&](const std::string& name) {
        return hinted(c, atom(c.kernel.maps.at(name)), op.cache);
    };
    // How many of so many rows `from` there on lie in the view.
    const auto inside_of = [&](const std::vector<Expr>& from, std::int64_t rows,
                               const Expr& offset) -> Expr {
        if (!op.clipped) return nullptr;
        const Tensor& tensor = *find_tensor(c.kernel.kernel, op.source.tensor);
        return call(fmt::format("tk::rows_of_view<{}>", rows),
                    {from[axes.row_axis],
                     cells_inside(c, *axes.rows, tensor.extents[axes.row_axis], offset)});
    };
    // The call of a function that loads a tile, or a part of it, from there on.
    const auto loaded = [&](std::string function, const Expr& target, std::vector<Expr> blocks,
                            const std::vector<Expr>& from, const Expr& inside) {
        std::vector<Expr> arguments{target, map_of(op.map)};
        if (inside) {
            function += fmt::format("_of_view<{}>", axes.row_axis);
            arguments.push_back(map_of(op.outside));
        }
        arguments.push_back(full);
        for (Expr& e : blocks) arguments.push_back(std::move(e));
        if (inside) arguments.push_back(inside);
        arguments.insert(arguments.end(), from.begin(), from.end());
        return run(call(std::move(function), std::move(arguments)));
    };
    if (op.multicast == Split::none) {
        Expr inside = inside_of(corner, type.rows, nullptr);
        if (inside) {  // known before the stage is free: what is then left takes no time
            const std::string name = c.names.invent("inside");
            out.insert(out.begin() + static_cast<std::ptrdiff_t>(c.acquired),
                       declare("const int", name, std::move(inside)));
            ++c.acquired;
            inside = atom(name);
        }
        return elected(c, loaded("tk::tma_load", tile, {}, corner, inside), out);
    }
    const bool by_rows = op.multicast == Split::rows;
    const std::int64_t blocks = cluster_size(c.kernel.kernel);
    const std::int64_t size = (by_rows ? type.rows : type.cols) / blocks;
    // Part `number`, by this function and into the stages of these blocks.
    const auto load = [&](const char* function, const Expr& number, std::vector<Expr> targets) {
        const Expr first = binary(BinaryOp::multiply, literal(size), number);
        std::vector<Expr> from = corner;
        Expr& moved = from[by_rows ? axes.row_axis : axes.col_axis];
        moved = binary(BinaryOp::add, moved, first);
        const Expr part =
            call(fmt::format("tk::{}<{}>", by_rows ? "rows" : "columns", size), {tile, first});
        const Expr inside = inside_of(from, by_rows ? size : type.rows, by_rows ? first : nullptr);
        return loaded(function, part, std::move(targets), from, inside);
    };
    const Stmt shared = load("tk::tma_load_multicast", use(c.rank),
                             {literal((std::int64_t{1} << blocks) - 1)});  // all of them
    if (!c.together) return elected(c, shared, out);
    c.names.begin_scope();
    const std::string part = c.names.fresh("piece");
    cuda::For parts;
    parts.start = {"int", part, {}, literal(0)};
    parts.condition = binary(BinaryOp::less, atom(part), literal(blocks));
    parts.step = binary(BinaryOp::add_assign, atom(part), literal(1));
    parts.unroll = true;
    parts.body = {load("tk::tma_load", atom(part), {})};
    c.names.end_scope();
    elected(c, stmt(cuda::If{c.together, {shared}, {stmt(std::move(parts))}}), out);
}

void emit(RoleContext& c, const CopyLoad& op, Block& out) {
    const Buffer* buffer =
        find_buffer(c.kernel.kernel, buffer_of_field(c.kernel.kernel, op.pipeline, op.field));
    if (buffer == nullptr)
        throw EmitError(fmt::format("no buffer of `{}.{}`", op.pipeline, op.field));
    const Expr stage =
        stage_of(c, buffer->name, member(cursor_of(c, op.pipeline, End::writer), "stage"));
    const Expr source = hinted(c, global_slice(c, op.source, buffer->type, {}), op.cache);
    if (op.asynchronous) {
        c.kernel.includes.insert("tk/operations/gather.cuh");
        out.push_back(run(call(fmt::format("tk::copy_rows<{}>", 32 * c.role.warps()),
                               {stage, source, thread_of_role(c)})));
        return;
    }
    out.push_back(run(call("tk::copy_to_shared",
                           {stage, source, thread_of_role(c), literal(32 * c.role.warps())})));
}

void emit(RoleContext& c, const FetchProgram& op, Block& out) {
    c.kernel.includes.insert("tk/operations/fetch_program.cuh");
    std::vector<Expr> arguments{pipeline_of(c, op.pipeline),
                                shared_member(c, c.kernel.program_numbers),
                                cursor_of(c, op.pipeline, End::writer), atom(c.kernel.counters)};
    if (!c.one_lane) arguments.push_back(use(c.elected));
    out.push_back(
        run(binary(BinaryOp::assign, c.program, call("tk::fetch_program", std::move(arguments)))));
}

void emit(RoleContext& c, const SetProgram& op, Block& out) {
    const Expr number = index(shared_member(c, c.kernel.program_numbers),
                              member(value_name(c, op.element), "stage"));
    out.push_back(run(binary(BinaryOp::assign, c.program, number)));
}

void emit(RoleContext& c, const Publish& op, Block& out) {
    const Expr cursor = cursor_of(c, op.pipeline, End::writer);
    if (op.arrives) {
        out.push_back(
            run(method(pipeline_of(c, op.pipeline), "publish", with_accesses({cursor}, op.fence))));
    }
    if (op.copies)
        out.push_back(run(method(pipeline_of(c, op.pipeline), "publish_copies", {cursor})));
    out.push_back(run(method(cursor, "advance", {})));
}

void emit(RoleContext& c, const AwaitCopies& op, Block& out) {
    elected(c,
            run(method(pipeline_of(c, op.pipeline), "wait_landed",
                       {cursor_of(c, op.pipeline, End::writer)})),
            out);
}

void emit(RoleContext& c, const Take& op, Block& out) {
    const auto leader = c.shared_cursors.leaders.find(op.result.id);
    if (leader != c.shared_cursors.leaders.end()) {
        const Expr element = value_name(c, leader->second);
        out.push_back(wait_on(c, "wait_full", op.pipeline, element, &op));
        c.views[op.result.id] = element;
        return;
    }
    const Expr cursor = cursor_of(c, op.pipeline, End::reader);
    if (!c.kernel.kernel.debug)
        return define(c, op.result, method(pipeline_of(c, op.pipeline), "take", {cursor}), out);
    out.push_back(wait_on(c, "wait_full", op.pipeline, cursor, &op));
    define(c, op.result, cursor, out);
    out.push_back(run(method(cursor, "advance", {})));
}

void emit(RoleContext& c, const Release& op, Block& out) {
    const auto& element = std::get<ElementType>(c.role[op.element].type);
    const std::int64_t blocks = find_pipeline(c.kernel.kernel, element.pipeline)->cluster;
    const std::string name = fmt::format("release{}{}", op.after_reads ? "_after_loads" : "",
                                         blocks == 1 ? "" : fmt::format("<{}>", blocks));
    const bool all_ordinary = op.after_reads && !op.fence;
    out.push_back(run(method(pipeline_of(c, element.pipeline), name,
                             with_accesses({value_name(c, op.element)}, !all_ordinary))));
}

void emit(RoleContext& c, const Field& op, Block& out) {
    const auto& element = std::get<ElementType>(c.role[op.element].type);
    const std::string& buffer = buffer_of_field(c.kernel.kernel, element.pipeline, op.field);
    const Expr tile = stage_of(c, buffer, member(value_name(c, op.element), "stage"));
    if (!c.role[op.element].variable) {
        c.views[op.result.id] = tile;
        return;
    }
    // The name may come to hold another element before the tile is used.
    const std::string name = c.names.fresh(c.role[op.result].name);
    const Buffer& stages = *find_buffer(c.kernel.kernel, buffer);
    out.push_back(declare(shared_tile_type(stages) + "&", name, tile));
    c.views[op.result.id] = atom(name);
}

void emit(RoleContext& c, const ir::Window& op, Block&) {
    const TileType& part = c.role.tile(op.result);
    c.views[op.result.id] =
        call(fmt::format("tk::part<{}, {}, {}, {}>", op.row, op.col, part.rows, part.cols),
             {shared_tile(c, op.source)});
}

// ---- shared memory -----------------------------------------------------------------------------

void emit(RoleContext& c, const WriteShared& op, Block& out) {
    const Buffer* buffer = find_buffer(c.kernel.kernel, op.buffer);
    if (buffer == nullptr) throw EmitError(fmt::format("no buffer `{}`", op.buffer));
    const Expr target = copy_of(c, op.buffer, op.copy, op.held);
    if (op.transposed) {
        std::vector<Expr> arguments{target, value_name(c, op.source), use(c.thread)};
        if (part_of(c, op.source).rows != buffer->type.cols)
            arguments.push_back(scalar(c, op.column));
        out.push_back(run(call("tk::store_transposed", std::move(arguments))));
        return;
    }
    const Expr source = columns_of(c, op.source, buffer->type.cols, op.column, out);
    out.push_back(run(call("tk::store_shared", {target, source, use(c.thread)})));
}

void emit(RoleContext& c, const BufferTile& op, Block&) {
    c.views[op.result.id] = stage_of(c, op.buffer, scalar(c, op.copy));
}

void emit(RoleContext& c, const WriteTile& op, Block& out) {
    const TileType part = part_of(c, op.source);
    std::vector<Expr> arguments{shared_tile(c, op.target), value_name(c, op.source), use(c.thread)};
    const PartPlace place = place_of(c, op.source);
    if (op.transposed) {
        if (place.row) {
            const bool panels = lowering::takes_panels(c.role, op.target, part.rows);
            arguments[0] =
                call(fmt::format("tk::columns{}<{}>", panels ? "" : "_of_panel", part.rows),
                     {arguments[0], place.row});
        }
        out.push_back(run(call("tk::store_transposed", std::move(arguments))));
        return;
    }
    if (part.cols == 1 && place.row) arguments.push_back(place.row);
    else arguments[0] = own_part(c, op.target, op.source);
    by_holders(c, op.source, run(call("tk::store_shared", std::move(arguments))), out);
}

void emit(RoleContext& c, const ReadShared& op, Block& out) {
    if (op.in_place) {
        out.push_back(declare("const auto", c.values.at(op.result.id),
                              call("tk::in_place", {shared_tile(c, op.source), use(c.thread)})));
        return;
    }
    const TileType part = part_of(c, op.result);
    const PartPlace place = place_of(c, op.result);
    if (op.transposed) {
        std::vector<Expr> arguments{value_name(c, op.result), shared_tile(c, op.source),
                                    use(c.thread)};
        if (place.row) arguments.push_back(place.row);
        out.push_back(run(call("tk::load_transposed", std::move(arguments))));
        return;
    }
    const bool panels = place.col && Windows(c.role).window(op.source) != nullptr;
    const bool words =
        part.rows == 1 && bits_of(part.dtype) == 32 && !panels;  // pairs move at once
    if ((part.rows != 1 && part.cols != 1) || words || is_striped(c.role, op.result)) {
        out.push_back(
            run(call("tk::load_shared", {value_name(c, op.result),
                                         own_part(c, op.source, op.result), use(c.thread)})));
        return;
    }
    const bool is_row = part.rows == 1;  // or a column: every lane reads the cells that it needs
    c.names.begin_scope();
    const std::string at = c.names.invent(is_row ? "col" : "row");
    c.names.end_scope();
    const Expr row = is_row ? literal(0) : plus(place.row, atom(at));
    const Expr col = is_row ? plus(place.col, atom(at)) : literal(0);
    Expr cell = call("tk::get", {shared_tile(c, op.source), row, col});
    if (is_narrow_real(part.dtype)) cell = call("float", {cell});
    std::vector<Parameter> cell_place{{"int", is_row ? "" : at}, {"int", is_row ? at : ""}};
    Lambda function{"&", std::move(cell_place), {stmt(Return{cell})}};
    out.push_back(
        run(call("tk::map", {value_name(c, op.result), use(c.thread), expr(std::move(function))})));
}

// ---- global memory -----------------------------------------------------------------------------

void emit(RoleContext& c, const TmaStore& op, Block& out) {
    const Buffer* buffer = find_buffer(c.kernel.kernel, op.buffer);
    if (buffer == nullptr) throw EmitError(fmt::format("no buffer `{}`", op.buffer));
    const TileType part = ir::part_of(buffer->type, op.part, c.role.warps());
    const Slice target = ir::part_of(op.target, op.part, part, symbol(warpgroup_symbol));
    const Expr stage = copy_of(c, op.buffer, op.copy, op.held);
    std::vector<Expr> arguments{hinted(c, atom(c.kernel.maps.at(op.map)), op.cache),
                                part_of_stage(c, stage, op.part, part)};
    for (Expr& at : coordinates(c, target)) arguments.push_back(std::move(at));
    const StoreRules& rules = rules_of_stores(find_tensor(c.kernel.kernel, op.target.tensor)->mode);
    leading(c, run(call(std::string(rules.bulk), std::move(arguments))), out);
}

void emit(RoleContext& c, const CopyStore& op, Block& out) {
    const Buffer* buffer = find_buffer(c.kernel.kernel, op.buffer);
    if (buffer == nullptr) throw EmitError(fmt::format("no buffer `{}`", op.buffer));
    const TileType part = ir::part_of(buffer->type, op.part, c.role.warps());
    const Slice slice = ir::part_of(op.target, op.part, part, symbol(warpgroup_symbol));
    const Expr target = hinted(c, global_slice(c, slice, part, {}), op.cache);
    const StoreRules& rules = rules_of_stores(find_tensor(c.kernel.kernel, op.target.tensor)->mode);
    if (!rules.header.empty()) c.kernel.includes.insert(std::string(rules.header));
    const Expr stage = copy_of(c, op.buffer, op.copy, op.held);
    std::vector<Expr> arguments{target, part_of_stage(c, stage, op.part, part)};
    if (c.role.unit == Unit::warp) {
        arguments.push_back(c.role.warps() == 1 ? use(c.thread) : call("tk::lane_index", {}));
        arguments.push_back(literal(lanes_of_warp));
    }
    out.push_back(run(call(std::string(rules.copied), std::move(arguments))));
    leading(c, run(call("tk::tma_store_nothing", {})), out);
}

void emit(RoleContext& c, const StoreCells& op, Block& out) {
    const TileType& tile = c.role.tile(op.source);
    const Expr target =
        hinted(c, global_slice(c, op.target, tile, place_of(c, op.source)), op.cache);
    if (const auto folded = c.folded.find(op.source.id); folded != c.folded.end()) {
        out.push_back(run(
            call(fmt::format("tk::store_scattered_columns<{}>", register_type(c, folded->second)),
                 {target, value_name(c, op.source), use(c.thread)})));
        return;
    }
    const StoreRules& rules = rules_of_stores(find_tensor(c.kernel.kernel, op.target.tensor)->mode);
    if (!rules.header.empty()) c.kernel.includes.insert(std::string(rules.header));
    Stmt store = run(call(std::string(op.vectors ? rules.vectors : rules.cells),
                          {target, value_name(c, op.source), use(c.thread)}));
    by_holders(c, op.source, std::move(store), out);
}

void emit_request(RoleContext& c, const LoadCells& op, Block& out) {
    const TileType& tile = c.role.tile(op.result);
    const Expr source = hinted(c, global_slice(c, op.source, tile, {}), op.cache);
    const std::string type = register_type(c, op.result);
    out.push_back(run(call(fmt::format("tk::prefetch_start<{}>", type),
                           {stage_of(c, op.ahead, literal(0)), source, thread_of_role(c)})));
}

void emit(RoleContext& c, const LoadCells& op, Block& out) {
    if (!op.ahead.empty()) {
        const auto request = c.requests.find(op.result.id);  // none: it stays
        const bool stays = request == c.requests.end();
        out.push_back(run(call(
            fmt::format("tk::prefetch_wait<{}>", c.requests.size() - (stays ? 0 : 1)),
            {value_name(c, op.result), stage_of(c, op.ahead, literal(0)), thread_of_role(c)})));
        if (!stays) out.push_back(run(call(request->second, {c.next_program})));
        return;
    }
    const TileType& tile = c.role.tile(op.result);
    const Expr source =
        hinted(c, global_slice(c, op.source, tile, place_of(c, op.result)), op.cache);
    // What nobody writes in this launch may be read early, past stores that come before.
    const bool fixed = find_tensor(c.kernel.kernel, op.source.tensor)->mode == Mode::in;
    const char* vectors = fixed ? "tk::load_vectors" : "tk::load_vectors_in_order";
    out.push_back(run(call(op.vectors ? vectors : "tk::load_global",
                           {value_name(c, op.result), source, use(c.thread)})));
}

}  // namespace tkc::cuda
