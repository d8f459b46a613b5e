// Checks of contextual words and of the shape of calls, assignments and numbers.
#include "frontend/parse/ast_builder.h"

#include <algorithm>
#include <charconv>

#include "base/spelling.h"
#include "language/dtype.h"

namespace tkc {
namespace {

// A table from spellings to values; null where the spelling is not in it.
template <typename Value, std::size_t n>
const Value* find(const std::pair<std::string_view, Value> (&table)[n], std::string_view spelling) {
    for (const auto& row : table) {
        if (row.first == spelling) return &row.second;
    }
    return nullptr;
}

using Mode = ast::ParamMode;
constexpr std::pair<std::string_view, Mode> param_modes[] = {
    {"out", Mode::out},         {"inout", Mode::inout},     {"accumulate", Mode::accumulate},
    {"scratch", Mode::scratch}, {"counter", Mode::counter},
};

constexpr std::pair<std::string_view, ast::HintKind> hint_kinds[] = {
    {"multicast", ast::HintKind::multicast},
    {"allow_foreign", ast::HintKind::allow_foreign},
    {"evict_first", ast::HintKind::evict_first},
    {"evict_last", ast::HintKind::evict_last},
};

using Op = ast::BinaryOp;
constexpr std::pair<std::string_view, Op> binary_ops[] = {
    {"or", Op::logical_or},  {"and", Op::logical_and},
    {"==", Op::equal},       {"!=", Op::not_equal},
    {"<", Op::less},         {"<=", Op::less_equal},
    {">", Op::greater},      {">=", Op::greater_equal},
    {"|", Op::bit_or},       {"^", Op::bit_xor},
    {"&", Op::bit_and},      {"<<", Op::shift_left},
    {">>", Op::shift_right}, {"+", Op::add},
    {"-", Op::subtract},     {"*", Op::multiply},
    {"/", Op::divide},       {"//", Op::floor_divide},
    {"%", Op::remainder},    {"@", Op::matmul},
};

constexpr std::pair<std::string_view, ast::UnaryOp> unary_ops[] = {
    {"-", ast::UnaryOp::negate}, {"not", ast::UnaryOp::logical_not}, {"~", ast::UnaryOp::bit_not}};

constexpr std::pair<std::string_view, ast::AssignOp> assign_ops[] = {
    {"=", ast::AssignOp::set},       {"+=", ast::AssignOp::add},    {"-=", ast::AssignOp::subtract},
    {"*=", ast::AssignOp::multiply}, {"/=", ast::AssignOp::divide},
};

}  // namespace

// ---- words ----

ast::Name AstBuilder::name(std::size_t token) const {
    return {list_.span(token), std::string(list_.text(token))};
}

std::string AstBuilder::quoted(Span span) const {
    std::string_view all = list_.source.substr(span.begin, span.end - span.begin);
    bool is_long = all.size() > 40 || all.find('\n') != all.npos;
    return is_long ? "this expression" : fmt::format("`{}`", all);
}

void AstBuilder::unknown_word(std::string_view what, std::size_t token,
                              const std::vector<std::string_view>& known) {
    std::string_view found = list_.text(token);
    auto error = diag_.error(list_.span(token), msg::unknown_word, what, found);
    if (auto near = nearest(found, known); !near.empty()) {
        error.help("did you mean `{}`?", near);
        if (near == only_slip(found, known)) error.fix(list_.span(token), std::string(near));
    } else error.help("expected `{}`", fmt::join(known, "`, `"));
}

void AstBuilder::wrong_arguments(std::size_t word, std::string_view what) {
    diag_.error(list_.span(word), msg::word_arguments, list_.text(word), what);
}

void AstBuilder::word(std::size_t token, std::string_view what, std::string_view spelling) {
    if (!list_.is(token, spelling)) unknown_word(what, token, {spelling});
}

// ---- parameters ----

ast::ConstParam AstBuilder::const_param(Span span, const std::vector<std::size_t>& words,
                                        ast::ExprPtr default_value) {
    ast::ConstParam param{span, name(words.back()), ast::ConstKind::integer,
                          std::move(default_value)};
    each_once({words.begin(), words.end() - 1});
    const std::string_view last = list_.text(words.back());
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (list_.is(words[i], "schedule")) {
            param.schedule = list_.span(words[i]);
        } else if (last == "int" || last == "bool" || last == "dtype") {
            diag_.error(param.name.span, msg::expected_token, "`:` after the constant name",
                        fmt::format("`{}`", last));
        } else {
            unknown_word("keyword before a constant", words[i], {"schedule"});
        }
    }
    return param;
}

