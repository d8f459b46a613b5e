// The checker of one kernel with its constants fixed: walks its syntax and builds its tile IR.
//
// One class, spread over files by subject: check_kernel and check_parameters (what stands in a
// kernel), check_statement, check_loop, check_expression, check_elementwise, check_division,
// check_column, check_call, check_function, check_struct, check_reduce, check_facts, check_memory,
// check_pipeline, check_mma, check_reports, check_types and check_names. A method that reports an
// error returns Poison or nothing, and callers of it stay silent.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "frontend/check/scope.h"
#include "frontend/check/session.h"
#include "frontend/check/values.h"
#include "ir/facts.h"
#include "ir/module.h"
#include "language/operation.h"

namespace tkc::checker {

// A function that is being inlined.
struct Inlining {
    const ast::Function* function = nullptr;
    Span call;
    std::optional<Operand> result;
    std::size_t depth = 0;            // of blocks, where its body began
    std::optional<WrittenType> type;  // of the result
};

// Who fills and who reads a pipeline.
struct PipelineUse {
    std::string writer;
    Span written;
    std::set<std::string> readers;
    Span read;
};

// Far above what fits anywhere: products of sizes that are not above them fit 64 bits.
constexpr std::int64_t tile_extent_limit = 1 << 18;
constexpr std::int64_t number_limit = 1 << 24;
constexpr std::int64_t stage_limit = 1 << 14;  // their barriers alone would fill shared memory
constexpr std::int64_t warp_limit = 32;        // of a block
constexpr std::int64_t warps_of_warpgroup = 4;
// What a program may come to, so that its checks end soon: functions and `let`s are written out
// where they stand, and every loop is followed twice.
constexpr std::size_t formula_limit = 1000;
constexpr std::size_t call_limit = 2000;
constexpr std::size_t loop_limit = 8;
constexpr std::int64_t depth_limit = 16;
constexpr std::size_t statement_limit = 3000;
constexpr std::size_t parameter_limit = 256;
constexpr std::size_t condition_limit = 256;
constexpr std::size_t pipeline_limit = 64;
constexpr std::size_t role_limit = 32;  // a block has 32 warps

// The constants that a call of a kernel in an entry gives, and what the kernel is called with them.
struct CalledInstance {
    std::string name;
    std::map<std::string, Operand> constants;
    Span call;
};

class KernelChecker {
public:
    // At most one of `instance` and `called`; both null: the kernel as it stands.
    KernelChecker(Session& session, const Unit& unit, const ast::Kernel& syntax,
                  const ast::Instance* instance, const CalledInstance* called = nullptr);
    KernelChecker(const KernelChecker&) = delete;
    KernelChecker& operator=(const KernelChecker&) = delete;
    ~KernelChecker();

    // The first constant that has neither a default nor a value given to it.
    const ast::ConstParam* constant_without_value() const;
    // The values of all constants, where nothing else is looked at.
    std::vector<ir::Constant> constants();
    // Checks everything. Empty where an error was reported.
    std::optional<CheckedKernel> run();
    // What can be said of a function or a struct that no kernel uses.
    void check_unused(const ast::Function& function);
    void check_unused(const ast::Struct& declared);

protected:  // an entry has names, constants, parameters and expressions too
    KernelChecker(Session& session, const Unit& unit, const ast::LaunchHead& syntax);

    struct OpenBlock {
        ir::Block ops;
        std::map<std::pair<std::uint32_t, std::string>, ir::Value> fields;  // views made here
    };

    // ---- messages
    template <std::size_t holes, typename... Args>
    DiagnosticBuilder error(Span span, const Message<holes, Severity::Error>& m,
                            const Args&... args) {
        failed_ = true;
        DiagnosticBuilder builder = session_.error(span, m, args...);
        add_context(builder);
        return builder;
    }
    void add_context(DiagnosticBuilder& builder) const;
    Operand not_yet(Span span, NotYet what);
    const TargetLimits& limits() const { return session_.options.target->limits; }
    std::string text(Span span) const { return std::string(session_.sources.text(span)); }
    std::string quoted(Span span) const;  // in backticks, shortened where it is long

