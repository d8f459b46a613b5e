// A kernel: the struct of its shared memory, its head, its barriers, and a branch for each role.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "arithmetic/number_names.h"
#include "facts/plain_signs.h"
#include "ir/swizzle.h"
#include "ir/walk.h"
#include "lowering/cuda/emit_context.h"
#include "lowering/cuda/kernel_parameters.h"
#include "lowering/cuda/merge_variants.h"
#include "lowering/cuda/reports.h"
#include "lowering/cuda/rewrite_tree.h"
#include "lowering/cuda/static_schedule.h"
#include "lowering/shared_memory_plan.h"
#include "tiles/reduction.h"

namespace tkc::cuda {

namespace {

bool uses_shared_memory(const ir::Kernel& kernel) {
    return !kernel.buffers.empty() || !kernel.pipelines.empty();
}

// ---- names -------------------------------------------------------------------------------------

// The user's names, which invented ones keep away from.
void claim_names(KernelContext& c) {
    for (const ir::GridAxis& axis : c.kernel.grid) c.names.claim(axis.var);
    const auto claim_in = [&](const ir::Block& block) {
        ir::walk_only<ir::Let>(block, [&](const ir::Let& let) { c.names.claim(let.name); });
        ir::walk_only<ir::ReadNumber>(
            block, [&](const ir::ReadNumber& n) { c.names.claim(ir::written_name(n.name)); });
        ir::walk_only<ir::For>(block, [&](const ir::For& loop) { c.names.claim(loop.var); });
    };
    claim_in(c.kernel.lets);
    for (const ir::Role& role : c.kernel.roles) {
        claim_in(role.body);
        claim_in(role.finish);
        for (const ir::ValueInfo& value : role.values) c.names.claim(value.name);
    }
}

// The names of external functions, which no variable may hide.
void take_function_names(KernelContext& c) {
    std::set<std::string> functions;
    const auto find = [&](const ir::Scalar& s) {
        ir::visit_nodes(s, [&](const ir::ScalarNode& node) {
            if (const auto* f = std::get_if<ir::External>(&node.node)) functions.insert(f->name);
        });
    };
    for (const ir::Role& role : c.kernel.roles) {
        ir::walk(role.body, [&](const ir::Op& op) { ir::for_each_scalar(op, find); });
        ir::walk(role.finish, [&](const ir::Op& op) { ir::for_each_scalar(op, find); });
    }
    for (const std::string& name : functions) c.names.fresh(name);
}

// Names of parameters, in the order of the head, and what they stand for.
std::vector<Parameter> name_parameters(KernelContext& c) {
    std::vector<Parameter> list;
    for (const KernelParameter& p : kernel_parameters(c.kernel)) {
        const std::string name = c.names.fresh(p.name);
        switch (p.kind) {
            case KernelParameter::Kind::map: c.maps[p.name] = name; break;
            case KernelParameter::Kind::tensor: c.scope.tensors[p.name] = atom(name); break;
            case KernelParameter::Kind::extent: c.scope.symbols[p.name] = {atom(name), true}; break;
            case KernelParameter::Kind::scalar:
                c.scope.symbols[p.name] = {atom(name), p.type == "unsigned"};
                break;
            case KernelParameter::Kind::counters: c.counters = name; break;
        }
        list.push_back({p.type, name});
    }
    return list;
}

// ---- shared memory -----------------------------------------------------------------------------

std::int64_t round_up(std::int64_t x, std::int64_t to) { return (x + to - 1) / to * to; }

// The struct's members one after another, with gaps where the plan leaves them.
class SharedStruct {
public:
    explicit SharedStruct(KernelContext& c) : c_(c) { struct_.name = shared_struct(c.kernel); }

