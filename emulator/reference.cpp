// The statements and expressions of references. The checker has seen them (check_reference_body):
// names and calls are right, and only shapes and values can be wrong here.
#include "emulator/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/overloaded.h"
#include "emulator/reference_functions.h"
#include "emulator/reference_values.h"
#include "emulator/selection.h"
#include "language/operation.h"

namespace tkc::emulator {

namespace {

class Evaluator {
public:
    explicit Evaluator(const EvaluationContext& context) : context_(context) {
        scopes_.emplace_back();
        define_numbers();
    }

    void define(const std::string& name, Array array) {
        scopes_.back().insert_or_assign(name, Slot{share(std::move(array)), false, {}, {}});
    }
    // An output that begins as an input does.
    void define_output(const std::string& name, Array array, Dtype dtype) {
        const std::optional<Dtype> whole = is_integer(dtype) ? std::optional(dtype) : std::nullopt;
        scopes_.back().insert_or_assign(name, Slot{share(std::move(array)), true, {}, whole});
    }
    void define_output(const std::string& name, const Shape& shape, Dtype dtype) {
        const NumberKind kind = is_integer(dtype) ? NumberKind::integer : NumberKind::real;
        Array array = Array::zeros(shape, kind);
        array.wraps = wrapping(dtype);
        define_output(name, std::move(array), dtype);
    }
    void define_dtype(const std::string& name, Dtype dtype) { dtypes_.emplace(name, dtype); }
    // A constant that names a function.
    void define_function(const std::string& name, const std::string& callee) {
        if (context_.functions == nullptr) return;
        if (const auto found = context_.functions->find_value(callee))
            functions_.emplace(name, *found);
    }

    void run(const ast::Block& block) {
        scopes_.emplace_back();
        for (const ast::Stmt& stmt : block.stmts) {
            run(stmt);
            if (returned_) break;
        }
        scopes_.pop_back();
    }

    Array take(const std::string& name) { return *std::get<Shared>(find(name)->value); }

    Shared evaluate(const ast::Expr& expr) {
        Value value = evaluate_any(expr);
        if (auto* array = std::get_if<Shared>(&value)) return std::move(*array);
        fail(expr.span, "a tile index is not a scalar").help("write `.start` or `.index` after it");
        throw ReferenceStop{};
    }

private:
    // ---- messages

    std::string text(Span span) const { return std::string(context_.sources.text(span)); }

    DiagnosticBuilder fail(Span span, const std::string& what) {
        return context_.diag.error(span, msg::reference_value, what, context_.test);
    }
    [[noreturn]] void stop(Span span, const std::string& what) {
        fail(span, what);
        throw ReferenceStop{};
    }
    [[noreturn]] void stop_shapes(Span span, const std::string& what, const Shape& a,
                                  const Shape& b, const Sides& sides = {}) {
        DiagnosticBuilder message = context_.diag.error(span, msg::reference_shapes, what,
                                                        to_string(a), to_string(b), context_.test);
        if (const std::string drawn = shape_diagrams(a, b, sides, what == "`@`"); !drawn.empty())
            message.note("{}", drawn);
        throw ReferenceStop{};
    }

    // Runs `f`, and says where what it throws happened. `operands`: of a binary operation.
    template <class F>
    auto at(Span span, F f, const ast::Binary* operands = nullptr) {
        try {
            return f();
        } catch (const ValueError& error) {
            DiagnosticBuilder message = fail(span, error.what());
            if (!error.help.empty()) message.help("{}", error.help);
            throw ReferenceStop{};
        } catch (const ShapeError& error) {
            const Sides sides = operands == nullptr ? Sides{}
                                                    : Sides{text(operands->left->span),
                                                            text(operands->right->span)};
            stop_shapes(span, error.what(), error.left, error.right, sides);
        }
    }

    // ---- names

    void define_numbers() {
        define("LOG2E", Array::real(std::numbers::log2e));
        define("LN2", Array::real(std::numbers::ln2));
    }

    Slot* find(const std::string& name) {
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
            const auto found = scope->find(name);
            if (found != scope->end()) return &found->second;
        }
        return nullptr;
    }