    // ---- instantiate.cpp: constants
    void bind_constants();
    void bind_constant(const ast::ConstParam& param);
    const ast::GenericArg* instance_argument(const ast::ConstParam& param) const;
    void check_instance_arguments();
    void report_unknown_constant(const ast::GenericArg& arg, const std::string& of,
                                 const std::vector<ast::ConstParam>& consts);
    std::optional<Operand> defined_constant(const ast::ConstParam& param);

    // ---- kernel_checker.cpp: what stands in a kernel
    void declare_parameters();
    void declare_parameter(const ast::KernelParam& param);
    bool declare_tensor(const ast::KernelParam& param, Dtype dtype);  // false: told
    void declare_extents(const ast::Expr& extent);
    void check_extents_bound();
    ir::Scalar check_tensor_extent(const ast::Expr& extent);
    bool has_roles() const;
    // One role: `head` gives it its name and width, `body` checks its statements.
    void check_work(Span place, FunctionRef<void(ir::Role&)> head, FunctionRef<void()> body);
    void check_warps(const ast::Warps& warps, Span span);
    // What stands in a kernel without roles is one role of the width that its grid says.
    void check_body();
    bool within_limits();  // of what may stand in a kernel
    // One more of what there may be `limit` of; false where that is too many.
    bool counts(std::size_t& counter, std::size_t limit, std::string_view what, Span span);
    void check_requires();
    void declare_items();
    void resolve_let(Entity& entity);
    void check_grid(const ast::Grid& grid);
    void check_grid_word(const ast::GridWord& word);
    void check_weight();
    void check_cluster(const ast::Cluster& cluster, Span span);
    void check_grid_bound(const ir::Scalar& bound, Span span);
    ir::Scalar without_lets(const ir::Scalar& s) const;
    // Defines `symbol` as `s`; returns the symbol.
    ir::Scalar emit_let(const std::string& symbol, const ir::Scalar& s, Span span);
    void check_pipeline(const ast::Pipeline& pipeline);
    void check_role(const ast::Role& role);
    void check_role_head(const ast::Role& role, ir::Role& made);
    void check_pipeline_uses();
    void add_divisor_conditions();

    // ---- facts.cpp
    const ir::Tensor* check_index_tensor(const ast::Expr& argument, std::string_view fact);
    void check_within(const ast::Call& call, Span span);
    void check_increasing(const ast::Call& call, Span span);
    void check_output_fact(const ast::Call& call, Operation operation, Span span);
    void trust(Span fact);
    void add_element_checks(const ir::Scalar& s, Span span, ir::Block& out) const;
    void check_elements_read();

    // ---- beliefs.cpp
    enum class Stated : std::uint8_t { nothing, condition, belief };
    Stated check_stated(const ast::Expr& expr);
    void check_balanced(const ast::Call& call, Span span);
    void report_misplaced(const std::vector<const ast::Expr*>& beliefs,
                          const std::vector<const ast::Expr*>& conditions);
    std::optional<std::pair<Span, std::string>> sorted_clauses(
        const std::vector<const ast::Expr*>& beliefs,
        const std::vector<const ast::Expr*>& conditions) const;

    // ---- names.cpp
    Entity* declare(EntityKind kind, const ast::Name& name, Operand value);
    Entity* lookup(Span span, const std::string& name, std::string_view what);
    void report_unknown(Span span, const std::string& name, std::string_view what);
    void report_unknown_module(Span span, const std::string& name);
    void close_scope(Scope::Mark mark);
    std::string unique_name(const std::string& wanted);
    std::string loop_name(const std::string& wanted);
    // Of a branch that a constant condition leaves out: names must be known, nothing else.
    void check_names(const ast::Block& block);
    void check_names(const ast::Stmt& stmt);
    void check_names(const ast::Expr& expr);
    void check_names(const ast::Type& type);

