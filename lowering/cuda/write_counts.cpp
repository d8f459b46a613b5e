// Emits `count_writes`.
#include "lowering/cuda/write_counts.h"

#include <fmt/format.h>

#include <set>

#include "ir/walk.h"
#include "lowering/cuda/print.h"

namespace tkc::cuda {

std::vector<const ir::Tensor*> counted_tensors(const ir::Kernel& kernel) {
    std::set<std::string> names;
    for (const ir::Role& role : kernel.roles) {
        ir::walk_only<ir::CountWrites>(
            role.body, [&](const ir::CountWrites& op) { names.insert(op.target.tensor); });
    }
    std::vector<const ir::Tensor*> list;
    for (const ir::Tensor& tensor : kernel.tensors) {
        if (names.contains(tensor.name)) list.push_back(&tensor);
    }
    return list;
}

void emit(RoleContext& c, const ir::CountWrites& op, Block& out) {
    const std::vector<const ir::Tensor*> counted = counted_tensors(c.kernel.kernel);
    std::size_t number = 0;
    while (counted[number]->name != op.target.tensor) ++number;
    std::vector<Expr> begin;
    std::vector<Expr> length;
    Expr one = nullptr;  // the number of a cell of a gather, which is counted by itself
    const ir::Range* list = nullptr;
    ScalarScope scope = c.scope;
    c.names.begin_scope();
    for (const ir::Range& r : op.target.ranges) {
        if (r.kind == ir::Range::Kind::gather) {
            list = &r;
            one = atom(c.names.invent("i"));
            scope.row = one;
            scope.asked = ir::Asked::no;
            begin.push_back(emit_scalar(r.base, scope));
            length.push_back(literal(1));
            continue;
        }
        begin.push_back(r.base ? scalar(c, r.base) : literal(0));
        const ir::Scalar whole = ir::integer(r.kind == ir::Range::Kind::index ? 1 : r.length);
        const auto left = [&] {
            const ir::Scalar inside =
                ir::call(tkc::Function::min, {whole, ir::sub(r.edge, r.base)});
            return ir::call(tkc::Function::max, {inside, ir::integer(0)});
        };
        length.push_back(scalar(c, r.edge ? left() : whole));
    }
    c.kernel.includes.insert("tk/operations/write_counts.cuh");
    const std::string function = fmt::format("tk::count_writes<{}>", op.target.ranges.size());
    const Expr box = expr(Braced{"", {expr(Braced{"", begin}), expr(Braced{"", length})}});
    Stmt count = run(
        call(function, {literal(static_cast<std::int64_t>(number)), c.program, thread_of_role(c),
                        literal(32 * c.role.warps() * ir::blocks_of(c.role)), box}));
    c.names.end_scope();
    if (list == nullptr) {
        out.push_back(std::move(count));
        return;
    }
    const Expr end =
        list->edge
            ? scalar(c, ir::call(tkc::Function::min, {list->edge, ir::integer(list->length)}))
            : literal(list->length);
    cuda::For loop;
    loop.start = {"int", print(one), "", literal(0)};
    loop.condition = binary(BinaryOp::less, one, end);
    loop.step = binary(BinaryOp::add_assign, one, literal(1));
    loop.body.push_back(std::move(count));
    out.push_back(stmt(std::move(loop)));
}

}  // namespace tkc::cuda