    Array& writable(Slot& slot) {
        Shared& array = std::get<Shared>(slot.value);
        if (array.use_count() > 1) array = std::make_shared<Array>(*array);
        return *array;
    }

    // ---- numbers

    std::int64_t integer(const ast::Expr& expr, std::string_view what) {
        const Shared value = evaluate(expr);
        if (!value->is_number() || value->kind == NumberKind::real) {
            stop(expr.span, fmt::format("{} must be an integer scalar, found {}{}", what,
                                        value->kind == NumberKind::real ? "real, " : "",
                                        to_string(value->shape)));
        }
        return value->whole_at(0);
    }

    bool condition(const ast::Expr& expr) {
        const Shared value = evaluate(expr);
        if (value->is_number()) return value->real_at(0) != 0;
        fail(expr.span, fmt::format("a condition must be a scalar, found a value of shape {}",
                                    to_string(value->shape)))
            .help("`where(c, a, b)` selects elementwise");
        throw ReferenceStop{};
    }

    // ---- statements

    void run(const ast::Stmt& stmt) {
        std::visit(Overloaded{
                       [&](const ast::Let& s) { run_let(s); },
                       [&](const ast::Assign& s) { run_assign(s); },
                       [&](const ast::For& s) { run_for(s, 0); },
                       [&](const ast::If& s) {
                           if (condition(*s.condition)) run(s.then_block);
                           else if (s.else_block) run(*s.else_block);
                       },
                       [&](const ast::Return& s) {
                           if (!s.value)
                               stop(stmt.span, "a function in a reference must return a value");
                           returned_ = evaluate_any(*s.value);
                       },
                       [&](const auto&) {
                           stop(stmt.span, "this statement is not allowed in a reference");
                       },
                   },
                   stmt.node);
    }

    // The value in the shape of a place: repeated, or with axes of one element gone or added.
    Array fitted(const Array& value, const Shape& shape, Span span) {
        const std::optional<Shape> common = broadcast(value.shape, shape);
        if (common && *common == shape) return expand(value, shape);
        if (value.rank() != shape.size()) {
            Shape a = value.shape;
            Shape b = shape;
            std::erase(a, 1);
            std::erase(b, 1);
            if (a == b) return {value.kind, shape, value.cells, value.wraps};
        }
        stop_shapes(span, "an assignment", shape, value.shape, {"place", "value"});
    }

    void run_let(const ast::Let& let) {
        Slot slot{evaluate_any(*let.value), false, {}, {}};
        if (let.type) {
            slot.dtype = find_dtype(let.type->path.parts.front().text);
            if (!slot.dtype && is_inside_function()) slot.dtype = Dtype::f64;
            slot.fixed_shape = true;
            Shape shape;
            for (const ast::ExprPtr& e : let.type->extents) {
                shape.push_back(integer(*e, "an extent"));
                if (shape.back() < 0) stop(e->span, "an extent must be at least 0");
            }
            const auto* array = std::get_if<Shared>(&slot.value);
            if (array == nullptr) stop(let.value->span, "a tile index is not a scalar");
            slot.value = share(convert(*slot.dtype, fitted(**array, shape, let.value->span)));
        }
        scopes_.back().insert_or_assign(let.name.text, std::move(slot));
    }

    Array whole_numbers(Array made, Dtype dtype, Span span) {
        return at(span, [&] { return as_whole(std::move(made), dtype); });
    }

    Array updated(const ast::Assign& assign, const Array& old, const Array& value) {
        using Op = ast::BinaryOp;
        static constexpr Op ops[] = {Op::add, Op::add, Op::subtract, Op::multiply, Op::divide};
        if (assign.op == ast::AssignOp::set) return value;
        return arithmetic(ops[static_cast<std::size_t>(assign.op)], assign.op_span, old, value);
    }

