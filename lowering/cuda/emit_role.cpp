// One role: its cursors, the loop over programs, where a program is in the grid, and its
// blocks.
#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "facts/elements_taken.h"
#include "ir/walk.h"
#include "lowering/cuda/emit_context.h"
#include "lowering/cuda/emit_map.h"
#include "lowering/cuda/emit_memory.h"
#include "lowering/cuda/scattered_sums.h"
#include "lowering/cuda/static_schedule.h"

namespace tkc::cuda {

namespace {

using ir::Op;

// ---- what a role touches -----------------------------------------------------------------------

std::set<std::pair<std::string, End>> ends_of(const ir::Role& role) {
    std::set<std::pair<std::string, End>> ends;
    for (const ir::Block* block : {&role.body, &role.finish}) {
        ir::walk_only<ir::Acquire>(
            *block, [&](const ir::Acquire& op) { ends.emplace(op.pipeline, End::writer); });
        ir::walk_only<ir::Take>(
            *block, [&](const ir::Take& op) { ends.emplace(op.pipeline, End::reader); });
    }
    return ends;
}

// Symbols that the role's code names, directly or through the kernel's lets. A load of a whole box
// does not ask where its view ends.
std::set<std::string> symbols_of(const ir::Kernel& kernel, const ir::Role& role) {
    std::set<std::string> names;
    const auto add = [&](const Op& op) {
        ir::for_each_scalar(op, [&](const ir::Scalar& s) { names.merge(ir::symbols_of(s)); });
    };
    for (const ir::Block* block : {&role.body, &role.finish}) {
        ir::walk(*block, [&](const Op& op) {
            const auto* load = ir::as<ir::TmaLoad>(op);
            if (load == nullptr || load->clipped) return add(op);
            ir::TmaLoad box = *load;
            for (ir::Range& range : box.source.ranges) range.edge = nullptr;
            add(ir::at(op.span, std::move(box)));
        });
    }
    for (std::size_t i = kernel.lets.size(); i-- > 0;) {
        const auto* let = ir::as<ir::Let>(kernel.lets[i]);
        if (let != nullptr && names.contains(let->name)) names.merge(ir::symbols_of(let->value));
    }
    return names;
}

// Whether the role does different things in different programs.
bool uses_grid(const ir::Kernel& kernel, const ir::Role& role) {
    const std::set<std::string> used = symbols_of(kernel, role);
    return std::any_of(kernel.grid.begin(), kernel.grid.end(),
                       [&](const ir::GridAxis& axis) { return used.contains(axis.var); });
}

// ---- the place of a program in the grid --------------------------------------------------------

// Which tile of the axis a program works on, as an expression.
struct Decoded {
    std::vector<Expr> tile;  // by axis
};

Expr product(const Expr& a, const Expr& b) { return a ? binary(BinaryOp::multiply, a, b) : b; }

// Leftmost axis fastest, for the axes in `order`, from `program` on.
void decode_in_order(KernelContext& k, const std::vector<std::size_t>& order, const Expr& program,
                     Decoded* out) {
    Expr before;  // programs that one step of the axis takes
    for (std::size_t i = 0; i < order.size(); ++i) {
        Expr number = before ? binary(BinaryOp::divide, program, before) : program;
        out->tile[order[i]] = number;
        if (i + 1 == order.size()) return;
        const Expr tiles = use(k.axes[order[i]]);
        out->tile[order[i]] = binary(BinaryOp::modulo, number, tiles);
        before = product(before, tiles);
    }
}

// Bands along the raster's axis, over it and its neighbor; then the remaining axes.
void decode_raster(RoleContext& c, std::size_t axis, const Expr& program, Decoded* out,
                   Block& body) {
    KernelContext& k = c.kernel;
    const std::size_t axes = k.axes.size();
    const std::size_t neighbour = axis + 1 < axes ? axis + 1 : axis - 1;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < axes; ++i) {
        if (i != axis && i != neighbour) others.push_back(i);
    }
    const Expr rows = use(k.axes[axis]);
    const Expr cols = use(k.axes[neighbour]);
    const Expr plane = product(rows, cols);
    const Expr in_plane = others.empty() ? program : binary(BinaryOp::modulo, program, plane);
    const std::string point = c.names.invent("point");
    body.push_back(
        declare("const tk::grid_point", point,
                call("tk::raster", {in_plane, rows, cols, scalar(c, k.kernel.raster_width)})));
    out->tile[axis] = member(atom(point), "row");
    out->tile[neighbour] = member(atom(point), "col");
    if (!others.empty()) decode_in_order(k, others, binary(BinaryOp::divide, program, plane), out);
}

// Whether the role loads what clusters share, of a kernel in which some do not.
bool requests_cluster(const ir::Kernel& kernel, const ir::Role& role) {
    const ir::GridAxis* clusters = ir::cluster_axis(kernel);
    bool found = false;
    if (clusters == nullptr || !clusters->partial_cluster) return found;
    ir::walk(role.body, [&](const Op& op) {
        const auto* load = ir::as<ir::TmaLoad>(op);
        found = found || (load != nullptr && load->multicast != ir::Split::none);
    });
    return found;
}

// Whole clusters in bands along their axis, and then what fills none.
void decode_clusters(RoleContext& c, std::size_t axis, const Expr& program, Decoded* out,
                     Block& body) {
    KernelContext& k = c.kernel;
    const Expr rows = use(k.axes[axis]);
    const Expr cols = use(k.axes[1 - axis]);
    const Expr band = k.kernel.raster_axis.empty() ? rows : scalar(c, k.kernel.raster_width);
    const std::string point = c.names.invent("point");
    body.push_back(declare("const tk::cluster_point", point,
                           call(fmt::format("tk::raster_clusters<{}>", ir::cluster_size(k.kernel)),
                                {program, rows, cols, band})));
    c.together = member(atom(point), "together");
    out->tile[axis] = member(atom(point), "row");
    out->tile[1 - axis] = member(atom(point), "col");
}

// Declares the grid variables that the role names.
void declare_grid(RoleContext& c, const std::set<std::string>& used, const Expr& program,
                  Block& body) {
    const ir::Kernel& kernel = c.kernel.kernel;
    if (!uses_grid(kernel, c.role) && !requests_cluster(kernel, c.role)) return;
    std::size_t raster = kernel.grid.size();
    for (std::size_t i = 0; i < kernel.grid.size(); ++i) {
        if (kernel.grid[i].var == kernel.raster_axis) raster = i;
    }
    Decoded decoded{std::vector<Expr>(kernel.grid.size())};
    const ir::GridAxis* clusters = ir::cluster_axis(kernel);
    if (clusters != nullptr && clusters->partial_cluster) {
        const auto axis = static_cast<std::size_t>(clusters - kernel.grid.data());
        decode_clusters(c, axis, program, &decoded, body);
    } else if (raster < kernel.grid.size() && kernel.grid.size() > 1) {
        decode_raster(c, raster, program, &decoded, body);
    } else if (is_statically_scheduled(c.kernel)) {
        if (kernel.dynamic) {
            const std::string place = c.names.invent("place");
            c.place = atom(place);
            body.push_back(declare(
                "const tk::grid_point", place,
                call_with_shape(c.kernel, "tk::drawn", {program}, use(c.kernel.column_block))));
        }
        std::vector<std::size_t> others;
        for (std::size_t i = 1; i < kernel.grid.size(); ++i) others.push_back(i);
        decoded.tile[0] = member(c.place, "row");
        decode_in_order(c.kernel, others, member(c.place, "col"), &decoded);
    } else {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < kernel.grid.size(); ++i) order.push_back(i);
        decode_in_order(c.kernel, order, program, &decoded);
    }
    for (std::size_t i = 0; i < kernel.grid.size(); ++i) {
        const ir::GridAxis& axis = kernel.grid[i];
        if (!used.contains(axis.var)) continue;
        Expr start = decoded.tile[i];
        if (axis.reversed) {
            const Expr last = binary(BinaryOp::subtract, use(c.kernel.axes[i]), literal(1));
            start = binary(BinaryOp::subtract, last, start);
        }
        if (axis.step != 1) start = binary(BinaryOp::multiply, start, literal(axis.step));
        std::int64_t begin = 0;
        const bool from_zero = ir::is_constant(axis.begin, &begin) && begin == 0;
        if (!from_zero) start = binary(BinaryOp::add, emit_scalar(axis.begin, c.scope), start);
        const std::string name = c.names.fresh(axis.var);
        body.push_back(declare("const int", name, start));
        c.scope.symbols[axis.var] = {atom(name), is_nonnegative(axis.begin, c.scope)};
    }
}

