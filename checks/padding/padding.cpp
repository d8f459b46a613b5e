// The padding of tiles, followed through the operations of a kernel.
#include "checks/padding/padding.h"

#include <algorithm>
#include <optional>

#include "base/overloaded.h"
#include "checks/padding/analysis.h"
#include "facts/plain_signs.h"
#include "facts/value_range.h"
#include "ir/walk.h"

namespace tkc::checks::padding {

namespace {

// A tile of which nothing is known: perhaps padded, anywhere and with anything.
TilePadding unknown_tile(const std::string& why) {
    TilePadding made;
    for (AxisPadding& axis : made.axis) {
        axis.padded = true;
        axis.lost = why;
    }
    made.corner = {};
    return made;
}

}  // namespace

PaddingState join(PaddingState a, const PaddingState& b) {
    std::erase_if(a.cells, [&](const auto& known) {
        const auto other = b.cells.find(known.first);
        return other == b.cells.end() || !(other->second == known.second);
    });
    keep_common(a.extremes, b.extremes);
    for (std::size_t id = 0; id < b.tiles.size(); ++id) {
        SharedTile& old = a.tiles[id];
        if (b.tiles[id]) old = old ? join(old, b.tiles[id]) : b.tiles[id];
    }
    for (const auto& [id, fields] : b.elements) {
        PaddedFields& old = a.elements[id];
        for (const auto& [name, tile] : fields) {
            const auto [known, added] = old.emplace(name, tile);
            if (!added) known->second = join(known->second, tile);
        }
    }
    return a;
}

PaddingAnalysis::PaddingAnalysis(ir::Kernel& kernel, const checker::PaddingSites& sites,
                                 Diagnostics& diag, std::vector<Obligation>* obligations)
    : kernel_(kernel),
      sites_(sites),
      diag_(diag),
      obligations_(obligations),
      bindings_(bindings_with_places(kernel)),
      kernel_facts_(ir::facts_of(kernel, bindings_)),
      data_names_(ir::names_of_data(kernel)) {
    for (const ir::Op& op : kernel.lets) {
        if (const auto* let = ir::as<ir::Let>(op)) kernel_lets_[let->name] = let->value;
    }
    for (const auto& [name, value] : kernel_lets_) names_.insert(name);
    for (const ir::Tensor& tensor : kernel.tensors) {
        names_.insert(tensor.name);
        for (const ir::Scalar& extent : tensor.extents) names_.merge(ir::symbols_of(extent));
    }
    for (const ir::Parameter& parameter : kernel.parameters) names_.insert(parameter.name);
    for (const ir::GridAxis& axis : kernel.grid) steps_.insert(axis.var);
    for (const ir::Role& role : kernel.roles) {
        ir::walk_only<ir::For>(role.body, [&](const ir::For& f) { steps_.insert(f.var); });
        ir::walk_only<ir::Let>(role.body, [&](const ir::Let& let) { names_.insert(let.name); });
        ir::walk_only<ir::ReadNumber>(role.body,
                                      [&](const ir::ReadNumber& n) { names_.insert(n.name); });
        for (const ir::ValueInfo& value : role.values) names_.insert(value.name);
    }
    names_.insert(steps_.begin(), steps_.end());
}

void PaddingAnalysis::run() {
    for (ir::Role& reader : kernel_.roles) {
        for (const ir::Role& writer : kernel_.roles) {
            for (const ir::Pipeline& pipeline : kernel_.pipelines)
                aligned_.merge(align(writer, reader, pipeline.name, bindings_));
        }
    }
    // What passes through registers on its way needs the roles before it: each round carries
    // the facts one role further. Roles that hand nothing on wait for the last one.
    std::vector<ir::Role*> handing_on;
    for (ir::Role& role : kernel_.roles) {
        bool passes = false;
        ir::walk_only<ir::Produce>(role.body, [&](const ir::Produce&) { passes = true; });
        ir::walk_only<ir::Store>(role.body, [&](const ir::Store& n) {
            const ir::Mode mode = ir::find_tensor(kernel_, n.target.tensor)->mode;
            stored_.emplace(n.target.tensor, any_of_line());
            passes = passes || mode == ir::Mode::scratch || mode == ir::Mode::inout;
        });
        if (passes) handing_on.push_back(&role);
    }
    for (std::size_t round = 0; !handing_on.empty() && round < kernel_.roles.size(); ++round) {
        const auto before = std::tuple(produced_, stored_, stored_padding_);
        for (ir::Role* role : handing_on) run(*role, false);
        if (std::tie(produced_, stored_, stored_padding_) == before) break;
    }
    for (ir::Role& role : kernel_.roles) run(role, true);
    for (ir::Role& role : kernel_.roles) define_edges(role.body, {});
}

// Puts the edges that got names in front of what first uses them.
void PaddingAnalysis::define_edges(ir::Block& block, std::set<std::string> defined) const {
    if (edges_.empty()) return;
    ir::Block made;
    for (ir::Op& op : block) {
        ir::for_each_scalar(op, [&](const ir::Scalar& s) {
            for (const std::string& symbol : ir::symbols_of(s)) {
                for (const auto& [text, let] : edges_) {
                    if (let.name == symbol && defined.insert(symbol).second)
                        made.push_back(ir::at(op.span, ir::Let(let)));
                }
            }
        });
        ir::for_each_block(op, [&](ir::Block& inner) { define_edges(inner, defined); });
        made.push_back(std::move(op));
    }
    block = std::move(made);
}

void PaddingAnalysis::run(ir::Role& role, bool settle) {
    role_ = &role;
    lets_ = expanded_lets(role);
    numbers_.clear();
    reported_axes_.clear();
    where_ = role.name;
    settle_ = settle;
    PaddingState state;
    state.tiles.resize(role.values.size());
    follow(role.body, state, kernel_facts_);
}

// ---- control

void PaddingAnalysis::follow(ir::Block& block, PaddingState& state, const ir::Facts& facts) {
    for (ir::Op& op : block) follow(op, state, facts);
}

void PaddingAnalysis::follow(ir::Op& op, PaddingState& state, const ir::Facts& facts) {
    const ir::Facts* const outer = std::exchange(facts_, &facts);
    state_ = &state;
    op_ = &op;
    if (auto* loop = ir::as<ir::For>(op)) {
        follow_loop(*loop, state, facts);
    } else if (auto* branch = ir::as<ir::If>(op)) {
        check_condition(branch->condition);
        const ir::NormalForm holds = form(branch->condition);
        PaddingState other = state;
        const std::vector<SharedTile> before = state.tiles;
        ir::Facts yes = facts;
        ir::Facts no = facts;
        yes.assume(holds);
        no.assume(ir::negation(holds));
        const std::size_t outside = where_.size();
        where_ += "?" + holds.key();
        follow(branch->then_body, state, yes);
        where_.resize(outside);
        where_ += "!" + holds.key();
        follow(branch->else_body, other, no);
        // What neither branch changes joins itself.
        std::set<std::size_t> changed;
        for (std::size_t id = 0; id < before.size(); ++id) {
            if (!(state.tiles[id] == before[id]) || !(other.tiles[id] == before[id]))
                changed.insert(id);
        }
        settle_edges(other, changed, no);
        where_.resize(outside);
        where_ += "?" + holds.key();
        settle_edges(state, changed, yes);
        where_.resize(outside);
        state = join(std::move(state), other);
    } else if (auto* produce = ir::as<ir::Produce>(op)) {
        fields_ = &produced_[&op];
        fields_->clear();
        follow(produce->body, state, facts);
    } else {
        follow_plain(op);
    }
    facts_ = outer;
}

// At the end of a branch: what holds there counts. `if c.end > C { t = pad(t, ..); }` leaves no
// other padding.
void PaddingAnalysis::settle_edges(PaddingState& state, const std::set<std::size_t>& tiles,
                                   const ir::Facts& facts) {
    const ir::Facts* const outer = std::exchange(facts_, &facts);
    for (const std::size_t id : tiles) {
        SharedTile& tile = state.tiles[id];
        if (!tile || (!begin_of(tile->axis[0]) && !begin_of(tile->axis[1]))) continue;
        TilePadding settled = with_edges(*tile, ir::Value{static_cast<std::uint32_t>(id)});
        if (!(settled == *tile)) tile = SharedTile(std::move(settled));
    }
    facts_ = outer;
}

// ---- operations

void PaddingAnalysis::propagate_reported(const ir::Op& op) {
    unsigned axes = 0;
    ir::for_each_operand(op, [&](const ir::Value& v) {
        const auto found = reported_axes_.find(v.id);
        if (found != reported_axes_.end()) axes |= found->second;
    });
    const auto* function = ir::as<ir::Apply>(op);
    if (axes != 0 && ir::as<ir::Mma>(op) != nullptr) axes = 3;
    if (function != nullptr && function->function == TileFunction::transpose)
        axes = (axes & 1U) << 1U | axes >> 1U;
    ir::for_each_result(op, [&](const ir::Value& v) {
        if (axes != 0) reported_axes_[v.id] |= axes;
        else if (!ir::reads(op, v)) reported_axes_.erase(v.id);
    });
}

bool PaddingAnalysis::is_reported(ir::Value v, std::size_t axis) const {
    const auto found = reported_axes_.find(v.id);
    return found != reported_axes_.end() && (found->second >> axis & 1U) != 0;
}

void PaddingAnalysis::follow_plain(ir::Op& op) {
    if (settle_) propagate_reported(op);
    std::visit(Overloaded{
                   [&](ir::Splat& n) {
                       TilePadding made;
                       made.data = evaluate(n.value, context_without_cells());
                       made.made_up = {true, true};
                       check_condition(n.value);
                       set(n.result, made);
                   },
                   [&](ir::Map&) { follow_map(op); },
                   [&](ir::ReadNumber& n) {
                       numbers_[n.name] = of(n.source).data;
                       if (settle_) check_single(n.source);
                   },
                   [&](ir::Copy& n) {
                       if (const auto found = state_->elements.find(n.source.id);
                           found != state_->elements.end())
                           state_->elements[n.result.id] = PaddedFields(found->second);
                       else set(n.result, of(n.source));
                       copy_cells(n.source, n.result);
                       if (const auto known = state_->extremes.find(n.source.id);
                           known != state_->extremes.end())
                           state_->extremes[n.result.id] = Extremes(known->second);
                   },
                   [&](ir::Share& n) {
                       set(n.result, of(n.source));
                       copy_cells(n.source, n.result);
                   },
                   [&](ir::Load& n) {
                       set(n.result, of_slice(n.source, role_->tile(n.result), constant_fill(0)));
                   },
                   [&](ir::Fill& n) {
                       const ir::TileType* type = field_type(n.field);
                       FillValue behind = constant_fill(0);
                       if (n.transfer == ir::Transfer::tma && !n.clipped)
                           behind.kind = FillValue::Kind::foreign;
                       if (n.allow_foreign) behind = elsewhere(finite_fill());
                       if (type == nullptr) return;
                       TilePadding made = of_slice(n.source, *type, behind);
                       for (AxisPadding& axis : made.axis) axis.allowed = n.allow_foreign;
                       (*fields_)[n.field] = SharedTile(std::move(made));
                   },
                   [&](ir::Put& n) { (*fields_)[n.field] = SharedTile(of(n.source)); },
                   [&](ir::Consume& n) { state_->elements[n.result.id] = taken(op, n.pipeline); },
                   [&](ir::Field& n) {
                       const PaddedFields& fields = state_->elements[n.element.id];
                       const auto found = fields.find(n.field);
                       set(n.result, found == fields.end() ? unknown_tile("its value is unknown")
                                                           : *found->second);
                   },
                   [&](ir::Window& n) {
                       const TilePadding rows = ir::padding::sliced(of(n.source), 0, n.row);
                       set(n.result, with_edges(ir::padding::sliced(rows, 1, n.col), n.result));
                       copy_cells_from(n.source, n.result, n.row, n.col);
                   },
                   [&](ir::Mma& n) { set(n.result, of_product(n)); },
                   [&](ir::Apply& n) {
                       if (settle_ && n.function == TileFunction::exchange) check_exchange(n);
                       TilePadding made = of_function(n);
                       made.iterations = of(n.source).iterations;
                       if (n.function == TileFunction::transpose)
                           std::swap(made.iterations[0], made.iterations[1]);
                       if (of(n.source).made_up == std::array{true, true})
                           made.made_up = {true, true};
                       set(n.result, std::move(made));
                       copy_cells_of(n);
                       note_extremes(n);
                   },
                   // No tile is made.
                   [&](const ir::Store& n) {
                       note_stored(n);
                       if (settle_) check_store(n);
                   },
                   [](const ir::Print&) {},
                   [](const ir::Assert&) {},
                   [](const ir::CountWrites&) {},
                   [](const ir::Signal&) {},
                   [](const ir::Await&) {},
                   [&](const ir::Let& n) { check_condition(n.value); },
                   // follow() walks these; the others come later.
                   []<ir::ControlOp T>(const T&) {},
                   [](const ir::Produce&) {},
                   []<ir::ScheduledOp T>(const T&) {},
               },
               op.node);
}

const ir::TileType* PaddingAnalysis::field_type(const std::string& field) const {
    for (const auto& [op, fields] : produced_) {
        if (&fields != fields_) continue;
        const auto* produce = ir::as<ir::Produce>(*op);
        const ir::Pipeline* pipeline = ir::find_pipeline(kernel_, produce->pipeline);
        for (const ir::PipelineField& f : pipeline->fields_) {
            if (f.name == field) return &f.type;
        }
    }
    return nullptr;
}

const SharedTile& PaddingAnalysis::shared(ir::Value v) const { return state_->tiles[v.id]; }
void PaddingAnalysis::set(ir::Value v, TilePadding tile) {
    ir::padding::for_each_fill(tile, [](FillValue& fill) { fill.of_line = false; });
    state_->tiles[v.id] = SharedTile(std::move(tile));
    state_->cells.erase(v.id);
    forget_extremes(v);
}

ir::Scalar PaddingAnalysis::expanded(const ir::Scalar& s) const { return ir::substitute(s, lets_); }
ir::NormalForm PaddingAnalysis::form(const ir::Scalar& s) const {
    return ir::normal_form(expanded(s), bindings_);
}
ir::NormalForm PaddingAnalysis::form_in_cell(const ir::Scalar& s) const {
    const auto* compared = std::get_if<ir::Call>(&s->node);
    if (compared != nullptr && ir::compared_places(s).size() == compared->arguments.size())
        return form(s);
    // The launch is asked for the names, and not for what cells make of them.
    ir::Bindings names = bindings_;
    names.uses_launch_facts = false;
    std::map<std::string, ir::Scalar> others;
    for (const std::string& name : ir::symbols_of(s)) {
        const auto let = lets_.find(name);
        if (let == lets_.end()) continue;
        if (bindings_.ranges->contains(name)) names[name] = ir::normal_form(let->second, bindings_);
        else others[name] = let->second;
    }
    return ir::normal_form(ir::substitute(s, others), names);
}

// Whether the range begins before 0 in some launch. What is read from memory is not asked: that a
// view lies inside of its tensor is checked where it runs.
bool PaddingAnalysis::begins_before(const ir::Range& range) const {
    const ir::NormalForm first = form(range.base);
    bool loads = false;
    ir::visit_atoms(first, [&](const ir::Atom& a) {
        loads = loads || a->kind == ir::AtomKind::load || a->kind == ir::AtomKind::opaque;
    });
    if (loads) return false;
    if (facts_->prove_at_least(first, 0)) return false;
    return facts_->find({ir::at_least_zero(-first - ir::NormalForm(1))}).has_value();
}

AxisPadding PaddingAnalysis::padded_from(const ir::Scalar& edge, const std::string& key,
                                         const FillValue& fill, const std::string& tensor) const {
    AxisPadding made;
    made.padded = true;
    made.edge = edge;
    made.key = key;
    made.fill = fill;
    made.tensor = tensor;
    made.origin = op_->span;
    return made;
}

// The place in other words.
void PaddingAnalysis::move_edge(AxisPadding& axis,
                                const std::map<std::string, ir::Scalar>& names) const {
    const auto moved = [&](ir::Scalar& place, std::string& key) {
        if (!place) return;
        place = ir::substitute(place, names);
        key = ir::normal_form(place, bindings_).key();
    };
    moved(axis.edge, axis.key);
    moved(axis.first, axis.first_key);
    move_inside(axis.inside, axis.inside_key, names);
}

TilePadding PaddingAnalysis::of_slice(const ir::Slice& slice, const ir::TileType& type,
                                      const FillValue& behind_views) const {
    const ir::Tensor& tensor = *ir::find_tensor(kernel_, slice.tensor);
    std::size_t ranges = 0;
    for (const ir::Range& r : slice.ranges) ranges += r.kind != ir::Range::Kind::index ? 1 : 0;
    // A slice of one range is a row, or a column of that extent.
    std::size_t axis = ranges == 1 && type.rows == 1 ? 1 : 0;
    TilePadding made;
    made.data = as_cells(data_of_tensor(slice.tensor), type.dtype);
    for (std::size_t i = 0; i < slice.ranges.size(); ++i) {
        const ir::Range& range = slice.ranges[i];
        if (range.kind == ir::Range::Kind::index) continue;
        const std::size_t at = axis++;
        if (range.kind == ir::Range::Kind::whole || at > 1) continue;
        for (const auto& [variable, first] : loops_) {
            if (ir::mentions(expanded(range.base), variable))
                made.iterations[at].current.insert(variable);
        }
        // Past the last cell that has a position is padding; positions out of bounds are holes.
        const bool gather = range.kind == ir::Range::Kind::gather;
        if (gather) made.holes[at] = holes_of_list(range, tensor.extents[i], tensor.name);
        if (gather && !range.edge) continue;
        const StoredPadding* const stored =
            range.edge || gather ? nullptr : padding_of_scratch(tensor.name, i);
        const ir::Scalar end = range.edge ? expanded(range.edge)
                               : stored   ? stored->end
                                          : tensor.extents[i];
        const ir::Scalar edge = gather ? end : ir::sub(end, expanded(range.base));
        const ir::NormalForm begin = ir::normal_form(edge, bindings_);
        if (!gather && begins_before(range)) {
            AxisPadding& lost = made.axis[at];
            lost = padded_from(edge, begin.key(), constant_fill(0), tensor.name);
            lose_edge(lost, "it may begin before the axis, which holds zeros as well");
            const ir::Scalar place = ir::add(expanded(range.base), ir::row());
            lost.inside.push_back(ir::call(Function::ge, {place, ir::integer(0)}));
            if (!facts_->prove_at_least(begin, range.length))
                lost.inside.push_back(ir::less(place, end));
            move_inside(lost.inside, lost.inside_key, {});
            made.corner = join(made.corner, lost.fill);
            continue;
        }
        if (facts_->prove_at_least(begin, range.length)) continue;
        const FillValue fill = stored                  ? join(stored->fill, constant_fill(0))
                               : range.edge && !gather ? behind_views
                                                       : constant_fill(0);
        made.axis[at] = padded_from(edge, begin.key(), fill, tensor.name);
        made.corner = join(made.corner, fill);
    }
    return made;
}

// Edges of a part of a tile by their places: those after it are none.
TilePadding PaddingAnalysis::with_edges(TilePadding part, ir::Value v) const {
    const ir::TileType& type = role_->tile(v);
    for (std::size_t i = 0; i < 2; ++i) {
        AxisPadding& axis = part.axis[i];
        if (!begin_of(axis)) continue;
        const ir::NormalForm begin = ir::normal_form(begin_of(axis), bindings_);
        const bool none = facts_->prove_at_least(begin, i == 0 ? type.rows : type.cols);
        // What a step has changed it has changed, wherever this one ends.
        if (none && !axis.changes && !axis.changed) axis = {};
        else (axis.edge ? axis.key : axis.first_key) = begin.key();
    }
    // A single row (column) that may be padding is taken for data, and what lies past the edge of
    // the other axis is then that of both.
    for (std::size_t i = 0; i < 2; ++i) {
        if ((i == 0 ? type.rows : type.cols) != 1 || !part.axis[i].padded) continue;
        part.data = join(part.data, as_data(part.axis[i].fill));
        AxisPadding& other = part.axis[1 - i];
        if (!other.padded) continue;
        other.fill = join(other.fill, part.corner);
        other.repeats = Repeats::no;
    }
    return part;
}

// In the reader's variables. What the writer's loops have combined stays combined.
Iterations PaddingAnalysis::for_reader(const Iterations& written,
                                       const std::map<std::string, ir::Scalar>& variables) const {
    Iterations made;
    made.combined = written.combined;
    for (const auto& [variable, first] : loops_) {
        for (const std::string& of_writer : written.current) {
            const auto known = variables.find(of_writer);
            if (known != variables.end() && ir::mentions(known->second, variable))
                made.current.insert(variable);
        }
    }
    return made;
}

// The element that a `consume` takes.
PaddedFields PaddingAnalysis::taken(const ir::Op& op, const std::string& pipeline) const {
    const auto found = aligned_.find(&op);
    if (found != aligned_.end()) {
        const auto made = produced_.find(found->second.produce);
        PaddedFields fields = made == produced_.end() ? PaddedFields{} : made->second;
        for (auto& [name, tile] : fields) {
            TilePadding moved = *tile;
            for (AxisPadding& axis : moved.axis) {
                move_edge(axis, found->second.variables);
            }
            for (Holes& holes : moved.holes) move_holes(holes, found->second.variables);
            for (Iterations& along : moved.iterations)
                along = for_reader(along, found->second.variables);
            tile = SharedTile(std::move(moved));
        }
        return fields;
    }
    // Any of them: what holds for all. In the order of the text, as messages name the first.
    PaddedFields fields;
    const auto add = [&](const ir::Op& written) {
        const auto* produce = ir::as<ir::Produce>(written);
        if (produce == nullptr || produce->pipeline != pipeline) return;
        const auto made = produced_.find(&written);
        if (made == produced_.end()) return;
        for (const auto& [name, given] : made->second) {
            TilePadding tile = *given;
            for (AxisPadding& axis : tile.axis) {
                if (is_of_launch(begin_of(axis))) continue;
                lose_edge(axis, "the roles on both sides of pipeline `" + pipeline +
                                    "` use different loops");
            }
            for (Iterations& along : tile.iterations) along = for_reader(along, {});
            for (Holes& holes : tile.holes) {
                const auto of_launch = [&](const ir::Scalar& s) { return is_of_launch(s); };
                if (!std::all_of(holes.inside.begin(), holes.inside.end(), of_launch)) holes = {};
            }
            SharedTile& old = fields[name];
            old = SharedTile(old ? padding::join(*old, tile) : tile);
        }
    };
    for (const ir::Role& role : kernel_.roles) ir::walk(role.body, add);
    return fields;
}

// Whether the place is the same for the whole program.
bool PaddingAnalysis::is_of_launch(const ir::Scalar& edge) const {
    if (!edge) return false;
    for (const std::string& symbol : ir::symbols_of(edge)) {
        bool loop = false;
        for (const ir::Role& role : kernel_.roles) {
            ir::walk_only<ir::For>(role.body,
                                   [&](const ir::For& f) { loop = loop || f.var == symbol; });
        }
        if (loop) return false;
    }
    return true;
}

bool settle(ir::Kernel& kernel, const checker::PaddingSites& sites, Diagnostics& diag,
            std::vector<Obligation>* obligations) {
    const int before = diag.error_count();
    mark_clipped_loads(kernel);
    PaddingAnalysis(kernel, sites, diag, obligations).run();
    return diag.error_count() == before;
}

}  // namespace tkc::checks::padding
