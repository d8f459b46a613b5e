// One small function for each operation of the scheduled IR that computes or steers.
#include <fmt/format.h>

#include <algorithm>

#include "arithmetic/number_names.h"
#include "base/overloaded.h"
#include "ir/contract.h"
#include "ir/swizzle.h"
#include "ir/walk.h"
#include "lowering/cuda/emit_context.h"
#include "lowering/cuda/emit_map.h"
#include "lowering/cuda/emit_memory.h"
#include "lowering/cuda/reports.h"
#include "lowering/cuda/write_counts.h"
#include "lowering/shared_memory_plan.h"
#include "lowering/shared_panels.h"
#include "tiles/reduction.h"

namespace tkc::cuda {

namespace {

using namespace ir;

// ---- control -----------------------------------------------------------------------------------

void emit(RoleContext& c, const Let& op, Block& out) {
    const Expr value = scalar(c, op.value);
    const bool nonnegative = is_nonnegative(op.value, c.scope);
    const std::string name = c.names.fresh(op.name);
    out.push_back(declare("const " + scalar_type(op.value->dtype), name, value));
    c.scope.symbols[op.name] = {atom(name), nonnegative};
}

Stmt forward_loop(RoleContext& c, const ir::For& op, const std::string& var) {
    cuda::For loop;
    loop.start = {"int", var, {}, scalar(c, op.begin)};
    loop.condition = binary(BinaryOp::less, atom(var), scalar(c, op.end));
    loop.step = binary(BinaryOp::add_assign, atom(var), literal(op.step));
    return stmt(std::move(loop));
}

// The last value is begin + (n - 1) * step for n iterations.
Stmt backward_loop(RoleContext& c, const ir::For& op, const std::string& var) {
    const Scalar count = ceil_div(sub(op.end, op.begin), integer(op.step));
    const Scalar last = add(op.begin, mul(sub(count, integer(1)), integer(op.step)));
    cuda::For loop;
    loop.start = {"int", var, {}, scalar(c, last)};
    loop.condition = binary(BinaryOp::greater_equal, atom(var), scalar(c, op.begin));
    loop.step = binary(BinaryOp::subtract_assign, atom(var), literal(op.step));
    return stmt(std::move(loop));
}

// Whether the role moves tiles for others and holds none. Its steps wait for pipelines: several of
// them at once win no time, and take registers that the others can use.
bool serves(const RoleContext& c) {
    const std::vector<ValueInfo>& values = c.role.values;
    return c.role.unit == Unit::warp && c.kernel.kernel.roles.size() > 1 &&
           std::none_of(values.begin(), values.end(), [](const ValueInfo& info) {
               const auto* tile = std::get_if<TileType>(&info.type);
               return tile != nullptr && tile->space == Space::registers;
           });
}

void emit(RoleContext& c, const ir::For& op, Block& out) {
    const bool nonnegative = is_nonnegative(op.begin, c.scope);
    const ScalarScope outer = c.scope;
    c.names.begin_scope();
    const std::string var = c.names.fresh(op.var);
    Stmt loop = op.reversed ? backward_loop(c, op, var) : forward_loop(c, op, var);
    c.scope.symbols[op.var] = {atom(var), nonnegative};
    auto& node = std::get<cuda::For>(loop.node);
    node.unroll = op.unrolled;
    node.unroll_by = op.depth > 1 ? op.depth : serves(c) ? 1 : 0;
    emit_block(c, op.body, node.body);
    c.names.end_scope();
    c.scope = outer;
    out.push_back(std::move(loop));
}

void emit(RoleContext& c, const ir::If& op, Block& out) {
    cuda::If branch{scalar(c, op.condition), {}, {}};
    const auto body = [&](const ir::Block& from, Block& to) {
        const ScalarScope outer = c.scope;
        c.names.begin_scope();
        emit_block(c, from, to);
        c.names.end_scope();
        c.scope = outer;
    };
    body(op.then_body, branch.then_body);
    body(op.else_body, branch.else_body);
    out.push_back(stmt(std::move(branch)));
}

// ---- register tiles ----------------------------------------------------------------------------

void emit(RoleContext& c, const ReadNumber& op, Block& out) {
    const Expr tile = value_name(c, op.source);
    if (c.named_by_variable.contains(op.name)) {
        c.scope.symbols[op.name] = {tile, false};
        return;
    }
    const std::string name = c.names.fresh(written_name(op.name));
    const bool number = is_number(c.role, op.source);
    out.push_back(declare("const " + scalar_type(c.role.tile(op.source).dtype), name,
                          number ? tile : method(tile, "cell", {literal(0)})));
    c.scope.symbols[op.name] = {atom(name), false};
}

void emit(RoleContext& c, const Copy& op, Block& out) {
    if (op.renewed) {
        define(c, op.result, call("tk::renewed", {value_name(c, op.source)}), out);
        return;
    }
    define(c, op.result, value_name(c, op.source), out);
}

// The named barrier at which all of the role, or of one of its copies, meet.
Expr role_barrier(RoleContext& c) {
    if (c.role.first_barrier == 0)
        throw EmitError(fmt::format("role `{}` has no named barrier", c.role.name));
    if (c.role.copies > 1) return plus(literal(c.role.first_barrier), use(c.warpgroup));
    return literal(c.role.first_barrier + c.role.warpgroups());
}

// Calls of the runtime. `needs`: whose buffer they use.
void emit_calls(RoleContext& c, Value result, Value source, const Needs& needs,
                const std::vector<RuntimeCall>& calls, Block& out) {
    for (const RuntimeCall& wanted : calls) {
        std::vector<Expr> arguments;
        for (const auto& argument : wanted.arguments) {
            if (const auto* text = std::get_if<std::string>(&argument)) {
                arguments.push_back(atom(*text));
                continue;
            }
            switch (std::get<RuntimeOperand>(argument)) {
                case RuntimeOperand::result: arguments.push_back(value_name(c, result)); break;
                case RuntimeOperand::source: arguments.push_back(value_name(c, source)); break;
                case RuntimeOperand::scratch:
                    arguments.push_back(stage_of(c, needs.scratch->name, literal(0)));
                    break;
                case RuntimeOperand::thread: arguments.push_back(use(c.thread)); break;
                case RuntimeOperand::thread_of_role: arguments.push_back(thread_of_role(c)); break;
                case RuntimeOperand::barrier: arguments.push_back(role_barrier(c)); break;
                case RuntimeOperand::meetings: arguments.push_back(use(c.meetings)); break;
            }
        }
        if (!wanted.header.empty()) c.kernel.includes.insert(wanted.header);
        out.push_back(run(call(wanted.function, std::move(arguments))));
    }
}

void emit(RoleContext& c, const Apply& op, Block& out) {
    if (c.folded.contains(op.result.id)) {
        c.kernel.includes.insert("tk/operations/folded.cuh");
        out.push_back(run(
            call("tk::reduce_scatter_columns", {value_name(c, op.result), value_name(c, op.source),
                                                atom("tk::plus{}"), use(c.thread)})));
        return;
    }
    const TileFunctionRules& rules = rules_of(op);
    emit_calls(c, op.result, op.source, rules.needs(op, c.role), rules.calls(op, c.role), out);
}

void emit(RoleContext& c, const Complete& op, Block& out) {
    define(c, op.result, value_name(c, op.source), out);
    emit_calls(c, op.result, op.source, needs_of_completion(c.role, op.result),
               {call_of_completion(c.role, op.result, "tk::plus{}")}, out);
}

void emit(RoleContext& c, const ScaleRows& op, Block& out) {
    out.push_back(
        run(call("tk::scale_rows", {value_name(c, op.result), value_name(c, op.factor)})));
}

// ---- products ----------------------------------------------------------------------------------

// The `extent` rows (or columns) of a shared tile that belong to the warpgroup.
Expr shared_part(RoleContext& c, Expr tile, const char* axis, std::int64_t extent) {
    const Expr offset = part_offset(c, extent);
    return offset ? call(fmt::format("tk::{}<{}>", axis, extent), {tile, offset}) : tile;
}

Expr operand_a(RoleContext& c, const Mma& op, const TileType& part) {
    if (c.role.tile(op.a).space == Space::registers) return value_name(c, op.a);
    const bool split = divided_axis(c.role, op.result) == ir::Axis::row;
    const Expr tile = shared_tile(c, op.a);
    const Expr mine =
        split ? shared_part(c, tile, op.a_transposed ? "columns" : "rows", part.rows) : tile;
    return op.a_transposed ? call("tk::transposed", {mine}) : mine;
}

Expr operand_b(RoleContext& c, const Mma& op, const TileType& part) {
    const bool split = divided_axis(c.role, op.result) == ir::Axis::col;
    const Expr tile = shared_tile(c, op.b);
    const auto mine = [&] {
        if (!split) return tile;
        const bool panels = lowering::takes_panels(c.role, op.b, part.cols);
        const char* lines = op.b_transposed ? "rows" : panels ? "columns" : "columns_of_panel";
        return shared_part(c, tile, lines, part.cols);
    };
    return op.b_transposed ? call("tk::transposed", {mine()}) : mine();
}

// `tk::mma_sync(acc, a, b, thread)`: the layout of the result says what each warp does.
void emit_synchronous(RoleContext& c, const Mma& op, Block& out) {
    const auto operand = [&](Value v, bool transposed) {
        if (c.role.tile(v).space == Space::registers) return value_name(c, v);
        return transposed ? call("tk::transposed", {shared_tile(c, v)}) : shared_tile(c, v);
    };
    c.kernel.includes.insert("tk/operations/mma_sync.cuh");
    std::vector<Expr> arguments{value_name(c, op.result), operand(op.a, op.a_transposed),
                                operand(op.b, op.b_transposed), use(c.thread)};
    if (!op.accumulate) arguments.push_back(atom("tk::accumulate_never{}"));
    out.push_back(run(call("tk::mma_sync", std::move(arguments))));
}

void emit(RoleContext& c, const Mma& op, Block& out) {
    if (op.synchronous) return emit_synchronous(c, op, out);
    const TileType part = part_of(c, op.result);
    c.kernel.includes.insert(part.dtype == Dtype::f16
                                 ? "tk/operations/mma_f16.cuh"
                                 : fmt::format("tk/ptx/wgmma_n{:03}.cuh", part.cols));
    std::vector<Expr> arguments{value_name(c, op.result), operand_a(c, op, part),
                                operand_b(c, op, part)};
    if (!op.accumulate) arguments.push_back(atom("tk::accumulate_never{}"));
    out.push_back(run(call("tk::mma_async", std::move(arguments))));
}

void wait_for_products(const RoleContext& c, const Wait& op, Block& out) {
    std::vector<Expr> results;
    std::vector<Expr> operands;  // register operands: the wait's own asm takes a result, if it can
    std::vector<Value> seen;
    for (const Value v : op.completes) {
        if (std::find(seen.begin(), seen.end(), v) != seen.end()) continue;
        seen.push_back(v);
        (bits_of(c.role.tile(v).dtype) == 32 ? results : operands).push_back(value_name(c, v));
    }
    results.insert(results.end(), operands.begin(), operands.end());
    const char* function = results.empty() ? "tk::ptx::wgmma_wait" : "tk::mma_wait";
    out.push_back(run(call(fmt::format("{}<{}>", function, op.pending), std::move(results))));
}

void emit(RoleContext& c, const Wait& op, Block& out) {
    const auto for_stores = [&](const char* function) {
        leading(c, run(call(fmt::format("tk::{}<{}>", function, op.pending), {})), out);
    };
    switch (op.channel) {
        case Channel::products: return wait_for_products(c, op, out);
        case Channel::store_reads: return for_stores("tma_store_wait_read");
        case Channel::store_writes: return for_stores("tma_store_wait");
    }
}

void emit(RoleContext& c, const ir::Barrier& op, Block& out) {
    if (op.scope == ir::Scope::role && ir::blocks_of(c.role) > 1) {
        out.push_back(run(call("tk::cluster_sync", {})));  // the role is all that its blocks run
        return;
    }
    const bool one = op.scope == ir::Scope::warpgroup && c.role.unit == Unit::warpgroup;
    const bool shared = one && c.role.copies == 1;
    const Expr all = role_barrier(c);
    const Expr id = shared ? plus(literal(c.role.first_barrier), part_offset(c, 1)) : all;
    const std::int64_t threads = one ? 128 : 32 * c.role.warps();
    out.push_back(run(call("tk::barrier_sync", {id, literal(threads)})));
}

// A warpgroup's barrier of turns is met by itself and by the one before it, which only arrives.
constexpr std::int64_t order_barrier_threads = 256;

void emit(RoleContext& c, const WaitOrder&, Block& out) {
    const Expr id = plus(literal(first_order_barrier(c)), use(c.warpgroup));
    out.push_back(run(call("tk::barrier_sync", {id, literal(order_barrier_threads)})));
}

void emit(RoleContext& c, const ArriveOrder&, Block& out) {
    const std::int64_t first = first_order_barrier(c);
    const std::int64_t count = c.role.ordered_groups();
    const Expr next = binary(BinaryOp::add, use(c.warpgroup), literal(1));
    const Expr id = count == 2
                        ? binary(BinaryOp::subtract, literal(first + 1), use(c.warpgroup))
                        : plus(literal(first), binary(BinaryOp::modulo, next, literal(count)));
    out.push_back(run(call("tk::barrier_arrive", {id, literal(order_barrier_threads)})));
}

void emit(RoleContext& c, const PinWaits&, Block& out) {
    out.push_back(run(call("tk::pin_waits", {use_warp(c.kernel)})));
}

void emit(RoleContext&, const FenceAsync& op, Block& out) {
    out.push_back(run(call(op.global ? "tk::fence_async_all" : "tk::fence_async", {})));
}

// ---- counters ----------------------------------------------------------------------------------

Expr counter_at(RoleContext& c, const std::string& counter, const std::vector<Scalar>& at) {
    c.kernel.includes.insert("tk/operations/counters.cuh");
    const Expr place = scalar(c, place_of_counter(c.kernel.kernel, counter, at));
    return binary(BinaryOp::add, atom(c.kernel.counters), place);
}

void emit(RoleContext& c, const Signal& op, Block& out) {
    elected(c, run(call("tk::signal", {counter_at(c, op.counter, op.at)})), out);
}

void emit(RoleContext& c, const Await& op, Block& out) {
    elected(c, run(call("tk::await", {counter_at(c, op.counter, op.at), scalar(c, op.count)})),
            out);
}

// ---- what no scheduled IR holds ----------------------------------------------------------------

[[noreturn]] void refuse(const char* kind) {
    throw EmitError(fmt::format("`{}` is an operation of the tile IR", kind));
}
void emit(RoleContext&, const Produce&, Block&) { refuse(Produce::kind); }
void emit(RoleContext&, const Fill&, Block&) { refuse(Fill::kind); }
void emit(RoleContext&, const Put&, Block&) { refuse(Put::kind); }
void emit(RoleContext&, const Consume&, Block&) { refuse(Consume::kind); }
void emit(RoleContext&, const Load&, Block&) { refuse(Load::kind); }
void emit(RoleContext&, const Store&, Block&) { refuse(Store::kind); }
void emit(RoleContext&, const Share&, Block&) { refuse(Share::kind); }

}  // namespace

std::int64_t first_order_barrier(const RoleContext& c) {
    if (c.role.first_order_barrier == 0)
        throw EmitError(fmt::format("role `{}` has no barriers for its order", c.role.name));
    return c.role.first_order_barrier;
}

void emit_order_begin(RoleContext& c, Block& out) {
    if (c.role.first_order_barrier == 0) return;
    const Expr last =
        binary(BinaryOp::equal, use(c.warpgroup), literal(c.role.ordered_groups() - 1));
    const Expr arrive = call("tk::barrier_arrive",
                             {literal(first_order_barrier(c)), literal(order_barrier_threads)});
    out.push_back(comment("Warpgroup 0 is first in order."));
    out.push_back(stmt(cuda::If{last, {run(arrive)}, {}}));
}

void emit_order_end(RoleContext& c, Block& out) {
    if (c.role.first_order_barrier == 0) return;
    if (c.role.copies > 1) {
        const Expr next = call("tk::turn_behind", {use(c.kernel.programs), literal(c.role.copies)});
        const Expr mine = binary(BinaryOp::equal, use(c.warpgroup), next);
        const Expr id = plus(literal(first_order_barrier(c)), use(c.warpgroup));
        out.push_back(
            comment("The warpgroup that is next in order consumes the pending arrival, so that "
                    "none is left over."));
        out.push_back(stmt(cuda::If{
            mine, {run(call("tk::barrier_sync", {id, literal(order_barrier_threads)}))}, {}}));
        return;
    }
    const Expr first = binary(BinaryOp::equal, use(c.warpgroup), literal(0));
    const Expr sync =
        call("tk::barrier_sync", {literal(first_order_barrier(c)), literal(order_barrier_threads)});
    out.push_back(comment("Consume the last arrival, so that none is left over."));
    out.push_back(stmt(cuda::If{first, {run(sync)}, {}}));
}

void emit_op(RoleContext& c, const Op& op, Block& out) {
    std::visit([&](const auto& node) { emit(c, node, out); }, op.node);
}

}  // namespace tkc::cuda