// One program: its place, the kernel's lets, the role's body.
Block emit_program(RoleContext& c, const Expr& program) {
    Block body;
    const std::set<std::string> used = symbols_of(c.kernel.kernel, c.role);
    declare_grid(c, used, program, body);
    ir::Block lets;
    for (const Op& op : c.kernel.kernel.lets) {
        const auto* let = ir::as<ir::Let>(op);
        if (let != nullptr && used.contains(let->name)) lets.push_back(op);
    }
    emit_block(c, lets, body);
    emit_block(c, c.role.body, body);
    return body;
}

// ---- loads that run a program ahead ------------------------------------------------------------

// What all programs load alike is requested at once. For each other load that runs ahead,
// `const auto request_x = [&](int wanted) { .. }`, called for the first program.
void emit_first_requests(RoleContext& c, const Expr& first, Block& out) {
    bool kept = false;
    std::vector<const Op*> moving;
    for (const Op& op : c.role.body) {
        const auto* load = ir::as<ir::LoadCells>(op);
        if (load == nullptr || load->ahead.empty()) continue;
        if (ir::follows_grid(c.kernel.kernel, op)) {
            c.requests[load->result.id] = c.names.invent("request_" + c.values.at(load->result.id));
            moving.push_back(&op);
            continue;
        }
        source_comment(c, op.span, out);
        emit_request(c, *load, out);
        kept = true;
    }
    if (kept) out.push_back(run(call("tk::prefetch_commit", {})));
    for (const Op* op : moving) {
        const auto* load = ir::as<ir::LoadCells>(*op);
        source_comment(c, op->span, out);
        const std::string& name = c.requests.at(load->result.id);
        c.names.begin_scope();
        const ScalarScope outer = c.scope;
        const std::string wanted = c.names.invent("wanted");
        std::set<std::string> used;
        ir::for_each_scalar(*op, [&](const ir::Scalar& s) { used.merge(ir::symbols_of(s)); });
        Block request;
        declare_grid(c, used, atom(wanted), request);
        emit_request(c, *load, request);
        Lambda function{"&", {{"int", wanted}}, {}};
        function.body.push_back(stmt(If{
            binary(BinaryOp::less, atom(wanted), use(c.kernel.programs)), std::move(request), {}}));
        function.body.push_back(run(call("tk::prefetch_commit", {})));
        c.scope = outer;
        c.names.end_scope();
        out.push_back(declare("const auto", name, expr(std::move(function))));
        out.push_back(run(call(name, {first})));
    }
}