    // ---- types.cpp
    std::optional<WrittenType> check_type(const ast::Type& type);
    std::optional<WrittenType> check_tile_type(const ast::Type& type);
    // A number, a tile or a struct.
    std::optional<WrittenType> check_any_type(const ast::Type& type);
    std::optional<Dtype> check_dtype(const ast::Type& type);
    std::optional<std::int64_t> check_constant(const ast::Expr& expr, std::string_view what,
                                               std::int64_t least,
                                               std::int64_t most = number_limit);
    static void help_with_extent(DiagnosticBuilder& message);
    ir::Scalar check_control(const ast::Expr& expr, std::string_view what);
    ir::Scalar check_condition(const ast::Expr& expr);
    ir::Scalar as_control(const Operand& value, Span span, std::string_view what);
    bool check_without_floats(const ir::Scalar& s, Span span, std::string_view what);

    // ---- statement.cpp
    void check_block(const ast::Block& block);
    void check_stmt(const ast::Stmt& stmt);
    void check_let(const ast::Let& let);
    // What a `let` or a `var` called `name` holds: its value, under this name in the IR.
    Operand named(const std::string& name, Operand value, Span span);
    Operand make_variable(const std::string& name, const Operand& value, Span span);
    void check_var(const ast::Let& var);
    void check_shared_var(const ast::SharedVar& var);
    void check_shared_reads();  // of the role: shared.cpp
    void check_assign(const ast::Assign& assign);
    // What an assignment changes: a variable, or a field of one. Null: told.
    Operand* assignable(const ast::Expr& target);
    bool assign_tile(const ast::Assign& assign, const Tile& target);  // false: told
    void assign_number(const ast::Assign& assign, Operand& target);
    void assign_shared(const ast::Assign& assign, const SharedTile& target);
    bool adopt(ir::Value value, const std::string& name);
    void check_if(const ast::If& branch);
    Operand returned_by(const ast::Block& block);
    void check_call_stmt(const ast::CallStmt& stmt);
    void check_return(const ast::Return& ret, Span span);
    void report_return_on_condition(Span span);
    // The right side of a definition: a value of the type written before the `=`, if there is one.
    Operand check_definition(const ast::Let& let);

    // ---- loop.cpp
    struct LoopRange {  // a bound that was wrong is 0, and told
        ir::Scalar begin, end;
        std::int64_t step = 1;
        bool reversed = false;
        bool tiles = false;  // `by` makes its variable a tile index ..
        bool known = true;   // .. of this width
    };
    struct Space {
        std::vector<LoopRange> ranges;  // a variable of the space stands in them as its symbol here
        std::vector<std::string> symbols;
    };
    LoopRange check_iter(const ast::Iter& iter);
    std::int64_t check_depth(const ast::Expr* depth);  // of a `pipelined` loop; null: not said
    void declare_loop_index(const ast::Name& name, const std::string& symbol,
                            const LoopRange& range);
    ir::For open_loop(const ast::Name& name, const LoopRange& range);
    // What holds of the statements at hand: a loop around them, or a condition and which way it
    // went.
    using KnownHere = std::variant<std::pair<std::string, LoopRange>, std::pair<ir::Scalar, bool>>;
    void close_loops(std::vector<ir::For> nest, Span whole);
    void check_for(const ast::For& loop);
    void check_for_space(const ast::ForSpace& loop);
    const Space* find_space(const ast::ForSpace& loop);  // null: told
    void check_space(const ast::Space& space);
    // How many points the space has; null where that is not known, which is told.
    ir::Scalar points(const Space& space, Span span);

    // ---- struct.cpp
    struct DeclaredStruct {
        const Unit* unit = nullptr;
        const ast::Struct* syntax = nullptr;
    };
    std::optional<DeclaredStruct> find_struct(const ast::Type& type) const;
    std::shared_ptr<const StructType> check_struct_type(const DeclaredStruct& declared,
                                                        const ast::Type& type);
    bool bind_struct_constants(const DeclaredStruct& declared, const ast::Type& type,
                               StructType& made);
    bool check_struct_members(const DeclaredStruct& declared, StructType& made);
    // The right side of a definition, an assignment or a `return`, where a struct value may stand;
    // `wanted`: the type of its place, null where that has none.
    Operand check_right_side(const ast::Expr& expr, const WrittenType* wanted);
    Operand check_struct_value(const ast::StructValue& value, const WrittenType& wanted, Span span);
    Operand struct_member(StructInstance& value, const ast::Name& member);
    // `value` as `wanted`, for `place`.
    Operand fitted_value(const Operand& value, const WrittenType& wanted, Span span,
                         const std::string& place);
    void assign_struct(const ast::Assign& assign, StructInstance& target);
    bool assign_fields(StructInstance& target, const StructInstance& value, Span span);