    void run_assign(const ast::Assign& assign) {
        const Shared value = evaluate(*assign.value);
        const auto* index = std::get_if<ast::Index>(&assign.target->node);
        const ast::Expr& root = index != nullptr ? *index->base : *assign.target;
        Slot& slot = *find(std::get<ast::NameRef>(root.node).text);
        if (std::holds_alternative<TileIndex>(slot.value))
            stop(root.span, "a tile index cannot be assigned");
        const Span span = assign.value->span;
        if (index != nullptr) {
            Shared old = std::get<Shared>(slot.value);
            const Selection selection = choose(*index, *old);
            const Shape shape = shape_of(selection);
            Array made = fitted(*value, shape, span);
            if (assign.op != ast::AssignOp::set)
                made = updated(assign, read(*old, selection), made);
            if (slot.dtype) made = convert(*slot.dtype, made);
            if (slot.whole) made = whole_numbers(std::move(made), *slot.whole, span);
            old.reset();  // the slot should be the only one who holds it
            write(writable(slot), selection, made);
            return;
        }
        const Array& old = *std::get<Shared>(slot.value);
        const bool fixed = slot.fixed_shape;
        Array made = fixed ? fitted(*value, old.shape, span) : *value;
        if (assign.op != ast::AssignOp::set) made = updated(assign, old, made);
        if (slot.dtype) made = convert(*slot.dtype, made);
        if (slot.whole) made = whole_numbers(std::move(made), *slot.whole, span);
        slot.value = share(std::move(made));
    }

    void run_for(const ast::For& loop, std::size_t level) {
        if (level == loop.iters.size()) return run(loop.body);
        const ast::Iter& iter = loop.iters[level];
        const std::int64_t begin = iter.begin ? integer(*iter.begin, "the start of a loop") : 0;
        const std::int64_t end = integer(*iter.end, "the end of a loop");
        const std::int64_t step = iter.step ? integer(*iter.step, "the step of a loop") : 1;
        if (step < 1)
            stop(iter.step->span, fmt::format("a step must be at least 1, found {}", step));
        const std::int64_t count = end > begin ? (end - begin + step - 1) / step : 0;
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t start = begin + step * (iter.reversed ? count - 1 - i : i);
            const Value value = iter.step ? Value(TileIndex{start, step}) : whole(start);
            scopes_.emplace_back();
            scopes_.back().emplace(iter.name.text, Slot{value, true, {}, {}});
            run_for(loop, level + 1);
            scopes_.pop_back();
        }
    }

    // ---- expressions

    Value evaluate_any(const ast::Expr& expr) {
        return std::visit(
            Overloaded{
                [&](const ast::NameRef& n) -> Value {
                    const Slot* slot = find(n.text);
                    if (slot == nullptr) {
                        fail(expr.span, fmt::format("`{}` has no value yet", n.text))
                            .help("a test must set values before they are used");
                        throw ReferenceStop{};
                    }
                    return slot->value;
                },
                [&](const ast::IntLiteral& n) -> Value {
                    return whole(static_cast<std::int64_t>(n.value));
                },
                [&](const ast::FloatLiteral& n) -> Value { return share(Array::real(n.value)); },
                [&](const ast::BoolLiteral& n) -> Value {
                    return share(Array::whole(n.value ? 1 : 0, NumberKind::boolean));
                },
                [&](const ast::Infinity&) -> Value { return share(Array::real(HUGE_VAL)); },
                [&](const ast::ListValue& n) -> Value {
                    std::vector<Array> items;
                    for (const ast::ExprPtr& item : n.items) items.push_back(*evaluate(*item));
                    return at(expr.span, [&] { return share(stacked(items)); });
                },
                [&](const ast::Unary& n) -> Value {
                    return share(unary(n.op, *evaluate(*n.operand)));
                },
                [&](const ast::Binary& n) -> Value {
                    const Shared left = evaluate(*n.left);
                    if (auto known = decided_by(n.op, *left)) return share(std::move(*known));
                    const Shared right = evaluate(*n.right);
                    return share(arithmetic(n.op, expr.span, *left, *right, &n));
                },
                [&](const ast::Member& n) -> Value { return member(n); },
                [&](const ast::Index& n) -> Value {
                    const Shared base = evaluate(*n.base);
                    return share(read(*base, choose(n, *base)));
                },
                [&](const ast::Call& n) -> Value { return call(n, expr.span); },
                [&](const ast::IfExpr& n) -> Value {
                    return evaluate_any(condition(*n.condition) ? *n.then_value : *n.else_value);
                },
                [&](const auto&) -> Value {
                    stop(expr.span, "this expression is not allowed in a reference");
                },
            },
            expr.node);
    }

