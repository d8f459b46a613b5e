// Names, types and statements that all operations share.
#include "lowering/cuda/emit_context.h"

#include <fmt/format.h>

#include <cctype>

#include "ir/walk.h"
#include "lowering/cuda/emit_memory.h"
#include "lowering/vector_access.h"

namespace tkc::cuda {

Expr use(RoleContext::Local& local) {
    local.used = true;
    return atom(local.name);
}

Expr use(Count& count) {
    count.used = true;
    return count.value;
}

Expr use_warp(KernelContext& kernel) {
    kernel.warp_used = true;
    return atom(kernel.warp);
}

// ---- names and types ---------------------------------------------------------------------------

Expr shared_member(const RoleContext& c, const std::string& member_name) {
    return member(atom(c.kernel.shared), member_name);
}

Expr stage_of(const RoleContext& c, const std::string& buffer, Expr stage) {
    const auto found = c.kernel.buffers.find(buffer);
    if (found == c.kernel.buffers.end()) throw EmitError(fmt::format("no buffer `{}`", buffer));
    return index(shared_member(c, found->second), std::move(stage));
}

Expr value_name(const RoleContext& c, ir::Value v) {
    const auto view = c.views.find(v.id);
    if (view != c.views.end()) return view->second;
    const auto found = c.values.find(v.id);
    if (found == c.values.end())
        throw EmitError(fmt::format("value `{}` has no place", c.role[v].name));
    return atom(found->second);
}

// The barriers of the pipeline: those of the role's own part where stages have parts.
Expr pipeline_of(RoleContext& c, const std::string& name) {
    const auto found = c.kernel.pipelines.find(name);
    if (found == c.kernel.pipelines.end()) throw EmitError(fmt::format("no pipeline `{}`", name));
    const ir::Pipeline* pipeline = ir::find_pipeline(c.kernel.kernel, name);
    const Expr all = shared_member(c, found->second);
    return pipeline->parts > 1 ? index(all, use(c.warpgroup)) : all;
}

Expr cursor_of(const RoleContext& c, const std::string& pipeline, End end) {
    return atom(c.cursors.at({pipeline, end}));
}

std::string cursor_type(const RoleContext& c, const std::string& pipeline) {
    const ir::Pipeline* found = ir::find_pipeline(c.kernel.kernel, pipeline);
    if (found == nullptr) throw EmitError(fmt::format("no pipeline `{}`", pipeline));
    return fmt::format("tk::cursor<{}>", found->stages);
}

Expr shared_tile(const RoleContext& c, ir::Value v) {
    const auto found = c.views.find(v.id);
    if (found == c.views.end()) {
        throw EmitError(fmt::format("shared tile `{}` is used before it is named", c.role[v].name));
    }
    return found->second;
}

std::string shared_tile_type(const ir::Buffer& buffer) {
    return fmt::format("tk::shared_tile<{}, {}, {}>",
                       buffer.tf32 ? "tk::tf32" : element_type(buffer.type.dtype), buffer.type.rows,
                       buffer.type.cols);
}

ir::TileType part_of(const RoleContext& c, ir::Value v) {
    ir::TileType part = c.role.tile(v);
    const std::optional<ir::Axis> divided = divided_axis(c.role, v);
    if (divided == ir::Axis::row) part.rows /= c.warpgroups();
    if (divided == ir::Axis::col) part.cols /= c.warpgroups();
    return part;
}

std::string element_of_fragment(const ir::TileType& part) {
    const bool vector = part.rows == 1 || part.cols == 1;
    return vector && is_narrow_real(part.dtype) ? "float" : element_type(part.dtype);
}

std::string fragment_type(const ir::TileType& part) {
    const std::string element = element_of_fragment(part);
    if (part.rows == 1) return fmt::format("tk::row_fragment<{}, {}>", element, part.cols);
    if (part.cols == 1) return fmt::format("tk::column_fragment<{}, {}>", element, part.rows);
    return fmt::format("tk::fragment<{}, {}, {}>", element, part.rows, part.cols);
}

// The grid of warps that hold the tile next to products; nothing: it lies in stripes.
static std::optional<ir::WarpGrid> grid_of(const ir::Role& role, ir::Value v) {
    return ir::warp_grid_of(role[v].layout, role.tile(v).rows, role.tile(v).cols);
}

// The lines of a fragment, which a role of warpgroups holds in the same registers.
static bool is_lines(const ir::Role& role, ir::Value v) {
    return !is_striped(role, v) &&
           role[v].layout == ir::fragment_lines(role.tile(v).rows, role.warpgroups());
}

// The runtime's operations take fragments of wgmma and their lines, in roles of warps those of
// mma.sync and stripes.
static bool is_fragment_or_stripe(const ir::Role& role, ir::Value v) {
    const ir::TileType& tile = role.tile(v);
    const ir::Layout& layout = role[v].layout;
    if (is_striped(role, v)) {
        if (grid_of(role, v)) return true;
        return layout == ir::stripe_layout(
                             tile.rows, tile.cols,
                             {role.warps(), ir::blocks_of(layout),
                              ir::threads_along(layout, ir::Axis::col), lowering::vector_of(role)});
    }
    const std::int64_t groups = role.warpgroups();
    const auto fits = [&](std::optional<ir::Axis> divided) {
        return layout == ir::fragment_layout(tile.rows, tile.cols, groups, divided);
    };
    return is_lines(role, v) || fits(std::nullopt) || fits(ir::Axis::row) || fits(ir::Axis::col);
}

std::string register_type(const RoleContext& c, ir::Value v) {
    if (!c.role[v].layout.empty() && !is_fragment_or_stripe(c.role, v)) {
        throw EmitError(fmt::format("role `{}`: `%{}` lies as `{}`, which is no {}", c.role.name,
                                    c.role[v].name, to_string(c.role[v].layout),
                                    is_striped(c.role, v) ? "stripe of the role's warps"
                                                          : "fragment of the role's warpgroups"));
    }
    const ir::TileType part = part_of(c, v);
    if (is_lines(c.role, v))
        return fmt::format("tk::fragment_lines<{}, {}>", element_type(part.dtype), part.rows);
    if (!is_striped(c.role, v)) return fragment_type(part);
    if (const auto grid = grid_of(c.role, v))
        return fmt::format("tk::warp_fragment<{}, {}, {}, {}, {}>", element_type(part.dtype),
                           part.rows, part.cols, grid->rows, grid->cols);
    return fmt::format("tk::stripe<{}, {}, {}, {}, {}, {}>", element_type(part.dtype), part.rows,
                       part.cols, ir::threads_of(c.role[v].layout),
                       ir::threads_along(c.role[v].layout, ir::Axis::col),
                       lowering::vector_of(c.role));
}

std::string value_type(const RoleContext& c, ir::Value v) {
    const auto* element = std::get_if<ir::ElementType>(&c.role[v].type);
    if (element == nullptr && ir::is_number(c.role, v)) return scalar_type(c.role.tile(v).dtype);
    return element != nullptr ? cursor_type(c, element->pipeline) : register_type(c, v);
}

// Whether the variable of `block[at]`, a ReadNumber, keeps its value for as long as the number that
// was read is used: `n = n + 1`.
static bool keeps_number(const ir::Role& role, const ir::Block& block, std::size_t at) {
    const auto& read = std::get<ir::ReadNumber>(block[at].node);
    if (!ir::is_number(role, read.source)) return false;
    bool written = false;
    for (std::size_t i = at + 1; i < block.size(); ++i) {
        bool used = false;
        bool changed = false;
        const auto look = [&](const ir::Op& op) {
            ir::for_each_scalar(op, [&](const ir::Scalar& s) {
                if (s && ir::symbols_of(s).contains(read.name)) used = true;
            });
            changed = changed || ir::writes(op, read.source);
        };
        look(block[i]);
        ir::for_each_block(block[i], [&](const ir::Block& inner) { ir::walk(inner, look); });
        // Some maps are computed only where their result is written away.
        const bool computed_later = ir::as<ir::Map>(block[i]) != nullptr;
        if (used && (written || computed_later)) return false;
        // An assignment reads before it writes; a block may do so in any order.
        if (used && changed && ir::as<ir::Splat>(block[i]) == nullptr) return false;
        written = written || changed;
    }
    return true;
}

std::set<std::string> numbers_named_by_variables(const ir::Role& role) {
    std::set<std::string> names;
    ir::walk_blocks(role.body, [&](const ir::Block& block) {
        for (std::size_t i = 0; i < block.size(); ++i) {
            if (ir::as<ir::ReadNumber>(block[i]) != nullptr && keeps_number(role, block, i))
                names.insert(std::get<ir::ReadNumber>(block[i].node).name);
        }
    });
    return names;
}

Expr thread_of_role(RoleContext& c) {
    const Expr own = use(c.thread);
    const Expr before = c.role.unit == ir::Unit::warpgroup ? part_offset(c, 128) : nullptr;
    return before ? binary(BinaryOp::add, before, own) : own;
}

Expr part_offset(RoleContext& c, std::int64_t extent) {
    if (c.warpgroups() == 1) return nullptr;
    const Expr warpgroup = use(c.warpgroup);
    return extent == 1 ? warpgroup : binary(BinaryOp::multiply, literal(extent), warpgroup);
}

Expr plus(Expr a, Expr b) {
    if (!a) return b ? b : literal(0);
    return b ? binary(BinaryOp::add, std::move(a), std::move(b)) : a;
}

Expr scalar(RoleContext& c, const ir::Scalar& s) {
    if (!ir::symbols_of(s).contains(ir::warpgroup_symbol) ||
        c.scope.symbols.contains(ir::warpgroup_symbol)) {
        return emit_scalar(s, c.scope);
    }
    const bool warps = c.role.unit == ir::Unit::warp && c.role.warps() > 1;
    if (c.warpgroups() == 1 && c.role.copies == 1 && !warps) {
        return emit_scalar(ir::substitute(s, {{ir::warpgroup_symbol, ir::integer(0)}}), c.scope);
    }
    c.scope.symbols[ir::warpgroup_symbol] = {use(c.warpgroup), true};
    const Expr value = emit_scalar(s, c.scope);
    c.scope.symbols.erase(ir::warpgroup_symbol);
    return value;
}

// ---- statements --------------------------------------------------------------------------------

void guarded(Expr lane, Stmt statement, Block& out) {
    const auto* name = std::get_if<Atom>(&lane->node);
    if (!out.empty() && name != nullptr) {
        auto* before = std::get_if<If>(&out.back().node);
        const auto* same =
            before == nullptr ? nullptr : std::get_if<Atom>(&before->condition->node);
        if (same != nullptr && same->text == name->text) {
            before->then_body.push_back(std::move(statement));
            return;
        }
    }
    out.push_back(stmt(If{std::move(lane), {std::move(statement)}, {}}));
}

void define(RoleContext& c, ir::Value v, Expr value, Block& out) {
    if (c.declares_here != v) {
        out.push_back(assign(value_name(c, v), std::move(value)));
        return;
    }
    // Products take register operands by reference, so tiles are not const.
    const bool element = std::holds_alternative<ir::ElementType>(c.role[v].type);
    const char* constness = element && !c.role[v].variable ? "const " : "";
    out.push_back(declare(constness + value_type(c, v), c.values.at(v.id), std::move(value)));
}

// Where the comment of a line begins, or its end. After an operand `//` divides.
static std::size_t comment_begin(std::string_view line) {
    bool in_text = false, operand = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"') in_text = !in_text;
        if (!in_text && line.substr(i, 2) == "//") {
            if (!operand) return i;
            ++i;
            operand = false;
        } else if (c != ' ' && c != '\t') {
            const auto letter = static_cast<unsigned char>(c);
            operand = std::isalnum(letter) != 0 || c == '_' || c == ')' || c == ']' || c == '"';
        }
    }
    return line.size();
}