// ---- the role ----------------------------------------------------------------------------------

// An element that is being made uses the name of the role's cursor.
bool is_acquired(const ir::Role& role, ir::Value v) {
    bool found = false;
    ir::walk_only<ir::Acquire>(role.body,
                               [&](const ir::Acquire& a) { found = found || a.result == v; });
    return found;
}

void name_values(RoleContext& c) {
    for (std::uint32_t id = 0; id < c.role.values.size(); ++id) {
        const ir::ValueInfo& info = c.role.values[id];
        const auto* tile = std::get_if<ir::TileType>(&info.type);
        const bool named =
            tile == nullptr ? !is_acquired(c.role, {id}) : tile->space == ir::Space::registers;
        const bool used = ir::mentions(c.role.body, {id}) || ir::mentions(c.role.finish, {id});
        const bool follows = c.shared_cursors.leaders.contains(id);
        if (named && used && !follows && !c.by_columns.contains(id))
            c.values[id] = c.names.fresh(info.name);
    }
}

Expr first_of(const Expr& number, std::int64_t first) {
    return first == 0 ? number : binary(BinaryOp::subtract, number, literal(first));
}

// Declarations of what the role's code asked for; one lane needs none of it.
Block locals(const RoleContext& c) {
    const ir::Role& role = c.role;
    const Expr lane = call("tk::elect_one", {});
    const auto all = [](Expr a, Expr b) {
        return binary(BinaryOp::logical_and, std::move(a), std::move(b));
    };
    Block list;
    if (c.warpgroup.used) {
        const Expr number = role.unit == ir::Unit::warp
                                ? first_of(use_warp(c.kernel), role.first_warp)
                                : first_of(call("tk::warpgroup_index", {}), role.first_warp / 4);
        list.push_back(declare("const int", c.warpgroup.name, number));
    }
    if (c.thread.used) {
        const bool groups = role.unit == ir::Unit::warpgroup;
        Expr thread = groups ? call("tk::warpgroup_thread", {})
                             : first_of(call("int", {atom("threadIdx.x")}), 32 * role.first_warp);
        if (ir::blocks_of(role) > 1) {  // among those of all blocks that hold the row
            const Expr before =
                binary(BinaryOp::multiply, call("int", {call("tk::cluster_rank", {})}),
                       literal(32 * role.warps()));
            thread = binary(BinaryOp::add, before, std::move(thread));
        }
        list.push_back(declare("const int", c.thread.name, std::move(thread)));
    }
    if (c.meetings.used) list.push_back(declare("int", c.meetings.name, literal(0)));
    if (c.evict_first.used)
        list.push_back(
            declare("const tk::cache_policy", c.evict_first.name, call("tk::evict_first", {})));
    if (c.evict_last.used)
        list.push_back(
            declare("const tk::cache_policy", c.evict_last.name, call("tk::evict_last", {})));
    if (c.rank.used) {
        list.push_back(declare("const int", c.rank.name, call("tk::cluster_rank", {})));
    }
    if (c.leader.used) {
        const Expr first_warp = binary(
            BinaryOp::equal, binary(BinaryOp::modulo, use_warp(c.kernel), literal(4)), literal(0));
        const bool of_warp = role.unit == ir::Unit::warp;
        list.push_back(
            declare("const bool", c.leader.name, of_warp ? lane : all(first_warp, lane)));
    }
    if (c.elected.used) {
        const Expr number = role.copies == 1 ? use_warp(c.kernel)
                                             : binary(BinaryOp::modulo, use_warp(c.kernel),
                                                      literal(ir::warps_of_warpgroup));
        const Expr first_warp =
            binary(BinaryOp::equal, number, literal(role.copies == 1 ? role.first_warp : 0));
        list.push_back(declare("const bool", c.elected.name, all(first_warp, lane)));
    }
    return list;
}