ast::ConstKind AstBuilder::const_kind(std::size_t token) {
    if (list_.is(token, "bool")) return ast::ConstKind::boolean;
    if (list_.is(token, "dtype")) return ast::ConstKind::dtype;
    if (!list_.is(token, "int")) {
        unknown_word("kind of constant", token, {"int", "bool", "dtype"});
    }
    return ast::ConstKind::integer;
}

std::vector<ast::ConstParam> AstBuilder::without_schedule(std::vector<ast::ConstParam> consts,
                                                          std::string_view of) {
    for (ast::ConstParam& constant : consts) {
        if (!constant.schedule) continue;
        diag_.error(*constant.schedule, msg::schedule_of_kernels, of)
            .help("remove it; if a kernel has the constant, mark it there");
        constant.schedule.reset();
    }
    return consts;
}

void AstBuilder::misplaced_forward(Span span) {
    diag_.error(span, msg::expected_token, "a constant", "`..`")
        .help("in an entry, `f<..>(..)` passes the constants of the same names to a kernel");
}

bool AstBuilder::is_no_mode(std::size_t word) const {
    return !list_.is(word, "ranks") && !find(param_modes, list_.text(word));
}

ast::KernelParam AstBuilder::kernel_param(Span span, const std::vector<std::size_t>& words,
                                          std::optional<ast::Type> type,
                                          std::vector<ast::ExprPtr> extents) {
    ast::KernelParam param{span, Mode::in, false, name(words.back()), {}};
    if (!type && words.size() > 1 && is_no_mode(words[words.size() - 2])) {
        diag_.error(param.name.span, msg::expected_token, "`:` after the parameter name",
                    fmt::format("`{}`", param.name.text));
        return param;
    }
    std::string_view previous;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        std::string_view spelling = list_.text(words[i]);
        if (spelling == "ranks") {
            param.is_ranks = true;
        } else if (is_no_mode(words[i])) {
            unknown_word("parameter mode", words[i],
                         {"out", "inout", "accumulate", "scratch", "counter", "ranks"});
        } else if (!previous.empty()) {
            diag_.error(list_.span(words[i]), msg::conflicting_modes, previous, spelling);
        } else {
            param.mode = *find(param_modes, spelling);
            previous = spelling;
        }
    }
    bool is_counter = param.mode == Mode::counter;
    if (type) {
        param.type = std::move(*type);
        if (is_counter) {
            diag_.error(param.type.span, msg::expected_token, "the extents of the counter in `[]`",
                        "a type");
        }
    } else {
        Span place = list_.span(words.front());
        param.type = {span, {place, {{place, "counter"}}}, {}, std::move(extents), {}};
        if (!is_counter) {
            diag_.error({span.file, param.name.span.end, span.end}, msg::expected_token,
                        "`:` after the parameter name", "`[`");
        }
    }
    return param;
}

ast::FnParam AstBuilder::fn_param(Span span, const std::vector<std::size_t>& words,
                                  ast::Type type) {
    ast::FnParam param{span, ast::FnParamMode::value, name(words.back()), std::move(type)};
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        std::string_view spelling = list_.text(words[i]);
        if (i > 0) {
            diag_.error(list_.span(words[i]), msg::conflicting_modes, list_.text(words[i - 1]),
                        spelling);
        } else if (spelling == "const") {
            param.mode = ast::FnParamMode::constant;
        } else if (spelling == "inout") {
            param.mode = ast::FnParamMode::inout;
        } else {
            unknown_word("parameter mode", words[i], {"const", "inout"});
        }
    }
    return param;
}

// ---- grid and role attributes ----

void AstBuilder::each_once(const std::vector<std::size_t>& words) {
    for (auto word = words.begin(); word != words.end(); ++word) {
        const bool again = std::any_of(words.begin(), word, [&](std::size_t before) {
            return list_.text(before) == list_.text(*word);
        });
        if (again) wrong_arguments(*word, "is already written here");
    }
}

ast::ExprPtr AstBuilder::only_argument(std::size_t word, std::vector<ast::Arg>& args,
                                       std::string_view example) {
    bool plain = args.size() == 1 && !args[0].name && !args[0].is_inout;
    if (plain) return std::move(args[0].value);
    wrong_arguments(word, fmt::format("has one argument: `{}`", example));
    return nullptr;
}

ast::GridWord AstBuilder::raster(Span span, std::size_t word, std::vector<ast::Arg>& args) {
    auto* axis = args.size() == 2 ? std::get_if<ast::NameRef>(&args[0].value->node) : nullptr;
    if (axis && !args[0].name && !args[1].name) {
        return {span, ast::Raster{{args[0].span, axis->text}, std::move(args[1].value)}};
    }
    wrong_arguments(word, "has a grid variable and a number: `raster(m, 8)`");
    return {span, ast::Persistent{}};
}