    // ---- expression.cpp
    Operand check(const ast::Expr& expr);
    Operand check_any(const ast::Expr& expr);    // of any size
    Operand check_value(const ast::Expr& expr);  // never Nothing
    Operand check_unary(const ast::Unary& unary, Span span);
    Operand check_binary(const ast::Binary& binary, Span span);
    Operand check_member(const ast::Member& member, Span span);
    Operand index_member(const TileIndex& index, const ast::Name& member);
    Operand check_if_expr(const ast::IfExpr& choice, Span span);
    Operand check_name_ref(const ast::NameRef& name, Span span);
    bool is_multiple(const ir::Scalar& s, std::int64_t of) const;

    // The values of expressions that are evaluated one after the other.
    std::vector<Operand> check_in_order(const std::vector<const ast::Expr*>& exprs);
    // Reports an operand that was read before a call changed it, by `inout`.
    void check_unchanged(const Operand& value, const ast::Expr& expr, std::size_t since);

    // ---- elementwise.cpp
    struct Cells {  // operands of one elementwise operation, over one list of inputs
        bool tile = false;
        std::int64_t rows = 1;
        std::int64_t cols = 1;
        std::vector<ir::Scalar> cells;
        std::vector<ir::Value> inputs;
        std::vector<Span> spans;  // of the operands; empty where they are not written one by one
        std::size_t widest = 0;   // the operand that the extents are from
        Origins origins = {};
    };
    Operand apply(Function function, std::string_view written, Span span,
                  const std::vector<Operand>& operands, std::vector<Span> spans = {});
    std::optional<Cells> to_cells(std::string_view written, Span span,
                                  const std::vector<Operand>& operands, std::vector<Span> spans);
    bool broadcast(Cells& cells, std::string_view written, Span span, const Tile& tile);
    std::string operand_name(const Cells& cells, std::size_t operand) const;
    bool unify(Function function, std::string_view written, Span span, Cells& cells);
    bool unify_numbers(std::string_view written, Span span, Cells& operands, std::size_t from);
    bool to_reals(std::string_view written, Span span, Cells& cells);
    bool to_bools(std::string_view written, Span span, const std::vector<ir::Scalar>& cells,
                  const std::vector<Span>& spans);
    Operand convert(Dtype dtype, const Operand& x, Span span, Span argument);
    // Says what of `x`, which is written so, is a value.
    void help_with_value(DiagnosticBuilder& message, const Operand& x,
                         const std::string& written) const;
    std::string operand_text(const std::vector<Span>& spans, std::size_t operand) const;
    std::optional<Tile> as_tile(const Operand& x, Span span, std::string_view what);
    struct Place {
        Dtype dtype;
        std::int64_t rows;
        std::int64_t cols;
    };
    // Whether `x`, if it is a whole number known now, lies in the range of `dtype`; false: told.
    bool check_range(const ir::Scalar& x, Dtype dtype, Span span);
    // `x` with the dtype and shape of the place that it goes to; null where it does not fit.
    ir::Scalar fitted(const ir::Scalar& x, Dtype dtype, Span span, std::string_view place);
    std::optional<Tile> fitted_tile(const Operand& x, Place wanted, Span span,
                                    std::string_view place);
    Tile tile_of(ir::Value value) const;
    // The value that `tile` is, if it is just that.
    std::optional<ir::Value> plain(const Tile& tile) const;
    ir::Value materialize(const Tile& tile, const std::string& name);
    void compute(ir::Value result, const Tile& tile);