std::string quote_line(const SourceManager* sources, Span span) {
    if (sources == nullptr || !is_known(span)) return "";
    const SourceFile& file = sources->file(span.file);
    const LineColumn at = file.line_column(span.begin);
    std::string text(file.line(at.line));
    text.resize(comment_begin(text));
    const std::size_t first = text.find_first_not_of(" \t");
    const std::size_t last = text.find_last_not_of(" \t\r");
    if (first == std::string::npos) return "";
    const std::size_t slash = file.path.find_last_of("/\\");
    return fmt::format("{}:{}: {}", file.path.substr(slash == std::string::npos ? 0 : slash + 1),
                       at.line, text.substr(first, last - first + 1));
}

void note_source(RoleContext& c, Span span) {
    if (c.kernel.sources == nullptr || !is_known(span)) return;
    c.last_file = span.file;
    c.last_line = c.kernel.sources->begin(span).line;
}

void source_comment(RoleContext& c, Span span, Block& out) {
    const std::string quote = quote_line(c.kernel.sources, span);
    if (quote.empty()) return;
    const auto before = std::pair(c.last_file, c.last_line);
    note_source(c, span);
    const auto here = std::pair(c.last_file, c.last_line);
    if (here == before) return;
    // Of a line that was quoted above, only the place is said.
    const bool first = c.quoted_lines.insert(here).second;
    if (first) out.push_back(blank());
    out.push_back(stmt(Comment{first ? quote : quote.substr(0, quote.find(": ")), true}));
}

