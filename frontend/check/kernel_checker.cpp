// What stands in a kernel: grid, `let`s, pipelines and roles. The parameters are in parameters.cpp.
#include "frontend/check/kernel_checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "frontend/parse/ast_walk.h"

namespace tkc::checker {

KernelChecker::KernelChecker(Session& session, const Unit& unit, const ast::LaunchHead& syntax)
    : session_(session), unit_(&unit), syntax_(syntax) {}

KernelChecker::KernelChecker(Session& session, const Unit& unit, const ast::Kernel& syntax,
                             const ast::Instance* instance, const CalledInstance* called)
    : KernelChecker(session, unit, static_cast<const ast::LaunchHead&>(syntax)) {
    items_ = syntax.items;
    instance_ = instance;
    called_ = called;
}

KernelChecker::~KernelChecker() = default;

ir::Block KernelChecker::close_block() {
    ir::Block ops = std::move(blocks_.back().ops);
    blocks_.pop_back();
    return ops;
}

ir::Value KernelChecker::new_value(const std::string& name, ir::Type type, bool variable) {
    ir::ValueInfo made;
    made.name = name;
    if (name.empty()) {
        do made.name = "t" + std::to_string(temporaries_++);
        while (!used_names_.insert(made.name).second);
    }
    made.type = std::move(type);
    made.variable = variable;
    role_->values.push_back(std::move(made));
    return ir::Value{static_cast<std::uint32_t>(role_->values.size() - 1)};
}

bool KernelChecker::has_roles() const {
    return std::any_of(items_.begin(), items_.end(), [](const ast::KernelItem& item) {
        return std::holds_alternative<ast::Role>(item.node);
    });
}

void KernelChecker::declare_items() {
    for (const ast::KernelItem& item : items_) {
        if (const auto* pipeline = std::get_if<ast::Pipeline>(&item.node)) {
            declare(EntityKind::pipeline, pipeline->name, PipelineName{pipeline->name.text});
        } else if (const auto* space = std::get_if<ast::Space>(&item.node)) {
            declare(EntityKind::space, space->name, SpaceName{space->name.text});
        } else if (const auto* role = std::get_if<ast::Role>(&item.node)) {
            declare(EntityKind::role, role->name, RoleName{role->name.text});
        } else if (const auto* stmt = std::get_if<ast::Stmt>(&item.node);
                   stmt != nullptr && has_roles()) {
            const auto* let = std::get_if<ast::Let>(&stmt->node);
            if (let == nullptr || let->is_var) {
                error(stmt->span, msg::statement_beside_roles)
                    .help("move it into the role that needs it");
                if (let != nullptr) declare(EntityKind::variable, let->name, Poison{})->used = true;
            } else {
                declare(EntityKind::let, let->name, Poison{})->pending = let;
            }
        }
    }
}

void KernelChecker::resolve_let(Entity& entity) {
    const ast::Let& let = *entity.pending;
    const Span outer = statement_;
    statement_ = join(let.name.span, let.value->span);
    entity.busy = true;
    Operand value = check_definition(let);
    entity.busy = false;
    entity.pending = nullptr;
    const auto named = [&](const ir::Scalar& s) {
        return ir::is_constant(s) ? s : emit_let(entity.name, s, let.value->span);
    };
    if (const auto* view = std::get_if<View>(&value)) {
        entity.value = name_view(entity.name, *view, statement_);
    } else if (std::holds_alternative<TensorPart>(value)) {
        entity.value = value;
    } else if (auto* s = std::get_if<ir::Scalar>(&value)) {
        entity.value = named(*s);
    } else if (auto* index = std::get_if<TileIndex>(&value)) {
        entity.value = TileIndex{named(index->start), index->width, index->aligned};
    } else if (std::holds_alternative<DtypeName>(value)) {
        entity.value = value;
    } else if (!is_poison(value)) {
        error(let.value->span, msg::impure_let, describe(value));
    }
    statement_ = outer;
}

ir::Scalar KernelChecker::emit_let(const std::string& symbol, const ir::Scalar& s, Span span) {
    std::size_t size = s->size;
    ir::visit_nodes(s, [&](const ir::ScalarNode& node) {
        const auto* name = std::get_if<ir::Symbol>(&node.node);
        const auto let = name == nullptr ? let_sizes_.end() : let_sizes_.find(name->name);
        if (let != let_sizes_.end()) size += let->second;
    });
    if (size > formula_limit) {
        error(span, msg::formula_too_large, fmt::format("`{}`", symbol), formula_limit)
            .help("what follows from the sizes of a launch can be a parameter");
    } else {
        let_values_[symbol] = s;
        let_sizes_[symbol] = size;
    }
    emit(ir::Let{symbol, s});
    return ir::symbol(symbol, s->dtype);
}

ir::Scalar KernelChecker::without_lets(const ir::Scalar& s) const {
    ir::Scalar found = s;
    for (bool again = true; again;) {
        again = false;
        for (const std::string& name : ir::symbols_of(found))
            again = again || let_values_.count(name) != 0;
        if (again) found = ir::substitute(found, let_values_);
    }
    return found;
}

void KernelChecker::check_grid_bound(const ir::Scalar& bound, Span span) {
    bool loads = false;
    ir::visit_nodes(bound, [&](const ir::ScalarNode& n) {
        loads = loads || std::holds_alternative<ir::ElementLoad>(n.node);
    });
    if (loads) {
        error(span, msg::not_known_at_launch, "the bound of a grid", text(span));
        return;
    }
    for (const std::string& name : ir::symbols_of(bound)) {
        if (launch_symbols_.count(name) != 0) continue;
        DiagnosticBuilder message =
            error(span, msg::not_known_at_launch, "the bound of a grid", name);
        const bool of_grid =
            std::any_of(kernel_.grid.begin(), kernel_.grid.end(),
                        [&](const ir::GridAxis& axis) { return axis.var == name; });
        if (of_grid)
            message.help(
                "a grid is a box: let it go over all, and do the work under `if i.start <= j.start "
                "{ .. }`; or loop over this axis in the roles");
        return;
    }
}

void KernelChecker::check_grid(const ast::Grid& grid) {
    std::vector<Entity*> indices;
    for (const ast::Iter& iter : grid.iters) {
        ir::GridAxis axis;
        axis.var = iter.name.text;
        Operand value = ir::symbol(axis.var);
        if (iter.reversed)
            error(iter.span, msg::operand_kind, "a grid", "rising ranges", "`reversed`");
        if (iter.step) {
            const std::optional<std::int64_t> step =
                check_constant(*iter.step, "the width of a tile", 1);
            axis.step = step.value_or(1);
            value =
                step ? Operand(TileIndex{ir::symbol(axis.var), *step, false}) : Operand(Poison{});
        }
        indices.push_back(declare(EntityKind::grid_index, iter.name, value));
        kernel_.grid.push_back(std::move(axis));
    }
    for (std::size_t i = 0; i < grid.iters.size(); ++i) {
        const ast::Iter& iter = grid.iters[i];
        ir::GridAxis& axis = kernel_.grid[i];
        const ir::Scalar begin =
            iter.begin ? check_control(*iter.begin, "the bound of a grid") : ir::integer(0);
        const ir::Scalar end = check_control(*iter.end, "the bound of a grid");
        if (!begin || !end) continue;
        axis.begin = without_lets(begin);
        range_begins_[axis.var] = axis.begin;
        axis.end = without_lets(end);
        check_grid_bound(axis.begin, iter.begin ? iter.begin->span : iter.span);
        check_grid_bound(axis.end, iter.end->span);
        if (auto* index = std::get_if<TileIndex>(&indices[i]->value);
            is_multiple(begin, axis.step)) {
            if (index != nullptr) index->aligned = true;
            multiples_[axis.var] = axis.step;
        }
    }
    for (const ast::GridWord& word : grid.words) check_grid_word(word);
    for (const ast::GridWord& word : grid.words) {
        if (!std::holds_alternative<ast::Cluster>(word.node) || ir::walks_clusters(kernel_))
            continue;
        // The axis along which consecutive programs lie.
        const std::string& axis =
            kernel_.raster_axis.empty() ? kernel_.grid.front().var : kernel_.raster_axis;
        const std::int64_t size = ir::cluster_size(kernel_);
        DiagnosticBuilder message = error(word.span, msg::cluster_form, "cluster",
                                          "joins programs that do not run one after the other");
        if (cluster_ != axis) {
            message.help("those that do lie along `{}`: write `cluster({} = {})`", axis, axis,
                         size);
            if (kernel_.raster_axis.empty())
                message.help("or let them run along `{}`: write `raster({}, {})`", *cluster_,
                             *cluster_, size);
        } else {
            message.help("a band holds whole clusters: write `raster({}, {})`", axis,
                         (kernel_.raster_width + size - 1) / size * size);
        }
    }
}

void KernelChecker::check_cluster(const ast::Cluster& cluster, Span span) {
    if (cluster.sizes.size() != 1 || !cluster.sizes[0].name || !cluster.sizes[0].value) {
        error(span, msg::cluster_form, "cluster",
              fmt::format("has one argument, as in `cluster({} = 2)`",
                          kernel_.grid.empty() ? "m" : kernel_.grid.front().var));
        return;
    }
    const ast::GenericArg& size = cluster.sizes[0];
    const auto axis = std::find_if(kernel_.grid.begin(), kernel_.grid.end(),
                                   [&](const auto& a) { return a.var == size.name->text; });
    const Entity* named = lookup(size.name->span, size.name->text, "grid variable");
    const std::optional<std::int64_t> blocks =
        check_constant(*size.value, "the number of programs in a cluster", 1);
    if (named == nullptr || !blocks) return;
    if (named->kind != EntityKind::grid_index || axis == kernel_.grid.end()) {
        error(size.name->span, msg::operand_kind, "`cluster`", "a grid variable",
              kind_text(named->kind));
    } else if (const std::int64_t most = limits().blocks_of_cluster; *blocks > most) {
        error(size.span, msg::cluster_form, "cluster",
              fmt::format("has at most {} programs, found {}", most, *blocks));
    } else {
        axis->cluster = *blocks;
        cluster_ = axis->var;
    }
}

void KernelChecker::check_grid_word(const ast::GridWord& word) {
    std::visit(Overloaded{
                   [&](const ast::Persistent&) { kernel_.persistent = true; },
                   [&](const ast::Raster& raster) {
                       const Entity* axis =
                           lookup(raster.axis.span, raster.axis.text, "grid variable");
                       if (axis != nullptr && axis->kind != EntityKind::grid_index) {
                           error(raster.axis.span, msg::operand_kind, "`raster`", "a grid variable",
                                 kind_text(axis->kind));
                       }
                       kernel_.raster_axis = raster.axis.text;
                       kernel_.raster_width =
                           check_constant(*raster.band, "the width of a band", 1).value_or(1);
                   },
                   [&](const ast::HeaviestFirst& heaviest) { heaviest_first_ = &heaviest; },
                   [&](const ast::Warps& warps) { check_warps(warps, word.span); },
                   [&](const ast::Cluster& cluster) { check_cluster(cluster, word.span); },
               },
               word.node);
}

namespace {

constexpr std::int64_t register_step = 8;  // of setmaxnreg

}  // namespace

void KernelChecker::check_pipeline(const ast::Pipeline& pipeline) {
    ir::Pipeline made;
    made.name = pipeline.name.text;
    made.span = pipeline.name.span;
    made.stages =
        check_constant(*pipeline.stages, "the number of stages", 1, stage_limit).value_or(1);
    if (pipeline.per) not_yet(pipeline.per->span, NotYet::role_copies);
    bool known = true;
    for (const ast::Field& field : pipeline.fields) {
        ir::PipelineField f;
        f.name = field.name ? field.name->text : "tile";
        for (const ir::PipelineField& other : made.fields_) {
            if (other.name == f.name) error(field.span, msg::declared_twice, f.name, "a field");
        }
        f.type.space = ir::Space::shared;
        const bool number = field.type.extents.empty();
        if (number && check_type(field.type)) not_yet(field.type.span, NotYet::scalar_fields);
        if (number) {
            known = false;
        } else if (const std::optional<WrittenType> type = check_tile_type(field.type)) {
            f.type = {type->dtype, type->extents[0], type->extents[1], ir::Space::shared};
        } else {
            known = false;
        }
        made.fields_.push_back(std::move(f));
    }
    kernel_.pipelines.push_back(std::move(made));
    Entity* entity = scope_.find(pipeline.name.text);
    if (!known && entity != nullptr) entity->value = Poison{};
}

void KernelChecker::check_role_head(const ast::Role& role, ir::Role& made) {
    made.name = role.name.text;
    made.span = role.name.span;
    made.unit = role.unit == ast::RoleUnit::Warp ? ir::Unit::warp : ir::Unit::warpgroup;
    const bool warps = made.unit == ir::Unit::warp;
    made.width =
        check_constant(*role.count, warps ? "the number of warps" : "the number of warpgroups", 1,
                       warps ? warp_limit : warp_limit / warps_of_warpgroup)
            .value_or(1);
    if (role.instances) not_yet(role.instances->span, NotYet::role_copies);
    for (const ast::RoleWord& word : role.words) {
        if (const auto* registers = std::get_if<ast::Registers>(&word.node)) {
            const std::optional<std::int64_t> count =
                check_constant(*registers->count, "the number of registers", 0);
            made.registers = count.value_or(0);
            const std::int64_t least_registers = limits().least_reallocated;
            const std::int64_t most_registers = limits().most_reallocated;
            if (!count || (*count >= least_registers && *count <= most_registers &&
                           *count % register_step == 0))
                continue;
            error(registers->count->span, msg::register_count, least_registers, most_registers,
                  *count)
                .help("write `registers({})`",
                      std::clamp((*count + register_step / 2) / register_step * register_step,
                                 least_registers, most_registers));
        } else if (std::holds_alternative<ast::Pingpong>(word.node)) {
            made.pingpong = made.warpgroups() == 2 || made.warpgroups() == 3;
            if (made.pingpong) continue;
            error(word.span, msg::pingpong_width,
                  fmt::format("{} {}{}", made.width,
                              made.unit == ir::Unit::warp ? "warp" : "warpgroup",
                              made.width == 1 ? "" : "s"))
                .help("2 or 3 warpgroups can take turns");
        } else {
            not_yet(word.span, NotYet::turns);
        }
    }
}

// The weight may name `let`s and spaces below the grid, so it is looked at behind them.
void KernelChecker::check_weight() {
    const ast::HeaviestFirst* const word = heaviest_first_;
    if (word == nullptr) return;
    const Operand value = check_value(*word->weight);
    const auto* space = std::get_if<SpaceName>(&value);
    const ir::Scalar weight =
        space != nullptr ? points(spaces_.at(space->name), word->weight->span)
                         : as_control(value, word->weight->span, "the weight of `heaviest_first`");
    if (!weight) return;
    const ir::Scalar known = without_lets(weight);
    ir::visit_nodes(known, [&](const ir::ScalarNode& n) {
        const auto* load = std::get_if<ir::ElementLoad>(&n.node);
        if (load == nullptr) return;
        error(word->weight->span, msg::not_known_at_launch, "the weight of `heaviest_first`",
              load->tensor);
    });
    kernel_.weight = known;
}

namespace {

bool has_effect(const ir::Block& block) {
    for (const ir::Op& op : block) {
        const bool seen = std::holds_alternative<ir::Produce>(op.node) ||
                          std::holds_alternative<ir::Store>(op.node) ||
                          std::holds_alternative<ir::Print>(op.node) ||
                          std::holds_alternative<ir::Assert>(op.node);
        if (seen) return true;
        if (const auto* loop = std::get_if<ir::For>(&op.node);
            loop != nullptr && has_effect(loop->body))
            return true;
        const auto* branch = std::get_if<ir::If>(&op.node);
        if (branch != nullptr && (has_effect(branch->then_body) || has_effect(branch->else_body)))
            return true;
    }
    return false;
}

}  // namespace

void KernelChecker::check_role(const ast::Role& role) {
    role_syntax_ = &role;
    check_work(
        role.name.span, [&](ir::Role& made) { check_role_head(role, made); },
        [&] {
            for (const ast::Stmt& stmt : role.body.stmts) check_stmt(stmt);
        });
    role_syntax_ = nullptr;
}

void KernelChecker::check_work(Span place, FunctionRef<void(ir::Role&)> head,
                               FunctionRef<void()> body) {
    kernel_.roles.emplace_back();
    const std::set<std::string> kernel_names = used_names_;
    const std::map<std::string, ir::Scalar> kernel_lets = let_values_;
    const std::map<std::string, std::size_t> kernel_let_sizes = let_sizes_;
    role_ = &kernel_.roles.back();
    temporaries_ = 0;
    columns_.clear();
    origins_.clear();
    head(*role_);
    const Scope::Mark mark = scope_.open();
    open_block();
    body();
    role_->body = close_block();
    drop_unused_rows();
    close_scope(mark);
    if (!failed_) check_shared_reads();
    if (!failed_ && !has_effect(role_->body)) {
        session_.warning(place, msg::role_without_effect, role_->name);
    }
    role_ = nullptr;
    used_names_ = kernel_names;
    let_values_ = kernel_lets;
    let_sizes_ = kernel_let_sizes;
}

void KernelChecker::check_pipeline_uses() {
    for (const ir::Pipeline& pipeline : kernel_.pipelines) {
        const PipelineUse& use = pipeline_uses_[pipeline.name];
        if (use.writer.empty()) {
            DiagnosticBuilder message =
                error(pipeline.span, msg::pipeline_never_filled, pipeline.name);
            if (!use.readers.empty()) message.label(use.read, "it is read here");
        } else if (use.readers.empty()) {
            error(pipeline.span, msg::pipeline_never_read, pipeline.name)
                .label(use.written, "it is filled here");
        }
    }
}

bool KernelChecker::within_limits() {
    std::vector<Span> parameters;
    std::vector<Span> conditions;
    std::vector<Span> pipelines;
    std::vector<Span> roles;
    for (const ast::KernelParam& param : syntax_.params) parameters.push_back(param.name.span);
    for (const ast::ExprPtr& condition : syntax_.conditions) conditions.push_back(condition->span);
    for (const ast::ExprPtr& belief : syntax_.beliefs) conditions.push_back(belief->span);
    for (const ast::KernelItem& item : items_) {
        const auto* pipeline = std::get_if<ast::Pipeline>(&item.node);
        const auto* role = std::get_if<ast::Role>(&item.node);
        if (pipeline != nullptr) pipelines.push_back(pipeline->name.span);
        if (role != nullptr) roles.push_back(role->name.span);
    }
    bool within = true;
    const auto check = [&](const std::vector<Span>& list, std::size_t limit,
                           std::string_view what) {
        if (list.size() <= limit) return;
        error(list[limit], msg::too_many, syntax_.name.text, limit, what);
        within = false;
    };
    check(parameters, parameter_limit, "parameters");
    check(conditions, condition_limit, "conditions");
    check(pipelines, pipeline_limit, "pipelines");
    check(roles, role_limit, "roles");
    return within;
}

bool KernelChecker::counts(std::size_t& counter, std::size_t limit, std::string_view what,
                           Span span) {
    if (over_limit_) return false;
    if (++counter <= limit) return true;
    over_limit_ = true;
    error(span, msg::too_many, syntax_.name.text, limit, what)
        .help("functions are written out where they are called; what repeats can be a loop");
    return false;
}

std::optional<CheckedKernel> KernelChecker::run() {
    kernel_.source = syntax_.name.text;
    kernel_.target = session_.options.target->name;
    kernel_.name = instance_ != nullptr ? instance_->name.text
                   : called_ != nullptr ? called_->name
                                        : syntax_.name.text;
    kernel_.span = syntax_.name.span;
    if (!within_limits()) return std::nullopt;
    open_block();
    bind_constants();
    declare_parameters();
    check_requires();
    declare_items();
    for (const std::string& name : scope_.names()) used_names_.insert(name);
    std::size_t grids = 0;
    for (const ast::KernelItem& item : items_) {
        const auto* grid = std::get_if<ast::Grid>(&item.node);
        if (grid != nullptr && ++grids == 1) check_grid(*grid);
    }
    for (const std::string& name : scope_.names()) used_names_.insert(name);
    if (grids != 1) {
        without_grid_ = true;
        DiagnosticBuilder message =
            error(syntax_.name.span, msg::grid_count, syntax_.name.text, grids);
        std::size_t seen = 0;
        for (const ast::KernelItem& item : items_) {
            if (std::holds_alternative<ast::Grid>(item.node) && ++seen == 2)
                message.label(item.span, "the second one");
        }
        if (grids == 0)
            message.help("write `grid (m in M by 64);`: one program for each 64 rows of `M`");
    }
    for (Entity* entity : scope_.since({})) {
        if (entity->pending != nullptr && !entity->busy) resolve_let(*entity);
    }
    for (const ast::KernelItem& item : items_) {
        if (const auto* pipeline = std::get_if<ast::Pipeline>(&item.node))
            check_pipeline(*pipeline);
        if (const auto* space = std::get_if<ast::Space>(&item.node)) check_space(*space);
    }
    check_weight();
    kernel_.lets = close_block();
    for (const ast::KernelItem& item : items_) {
        const auto* role = std::get_if<ast::Role>(&item.node);
        if (role != nullptr && !session_.stopped) check_role(*role);
    }
    if (!has_roles() && !session_.stopped) check_body();
    if (!failed_) check_pipeline_uses();
    close_scope({});
    add_divisor_conditions();
    if (failed_) return std::nullopt;
    check_elements_read();
    return CheckedKernel{std::move(kernel_), std::move(padding_sites_)};
}

}  // namespace tkc::checker