    // ---- axes.cpp
    Origins origins_of(const TensorPart& part, bool upright) const;
    Origins origins_of(ir::Value value) const;
    Origins seen_elsewhere(Origins origins) const;
    void add_origins(ir::Value value, const Origins& origins);
    static Origins joined_origins(const std::vector<Tile>& tiles);
    bool lies_wrong(const Origin& vector, const Origin& along, const Origin& across) const;
    // `x` as `column(x)`, and the other way round.
    std::string turned_text(const std::string& written) const;
    bool writes_column_too(const std::string& written) const;
    // `places`: which operands the tiles are. False: told.
    bool check_axes(std::string_view written, Span span, const std::vector<Tile>& tiles,
                    const std::vector<Span>& spans, const std::vector<std::size_t>& places);
    void help_with_column(DiagnosticBuilder& message, const Cells& cells, const Tile& tile) const;
    bool means_column(const TensorPart& part, const std::vector<Operand>& operands) const;

    // ---- notes.cpp
    bool notes(Span span);
    void note_rounded_before_widening(Dtype to, const ast::Expr& argument, const Operand& value,
                                      Span span);
    void note_extreme_of_cells(Function function, const std::vector<const ast::Expr*>& arguments,
                               const std::vector<Operand>& operands, Span span);

    // ---- division.cpp
    std::optional<Span> sign_between(const std::vector<Span>& operands,
                                     std::string_view sign) const;
    ir::Facts facts_here() const;
    bool is_exact(const ir::Scalar& dividend, const ir::Scalar& divisor) const;
    void report_inexact(const ir::Scalar& dividend, const ir::Scalar& divisor, Span span,
                        const std::vector<Span>& operands);
    // False: told.
    bool check_exact(const ir::Scalar& dividend, const ir::Scalar& divisor, Span span,
                     const std::vector<Span>& operands);
    void report_floor_of_reals(Dtype dtype, Span span, const std::vector<Span>& operands);

    // ---- call.cpp, function.cpp
    Operand check_call(const ast::Call& call, Span span);
    Operand check_operation(Operation operation, const ast::Call& call, Span span);
    Operand check_function_call(Function function, const ast::Call& call, Span span);
    Operand check_conversion(Dtype dtype, const ast::Call& call, Span span);
    Operand check_shared(const ast::Call& call, Span span);
    Operand check_cell_index(Operation operation, const ast::Call& call, Span span);
    Operand check_last_tile(const ast::Call& call, Span span);
    Operand check_print(const ast::Call& call, Span span);
    Operand check_assert(const ast::Call& call, Span span);
    Operand check_assume(const ast::Call& call, Span span);
    bool is_known_at_launch(const ir::Scalar& s) const;
    bool check_arguments(const ast::Call& call, std::string_view name, std::size_t count,
                         Span span);
    std::optional<Operation> called_operation(const ast::Expr& expr) const;
    bool is_called_name(const ast::Expr& expr, std::string* name) const;
    Operand inline_call(const Unit& unit, const ast::Function& function, const ast::Call& call,
                        Span span);
    Operand check_module_call(const ast::Call& call, Span span);
    bool bind_generics(const ast::Function& function, const ast::Call& call,
                       const std::vector<Operand>& arguments,
                       std::map<std::string, Operand>& known);
    bool declare_generics(const ast::Function& function,
                          const std::map<std::string, Operand>& known, Span call);
    void infer(const ast::FnParam& param, const Operand& argument,
               std::map<std::string, Operand>& known);
    std::optional<std::vector<Operand>> check_call_arguments(const ast::Function& function,
                                                             const ast::Call& call, Span span);
    std::string signature_of(const ast::Function& function) const;
    Operand check_inout_argument(const ast::Function& function, const ast::FnParam& param,
                                 const ast::Arg& arg);
    bool bind_parameter(const ast::Function& function, const ast::FnParam& param, Operand argument,
                        Span span);
    Operand inline_body(const ast::Function& function);
    Operand returned(const Operand& value, const WrittenType& wanted, Span span);

    // ---- reduce.cpp
    struct AlongAxis {
        const ast::Expr* argument = nullptr;
        const ast::Expr* with = nullptr;  // of `pad`
        int axis = 1;
    };
    std::optional<AlongAxis> check_along_axis(const ast::Call& call, std::string_view name,
                                              bool has_with, Span span);
    PaddingSite padding_site(const ast::Expr& argument, int axis, Span span) const;
    /// Whether the cells are of a dtype that sums and extremes are made of; told if not.
    bool is_summed(const Tile& tile, std::string_view name, Span span);
    Operand check_scan(const ast::Call& call, Span span);
    Operand check_swap(const ast::Call& call, Span span);
    /// Rows and columns exchanged, in a role of warps.
    Tile transposed(const Tile& tile);
    Operand check_reduction(std::string_view name, const ast::Call& call, Span span);
    Operand check_pad(const ast::Call& call, Span span);