namespace {

// The value that an operation can declare together with its first assignment.
ir::Value declarable(const RoleContext& c, const ir::Op& op) {
    if (const auto* take = ir::as<ir::Take>(op)) return take->result;
    if (const auto* copy = ir::as<ir::Copy>(op)) return copy->result;
    if (const auto* splat = ir::as<ir::Splat>(op); splat && ir::is_number(c.role, splat->result))
        return splat->result;
    if (const auto* whole = ir::as<ir::Complete>(op)) return whole->result;
    if (const auto* read = ir::as<ir::ReadShared>(op); read && read->in_place) return read->result;
    const auto* map = ir::as<ir::Map>(op);
    if (map != nullptr && is_conversion(c, *map)) return map->result;
    return {};
}

// Whether the compiler inserted it: it belongs to the code next to it.
bool follows_another(const ir::Op& op) {
    return ir::as<ir::Field>(op) != nullptr || ir::as<ir::Window>(op) != nullptr ||
           ir::as<ir::Wait>(op) != nullptr || ir::as<ir::Release>(op) != nullptr;
}

// Whether the operation is among those that find the next program, and whether it is the first.
struct FetchPart {
    bool any = false;
    bool first = false;
};
FetchPart fetch_part(const RoleContext& c, const ir::Op& op) {
    if (!c.kernel.kernel.dynamic) return {};
    const auto of = [&](const std::string& pipeline) {
        return ir::holds_program_numbers(*ir::find_pipeline(c.kernel.kernel, pipeline));
    };
    if (const auto* acquire = ir::as<ir::Acquire>(op))
        return {of(acquire->pipeline), of(acquire->pipeline)};
    if (const auto* take = ir::as<ir::Take>(op)) return {of(take->pipeline), of(take->pipeline)};
    if (const auto* publish = ir::as<ir::Publish>(op)) return {of(publish->pipeline)};
    return {ir::as<ir::FetchProgram>(op) != nullptr || ir::as<ir::SetProgram>(op) != nullptr};
}

}  // namespace

void emit_block(RoleContext& c, const ir::Block& block, Block& out) {
    for (const ir::Op& op : block) {
        const FetchPart fetch = fetch_part(c, op);
        if (fetch.first) {
            out.push_back(blank());
            out.push_back(comment("The next program."));
        } else if (!fetch.any && !follows_another(op)) {
            source_comment(c, op.span, out);
        }
        c.declares_here = {};
        const auto place = c.placement.find(&op);
        if (place != c.placement.end()) {
            for (const ir::Value v : place->second) {
                if (!c.values.contains(v.id)) continue;  // a view needs no declaration
                if (declarable(c, op) == v) {
                    c.declares_here = v;
                } else {
                    out.push_back(declare(value_type(c, v), c.values.at(v.id)));
                }
            }
        }
        emit_op(c, op, out);
    }
}

}  // namespace tkc::cuda