    std::vector<Item> build() {
        std::vector<const ir::Buffer*> buffers;
        for (const ir::Buffer& b : c_.kernel.buffers) buffers.push_back(&b);
        std::stable_sort(
            buffers.begin(), buffers.end(),
            [](const ir::Buffer* a, const ir::Buffer* b) { return a->offset < b->offset; });
        for (const ir::Buffer* b : buffers) {
            if (b->over.empty()) add_buffer(*b);
        }
        std::int64_t offset = c_.kernel.barrier_offset;
        for (const ir::Pipeline& p : c_.kernel.pipelines) {
            const std::string member_name = members_.fresh(p.name);
            c_.pipelines[p.name] = member_name;
            const std::string suffix = p.parts > 1 ? fmt::format("[{}]", p.parts) : "";
            const std::int64_t size = bytes_of_barriers(p);
            add(member_name, suffix, fmt::format("tk::pipeline<{}>", p.stages), offset, size, 8);
            offset += size;
        }
        for (const ir::Pipeline& p : c_.kernel.pipelines) {
            if (!ir::holds_program_numbers(p)) continue;
            c_.program_numbers = members_.fresh("program_numbers");
            add(c_.program_numbers, fmt::format("[{}]", p.stages), "int", offset, 4 * p.stages, 4);
        }
        // Where the last one begins follows from all before it.
        const Expr at = call("offsetof", {atom(struct_.name), atom(last_name_)});
        std::vector<Item> items{item(std::move(struct_))};
        if (last_offset_ > 0)
            items.push_back(
                item(StaticAssert{binary(BinaryOp::equal, at, literal(last_offset_)), ""}));
        return items;
    }

private:
    void add_buffer(const ir::Buffer& b) {
        const std::string member_name = members_.fresh(b.name);
        c_.buffers[b.name] = member_name;
        add(member_name, fmt::format("[{}]", b.copies), shared_tile_type(b), b.offset,
            b.copies * ir::pitch_of(b.type), ir::alignment_of(b.type));
    }

    void add(const std::string& name, const std::string& suffix, const std::string& type,
             std::int64_t offset, std::int64_t size, std::int64_t alignment) {
        if (round_up(end_, alignment) > offset || offset % alignment != 0) {
            throw EmitError(fmt::format("shared memory at {} overlaps or is not aligned to {}",
                                        offset, alignment));
        }
        if (round_up(end_, alignment) < offset) {
            const std::string gap = members_.fresh("unused");
            struct_.members.push_back(stmt(
                Declaration{"unsigned char", gap, fmt::format("[{}]", offset - end_), nullptr}));
        }
        struct_.members.push_back(stmt(Declaration{type, name, suffix, nullptr}));
        last_name_ = name;
        last_offset_ = offset;
        end_ = offset + size;
    }