    Value member(const ast::Member& n) {
        const Value base = evaluate_any(*n.base);
        if (const auto* array = std::get_if<Shared>(&base)) return share(transpose(**array));
        const TileIndex tile = std::get<TileIndex>(base);
        const std::string& word = n.member.text;
        if (word == "prev") return TileIndex{tile.start - tile.width, tile.width};
        if (word == "next") return TileIndex{tile.start + tile.width, tile.width};
        std::int64_t number = tile.start;
        if (word == "end") number += tile.width;
        if (word == "index") number = floor_quotient(tile.start, tile.width);
        return whole(number);
    }

    Array arithmetic(ast::BinaryOp op, Span span, const Array& a, const Array& b,
                     const ast::Binary* operands = nullptr) {
        return at(
            span, [&] { return binary(op, a, b); }, operands);
    }

    Value call(const ast::Call& n, Span span) {
        if (const auto function = callee_of(*n.callee)) return call_declared(*function, n, span);
        const std::string name = text(n.callee->span);
        std::vector<Array> arguments;
        std::optional<std::int64_t> axis;
        Span axis_span;
        std::int64_t number = 0;
        for (const ast::Arg& arg : n.args) {
            if (arg.name && arg.name->text == "axis") {
                axis = integer(*arg.value, "`axis`");
                axis_span = arg.span;
            } else if (arg.name && arg.name->text == "with") continue;  // of `pad`
            else if (arg.name) number = integer(*arg.value, "`" + arg.name->text + "`");
            else arguments.push_back(*evaluate(*arg.value));
        }
        if (const std::optional<Dtype> dtype = find_dtype(name)) {
            return share(convert(*dtype, arguments[0]));
        }
        if (const auto dtype = dtypes_.find(name); dtype != dtypes_.end()) {
            return share(convert(dtype->second, arguments[0]));
        }
        if (is_inside_function()) {
            // A whole tensor has no padding, and no place in memory; a type that follows from the
            // arguments is f64 here.
            const std::optional<Operation> operation = find_operation(name);
            if (operation == Operation::pad || operation == Operation::shared || is_generic(name))
                return share(std::move(arguments[0]));
        }
        if (axis == 0 && !is_inside_function() && !arguments.empty() && arguments[0].rank() == 1) {
            fail(axis_span, "a vector is one row, so it cannot be reduced along `axis = 0`")
                .help("write `axis = 1`: along the row");
            throw ReferenceStop{};
        }
        const ReferenceFunctionInfo* info = find_reference_function(name);
        if (info == nullptr)
            stop(n.callee->span, fmt::format("references have no function `{}`", name));
        return at(span, [&] {
            return share(call_function(info->function, arguments, axis ? &*axis : nullptr, number));
        });
    }

    using Callee = FunctionScope::Callee;

    bool is_inside_function() const { return !calls_.empty(); }

    // Whether `name` stands for a dtype that follows from the arguments of the function.
    bool is_generic(const std::string& name) const {
        const std::vector<ast::FnParam>& params = calls_.back().function->params;
        return std::any_of(params.begin(), params.end(), [&](const ast::FnParam& p) {
            return p.type.path.parts.front().text == name;
        });
    }

    std::optional<Callee> callee_of(const ast::Expr& expr) const {
        const auto* name = std::get_if<ast::NameRef>(&expr.node);
        if (name != nullptr) {
            if (const auto found = functions_.find(name->text); found != functions_.end())
                return found->second;
        }
        return context_.functions == nullptr
                   ? std::nullopt
                   : context_.functions->find(text(expr.span),
                                              is_inside_function() ? calls_.back().scope : nullptr);
    }