// What passes over the elements of the programs that the other copies of the role run. Those before
// a copy's first program are passed over in `out`.
Block skips_of(RoleContext& c, Block& out) {
    Block between;
    for (const auto& [at, name] : c.cursors) {
        const auto& [pipeline, end] = at;
        if (end != End::reader) continue;
        const ir::Scalar taken = ir::elements_taken(c.kernel.kernel, c.role, pipeline);
        if (!taken) {
            throw EmitError(fmt::format("programs of role `{}` take different numbers of `{}`",
                                        c.role.name, pipeline));
        }
        const std::string count = c.names.invent(pipeline + "_taken");
        out.push_back(declare("const int", count, scalar(c, taken)));
        out.push_back(run(method(atom(name), "skip",
                                 {binary(BinaryOp::multiply, use(c.warpgroup), atom(count))})));
        const Expr others = c.role.copies == 2 ? atom(count)
                                               : binary(BinaryOp::multiply,
                                                        literal(c.role.copies - 1), atom(count));
        between.push_back(run(method(atom(name), "skip", {others})));
    }
    if (!between.empty()) {
        between.insert(between.begin(), blank());
        between.insert(between.begin() + 1,
                       comment("Skip the stages that belong to the other warpgroup's programs."));
    }
    return between;
}

void append_all(Block& to, Block from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

Block emit_role(KernelContext& kernel, const ir::Role& role, bool one_lane) {
    Names& names = kernel.names;
    names.begin_scope();
    RoleContext c{kernel, role, one_lane, names, kernel.scope, place_values(role)};
    c.scope.ranges = std::make_shared<const ir::Ranges>(ir::ranges_of(kernel.kernel, role));
    c.warpgroup.name = names.invent(role.unit == ir::Unit::warp ? "part" : "warpgroup");
    c.leader.name = names.invent("leader");
    c.elected.name = names.invent("elected");
    c.thread.name = names.invent("thread");
    c.rank.name = names.invent("rank");
    c.meetings.name = names.invent("meetings");
    c.evict_first.name = names.invent("evict_first");
    c.evict_last.name = names.invent("evict_last");
    c.by_columns = computed_by_columns(role);
    c.folded = scattered_sums(kernel.kernel, role);
    c.named_by_variable = numbers_named_by_variables(role);
    if (role.unit == ir::Unit::warpgroup) c.shared_cursors = share_cursors(kernel.kernel, role);
    name_values(c);
    note_source(c, role.span);                                 // it is above the role's branch
    std::vector<std::pair<std::string, std::string>> by_type;  // and the names, with commas
    const std::set<std::pair<std::string, End>> ends = ends_of(role);
    for (const auto& [pipeline, end] : ends) {
        if (end == End::reader && c.shared_cursors.followers.contains(pipeline)) continue;
        const bool other = end == End::reader && ends.contains({pipeline, End::writer});
        const std::string name = c.cursors[{pipeline, end}] =
            names.invent(pipeline + (other ? "_taken" : "_next"));
        const std::string type = cursor_type(c, pipeline);
        const auto known = std::find_if(by_type.begin(), by_type.end(),
                                        [&](const auto& entry) { return entry.first == type; });
        if (known == by_type.end()) by_type.emplace_back(type, name);
        else known->second += ", " + name;
    }
    Block cursors;
    for (const auto& [type, list] : by_type) cursors.push_back(declare(type, list));
    for (const ir::Value v : c.placement[nullptr])
        cursors.push_back(declare(value_type(c, v), c.values.at(v.id)));

    const std::string program = names.invent("program");
    Block work;
    emit_order_begin(c, work);
    if (kernel.kernel.persistent) {
        const std::int64_t blocks = ir::blocks_of_program(kernel.kernel);
        const auto programs_of = [&](const char* number) {
            return blocks == 1
                       ? atom(number)
                       : call("int", {binary(BinaryOp::divide, atom(number), literal(blocks))});
        };
        For loop;
        Block skips;
        loop.start = {"int", program, {}, programs_of("blockIdx.x")};
        const bool dealt = is_statically_scheduled(kernel) && !kernel.kernel.dynamic;
        if (dealt) {  // nothing runs ahead of it (prefetch-next-program)
            const Expr block = atom("blockIdx.x");
            loop.start.value = call_static_schedule(kernel, "tk::first_scheduled", {block});
            loop.condition = binary(BinaryOp::greater_equal, atom(program),
                                    unary(UnaryOp::negate, use(kernel.alone)));
            loop.step =
                binary(BinaryOp::assign, atom(program),
                       call("tk::next_scheduled", {atom(program), block, atom("gridDim.x")}));
        } else if (kernel.kernel.dynamic) {  // the body ends with the next one
            loop.condition = binary(BinaryOp::less, atom(program), use(kernel.programs));
        } else if (role.copies > 1) {
            const Expr before = binary(BinaryOp::multiply, use(c.warpgroup), atom("gridDim.x"));
            loop.start.value = binary(BinaryOp::add, loop.start.value, before);
            loop.condition = binary(BinaryOp::less, atom(program), use(kernel.programs));
            loop.step =
                binary(BinaryOp::add_assign, atom(program),
                       binary(BinaryOp::multiply, literal(role.copies), programs_of("gridDim.x")));
            skips = skips_of(c, work);
        } else {
            loop.condition = binary(BinaryOp::less, atom(program), use(kernel.programs));
            loop.step = binary(BinaryOp::add_assign, atom(program), programs_of("gridDim.x"));
            c.next_program = binary(BinaryOp::add, atom(program), programs_of("gridDim.x"));
            emit_first_requests(c, loop.start.value, work);
        }
        names.begin_scope();
        const ScalarScope outer = c.scope;
        c.program = atom(program);
        if (dealt) {
            const std::string place = names.invent("place");
            c.place = atom(place);
            loop.body = emit_program(c, atom(program));
            loop.body = {
                declare("const tk::grid_point", place,
                        call_static_schedule(kernel, "tk::dealt", {atom(program)})),
                stmt(If{binary(BinaryOp::greater_equal, member(c.place, "row"), literal(0)),
                        std::move(loop.body),
                        {}})};
        } else {
            loop.body = emit_program(c, atom(program));
        }
        append_all(loop.body, std::move(skips));
        c.scope = outer;
        names.end_scope();
        work.push_back(stmt(std::move(loop)));
    } else {
        const std::int64_t blocks = ir::blocks_of_program(kernel.kernel);
        const bool declared = uses_grid(kernel.kernel, role);
        const Expr block = atom("blockIdx.x");
        const Expr number =
            blocks == 1 ? block : call("int", {binary(BinaryOp::divide, block, literal(blocks))});
        c.program = declared ? atom(program) : number;
        if (declared) work.push_back(declare("const int", program, number));
        append_all(work, emit_program(c, atom(program)));
    }
    if (!role.finish.empty()) {
        work.push_back(blank());
        if (kernel.kernel.persistent) work.push_back(comment("After the last program."));
        note_source(c, role.span);
        emit_block(c, role.finish, work);
    }
    emit_order_end(c, work);

    Block all = locals(c);
    append_all(all, std::move(cursors));
    append_all(all, std::move(work));
    names.end_scope();
    return all;
}

}  // namespace tkc::cuda