    KernelContext& c_;
    Names members_;
    Struct struct_;
    std::string last_name_;
    std::int64_t last_offset_ = 0;
    std::int64_t end_ = 0;
};

// ---- before the roles --------------------------------------------------------------------------

// One thread prepares barriers and tensor maps, then the block may start.
void emit_setup(KernelContext& c, Block& out) {
    Block first_thread;
    std::vector<Expr> maps;
    for (const ir::TensorMap& map : c.kernel.maps) maps.push_back(atom(c.maps.at(map.name)));
    if (!maps.empty()) first_thread.push_back(run(call("tk::tma_prefetch_maps", std::move(maps))));
    for (const ir::Pipeline& p : c.kernel.pipelines) {
        const Expr all = member(atom(c.shared), c.pipelines.at(p.name));
        for (std::int64_t part = 0; part < p.parts; ++part) {
            const Expr one = p.parts > 1 ? index(all, literal(part)) : all;
            first_thread.push_back(
                run(method(one, "init", {literal(p.full_arrivals), literal(p.empty_arrivals)})));
        }
    }
    if (!c.kernel.pipelines.empty()) first_thread.push_back(run(call("tk::publish_barriers", {})));
    bool cluster = ir::cluster_size(c.kernel) > 1;
    for (const ir::Role& role : c.kernel.roles) {
        const std::string exchange = ir::row_exchange_buffer(role);
        if (ir::find_buffer(c.kernel, exchange) == nullptr) continue;
        cluster = true;
        first_thread.push_back(
            run(call("tk::init_row_exchange",
                     {index(member(atom(c.shared), c.buffers.at(exchange)), literal(0))})));
    }
    if (first_thread.empty() && !cluster) return;
    if (!first_thread.empty()) {
        out.push_back(
            stmt(If{binary(BinaryOp::equal, atom("threadIdx.x"), literal(0)), first_thread, {}}));
    }
    out.push_back(run(call(cluster ? "tk::cluster_sync" : "__syncthreads", {})));
}

// Programs along one axis: ceil((end - begin) / step) in whole clusters where the end is not loose,
// not less than 0.
Expr axis_count(const KernelContext& c, const ir::GridAxis& axis) {
    std::int64_t begin = 0;
    const bool from_zero = ir::is_constant(axis.begin, &begin) && begin == 0;
    const ir::Scalar extent = from_zero ? axis.end : ir::sub(axis.end, axis.begin);
    std::int64_t known = 0;
    const std::int64_t together = axis.partial_cluster ? 1 : axis.cluster;
    const std::int64_t step = axis.step * together;
    if (ir::is_constant(extent, &known)) {
        return literal(std::max<std::int64_t>(0, (known + step - 1) / step) * together);
    }
    Expr length = emit_scalar(extent, c.scope);
    if (!is_nonnegative(extent, c.scope)) length = call("tk::max", {length, literal(0)});
    const Expr count = step == 1 ? length : call("tk::tiles", {length, literal(step)});
    return together == 1 ? count : binary(BinaryOp::multiply, count, literal(together));
}

// A name for a count where the name says more than the expression.
Count named_count(KernelContext& c, const std::string& wanted, const Expr& value) {
    if (std::holds_alternative<Atom>(value->node)) return {value};
    const std::string name = c.names.invent(wanted);
    return {atom(name), declare("const int", name, value), true};
}

void count_programs(KernelContext& c) {
    Expr product;
    for (const ir::GridAxis& axis : c.kernel.grid) {
        c.axes.push_back(named_count(c, axis.var + "_tiles", axis_count(c, axis)));
        const Expr tiles = c.axes.back().value;
        product = product ? binary(BinaryOp::multiply, product, tiles) : tiles;
    }
    if (!c.kernel.persistent) return;
    const ir::GridAxis* clusters = ir::cluster_axis(c.kernel);
    if (clusters != nullptr && clusters->partial_cluster) {
        const Expr size = literal(clusters->cluster);
        product = binary(BinaryOp::multiply, call("tk::tiles", {product, size}), size);
    }
    c.programs = named_count(c, "programs", product ? product : literal(1));
    if (is_statically_scheduled(c) && !c.kernel.dynamic)
        c.alone = named_count(c, "alone", call_static_schedule(c, "tk::dealt_alone", {}));
    if (is_statically_scheduled(c) && c.kernel.dynamic)
        c.column_block = named_count(
            c, "column_block", call("tk::column_block_width", {use(c.axes[0]), atom("gridDim.x")}));
}

void declare_counts(const KernelContext& c, Block& out) {
    for (const Count& axis : c.axes) {
        // These are made of all axes.
        const bool used = axis.used || c.programs.used || c.alone.used || c.column_block.used;
        if (axis.declared && used) out.push_back(axis.declaration);
    }
    for (const Count* all : {&c.programs, &c.alone, &c.column_block}) {
        if (all->declared && all->used) out.push_back(all->declaration);
    }
}

void forget_uses(KernelContext& c) {
    for (Count& axis : c.axes) axis.used = false;
    c.programs.used = false;
    c.alone.used = false;
    c.column_block.used = false;
}

// ---- roles -------------------------------------------------------------------------------------

// Roles that share warpgroups, and with them setmaxnreg.
struct RoleGroup {
    std::int64_t first_warp = 0;
    std::int64_t end_warp = 0;  // past its last warpgroup
    std::int64_t registers = 0;
    std::vector<const ir::Role*> roles;
};

std::vector<RoleGroup> role_groups_of(const ir::Kernel& kernel) {
    std::vector<const ir::Role*> roles;
    for (const ir::Role& role : kernel.roles) roles.push_back(&role);
    std::stable_sort(roles.begin(), roles.end(), [](const ir::Role* a, const ir::Role* b) {
        return a->first_warp < b->first_warp;
    });
    std::vector<RoleGroup> groups;
    for (const ir::Role* role : roles) {
        if (role->first_warp < 0)
            throw EmitError(fmt::format("role `{}` has no warps", role->name));
        const std::int64_t end = groups.empty() ? 0 : groups.back().end_warp;
        if (role->first_warp >= end) groups.push_back({end, 0, 0, {}});
        RoleGroup& group = groups.back();
        group.end_warp = std::max(group.end_warp, round_up(role->end_warp(), 4));
        group.registers = std::max(group.registers, role->registers);
        group.roles.push_back(role);
    }
    // In the order of the source, which mostly is that of the data.
    const auto place = [](const RoleGroup& group) {
        return *std::min_element(group.roles.begin(), group.roles.end());
    };
    std::stable_sort(groups.begin(), groups.end(),
                     [&](const RoleGroup& a, const RoleGroup& b) { return place(a) < place(b); });
    return groups;
}

std::string role_comment(const KernelContext& c, const ir::Role& role) {
    const std::string quote = quote_line(c.sources, role.span);
    return quote.empty() ? fmt::format("role {}", role.name) : quote;
}

bool sets_registers(const KernelContext& c, const RoleGroup& group) {
    return group.registers != 0 && group.registers != c.kernel.entry_registers;
}

void emit_registers(const KernelContext& c, const RoleGroup& group, Block& out) {
    if (!sets_registers(c, group)) return;
    const bool less = group.registers < c.kernel.entry_registers;
    out.push_back(run(call(
        fmt::format("tk::registers_{}<{}>", less ? "at_most" : "at_least", group.registers), {})));
}

// The condition on the warps of a role in a group whose warps are first .. end; null: all of them.
Expr warps_condition(KernelContext& c, const ir::Role& role, std::int64_t first, std::int64_t end) {
    const std::int64_t last = role.end_warp();
    if (role.all_warps() == 1)
        return binary(BinaryOp::equal, use_warp(c), literal(role.first_warp));
    Expr condition;
    if (role.first_warp > first)
        condition = binary(BinaryOp::greater_equal, use_warp(c), literal(role.first_warp));
    if (last < end) {
        const Expr below = binary(BinaryOp::less, use_warp(c), literal(last));
        condition = condition ? binary(BinaryOp::logical_and, condition, below) : below;
    }
    return condition;
}

void emit_in_group(KernelContext& c, const ir::Role& role, std::int64_t first, std::int64_t end,
                   Block& out) {
    const bool one_lane = ir::runs_in_one_lane(role);
    Expr condition = warps_condition(c, role, first, end);
    if (one_lane) {
        const Expr warp = binary(BinaryOp::equal, use_warp(c), literal(role.first_warp));
        condition = binary(BinaryOp::logical_and, warp, call("tk::elect_one", {}));
    }
    Block body = emit_role(c, role, one_lane);
    if (condition) {
        out.push_back(stmt(If{condition, std::move(body), {}}));
    } else {
        out.insert(out.end(), body.begin(), body.end());
    }
}

// Whether the warp is of this group, where it is of one of `groups`.
Expr group_condition(KernelContext& c, const RoleGroup& group,
                     const std::vector<RoleGroup>& groups) {
    const auto any = [&](auto&& test) { return std::any_of(groups.begin(), groups.end(), test); };
    const bool before = any([&](const RoleGroup& g) { return g.first_warp < group.first_warp; });
    const bool behind = any([&](const RoleGroup& g) { return g.first_warp > group.first_warp; });
    const Expr from = binary(BinaryOp::greater_equal, use_warp(c), literal(group.first_warp));
    const Expr below = binary(BinaryOp::less, use_warp(c), literal(group.end_warp));
    return !behind ? from : !before ? below : binary(BinaryOp::logical_and, from, below);
}

// The branches of the groups, in this order. `counts`: each has its own numbers of programs.
Block emit_groups(KernelContext& c, std::vector<RoleGroup> groups, bool counts) {
    const RoleGroup group = groups.front();
    Block body;
    const bool alone = group.roles.size() == 1;
    if (alone) body.push_back(stmt(Comment{role_comment(c, *group.roles[0]), true}));
    emit_registers(c, group, body);
    Block roles;
    for (const ir::Role* role : group.roles) {
        if (!alone) roles.push_back(stmt(Comment{role_comment(c, *role), true}));
        emit_in_group(c, *role, group.first_warp, group.end_warp, roles);
    }
    if (counts) {
        declare_counts(c, body);
        forget_uses(c);
    }
    body.insert(body.end(), roles.begin(), roles.end());
    if (groups.size() == 1) return body;
    const Expr condition = group_condition(c, group, groups);
    groups.erase(groups.begin());
    return {stmt(If{condition, std::move(body), emit_groups(c, std::move(groups), counts)})};
}

// Whether a name is in a block.
class Mentions : public TreeRewriter {
public:
    explicit Mentions(std::string name) : name_(std::move(name)) {}
    bool in(const Block& list) {
        block(list);
        return found_;
    }

private:
    std::string text(const std::string& s, const TextPlace& /*place*/) override {
        found_ = found_ || s == name_;
        return s;
    }
    void node(const char* /*kind*/, std::size_t /*parts*/) override {}