    // External functions and those of numbers work cell by cell, as numbers do in their bodies.
    Value call_declared(const Callee& callee, const ast::Call& call, Span span) {
        std::vector<Shared> arguments;
        for (const ast::Arg& arg : call.args) arguments.push_back(evaluate(*arg.value));
        const bool cells_alone = std::all_of(arguments.begin(), arguments.end(),
                                             [](const Shared& x) { return x->is_number(); });
        const bool apart = callee.function->external || chooses(*callee.function);
        if (!apart || cells_alone) return run_declared(callee, call, arguments, span);
        Shape shape;
        for (const Shared& x : arguments) {
            const std::optional<Shape> common = broadcast(shape, x->shape);
            if (!common) stop_shapes(span, "a call", shape, x->shape);
            shape = *common;
        }
        for (Shared& x : arguments) x = std::make_shared<Array>(expand(*x, shape));
        std::vector<Array> made;
        std::vector<Shared> cells(arguments.size());
        for (std::int64_t i = 0; i < element_count(shape); ++i) {
            for (std::size_t k = 0; k < cells.size(); ++k)
                cells[k] = std::make_shared<Array>(arguments[k]->cell(static_cast<std::size_t>(i)));
            made.push_back(std::get<Shared>(run_declared(callee, call, cells, span))->cell(0));
        }
        if (made.empty()) return share(Array::zeros(shape));
        Array all = stacked(made);
        all.shape = shape;
        if (all.kind == NumberKind::integer) all.wraps = made.back().wraps;
        return share(std::move(all));
    }

    // The body sees its parameters, and the names in their types.
    Value run_declared(const Callee& callee, const ast::Call& call,
                       const std::vector<Shared>& arguments, Span span) {
        const ast::Function& function = *callee.function;
        if (calls_.size() > 64) stop(span, "function calls are nested too deeply");
        if (arguments.size() != function.params.size()) {
            stop(span, fmt::format("`{}` expects {} arguments", function.name.text,
                                   function.params.size()));
        }
        std::map<std::string, Slot> frame;
        std::map<std::string, Dtype> dtypes;
        std::map<std::string, Callee> functions;
        for (std::size_t i = 0; i < call.generics.size() && i < function.consts.size(); ++i) {
            const ast::GenericArg& arg = call.generics[i];
            const std::string& name = arg.name ? arg.name->text : function.consts[i].name.text;
            const std::string given = text(arg.value->span);
            if (const auto callable = callee_of(*arg.value)) functions.emplace(name, *callable);
            else if (const auto dtype = find_dtype(given)) dtypes.emplace(name, *dtype);
            else if (const auto known = dtypes_.find(given); known != dtypes_.end())
                dtypes.emplace(name, known->second);
            else frame.emplace(name, Slot{evaluate_any(*arg.value), false, {}});
        }
        for (std::size_t i = 0; i < function.params.size(); ++i) {
            const ast::FnParam& param = function.params[i];
            for (const auto& [name, extent] : extents_of(param, *arguments[i])) {
                frame.emplace(name, Slot{whole(extent), true, {}});
            }
            frame.insert_or_assign(param.name.text, Slot{arguments[i], false, {}});
        }
        std::vector<std::map<std::string, Slot>> outer{std::move(frame)};
        outer.swap(scopes_);
        dtypes.swap(dtypes_);
        functions.swap(functions_);
        calls_.push_back(callee);
        define_numbers();
        for (const ast::ConstParam& c : function.consts) {
            if (c.default_value && find(c.name.text) == nullptr && !dtypes_.contains(c.name.text))
                scopes_[0].emplace(c.name.text, Slot{evaluate_any(*c.default_value), false, {}});
        }
        run(function.body);
        calls_.pop_back();
        functions.swap(functions_);
        dtypes.swap(dtypes_);
        outer.swap(scopes_);
        std::optional<Value> result = std::exchange(returned_, std::nullopt);
        if (!result) stop(span, fmt::format("`{}` returns nothing", function.name.text));
        return *std::move(result);
    }

    // ---- brackets

    Selection choose(const ast::Index& index, const Array& base) {
        if (index.subscripts.size() > base.rank()) {
            stop(index.subscripts[base.rank()].span,
                 fmt::format("a value of shape {} has no axis {}", to_string(base.shape),
                             base.rank()));
        }
        Selection selection;
        for (std::size_t axis = 0; axis < base.rank(); ++axis) {
            AxisChoice all;
            all.count = base.shape[axis];
            selection.push_back(axis < index.subscripts.size()
                                    ? choose(index.subscripts[axis], base.shape[axis])
                                    : all);
        }
        return selection;
    }