    // ---- column.cpp
    // The load that is the argument of `column`, if `call` is such a one.
    const ast::Call* loaded_column(const ast::Call& call) const;
    std::optional<TensorPart> check_column_source(const ast::Call& load, Span span,
                                                  ir::Transfer* transfer);
    Operand check_column(const ast::Call& call, Span span);
    // A row as a column, as a tile and as a value; empty where lanes would exchange data.
    std::optional<Tile> upright(const Tile& row);
    std::optional<ir::Value> upright(ir::Value row);
    void drop_unused_rows();

    // ---- view.cpp
    struct Cut {  // an axis behind a subscript
        View::Axis axis;
        std::int64_t length = 0;  // where it is known now
        bool whole = false;       // all of the axis that it is cut from
    };
    View whole_view(const std::string& tensor) const;
    View view_of(const std::string& tensor, const std::vector<Cut>& cuts) const;
    Operand check_index(const ast::Index& index, Span span);
    Operand check_tensor_index(const ast::Index& index, const View& base, Span span);
    std::optional<Cut> check_subscript(const ast::Subscript& sub, const View::Axis& axis);
    void report_subscripts(const ast::Index& index, const View& view, Span span);
    void report_view_moved(const ast::Index& index, const View& view, Span span);
    // The view of a `let`: its places get names.
    Operand name_view(const std::string& name, View view, Span span);

    // ---- memory.cpp, pipeline.cpp
    std::optional<TensorPart> check_slice(const ast::Expr& expr, std::string_view operation);
    std::optional<TensorPart> check_load_source(const ast::Call& call, Span span,
                                                ir::Transfer* transfer);
    Operand check_load(const ast::Call& call, Span span);
    Operand load_tile(const TensorPart& part, ir::Transfer transfer, bool upright);
    Operand check_store(Operation operation, const ast::Call& call, Span span);
    void check_produce(const ast::Produce& produce, Span span);
    void emit_before(ir::Block& filling);  // of a `produce`
    bool check_multicast(const ast::Hint& hint);
    bool fill_field(const ir::Pipeline& pipeline, const ir::PipelineField& field,
                    const ast::Expr& value);  // false: told
    bool put_field(const ir::Pipeline& pipeline, const ir::PipelineField& field,
                   const std::string& place, const ast::Expr& value);
    void add_field_origins(const ir::Pipeline& pipeline, const ir::PipelineField& field,
                           const Origins& origins);
    Operand consume(const ast::PipeRef& pipe, const std::string& name, Span span);
    void check_consume_block(const ast::ConsumeBlock& block, Span span);
    const ir::Pipeline* find_pipeline(const ast::PipeRef& pipe, std::string_view word);
    Operand field_of(const Record& element, const ir::PipelineField& field,
                     const std::string& name);

    // ---- mma.cpp
    struct MmaOperand {
        ir::Value value;
        Dtype dtype = Dtype::bf16;
        std::int64_t rows = 0;
        std::int64_t cols = 0;
        bool transposed = false;
        bool shared = false;
        Span span;
    };
    // The product as a new value, or into `target`, which it is added to with `accumulate`.
    Operand check_mma(const ast::Call& call, Span span, const Tile* target, bool accumulate);
    std::optional<MmaOperand> check_mma_operand(const ast::Expr& expr, char which);
    std::string transposed_text(const MmaOperand& operand) const;
    void suggest_transposed(const MmaOperand& operand, DiagnosticBuilder& message, bool only) const;
    bool check_mma_types(const MmaOperand& a, const MmaOperand& b, Span span);
    bool check_mma_extents(const MmaOperand& a, const MmaOperand& b, Span span);