ast::GridWord AstBuilder::grid_word(Span span, std::size_t word, std::vector<ast::Arg> args) {
    std::string_view spelling = list_.text(word);
    if (spelling == "raster") return raster(span, word, args);
    if (spelling == "heaviest_first") {
        return {span, ast::HeaviestFirst{only_argument(word, args, "heaviest_first(end)")}};
    }
    if (spelling == "dynamic") {
        if (args.empty()) return {span, ast::Dynamic{}};
        return {span, ast::Dynamic{only_argument(word, args, "dynamic(true)")}};
    }
    if (spelling == "warps") return {span, ast::Warps{only_argument(word, args, "warps(8)")}};
    if (spelling == "blocks_per_sm") {
        return {span, ast::BlocksPerSm{only_argument(word, args, "blocks_per_sm(2)")}};
    }
    if (spelling == "spills") return {span, ast::Spills{only_argument(word, args, "spills(16)")}};
    if (spelling == "cluster") {
        ast::Cluster cluster;
        for (ast::Arg& arg : args) {
            cluster.sizes.push_back({arg.span, std::move(arg.name), std::move(arg.value)});
        }
        if (args.empty()) {
            wrong_arguments(word,
                            "has the number of programs along a grid variable: `cluster(m = 2)`");
        }
        return {span, std::move(cluster)};
    }
    if (spelling != "persistent" && spelling != "pingpong") {
        unknown_word("grid attribute", word,
                     {"persistent", "dynamic", "raster", "heaviest_first", "warps", "blocks_per_sm",
                      "spills", "cluster", "pingpong"});
    } else if (!args.empty()) {
        wrong_arguments(word, "has no arguments");
    }
    if (spelling == "pingpong") return {span, ast::Pingpong{}};
    return {span, ast::Persistent{}};
}

ast::RoleUnit AstBuilder::role_unit(std::size_t token) {
    std::string_view unit = list_.text(token);
    if (unit == "warpgroup" || unit == "warpgroups") return ast::RoleUnit::warpgroup;
    if (unit != "warp" && unit != "warps") {
        unknown_word("unit of a role's width", token, {"warp", "warps", "warpgroup", "warpgroups"});
    }
    return ast::RoleUnit::warp;
}

ast::RoleWord AstBuilder::role_word(Span span, std::size_t word, ast::ExprPtr argument) {
    std::string_view spelling = list_.text(word);
    if (spelling == "registers") {
        if (!argument) wrong_arguments(word, "has one argument: `registers(240)`");
        return {span, ast::Registers{std::move(argument)}};
    }
    if (spelling == "alternate") return {span, ast::Alternate{std::move(argument)}};
    if (spelling != "pingpong")
        unknown_word("role attribute", word, {"pingpong", "alternate", "registers"});
    else if (argument) wrong_arguments(word, "has no arguments");
    return {span, ast::Pingpong{}};
}

ast::ExprPtr AstBuilder::partition_size(ast::ExprPtr size) {
    auto* name = std::get_if<ast::NameRef>(&size->node);
    if (name && name->text == "rest") return nullptr;
    return size;
}

// ---- tests ----

ast::ExpectError AstBuilder::expect_error(std::size_t word_token, std::size_t text) {
    word(word_token, "keyword of an `expect`", "error");
    if (text != word_token + 1) {
        diag_.error(list_.span(word_token + 1), msg::expected_token, "a string",
                    fmt::format("`{}`", list_.text(word_token + 1)));
    }
    std::string_view spelling = list_.text(text);
    return {list_.span(text), std::string(spelling.substr(1, spelling.size() - 2))};
}

// ---- statements ----

ast::Stmt AstBuilder::simple(Span span, ast::ExprPtr target, std::size_t op, ast::ExprPtr value) {
    if (op == no_token) {
        if (!std::holds_alternative<ast::Call>(target->node)) {
            auto error = diag_.error(target->span, msg::expression_statement);
            auto* word = std::get_if<ast::NameRef>(&target->node);
            if (word && !habit(word->text).empty()) error.help(std::string(habit(word->text)));
        }
        return {span, ast::CallStmt{std::move(target)}};
    }
    bool place = std::holds_alternative<ast::NameRef>(target->node) ||
                 std::holds_alternative<ast::Member>(target->node) ||
                 std::holds_alternative<ast::Index>(target->node);
    if (!place) diag_.error(target->span, msg::not_assignable, quoted(target->span));
    ast::AssignOp kind = *find(assign_ops, list_.text(op));
    return {span, ast::Assign{std::move(target), kind, list_.span(op), std::move(value)}};
}