    std::string name_;
    bool found_ = false;
};

// The shared memory under its name; nothing where no statement needs it: buffers may be planned for
// exchanges that turn out to stay in registers (scattered_sums.h).
Block declare_shared(KernelContext& c, const Block& statements) {
    if (!uses_shared_memory(c.kernel) || !Mentions(c.shared).in(statements)) return {};
    const std::string memory = c.names.invent("memory");
    return {
        stmt(Declaration{"extern __shared__ __align__(1024) unsigned char", memory, "[]", nullptr}),
        declare(
            shared_struct(c.kernel) + "&", c.shared,
            call(fmt::format("*reinterpret_cast<{}*>", shared_struct(c.kernel)), {atom(memory)})),
        blank()};
}

Block emit_body(KernelContext& c) {
    Block body;
    if (c.kernel.debug && c.kernel.shared_bytes > 0) {
        c.includes.insert("tk/operations/report.cuh");
        body.push_back(comment("Fill unwritten shared memory with NaN."));
        body.push_back(run(call("tk::poison", {unary(UnaryOp::address_of, atom(c.shared)),
                                               call("sizeof", {atom(c.shared)})})));
    }
    emit_setup(c, body);
    // The code before it accesses no global memory.
    if (ir::target_of(c.kernel).features.overlap)
        body.push_back(run(call("tk::wait_for_previous_kernel", {})));
    body.push_back(blank());
    count_programs(c);
    const std::vector<RoleGroup> groups = role_groups_of(c.kernel);
    // After setmaxnreg: nvcc keeps what is before it in registers for all groups, and ptxas
    // spills it where one of them has none left.
    const bool counts = std::any_of(groups.begin(), groups.end(), [&](const RoleGroup& group) {
        return sets_registers(c, group);
    });
    Block roles = emit_groups(c, groups, counts);
    declare_counts(c, body);
    if (c.warp_used) body.push_back(declare("const int", c.warp, call("tk::warp_index", {})));
    body.push_back(blank());
    body.insert(body.end(), roles.begin(), roles.end());
    if (c.kernel.debug && !c.kernel.pipelines.empty()) {
        c.includes.insert("tk/operations/watch.cuh");
        body.push_back(run(call("tk::settle_waits", {})));
    }
    if (ir::cluster_size(c.kernel) > 1) {
        body.push_back(blank());
        body.push_back(
            comment("Other blocks of the cluster may still arrive on this one's barriers."));
        body.push_back(run(call("tk::cluster_sync", {})));
    }
    Block whole = declare_shared(c, body);
    whole.insert(whole.end(), body.begin(), body.end());
    return whole;
}

}  // namespace

std::string kernel_function(const ir::Kernel& kernel) {
    return identifier(kernel.name) + "_kernel";
}
std::string shared_struct(const ir::Kernel& kernel) { return identifier(kernel.name) + "_shared"; }
Expr shared_size(const ir::Kernel& kernel, const std::string& shared) {
    return uses_shared_memory(kernel) ? call("sizeof", {atom(shared)}) : literal(0);
}

KernelCode emit_kernel(const ir::Kernel& kernel, const SourceManager* sources) {
    KernelContext c{kernel, sources, {"tk/tk.cuh"}};
    c.scope.kernel = &kernel;
    c.scope.data = std::make_shared<const std::set<std::string>>(ir::names_of_data(kernel));
    c.scope.includes = &c.includes;
    c.scope.ranges = std::make_shared<const ir::Ranges>(ir::ranges_at_launch(kernel));
    claim_names(c);
    take_function_names(c);
    c.names.fresh(shared_struct(kernel));  // a parameter would hide it
    std::vector<Parameter> parameters = name_parameters(c);
    c.shared = c.names.invent("shared");
    c.warp = c.names.invent("warp");

    for (const ir::Op* op : reports_of(kernel)) {
        const auto number = static_cast<std::int64_t>(c.reports.size());
        std::visit([&](const auto& node) { c.reports[&node] = number; }, op->node);
    }

    KernelCode code;
    std::vector<Item> shared = SharedStruct(c).build();
    code.items.push_back(item(Comment{header_comment(c)}));
    if (uses_shared_memory(kernel)) {
        code.items.insert(code.items.end(), shared.begin(), shared.end());
        code.items.push_back(item(Blank{}));
    }
    const std::string head = fmt::format("__global__ void __launch_bounds__({}, {})",
                                         lowering::block_threads(kernel), kernel.blocks);
    code.items.push_back(
        item(Function{head, kernel_function(kernel), std::move(parameters), emit_body(c), false}));
    code.includes = std::move(c.includes);
    return code;
}

namespace {

// The first line of the file: the source to edit instead of it.
std::string origin(const ir::Module& module, const SourceManager* sources) {
    for (const ir::Kernel& kernel : module.kernels) {
        if (sources == nullptr || !is_known(kernel.span)) continue;
        const std::string quote = quote_line(sources, kernel.span);
        return fmt::format("Generated by tkc from {}. Do not edit.",
                           quote.substr(0, quote.find(':')));
    }
    return "Generated by tkc. Do not edit.";
}

}  // namespace

EmittedFile emit_kernels(const ir::Module& module, const SourceManager* sources,
                         std::set<std::string> includes) {
    std::vector<EmittedKernel> emitted;
    for (const ir::Kernel& kernel : module.kernels) {
        KernelCode code = emit_kernel(kernel, sources);
        includes.merge(code.includes);
        emitted.push_back({&kernel, std::move(code)});
    }
    MergedKernels kernels = merge_variants(std::move(emitted));
    File file;
    file.items.push_back(item(Comment{origin(module, sources)}));
    if (!module.kernels.empty()) {
        const Target& target = ir::target_of(module.kernels.front());
        file.items.push_back(item(Comment{fmt::format(
            "nvcc -std=c++17 -O3 -fmad=false {}\n"
            "Without -fmad=false, nvcc contracts multiplies and adds into FMAs, and results may "
            "differ in the last bits.",
            nvcc_option(target))}));
    }
    file.items.push_back(item(Blank{}));
    file.items.push_back(item(Include{"cuda.h", true}));
    file.items.push_back(item(Blank{}));
    for (const std::string& path : includes) file.items.push_back(item(Include{path, false}));
    file.items.insert(file.items.end(), kernels.items.begin(), kernels.items.end());
    return {std::move(file), std::move(kernels.names)};
}

}  // namespace tkc::cuda