    // ---- the IR being built
    template <class T>
    void emit(T node) {
        blocks_.back().ops.push_back(ir::at(statement_, std::move(node)));
    }
    ir::Value new_value(const std::string& name, ir::Type type, bool variable = false);
    void open_block() { blocks_.emplace_back(); }
    ir::Block close_block();

    Session& session_;
    const Unit* unit_;  // the file whose names are seen: changes while a function is inlined
    const ast::LaunchHead& syntax_;
    std::span<const ast::KernelItem> items_;
    const ast::Instance* instance_ = nullptr;
    const CalledInstance* called_ = nullptr;
    Scope scope_;
    ir::Kernel kernel_;
    ir::Role* role_ = nullptr;  // null at the level of the kernel
    const ast::Role* role_syntax_ = nullptr;
    std::size_t temporaries_ = 0;
    std::map<std::uint32_t, ir::Value> columns_;  // of rows of this role, made by `column`
    std::size_t first_new_value_ = 0;             // of the definition at hand
    std::vector<OpenBlock> blocks_;
    std::size_t loops_ = 0;  // that are open
    std::vector<Inlining> inlining_;
    std::size_t calls_ = 0;       // of functions, each written out where it stands
    std::size_t statements_ = 0;  // with those of the functions
    bool over_limit_ = false;     // one of both was told
    std::int64_t warps_ = 0;      // of a kernel without roles; 0: the compiler's choice
    bool warps_said_ = false;
    Span statement_;
    std::set<std::string> used_names_;
    std::optional<std::string> cluster_;  // the axis that `cluster` names, with one program too
    std::map<std::string, std::int64_t> multiples_;   // of symbols: facts for `.index`
    std::map<std::string, ir::Scalar> range_begins_;  // of grid and loop variables
    std::map<std::string, PipelineUse> pipeline_uses_;
    std::map<std::string, Space> spaces_;
    const ast::Space* space_syntax_ = nullptr;                       // that is being looked at
    std::set<std::pair<std::string, std::string>> poisoned_fields_;  // pipeline, field
    bool without_grid_ = false;
    std::map<std::string, ir::Scalar> let_values_;       // what the symbols of `let`s stand for
    std::map<std::string, std::size_t> let_sizes_;       // of those, with no `let` left in them
    std::set<std::string> launch_symbols_;               // extents and integer parameters
    std::vector<std::pair<ir::Scalar, Span>> divisors_;  // to be shown positive
    std::vector<KnownHere> known_here_;
    std::map<std::uint32_t, Origins> origins_;  // of the tiles of this role
    std::map<std::pair<std::string, std::string>, Origins> field_origins_;  // pipeline, field
    // Of the extent that is being looked at: what its `/`s divide by what; null outside of extents.
    std::vector<std::pair<ir::Scalar, ir::Scalar>>* extent_quotients_ = nullptr;
    PaddingSites padding_sites_;
    struct ElementBounds {
        ir::Scalar least, end;
        std::string text;
    };
    std::map<std::string, std::vector<ElementBounds>> element_bounds_;  // by tensor
    std::map<std::string, std::string> increasing_;  // tensors whose elements rise: the fact's text
    struct FactRead {                                // with loaded numbers
        ir::Scalar holds;
        Span span;
        std::string text;
    };
    std::vector<FactRead> facts_read_;  // of `requires`, and of the kernel's views
    const ast::HeaviestFirst* heaviest_first_ = nullptr;
    bool consume_refused_ = false;                  // under `where` and if-expressions
    std::vector<ir::Value> changed_;                // by calls, through `inout`, in order
    std::vector<const ast::Struct*> open_structs_;  // whose fields are being looked at
    bool failed_ = false;
};

// Whether `return` stands in the block, at any depth.
bool has_return(const ast::Block& block);
// Whether `axis = ..` stands among the arguments.
bool has_axis(const ast::Call& call);

std::string_view kind_text(ast::ConstKind kind);
// Whether `value` is a constant of that kind.
bool is_constant_of(const Operand& value, ast::ConstKind kind);

// Whether two instances of a kernel mean the same, so that a launcher may take either: `name` is
// used as a width or an extent only, or is the extent of a tensor, which the launcher compares.
bool is_schedule_only(const ast::Kernel& kernel, const std::string& name);

}  // namespace tkc::checker
