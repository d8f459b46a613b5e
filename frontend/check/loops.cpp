// Loops, and the spaces that name them. A walk through a space becomes the loops that the space
// stands for, so that no later stage knows of spaces:
//
//     space queries = (h in g..g + 2, i in n.start..M by 64);
//     for (a, b) in queries { .. }      becomes     for a in g..g + 2, b in n.start..M by 64 { .. }
#include "frontend/check/loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontend/check/builder.h"
#include "frontend/check/context.h"
#include "frontend/check/limits.h"
#include "frontend/check/names.h"
#include "frontend/check/numbers.h"
#include "frontend/check/statements.h"
#include "frontend/check/types.h"
#include "frontend/parse/ast_walk.h"

namespace tkc::checker {

LoopRange Loops::check_iter(const ast::Iter& iter) {
    LoopRange range;
    if (iter.begin) range.begin = types_.check_control(*iter.begin, "the bound of a loop");
    if (const ast::Call* call = call_of(*iter.end, "range"); call != nullptr && !iter.begin) {
        DiagnosticBuilder message =
            context_.error(iter.end->span, msg::operand_kind, "the bound of a loop", "an integer",
                           "the tile that `range` returns");
        message.help("a loop over integers is `for i in 4 { .. }` or `for i in a..b by s { .. }`");
    } else {
        range.end = types_.check_control(*iter.end, "the bound of a loop");
    }
    if (!range.begin) range.begin = ir::integer(0);
    if (!range.end) range.end = ir::integer(0);
    range.reversed = iter.reversed;
    range.tiles = iter.step != nullptr;
    if (!range.tiles) return range;
    const std::optional<std::int64_t> width = types_.check_width(
        *iter.step, fmt::format("a loop from the end is `for {} in reversed ..`, with an ascending "
                                "range and a positive width",
                                iter.name.text));
    range.known = width.has_value();
    range.step = width.value_or(1);
    return range;
}

void Loops::declare_loop_index(const ast::Name& name, const std::string& symbol,
                               const LoopRange& range) {
    const bool aligned = numbers_.is_multiple(range.begin, range.step);
    numbers_.multiples[symbol] = aligned ? range.step : 1;
    numbers_.known_here.emplace_back(std::pair(symbol, range));
    numbers_.range_begins[symbol] = range.begin;
    Operand value = ir::symbol(symbol);
    if (range.tiles) value = TileIndex{ir::symbol(symbol), range.step, aligned};
    if (!range.known) value = Poison{};
    names_.declare(EntityKind::loop_index, name, std::move(value));
}

// A loop keeps its name, unless that means something else around it.
std::string Loops::symbol_for(const std::string& name) {
    if (names_.scope.find(name) == nullptr) return builder_.loop_name(name);
    const auto is_open = [&](const std::string& symbol) {
        return std::find(open_symbols_.begin(), open_symbols_.end(), symbol) != open_symbols_.end();
    };
    for (int n = 2;; ++n) {
        const std::string symbol = fmt::format("{}_{}", name, n);
        const std::string in_role = builder_.role->name + "." + symbol;
        const bool own = inner_symbols_.contains(in_role);  // of such a loop that is over
        if (is_open(symbol) || (!own && builder_.used_names.contains(symbol))) continue;
        inner_symbols_.insert(in_role);
        return builder_.loop_name(symbol);
    }
}

ir::For Loops::open_loop(const ast::Name& name, const LoopRange& range) {
    ir::For made;
    made.var = symbol_for(name.text);
    made.begin = range.begin;
    made.end = range.end;
    made.step = range.step;
    made.reversed = range.reversed;
    declare_loop_index(name, made.var, range);
    open_symbols_.push_back(made.var);
    if (++open_loops_ == loop_limit + 1)
        context_.error(name.span, msg::loops_too_deep, loop_limit)
            .help("one loop can walk a `space` of several variables, or a product of extents");
    numbers_.forget_reads();
    builder_.shared_names.open_loop();
    builder_.open_block();
    return made;
}

// The innermost loop is the last.
void Loops::close_loops(std::vector<ir::For> nest, Span whole) {
    context_.statement = whole;
    while (!nest.empty()) {
        --open_loops_;
        open_symbols_.pop_back();
        numbers_.known_here.pop_back();
        builder_.shared_names.close_loop();
        nest.back().body = builder_.close_block();
        builder_.emit(std::move(nest.back()));
        nest.pop_back();
    }
}

std::int64_t Loops::check_depth(const std::optional<ast::Pipelined>& word) {
    if (!word) return 1;
    if (context_.has_roles()) {
        context_.error(word->span, msg::pipelined_in_role)
            .help("remove the keyword: `produce` runs ahead by as many stages as the pipeline has");
        return 1;
    }
    constexpr std::int64_t usual = 2;
    std::int64_t depth = usual;
    if (word->depth)
        depth = types_.check_constant(*word->depth, "the depth of a pipelined loop", 1, depth_limit)
                    .value_or(1);
    // With products the word asks for roles, which are made of the text (frontend/derive).
    const bool products = builder_.role != nullptr && (builder_.role->unit == ir::Unit::warpgroup ||
                                                       context_.products_by_warps);
    return products ? 1 : depth;
}

void Loops::check_for(const ast::For& loop) {
    const std::int64_t depth = check_depth(loop.pipelined);
    const Span whole = context_.statement;
    const Scope::Mark mark = names_.scope.open();
    std::vector<ir::For> nest;
    for (const ast::Iter& iter : loop.iters) nest.push_back(open_loop(iter.name, check_iter(iter)));
    nest.back().depth = depth;
    statements_.check_body(loop.body);
    close_loops(std::move(nest), whole);
    names_.close_scope(mark);
}

const Space* Loops::find_space(const ast::ForSpace& loop) {
    const Entity* entity = names_.lookup(loop.space.span, loop.space.text, "space");
    if (entity == nullptr || is_poison(entity->value)) return nullptr;
    const auto* named = std::get_if<SpaceName>(&entity->value);
    if (named == nullptr) {
        DiagnosticBuilder message = context_.error(loop.space.span, msg::operand_kind, "`for (..)`",
                                                   "a space", kind_text(entity->kind));
        message.label(entity->span, "declared here");
        const bool number = is_scalar(entity->value) && is_integer(scalar(entity->value)->dtype);
        if (number && loop.names.size() == 1)
            message.help("write `for {} in {}`", loop.names[0].text, loop.space.text);
        return nullptr;
    }
    const Space& space = spaces_.at(named->name);
    const auto count = [](std::size_t n, std::string_view what) {
        return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
    };
    if (loop.names.size() == space.ranges.size()) return &space;
    context_
        .error(join(loop.names.front().span, loop.names.back().span), msg::space_names, named->name,
               count(space.ranges.size(), "variable"), count(loop.names.size(), "name"))
        .label(entity->span, "declared here");
    return nullptr;
}

void Loops::check_for_space(const ast::ForSpace& loop) {
    const std::int64_t depth = check_depth(loop.pipelined);
    const Span whole = context_.statement;
    const Space* space = find_space(loop);
    const Scope::Mark mark = names_.scope.open();
    std::vector<ir::For> nest;
    std::map<std::string, ir::Scalar> variables;
    for (std::size_t i = 0; i < loop.names.size(); ++i) {
        LoopRange range{ir::integer(0), ir::integer(0)};
        range.known = space != nullptr;
        if (space != nullptr) range = space->ranges[i];
        range.begin = ir::substitute(range.begin, variables);
        range.end = ir::substitute(range.end, variables);
        nest.push_back(open_loop(loop.names[i], range));
        if (space != nullptr) variables[space->symbols[i]] = ir::symbol(nest.back().var);
    }
    nest.back().depth = depth;
    statements_.check_body(loop.body);
    close_loops(std::move(nest), whole);
    names_.close_scope(mark);
}

// Its variables end with the declaration, but their names are free of those of the kernel, as any
// variable's. Their symbols are not names of the language, so that they meet no other.
void Loops::check_space(const ast::Space& space) {
    Space made;
    context_.space_syntax = &space;
    const Scope::Mark mark = names_.scope.open();
    for (const ast::Iter& iter : space.iters) {
        made.ranges.push_back(check_iter(iter));
        made.symbols.push_back(space.name.text + "." + iter.name.text);
        declare_loop_index(iter.name, made.symbols.back(), made.ranges.back());
    }
    names_.close_scope(mark);
    numbers_.known_here.resize(numbers_.known_here.size() - space.iters.size());
    context_.space_syntax = nullptr;
    spaces_[space.name.text] = std::move(made);
}

ir::Scalar Loops::points(const Space& space, Span span) {
    ir::Scalar count = ir::integer(1);
    for (const LoopRange& range : space.ranges) {
        for (const std::string& used : ir::symbols_of(ir::add(range.begin, range.end))) {
            const auto& own = space.symbols;
            if (std::find(own.begin(), own.end(), used) == own.end()) continue;
            context_.not_yet(span, NotYet::dependent_weights);
            return nullptr;
        }
        const ir::Scalar steps =
            ir::ceil_div(ir::sub(range.end, range.begin), ir::integer(range.step));
        count = ir::mul(count, ir::call(Function::max, {steps, ir::integer(0)}));
    }
    return count;
}

}  // namespace tkc::checker
