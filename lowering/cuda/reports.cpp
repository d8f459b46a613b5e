// Emits `print` and `assert`, the waits of debug builds, and the table by which the launcher tells
// them.
#include "lowering/cuda/reports.h"

#include <fmt/format.h>

#include "ir/walk.h"

namespace tkc::cuda {

namespace {

// How the launcher shows a number: as C's printf knows them, b for a bool.
char letter_of(Dtype dtype) {
    if (is_boolean(dtype)) return 'b';
    return is_real(dtype) ? 'f' : 'd';
}

// Only the role's elected lane, on its way with the others.
void once(RoleContext& c, Expr condition, Stmt statement, Block& out) {
    if (!c.one_lane) {
        const Expr elected = use(c.elected);
        condition = condition ? binary(BinaryOp::logical_and, elected, condition) : elected;
    }
    if (condition) guarded(condition, std::move(statement), out);
    else out.push_back(std::move(statement));
}

std::vector<Expr> place_of(RoleContext& c, const void* op) {
    c.kernel.includes.insert("tk/operations/report.cuh");
    return {literal(c.kernel.reports.at(op)), c.program};
}

std::string quote(const std::string& text) {
    std::string out = "\"";
    for (const char ch : text) {
        if (ch == '"' || ch == '\\') out += '\\';
        if (ch == '\n') out += "\\n";
        else out += ch;
    }
    return out + "\"";
}

bool says(const ir::Op& op) {
    return ir::as<ir::Print>(op) != nullptr || ir::as<ir::Assert>(op) != nullptr;
}
bool waits(const ir::Op& op) {
    return ir::as<ir::Acquire>(op) != nullptr || ir::as<ir::Take>(op) != nullptr;
}

// Calls see(role, op) for each report of the kernel, in the order of their numbers: what the
// author wrote, then the waits.
template <class F>
void for_each_report(const ir::Kernel& kernel, const F& see) {
    const auto look = [&](bool (*wanted)(const ir::Op&)) {
        for (const ir::Role& role : kernel.roles) {
            for (const ir::Block* block : {&role.body, &role.finish}) {
                ir::walk(*block, [&](const ir::Op& op) {
                    if (wanted(op)) see(role, op);
                });
            }
        }
    };
    look(says);
    if (kernel.debug) look(waits);
}

// What the wait waits for; empty of what is none.
std::string awaited(const ir::Op& op) {
    if (const auto* acquire = ir::as<ir::Acquire>(op))
        return fmt::format("a free stage of `{}`: it is released fewer times than it is filled",
                           acquire->pipeline);
    if (const auto* take = ir::as<ir::Take>(op))
        return fmt::format("an element of `{}`: fewer are produced than consumed", take->pipeline);
    return "";
}

}  // namespace

std::vector<const ir::Op*> reports_of(const ir::Kernel& kernel) {
    std::vector<const ir::Op*> list;
    for_each_report(kernel, [&](const ir::Role&, const ir::Op& op) { list.push_back(&op); });
    return list;
}

std::vector<Expr> wait_site(RoleContext& c, const void* op) {
    c.kernel.includes.insert("tk/operations/watch.cuh");
    return place_of(c, op);
}

void emit(RoleContext& c, const ir::Print& op, Block& out) {
    std::vector<Expr> arguments = place_of(c, &op);
    for (const ir::Scalar& value : op.values) arguments.push_back(scalar(c, value));
    once(c, nullptr, run(call("tk::report", std::move(arguments))), out);
}

void emit(RoleContext& c, const ir::Assert& op, Block& out) {
    std::vector<Expr> arguments = place_of(c, &op);
    if (op.of_cells()) {
        arguments.push_back(c.one_lane ? literal(0) : thread_of_role(c));
        arguments.push_back(literal(c.one_lane ? 1 : 32 * c.role.warps()));
        ScalarScope scope = c.scope;
        scope.asked = ir::Asked::no;
        c.names.begin_scope();
        const std::string row = c.names.invent("row");
        const std::string col = c.names.invent("col");
        scope.row = atom(row);
        scope.column = atom(col);
        const Expr holds = emit_scalar(op.condition, scope);
        c.names.end_scope();
        const bool one_column = op.cols == 1;
        arguments.push_back(
            expr(Lambda{"&",
                        {{"int", op.rows == 1 ? "" : row}, {"int", one_column ? "" : col}},
                        {stmt(Return{holds})}}));
        out.push_back(run(
            call(fmt::format("tk::report_cells<{}, {}>", op.rows, op.cols), std::move(arguments))));
        return;
    }
    if (!op.tile) {
        const Expr fails = unary(UnaryOp::logical_not, scalar(c, op.condition));
        once(c, fails, run(call("tk::report", std::move(arguments))), out);
        return;
    }
    const ir::TileType part = part_of(c, op.tile);
    const std::optional<ir::Axis> divided = divided_axis(c.role, op.tile);
    const bool by_rows = divided == ir::Axis::row;
    const bool by_columns = divided == ir::Axis::col;
    arguments.push_back(value_name(c, op.tile));
    arguments.push_back(plus(by_rows ? part_offset(c, part.rows) : nullptr, nullptr));
    arguments.push_back(plus(by_columns ? part_offset(c, part.cols) : nullptr, nullptr));
    arguments.push_back(use(c.thread));
    out.push_back(run(call("tk::report_zeros", std::move(arguments))));
}

Expr report_table(const ir::Kernel& kernel, const SourceManager* sources) {
    std::vector<Expr> rows;
    for_each_report(kernel, [&](const ir::Role& role, const ir::Op& op) {
        const auto* print = ir::as<ir::Print>(op);
        const auto* assertion = ir::as<ir::Assert>(op);
        std::string letters;
        if (print != nullptr) {
            for (const ir::Scalar& v : print->values) letters += letter_of(v->dtype);
        } else if (assertion != nullptr && (assertion->tile || assertion->of_cells())) {
            letters = "dd";
        }
        const std::string place =
            sources != nullptr && is_known(op.span) ? sources->describe(op.span) : "";
        const std::string text = print != nullptr       ? print->text
                                 : assertion != nullptr ? assertion->text
                                                        : awaited(op);
        rows.push_back(
            expr(Braced{"",
                        {atom(quote(place)), atom(quote(role.name)), atom(quote(text)),
                         atom(quote(letters)), atom(print == nullptr ? "true" : "false")}}));
    });
    return expr(Braced{"", std::move(rows)});
}

}  // namespace tkc::cuda