// ---- expressions ----

ast::Name AstBuilder::left_name(ast::ExprPtr left, std::string_view where) {
    if (auto* name = std::get_if<ast::NameRef>(&left->node)) return {left->span, name->text};
    auto error = diag_.error(left->span, msg::not_a_name, where);
    const bool compares = !std::holds_alternative<ast::IntLiteral>(left->node);
    error.help(compares ? "write `==` to compare" : "the name comes first: `NAME = value`");
    return {left->span, ""};
}

ast::ExprPtr AstBuilder::call(Span span, ast::Call call) {
    const ast::Expr* callee = call.callee.get();
    while (auto* member = std::get_if<ast::Member>(&callee->node)) callee = member->base.get();
    if (!std::holds_alternative<ast::NameRef>(callee->node)) {
        auto error = diag_.error(call.callee->span, msg::not_callable, quoted(call.callee->span));
        const auto* index = std::get_if<ast::Index>(&callee->node);
        const auto* base =
            index == nullptr ? nullptr : std::get_if<ast::NameRef>(&index->base->node);
        const std::string type = quoted(callee->span);
        if (base != nullptr && find_dtype(base->text))
            error.help("a tile is declared with its type: `var x: {} = 0;`",
                       type.substr(1, type.size() - 2));
        else error.help("a product is written with `*`");
    }
    return expr(span, std::move(call));
}

ast::Hint AstBuilder::hint(Span span, std::size_t word, std::optional<ast::Name> axis) {
    ast::HintKind kind = *find(hint_kinds, list_.text(word));
    if (axis && kind != ast::HintKind::multicast) wrong_arguments(word, "has no arguments");
    return {span, kind, std::move(axis)};
}

ast::ExprPtr AstBuilder::binary(ast::ExprPtr left, std::size_t op, ast::ExprPtr right) {
    Span span = join(left->span, right->span);
    return expr(span, ast::Binary{*find(binary_ops, list_.text(op)), list_.span(op),
                                  std::move(left), std::move(right)});
}

ast::ExprPtr AstBuilder::unary(Span span, std::size_t op, ast::ExprPtr operand) {
    return expr(span,
                ast::Unary{*find(unary_ops, list_.text(op)), list_.span(op), std::move(operand)});
}

void AstBuilder::chained_comparison(std::size_t first, std::size_t second) {
    diag_.error(list_.span(second), msg::chained_comparison)
        .label(list_.span(first), "the first comparison")
        .help("write `a {} b and b {} c`", list_.text(first), list_.text(second));
}

ast::ExprPtr AstBuilder::in_parentheses(Span span, ast::ExprPtr inner) {
    bool is_leaf = std::holds_alternative<ast::NameRef>(inner->node) ||
                   std::holds_alternative<ast::IntLiteral>(inner->node) ||
                   std::holds_alternative<ast::FloatLiteral>(inner->node);
    if (!is_leaf) inner->span = span;
    return inner;
}

ast::ExprPtr AstBuilder::literal(std::size_t token) {
    Span span = list_.span(token);
    std::string text(list_.text(token));
    const char* end = text.data() + text.size();
    const TokenKind kind = list_.tokens[token].kind;
    if (kind == TokenKind::Int) {
        std::erase(text, '_');
        bool hex = text.starts_with("0x");
        std::uint64_t value = 0;
        const char* begin = text.data() + (hex ? 2 : 0);
        auto error = std::from_chars(begin, text.data() + text.size(), value, hex ? 16 : 10).ec;
        bool fits = error == std::errc() && value >> 63 == 0;
        if (!fits) diag_.error(span, msg::number_too_large, list_.text(token));
        return expr(span, ast::IntLiteral{value});
    }
    if (kind == TokenKind::Float) {
        double value = 0;
        bool fits = std::from_chars(text.data(), end, value).ec == std::errc();
        if (!fits)
            diag_.error(span, msg::number_too_large, list_.text(token))
                .help("infinity is written `inf`");
        return expr(span, ast::FloatLiteral{value});
    }
    if (kind == TokenKind::String)
        return expr(span, ast::StringLiteral{text.substr(1, text.size() - 2)});
    if (kind == TokenKind::Keyword) {
        if (text == "inf") return expr(span, ast::Infinity{});
        return expr(span, ast::BoolLiteral{text == "true"});
    }
    return expr(span, ast::NameRef{text});
}

}  // namespace tkc