    AxisChoice choose(const ast::Subscript& sub, std::int64_t extent) {
        AxisChoice choice;
        choice.count = extent;
        std::visit(
            Overloaded{
                [&](const ast::WholeAxis&) {},
                [&](const ast::Position& p) { choice = choose_position(*p.value, extent); },
                [&](const ast::Slice& s) {
                    choice.begin = integer(*s.base, "the start of a slice");
                    choice.count = integer(*s.length, "the length of a slice");
                    if (s.step) choice.step = integer(*s.step, "the step of a slice");
                    if (choice.count < 0 || choice.step < 1) {
                        stop(sub.span, fmt::format("a slice needs a length of at least 0 and a "
                                                   "step of at least 1, found {} and {}",
                                                   choice.count, choice.step));
                    }
                },
                [&](const ast::Range& r) {
                    choice.begin = integer(*r.begin, "the start of a range");
                    const std::int64_t end = integer(*r.end, "the end of a range");
                    choice.count = end - choice.begin;
                    if (choice.begin < 0 || choice.count < 0 || end > extent) {
                        stop(sub.span, fmt::format("the range {}..{} is not part of an axis of {}",
                                                   choice.begin, end, extent));
                    }
                },
            },
            sub.node);
        return choice;
    }

    AxisChoice choose_position(const ast::Expr& expr, std::int64_t extent) {
        const Value value = evaluate_any(expr);
        AxisChoice choice;
        if (const auto* tile = std::get_if<TileIndex>(&value)) {  // cut at the ends of the axis
            choice.begin = std::clamp<std::int64_t>(tile->start, 0, extent);
            choice.count =
                std::clamp<std::int64_t>(tile->start + tile->width, choice.begin, extent) -
                choice.begin;
            return choice;
        }
        const Array& array = *std::get<Shared>(value);
        if (array.kind == NumberKind::real) stop(expr.span, "a position must be an integer");
        if (array.is_number() && array.rank() != 1) {
            choice.begin = array.whole_at(0);
            choice.dropped = true;
            at(expr.span, [&] { check_inside(choice.begin, extent); });
            return choice;
        }
        if (array.rank() != 1) {
            stop(expr.span, fmt::format("positions must be a scalar or a row, found shape {}",
                                        to_string(array.shape)));
        }
        choice.is_list = true;
        choice.listed = array.of<std::int64_t>();
        return choice;
    }

    const EvaluationContext& context_;
    std::vector<std::map<std::string, Slot>> scopes_;
    std::map<std::string, Dtype> dtypes_;
    std::map<std::string, Callee> functions_;  // constants that name one
    std::vector<Callee> calls_;                // of functions, the innermost last
    std::optional<Value> returned_;            // by the innermost
};

}  // namespace

std::optional<Arrays> evaluate_reference(const ast::Reference& reference, ReferenceInputs inputs,
                                         const EvaluationContext& context) {
    Evaluator evaluator(context);
    for (auto& [name, array] : inputs.numbers) evaluator.define(name, std::move(array));
    for (const auto& [name, dtype] : inputs.dtypes) evaluator.define_dtype(name, dtype);
    for (const auto& [name, callee] : inputs.functions) evaluator.define_function(name, callee);
    for (auto& [name, result] : inputs.results) {
        const auto input = inputs.inputs.find(name);
        if (input == inputs.inputs.end()) evaluator.define_output(name, result.shape, result.dtype);
        else evaluator.define_output(name, std::move(input->second), result.dtype);
    }
    for (auto& [name, array] : inputs.inputs) {
        if (!inputs.results.contains(name)) evaluator.define(name, std::move(array));
    }
    try {
        evaluator.run(reference.body);
    } catch (const ReferenceStop&) {
        return std::nullopt;
    }
    Arrays results;
    for (const auto& [name, result] : inputs.results) results.emplace(name, evaluator.take(name));
    return results;
}

std::optional<Array> evaluate_expression(const ast::Expr& expr, const Arrays& numbers,
                                         const EvaluationContext& context) {
    Evaluator evaluator(context);
    for (const auto& [name, array] : numbers) evaluator.define(name, array);
    try {
        return *evaluator.evaluate(expr);
    } catch (const ReferenceStop&) {
        return std::nullopt;
    }
}

}  // namespace tkc::emulator
